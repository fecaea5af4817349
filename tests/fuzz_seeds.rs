//! The fuzz targets on their seeds, so that they keep compiling and holding. `fuzz/` has the targets themselves.

use std::path::Path;

#[path = "../fuzz/bodies.rs"]
#[allow(unreachable_pub)] // the targets, each a crate of its own, use them too
mod bodies;

fn on_seeds(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        body(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "{target} has no seeds");
}

#[test]
fn lines() {
    on_seeds("line", bodies::line);
}

#[test]
fn transcripts() {
    on_seeds("transcript", bodies::transcript);
}

#[test]
fn commands() {
    on_seeds("execute", bodies::execute);
}

#[test]
fn requests() {
    on_seeds("resp", bodies::resp);
}

#[test]
fn links() {
    on_seeds("link", bodies::link);
}

#[test]
fn host_messages() {
    on_seeds("host", bodies::host);
}
