//! The README: its transcripts hold, its command table is the engine's, and its examples are there. `HOTKV_UPDATE=1`
//! rewrites the table.

use std::fmt::Write;
use std::path::PathBuf;

use hotkv_playground::command::all_with_subcommands;
use hotkv_playground::snippets::{Client, Facts, Language, Server, snippet};
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

#[test]
fn the_examples_are_those_that_are_there() {
    let readme = std::fs::read_to_string(path()).unwrap();
    let examples = path().with_file_name("examples").join("testing");
    let mut told: Vec<&str> = readme
        .split("](examples/testing/")
        .skip(1)
        .map(|rest| rest.split_once("/) | ").expect("a row of the table").0)
        .collect();
    told.sort_unstable();
    let there = std::fs::read_dir(&examples).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut there: Vec<String> = there.collect();
    there.sort_unstable();
    assert_eq!(told, there);
    // The oldest versions are those that the programs of the playground name.
    let facts = Facts { lock: b"lock:x".to_vec(), ttl: 30_000, language: Language::English };
    for name in there {
        let client = Client::named(&name).expect("a folder is named as its client");
        let needs = snippet(&facts, client, Server::Redis).needs;
        let (_, row) = readme.split_once(&format!("](examples/testing/{name}/) | ")).unwrap();
        let version = row.split(' ').next().unwrap();
        assert!(needs.contains(&format!(" {version} ")), "{version}: {needs}");
    }
}

#[test]
fn the_test_that_is_shown_stands_in_its_example() {
    let readme = std::fs::read_to_string(path()).unwrap();
    let example = path().with_file_name("examples").join("testing/redis-py/test_lock.py");
    let example = std::fs::read_to_string(example).unwrap();
    let (_, rest) = readme.split_once("```python\n").expect("the test that is shown");
    let shown = rest.split("```").next().unwrap();
    let shown: Vec<String> = shown.lines().map(|line| format!("    {line}\n")).collect();
    assert!(example.contains(&shown.concat()), "{}", shown.concat());
}
