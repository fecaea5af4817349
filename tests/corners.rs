//! Corners of the real server, 8.6.3, found by running both side by side: the lines, and the last reply of the real one.

use hotkv_playground::engine::Options;
use hotkv_playground::transcript::{PLAIN_CLIENT, Runner, split_name};

#[test]
fn corners() {
    let long = "k".repeat(45);
    let y = "y".repeat(150);
    let cases: Vec<(Vec<String>, &str)> = vec![
        (lines(&["WATCH k", "SET k n PXAT 1", "MULTI", "EXEC"]), "(nil)"),
        (lines(&["WATCH k", "MSETEX 1 k n EXAT 1", "MULTI", "EXEC"]), "(nil)"),
        (lines(&["SET k v", "WATCH k", "SWAPDB 0 0", "MULTI", "EXEC"]), "(empty array)"),
        (lines(&["SETRANGE k 4294967296 x"]), "(error) ERR string exceeds maximum allowed size (proto-max-bulk-len)"),
        (lines(&["SETRANGE k 4294967296 \"\""]), "(integer) 0"),
        (lines(&["SET k v", &format!("RENAME k {long}"), &format!("OBJECT ENCODING {long}")]), "\"raw\""),
        (lines(&["SET k v", &format!("COPY k {long}"), &format!("RENAME {long} q"), "OBJECT ENCODING q"]), "\"raw\""),
        (lines(&["SET a 1", "SCAN \" 0\""]), "1) \"0\"\n2) 1) \"a\""),
        (lines(&["SET a 1", "SCAN +0"]), "1) \"0\"\n2) 1) \"a\""),
        // The order is the same in WebAssembly, where numbers are half as wide: e2e/api.test.mjs has it too.
        (
            lines(&[
                r#"MSET a 1 b 2 lock:billing-run 3 "" 4 "a key of more than twenty-two bytes" 5"#,
                "SCAN 0 COUNT 4",
            ]),
            "1) \"3199039395511729\"\n2) 1) \"\"\n   2) \"lock:billing-run\"\n   3) \"a key of more than twenty-two bytes\"\n   \
             4) \"a\"",
        ),
        (lines(&["SCAN -1"]), "(error) ERR invalid cursor"),
        (lines(&["SCAN \"0 \""]), "(error) ERR invalid cursor"),
        (lines(&["SET \"\" \"\"", "KEYS **"]), "(empty array)"),
        (lines(&["SET \"\" \"\"", "KEYS *"]), "1) \"\""),
        (lines(&["CONFIG GET DATABASES"]), "1) \"DATABASES\"\n2) \"16\""),
        (lines(&["CONFIG GET Databases databases"]), "1) \"Databases\"\n2) \"16\""),
        (lines(&["CONFIG SET foo bar baz"]), "(error) ERR syntax error"),
        (lines(&["foo \"\\x00x\" y"]), "(error) ERR unknown command 'foo', with args beginning with: '' 'y' "),
        (lines(&["\"fo\\x00o\""]), "(error) ERR unknown command 'fo'"),
        (lines(&["EXPIRE k 5 \"A\\x00B\""]), "(error) ERR Unsupported option A"),
        (lines(&["CLIENT \"F\\x00O\""]), "(error) ERR unknown subcommand 'F'. Try CLIENT HELP."),
        // A command is named to the last byte; the text of an option, a condition or a number of its kind ends at a NUL byte.
        (lines(&["\"GET\\x00\" k"]), "(error) ERR unknown command 'GET', with args beginning with: 'k' "),
        (lines(&["CONFIG \"GET\\x00\" k"]), "(error) ERR unknown subcommand 'GET'. Try CONFIG HELP."),
        (lines(&["SET k v \"nx\\x00more\" \"PX\\x00\" 100", "SET k w \"NX\\x00\" PX 100"]), "(nil)"),
        (lines(&["SET k v", "SET k w \"XX\\x00 and so on, and so on\"", "GET k"]), "\"w\""),
        (lines(&["SET k v", "SET k w \"ifeq\\x00\" x"]), "(nil)"),
        (lines(&["SET k v", "DELEX k \"IFEQ\\x00of more than sixteen\" v"]), "(integer) 1"),
        (lines(&["SET k v PX 1000", "PEXPIRE k 100 \"NX\\x00\""]), "(integer) 0"),
        (lines(&["SET k v", "SCAN \"0\\x00\" \"TYPE\\x00\" \"string\\x00\""]), "1) \"0\"\n2) 1) \"k\""),
        (lines(&["SELECT \"0\\x00\""]), "(error) ERR value is not an integer or out of range"),
        (lines(&["CONFIG GET \"maxmemory\\x00\""]), "(empty array)"),
        (lines(&["CONFIG GET \"maxmemory-p*\\x00\""]), "1) \"maxmemory-policy\"\n2) \"noeviction\""),
        (
            lines(&["CONFIG SET \"maxmemory\\x00\" 0"]),
            "(error) ERR Unknown option or number of arguments for CONFIG SET - 'maxmemory'",
        ),
        (lines(&["CONFIG SET maxmemory \"32mb\\x00\""]), "OK"),
        (lines(&["CLIENT SETNAME \"a\\x00b\"", "CLIENT GETNAME"]), "\"a\\x00b\""),
        (lines(&["CLIENT SETINFO \"lib-name\\x00\" \"a\\x00 b\""]), "OK"),
        (lines(&["HELLO 2 \"X\\x00Y\""]), "(error) ERR Syntax error in HELLO option 'X'"),
        (lines(&["CLIENT LIST TYPE \"x\\x00y\""]), "(error) ERR Unknown client type 'x'"),
        (lines(&["COMMAND LIST FILTERBY PATTERN \"get\\x00\""]), "(empty array)"),
        (lines(&["OBJECT HELP x"]), "(error) ERR wrong number of arguments for 'object|help' command"),
        (lines(&["SCRIPT FLUSH x"]), "(error) ERR SCRIPT FLUSH only support SYNC|ASYNC option"),
        (lines(&["FUNCTION FLUSH x"]), "(error) ERR FUNCTION FLUSH only supports SYNC|ASYNC option"),
        (
            lines(&["FUNCTION FLUSH SYNC x"]),
            "(error) ERR unknown subcommand or wrong number of arguments for 'FLUSH'. Try FUNCTION HELP.",
        ),
        (lines(&["CLIENT REPLY SKIP", "RESET"]), ""),
        (lines(&["AUTH default \"\""]), "OK"),
        (lines(&["AUTH Default secret"]), "(error) WRONGPASS invalid username-password pair or user is disabled."),
        (lines(&["AUTH default secret more"]), "(error) ERR syntax error"),
        (
            lines(&["AUTH secret"]),
            "(error) ERR AUTH <password> called without any password configured for the default user. Are you sure your \
             configuration is correct?",
        ),
    ];
    for (lines, expected) in cases {
        let mut runner = Runner::new(Options::default());
        let replies: Vec<String> = lines.iter().map(|line| send(&mut runner, line)).collect();
        assert_eq!(replies.last().unwrap(), expected, "{lines:?}");
    }
    // Of the arguments 128 bytes are shown as they were sent.
    let error = send(&mut Runner::new(Options::default()), &format!("foo \"\\xff\" {y}"));
    assert_eq!(error.matches('y').count(), 124);
    let error = send(&mut Runner::new(Options::default()), &format!("CONFIG {y}"));
    assert_eq!(error.matches('y').count(), 129, "128 and that of Try");
    let help = send(&mut Runner::new(Options::default()), "OBJECT HELP");
    assert!(
        help.starts_with(" 1) OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:\n 2) ENCODING key\n")
    );
}

#[test]
fn who_sees_everything_sees_no_passwords() {
    for (line, seen) in [
        ("AUTH secret", r#""AUTH" "(redacted)""#),
        ("auth user secret", r#""auth" "(redacted)" "(redacted)""#),
        ("AUTH a b c", r#""AUTH" "a" "b" "c""#),
        ("HELLO 3 SETNAME AUTH auth user secret", r#""HELLO" "3" "SETNAME" "AUTH" "auth" "(redacted)" "(redacted)""#),
        (
            "HELLO 3 AUTH user secret FOO AUTH v w",
            r#""HELLO" "3" "AUTH" "(redacted)" "(redacted)" "FOO" "AUTH" "v" "w""#,
        ),
        ("HELLO 3 AUTH user", r#""HELLO" "3" "AUTH" "user""#),
        ("HELLO 9 AUTH user secret", r#""HELLO" "9" "AUTH" "user" "secret""#),
        ("HELLO x AUTH user secret", r#""HELLO" "x" "AUTH" "user" "secret""#),
        (r#"HELLO 3 SETNAME "a b" AUTH u p"#, r#""HELLO" "3" "SETNAME" "a b" "AUTH" "u" "p""#),
    ] {
        let mut runner = Runner::new(Options::default());
        send(&mut runner, "MONITOR");
        let shown = runner.command("B", line).unwrap().monitored.expect("somebody watches");
        assert_eq!(shown.split_once("] ").unwrap().1, seen);
    }
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn send(runner: &mut Runner, line: &str) -> String {
    let (client, line) = split_name(line, '>').map_or((PLAIN_CLIENT, line), |(name, line)| (name, line.trim()));
    runner.command(client, line).unwrap().reply.into_owned()
}

#[test]
fn every_key_is_drawn_however_they_lie() {
    let drawn = |names: &[&str]| -> Vec<String> {
        let mut runner = Runner::new(Options { seed: 7, ..Options::default() });
        for name in names {
            send(&mut runner, &format!("SET {name} 1"));
        }
        (0..60).map(|_| send(&mut runner, "RANDOMKEY")).collect()
    };
    let names = ["a", "b", "c", "d", "e"];
    let all = drawn(&names);
    for name in names {
        assert!(all.contains(&format!("\"{name}\"")), "{name} is never drawn");
    }
    assert_eq!(all, drawn(&["e", "c", "a", "d", "b"]));
}

#[test]
fn every_key_is_drawn_as_often_as_another() {
    // Whatever keys there are, be it the empty one, whose hash is 0, or q2-9, whose hash follows that of another closely.
    let of_ten: Vec<String> = (0..10).map(|n| format!("q2-{n}")).collect();
    let of_many: Vec<String> = (0..100).map(|n| format!("lock:{n}")).collect();
    for names in [lines(&[""]), lines(&["a", ""]), lines(&["lock:29:0", "lock:29:1", "lock:29:2"]), of_ten, of_many] {
        let mut runner = Runner::new(Options::default());
        for name in &names {
            send(&mut runner, &format!("SET \"{name}\" 1"));
        }
        let share = 400;
        let draws = share * names.len();
        let drawn: Vec<String> = (0..draws).map(|_| send(&mut runner, "RANDOMKEY")).collect();
        for name in &names {
            let times = drawn.iter().filter(|drawn| drawn.trim_matches('"') == name).count();
            // Five times what chance does to one key: 20.
            assert!(times.abs_diff(share) <= 100, "{name:?} of {} comes {times} times of {draws}", names.len());
        }
    }
}

#[test]
fn of_many_keys_that_are_gone_none_is_drawn() {
    let mut runner = Runner::new(Options { silent: true, ..Options::default() });
    for n in 0..5_000 {
        send(&mut runner, &format!("SET k{n} v PX 100"));
    }
    send(&mut runner, "SET stays v");
    // Time passes and nothing is swept but what a command sweeps.
    send(&mut runner, "CLOCK ADVANCE 101");
    assert!(!runner.engine().is_swept());
    assert_eq!(send(&mut runner, "RANDOMKEY"), "\"stays\"");
    assert!(send(&mut runner, "SCAN 0").ends_with("\n2) 1) \"stays\""));
}
