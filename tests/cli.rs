//! The `hotkv` command: exit status, one line for what is wrong, and replies of piped input.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs the command with some input.
fn hotkv(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hotkv"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A file of this test run.
fn file(name: &str, content: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn piped_input_runs_like_a_script() {
    let output = hotkv(&[], b"# A comment\nSET k v NX PX 100\n+101ms\nGET k\n\nGET \"k\nGET \xff\n");
    assert_eq!(
        text(&output.stdout),
        "OK\nk expired. hotkv did not release it.\n(nil)\n\
         (error) Invalid argument(s): a quote is not closed, or text follows it directly\n\
         (error) The line is no UTF-8 text; write other bytes as \"\\xHH\"\n"
    );
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn check_tells_each_reply_that_differs() {
    let good = file("good.hotkv", "A> SET k v\nOK\n");
    let bad = file("bad.hotkv", "\u{feff}A> SET k v\nOK\nA> GET k\n\"w\"\n+1x\n");
    let empty = file("empty.hotkv", "");
    let output = hotkv(&["check", &good, &empty], b"");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), format!("{good}: ok, 1 reply\n{empty}: no command in it, nothing to check\n"));
    let output = hotkv(&["check", &bad, &good], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains(&format!("{bad}:3: A> GET k\n  expected \"w\"\n  got      \"v\"\n")));
    assert!(text(&output.stdout).contains(&format!("{bad}:5: a clock move is written")));
    assert!(text(&output.stdout).ends_with(&format!("{good}: ok, 1 reply\n")));
}

#[test]
fn what_is_wrong_is_one_line_and_status_2() {
    let good = file("fine.hotkv", "A> PING\nPONG\n");
    let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("binary.hotkv");
    std::fs::write(&binary, b"\xff\x00").unwrap();
    for (args, words) in [
        (vec!["nosuch"], "usage: unrecognized subcommand 'nosuch'"),
        (vec!["--nosuch"], "usage: unexpected argument '--nosuch' found"),
        (vec!["check"], "usage: "),
        (vec!["check", "/nosuch/file", &good], "/nosuch/file: "),
        (vec!["check", env!("CARGO_TARGET_TMPDIR")], "directory"),
        (vec!["check", binary.to_str().unwrap()], "no UTF-8 text"),
    ] {
        let output = hotkv(&args, b"");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            error.starts_with("hotkv: ") && error.contains(words) && error.lines().count() == 1,
            "{args:?}: {error}"
        );
    }
    // The files that can be read are checked all the same.
    assert!(text(&hotkv(&["check", "/nosuch/file", &good], b"").stdout).contains("ok, 1 reply"));
    let help = hotkv(&["--help"], b"");
    assert!(help.status.success() && text(&help.stdout).contains("hotkv check src/scenarios/"));
}
