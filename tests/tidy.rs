//! The rules of the house that a compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

use hotkv_playground::scenarios::{DEFAULT, SCENARIOS};
use hotkv_playground::transcript::{Record, parse};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust files under a folder.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                found.push(entry.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} has no Rust files");
    found
}

#[test]
fn every_file_says_what_it_is() {
    for file in rust_files("src").into_iter().chain(rust_files("tests")) {
        assert!(read(&file).starts_with("//! "), "{} does not open with //!", file.display());
    }
}

#[test]
fn arrows_point_one_way() {
    // Each layer and those that it may name.
    const PURE: [&str; 8] = ["engine", "command", "transcript", "worker", "player", "explore", "console", "scenarios"];
    let app = [&PURE[..], &["app"]].concat();
    let layers: [(&str, &[&str]); 11] = [
        ("engine", &[]),
        ("command", &["engine"]),
        ("transcript", &["engine", "command"]),
        ("worker", &["engine", "command", "transcript"]),
        ("player", &["engine", "command", "transcript"]),
        ("explore", &["engine", "command", "transcript", "worker"]),
        ("console", &["engine", "command", "transcript"]),
        ("scenarios", &[]),
        ("app", &PURE),
        ("web", &app),
        ("native", &app),
    ];
    for (layer, may) in layers {
        for file in rust_files(&format!("src/{layer}")) {
            for (number, line) in read(&file).lines().enumerate() {
                for (other, _) in layers.iter().filter(|(other, _)| *other != layer && !may.contains(other)) {
                    assert!(
                        !line.contains(&format!("crate::{other}")),
                        "{}:{}: {layer} may not name {other}",
                        file.display(),
                        number + 1
                    );
                }
            }
        }
    }
}

#[test]
fn only_web_names_the_browser_and_nobody_forgets() {
    for file in rust_files("src") {
        let text = read(&file);
        let in_web = file.starts_with("src/web");
        for word in ["web_sys", "js_sys", "wasm_bindgen"] {
            assert!(in_web || !text.contains(word), "{} names {word}", file.display());
        }
        for word in ["inner_html", "mem::forget", ".forget()"] {
            assert!(!text.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn the_page_has_every_element_that_is_used_by_name() {
    let page = read("index.html");
    let refs = read("src/web/refs.rs");
    let ids: Vec<&str> = refs
        .lines()
        .filter_map(|line| line.trim().strip_suffix("\",")?.rsplit_once(" = \""))
        .map(|(_, id)| id)
        .collect();
    assert!(ids.len() > 30, "the list of elements was not found");
    for id in ids {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "#{id}");
    }
    for banned in [" style=", "onclick", "<script>", "http://", "https://"] {
        assert!(!page.contains(banned), "index.html holds {banned}");
    }
}

#[test]
fn the_page_reads_without_scripts_as_it_opens_with_them() {
    let page = read("index.html");
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (records, _) = parse(DEFAULT.text);
    let steps = page.split_once("<ol id=\"steps\">").and_then(|(_, rest)| rest.split_once("</ol>")).unwrap().0;
    for located in records {
        match located.record {
            Record::Step(title) => assert!(steps.contains(&format!(">{}<", escape(&title))), "{title}"),
            Record::Prose(prose) => assert!(page.contains(&format!(">{}<", escape(&prose))), "{prose}"),
            Record::Command { client, line, reply } => {
                let reply = escape(&reply.join("\n"));
                let shown = format!(
                    "data-slot=\"prompt\">{client}&gt;</span> <code lang=\"en\" translate=\"no\" data-slot=\"command\">{}</code><span class=\"out\" lang=\"en\" translate=\"no\" data-slot=\"reply\">{reply}<",
                    escape(&line)
                );
                assert!(steps.contains(&shown), "{shown}");
            }
            _ => {}
        }
    }
}

#[test]
fn the_page_offers_every_scenario() {
    let page = read("index.html");
    for scenario in SCENARIOS {
        assert!(page.contains(&format!("<option value=\"{}\" ", scenario.id)), "{}", scenario.id);
    }
}
