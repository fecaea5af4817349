//! The README: its transcripts hold, and its command table is the engine's. `HOTKV_UPDATE=1` rewrites the table.

use std::fmt::Write;
use std::path::PathBuf;

use hotkv_playground::command::all_with_subcommands;
use hotkv_playground::transcript::{check, parse};

const OPEN: &str = "<!-- commands: a test holds this table equal to the engine's -->\n";
const CLOSE: &str = "<!-- /commands -->";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

fn table() -> String {
    let mut table = String::from("| Command | What it does |\n| --- | --- |\n");
    for spec in all_with_subcommands().filter(|spec| spec.subcommands().is_empty()) {
        // A bar would end the cell.
        let _ = writeln!(table, "| `{}` | {} |", spec.syntax.replace('|', "\\|"), spec.summary);
    }
    table
}

#[test]
fn the_command_table_is_the_engines() {
    let readme = std::fs::read_to_string(path()).unwrap();
    let (before, rest) = readme.split_once(OPEN).expect("the table's opening mark");
    let (shown, after) = rest.split_once(CLOSE).expect("the table's closing mark");
    if std::env::var_os("HOTKV_UPDATE").is_some() {
        std::fs::write(path(), format!("{before}{OPEN}{}{CLOSE}{after}", table())).unwrap();
    } else {
        assert_eq!(shown, table(), "run HOTKV_UPDATE=1 cargo test --test readme");
    }
}

#[test]
fn the_transcripts_hold() {
    let readme = std::fs::read_to_string(path()).unwrap();
    let blocks: Vec<&str> =
        readme.split("```hotkv\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let (records, diagnostics) = parse(block);
        assert_eq!(diagnostics, []);
        assert_eq!(check(&records), []);
    }
}
