//! The `hotkv` command: exit status, one line for what is wrong, and replies of piped input.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use hotkv_playground::command::execute;
use hotkv_playground::engine::{Engine, Options, Reply};

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
fn thousands_of_expiries_are_told_in_short() {
    let mut lines: Vec<String> = (0..100).map(|n| format!("SET k{n:03} v PX 5")).collect();
    lines.push("+6ms\n".to_owned());
    let input = lines.join("\n");
    let output = hotkv(&[], input.as_bytes());
    let lines: Vec<&str> = text(&output.stdout).lines().skip(100).collect();
    assert_eq!((lines.len(), lines[0], lines[20]), (21, "k000 expired.", "… and 80 more like these"));
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

#[test]
fn markdown_is_checked_and_updated() {
    let text = "# A\n\n```hotkv\nA> SET k v\nOK\n```\n\n1. b\n   ```hotkv continue\n   A> GET k\n   \"w\"\n   ```\n";
    let doc = file("doc.md", text);
    let output = hotkv(&["check", &doc], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text_of(&output).contains(&format!("{doc}:10: A> GET k\n  expected \"w\"\n  got      \"v\"\n")),
        "{output:?}"
    );
    let output = hotkv(&["check", "--update", &doc], b"");
    assert_eq!((output.status.code(), text_of(&output)), (Some(0), format!("{doc}: 1 reply updated\n").as_str()));
    assert_eq!(std::fs::read_to_string(&doc).unwrap(), text.replace("\"w\"", "\"v\""));
    assert_eq!(text_of(&hotkv(&["check", "--update", &doc], b"")), format!("{doc}: ok, 2 replies\n"));
    // Other ends of lines stay what they are.
    let windows = file("windows.hotkv", "A> PING\r\nPUNG\r\n");
    hotkv(&["check", "--update", &windows], b"");
    assert_eq!(std::fs::read_to_string(&windows).unwrap(), "A> PING\r\nPONG\r\n");
}

#[test]
fn what_is_not_to_be_updated_stays_as_it_was() {
    let wrong = "A> PING\nPUNG\n";
    let marked = file("marked.hotkv", &format!("\u{feff}{wrong}"));
    let locked = file("locked.hotkv", wrong);
    let broken = file("broken.hotkv", "A> GET \"x\nA> PING\nPUNG\n");
    let first = file("first.md", "```hotkv continue\nA> PING\nPUNG\n```\n");
    let writable = std::fs::metadata(&locked).unwrap().permissions();
    let mut readonly = writable.clone();
    readonly.set_readonly(true);
    std::fs::set_permissions(&locked, readonly).unwrap();
    let output = hotkv(&["check", "--update", &locked, &broken, &first, &marked], b"");
    let left = |name: &str| std::fs::read_to_string(name).unwrap();
    std::fs::set_permissions(&locked, writable).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), format!("hotkv: {locked}: the file is read-only\n"));
    assert_eq!(left(&locked), wrong);
    // Beside an error nothing is updated; the others are all the same.
    assert_eq!(left(&broken), "A> GET \"x\nA> PING\nPUNG\n");
    assert!(left(&first).contains("PUNG") && text_of(&output).contains(&format!("{first}:1: no block stands before")));
    assert_eq!(left(&marked), "\u{feff}A> PING\nPONG\n");
}

fn text_of(output: &Output) -> &str {
    text(&output.stdout)
}

/// A server on a port of its own that runs each command on one engine, whose clock stands. It ends with the test.
#[allow(clippy::disallowed_methods)] // a server beside the test needs threads of its own
fn server(keys: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let engine = Arc::new(Mutex::new(Engine::new(Options::default())));
        let client = engine.lock().unwrap().open();
        for key in keys {
            // Sessions run in the databases from 1 on.
            for line in [["SELECT", "1", ""], ["SET", key, "theirs"]] {
                let words: Vec<&str> = line.into_iter().filter(|word| !word.is_empty()).collect();
                execute(&mut engine.lock().unwrap(), client, &words, 0);
            }
        }
        for stream in listener.incoming() {
            let engine = Arc::clone(&engine);
            std::thread::spawn(move || serve(&mut stream.unwrap(), &engine));
        }
    });
    url
}

fn serve(stream: &mut TcpStream, engine: &Mutex<Engine>) {
    let client = engine.lock().unwrap().open();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    let mut number = |lines: &mut BufReader<TcpStream>| {
        line.clear();
        lines.read_line(&mut line).ok()?;
        line.trim_end().get(1..)?.parse::<usize>().ok()
    };
    while let Some(count) = number(&mut lines) {
        let mut words = Vec::new();
        for _ in 0..count {
            let mut word = vec![0; number(&mut lines).unwrap() + 2];
            lines.read_exact(&mut word).unwrap();
            word.truncate(word.len() - 2);
            words.push(word);
        }
        let reply = execute(&mut engine.lock().unwrap(), client, &words, 0).reply;
        stream.write_all(encoded(&reply).as_bytes()).unwrap();
    }
}

fn encoded(reply: &Reply) -> String {
    match reply {
        Reply::Status(text) => format!("+{text}\r\n"),
        Reply::Error(text) => format!("-{text}\r\n"),
        Reply::Integer(number) => format!(":{number}\r\n"),
        Reply::Bulk(bytes) => format!("${}\r\n{}\r\n", bytes.len(), text(bytes)),
        Reply::Array(items) => format!("*{}\r\n{}", items.len(), items.iter().map(encoded).collect::<String>()),
        _ => "$-1\r\n".to_owned(),
    }
}

#[test]
fn a_server_is_compared_with_and_left_as_it_was() {
    let session = "A> SET lock:x a NX PX 30000\nOK\nB> SET lock:x b NX\n(nil)\nA> PTTL lock:x\n(integer) 30000\n\
                   A> SET lock:x b NX XX\n(error) ERR syntax error\nA> MULTI\nOK\nA> GET lock:x\nQUEUED\nA> EXEC\n1) \"a\"\n";
    let (good, bad) = (file("server.hotkv", session), file("server-bad.hotkv", &session.replace("(nil)", "OK")));
    let only = file("server-only.hotkv", "// playground-only\nA> CLOCK NOW\n");
    let flush = file("server-flush.hotkv", "A> SET k v\nOK\nA> flushall\nOK\n");
    let long = file("server-long.hotkv", "+3m\nA> PING\nPONG\n");
    let url = server(&[]);
    let check = |files: &[&str]| hotkv(&[&["check", "--server", &url], files].concat(), b"");
    // Twice: what the first run made is gone.
    for _ in 0..2 {
        let output = check(&[&good]);
        assert_eq!(text_of(&output), format!("{good}:1: ok, 7 replies\n1 session ran, 0 skipped\n"), "{output:?}");
        assert_eq!(output.status.code(), Some(0));
    }
    let output = check(&[&bad]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text_of(&output).contains(&format!("{bad}:3: B> SET lock:x b NX\n  expected OK\n  got      (nil)\n")));
    let eval = file("server-eval.hotkv", "A> EVAL \"return 1\" 0\n(integer) 1\n");
    let stray = file("server-stray.hotkv", "A> PING\nPONG\nA> GET \"x\n");
    let output = check(&[&eval, &stray]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text_of(&output).contains("skipped: how far EVAL would reach is not known here"), "{output:?}");
    assert!(text_of(&output).contains(&format!("{stray}:3: ")), "{output:?}");
    let output = check(&[&only, &flush, &long]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text_of(&output).contains(&format!("{only}:1: skipped: only this playground")));
    assert!(text_of(&output).contains(&format!("{flush}:1: skipped: FLUSHALL would reach further than its keys")));
    assert!(text_of(&output).contains(&format!("{long}:1: skipped: it takes 180 s; --slow runs it")));
    assert!(text_of(&output).ends_with("0 sessions ran, 3 skipped\n"));
    // As the server reads options, to a NUL byte.
    let copy = file("server-copy.hotkv", "A> COPY lock:x lock:y \"db\\x00\" 1\n(integer) 0\n");
    let output = check(&[&copy]);
    assert!(
        text_of(&output).contains(&format!("{copy}:1: skipped: COPY would reach further than its keys")),
        "{output:?}"
    );

    // A key of somebody's is in the way, and stays.
    let url = server(&["lock:x"]);
    let check = |words: &[&str]| hotkv(&[&["check", "--server", &url], words].concat(), b"");
    for _ in 0..2 {
        let output = check(&[&good]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("the server has a key lock:x in database 1; --overwrite"), "{output:?}");
    }
    assert_eq!(check(&["--overwrite", &good]).status.code(), Some(0));
    assert_eq!(check(&[&good]).status.code(), Some(0));

    let with_db = format!("{url}/3");
    for (url, words) in
        [("redis://127.0.0.1:1", "refused"), ("nonsense", "redis://HOST:PORT"), (&with_db, "databases 1 to 15")]
    {
        let output = hotkv(&["check", "--server", url, &good], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).starts_with("hotkv: ") && text(&output.stderr).contains(words), "{output:?}");
    }
}

#[test]
fn a_program_for_a_lock_is_printed() {
    let asked = ["snippet", "--client", "redis-py", "--server", "valkey", "--lock", "lock:x", "--ttl", "45000"];
    let output = hotkv(&asked, b"");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let code = text(&output.stdout);
    for line in ["LOCK = \"lock:x\"", "FENCE = \"lock:x:fence\"", "TTL_MS = 45000"] {
        assert!(code.lines().any(|told| told == line), "{line}");
    }
    assert!(code.contains("DELIFEQ") && !code.contains("digest"));
    // A time as elsewhere, a name as redis-cli quotes it, and all that is known of a program.
    let output = hotkv(
        &["snippet", "--client", "go-redis", "--lock", "\"a b\\xff\"", "--ttl", "5s", "--lang", "es", "--json"],
        b"",
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["file"], "main.go");
    assert!(told["code"].as_str().unwrap().contains("lockKey  = \"a b\\xff\""));
    assert!(told["code"].as_str().unwrap().contains("5000 * time.Millisecond"));
    assert!(told["needs"].as_str().unwrap().starts_with("Necesita go-redis "));
    for (args, words) in [
        (vec!["snippet"], "--client"),
        (vec!["snippet", "--client", "nosuch"], "one of redis-cli, redis-py, "),
        (vec!["snippet", "--client", "jedis", "--server", "memcached"], "one of redis, valkey, older"),
        (vec!["snippet", "--client", "jedis", "--lock", "a b"], "one word"),
        (vec!["snippet", "--client", "jedis", "--ttl", "0"], "milliseconds, or 500ms"),
        (vec!["snippet", "--client", "jedis", "--lang", "de"], "one of en, pt-BR, es"),
    ] {
        let output = hotkv(&args, b"");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(words) && text(&output.stderr).lines().count() == 1, "{output:?}");
    }
}
