//! `hotkv explore`: its options, its JSON, its exit status, and what it says of files that are no programs.

use std::path::Path;
use std::process::{Command, Output};

use hotkv_playground::transcript::{check, parse};
use serde_json::Value;

/// Where files of this test run stand. Commands run there, so that no path has to be told, whatever is in it.
const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// Runs the command.
fn explore(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hotkv")).current_dir(FOLDER).arg("explore").args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A file of this test run.
fn file(name: &str, content: &[u8]) -> String {
    std::fs::write(Path::new(FOLDER).join(name), content).unwrap();
    name.to_owned()
}

/// The words of a line.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

const SAFE: &str = "--acquire set-nx-px --renew none --release delex-ifeq";

#[test]
fn json_has_all_five_properties() {
    let line = format!("{SAFE} --pauses 1 --pause 60s --json");
    let output = explore(&words(&line));
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let json: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json), ["finished", "properties", "states"]);
    assert_eq!((&json["states"], &json["finished"]), (&Value::from(512), &Value::from(true)));
    let told: Vec<_> = json["properties"].as_array().unwrap().iter().collect();
    let brief: Vec<_> = told
        .iter()
        .map(|told| (told["name"].as_str().unwrap(), told["verdict"].as_str().unwrap(), told["steps"].as_u64()))
        .collect();
    let expected = [
        ("mutual-exclusion", "broken", Some(6)),
        ("no-foreign-release", "holds", None),
        ("no-foreign-renewal", "holds", None),
        ("no-stuck-lock", "holds", None),
        ("fenced-writes", "broken", Some(10)),
    ];
    assert_eq!(brief, expected);
    assert_eq!(keys(told[0]), ["name", "steps", "transcript", "verdict"]);
    assert_eq!(keys(told[1]), ["name", "verdict"]);
    for told in told.iter().filter(|told| told["verdict"] == "broken") {
        let transcript = told["transcript"].as_str().unwrap();
        let (records, diagnostics) = parse(transcript);
        assert_eq!((diagnostics, check(&records)), (Vec::new(), Vec::new()), "{transcript}");
    }
}

#[test]
fn the_exit_status_says_whether_all_hold() {
    for (line, status, words_told) in [
        (SAFE.to_owned(), 0, "no-stuck-lock       holds in all 28 states\n"),
        (format!("{SAFE} --crashes 1"), 0, "86 states, all searched; 0 pauses, 1 crash\n"),
        (format!("{SAFE} --on-refusal stop --retry 1s --workers 1"), 0, "all searched"),
        (
            "--acquire set-nx --renew none --release del --crashes 1".to_owned(),
            1,
            "no-stuck-lock       broken in 2 steps",
        ),
        (format!("{SAFE} --work 32s"), 1, "// mutual-exclusion: B enters beside A, whose lock expired while it worked"),
        (
            format!("{SAFE} --pauses 1 --max-states 100"),
            1,
            "no-stuck-lock       no violation in 100 states, not finished",
        ),
        (format!("{SAFE} --fencing --pauses 1"), 1, "fenced-writes       holds in all 1063 states"),
    ] {
        let output = explore(&words(&line));
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(status), ""), "{line}");
        assert!(text(&output.stdout).contains(words_told), "{line}: {}", text(&output.stdout));
    }
}

#[test]
fn what_is_printed_is_a_transcript_that_holds() {
    let output = explore(&words("--acquire set-nx-px --renew pexpire --release get-del --pauses 1"));
    let out = text(&output.stdout);
    let (_, schedules) = out.split_once("\n\n").unwrap();
    for schedule in schedules.split("\n// ") {
        let (records, diagnostics) = parse(schedule.split_once('\n').unwrap().1);
        assert_eq!((diagnostics, check(&records)), (Vec::new(), Vec::new()), "{schedule}");
        assert!(records.len() > 5, "{schedule}");
    }
    assert_eq!(schedules.matches("// ").count(), 4, "{schedules}");
}

#[test]
fn a_file_says_the_same_as_the_options_it_comes_from() {
    let line = "--acquire setnx-expire --renew set-ifeq-px --release watch-multi-del --workers 3 --fencing";
    let program = explore(&words(&format!("{line} --program")));
    assert_eq!(program.status.code(), Some(0));
    let path = file("same.workers", &program.stdout);
    let faults = ["--crashes", "1", "--json"];
    let (by_file, by_line) =
        (explore(&[&[path.as_str()], &faults[..]].concat()), explore(&[words(line), faults.to_vec()].concat()));
    assert_eq!(by_file.status.code(), Some(1));
    assert_eq!(by_file, by_line);
}

#[test]
fn what_is_wrong_is_one_line_and_status_2() {
    let broken = file("broken.workers", b"lock lock:job\nworker A\nacquire or retry within 5s\n  ? SET lock:job\n");
    let binary = file("binary.workers", b"\xff\xfe");
    for (line, told) in [
        (String::new(), "usage: "),
        ("--acquire set-nx-px".to_owned(), "--renew <HOW>"),
        ("--acquire nosuch --renew none --release del".to_owned(), "'nosuch'"),
        (format!("{SAFE} --workers 7"), "1 to 6 workers"),
        (format!("{SAFE} --workers 0"), "1 to 6 workers"),
        (format!("{SAFE} --ttl 0s"), "1ms at least"),
        (format!("{SAFE} --retry 0s"), "1ms at least"),
        (format!("{SAFE} --work 1y"), "500ms, 12s, 2m, 1h or 1d"),
        (format!("{SAFE} --pause 366d"), "365d at most"),
        (format!("{SAFE} --pauses 16"), "16"),
        (format!("{SAFE} --max-states 0"), "0"),
        ("/nosuch/file".to_owned(), "/nosuch/file: "),
        (format!("{broken} --ttl 5s"), "cannot be used with"),
        (broken.clone(), "broken.workers: line 4: ERR wrong number of arguments for 'set' command"),
        (binary, "no UTF-8 text"),
    ] {
        let output = explore(&words(&line).into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(error.starts_with("hotkv: ") && error.contains(told) && error.lines().count() == 1, "{line}: {error}");
    }
}

#[test]
fn nothing_that_happens_is_told() {
    let path = file("never.workers", b"lock lock:job\nworker A\n> SET lock:job x\nacquire or stop\n  ? SET lock:job {token} NX\nenter job\nleave\n> DEL lock:job\n");
    let output = explore(&[&path, "--json"]);
    let json: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(json["never"], serde_json::json!(["acquired", "worked"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&explore(&[&path]).stdout).contains("acquired: never, so that what holds says little"));
}

#[test]
fn the_program_of_the_readme_is_as_safe_as_it_says() {
    let readme = include_str!("../README.md");
    let program =
        readme.split("```text\n").find(|block| block.starts_with("lock ")).unwrap().split("```").next().unwrap();
    let path = file("readme.workers", program.as_bytes());
    assert_eq!(explore(&[&path, "--crashes", "1"]).status.code(), Some(0));
    let output = explore(&[&path, "--pauses", "1", "--crashes", "1", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(json["finished"], true);
    let broken = json["properties"].as_array().unwrap().iter().filter(|told| told["verdict"] != "holds");
    assert_eq!(broken.map(|told| told["name"].as_str().unwrap()).collect::<Vec<_>>(), ["mutual-exclusion"]);
}
