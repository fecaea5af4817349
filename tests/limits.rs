//! Worst cases: nothing that a person types, at any length, aborts the engine, and each has its answer.

use hotkv_playground::command::{MAX_WORDS, Outcome, execute};
use hotkv_playground::engine::{ClientId, Engine, MAX_MEMORY, Options, Reply};

const OOM: &str = "OOM command not allowed when used memory > 'maxmemory'.";

fn engine() -> (Engine, ClientId) {
    let mut engine = Engine::new(Options::default());
    let client = engine.open();
    (engine, client)
}

fn run(engine: &mut Engine, client: ClientId, words: &[&str]) -> Reply {
    let now = engine.now();
    let Outcome { reply, .. } = execute(engine, client, words, now);
    reply
}

fn error(text: &str) -> Reply {
    Reply::Error(text.to_owned())
}

#[test]
fn memory_that_is_not_there_is_not_given() {
    let (mut engine, client) = engine();
    assert_eq!(run(&mut engine, client, &["SET", "k", "v"]), Reply::ok());
    let used = engine.used_memory();
    for words in [
        vec!["SETRANGE", "k", "536870000", "x"],
        vec!["SETRANGE", "other", "67108864", "x"],
        vec!["SET", "k", &"x".repeat(MAX_MEMORY)],
        vec!["MSET", "a", &"x".repeat(MAX_MEMORY / 2), "b", &"x".repeat(MAX_MEMORY / 2)],
        vec!["MSETEX", "2", "a", &"x".repeat(MAX_MEMORY / 2), "b", &"x".repeat(MAX_MEMORY / 2), "PX", "10"],
        vec!["APPEND", "k", &"x".repeat(MAX_MEMORY)],
        vec!["GETSET", "k", &"x".repeat(MAX_MEMORY)],
        vec!["SETNX", "new", &"x".repeat(MAX_MEMORY)],
        vec!["SETEX", "k", "10", &"x".repeat(MAX_MEMORY)],
    ] {
        assert_eq!(run(&mut engine, client, &words), error(OOM), "{}", words[0]);
        assert_eq!((run(&mut engine, client, &["GET", "k"]), engine.used_memory()), (Reply::bulk("v"), used));
    }
    // Beyond the longest string there is, that is the answer.
    let too_long = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
    assert_eq!(run(&mut engine, client, &["SETRANGE", "k", "536870912", "x"]), error(too_long));
    assert_eq!(run(&mut engine, client, &["SETRANGE", "k", "9223372036854775807", "x"]), error(too_long));
}

#[test]
fn a_full_engine_still_reads_and_frees() {
    let (mut engine, client) = engine();
    let value = "x".repeat(1024 * 1024);
    let mut written = 0;
    while run(&mut engine, client, &["SET", &format!("k{written}"), &value]) == Reply::ok() {
        written += 1;
    }
    assert_eq!(written, 63);
    assert!(engine.used_memory() <= MAX_MEMORY);
    assert_eq!(run(&mut engine, client, &["STRLEN", "k0"]), Reply::Integer(1024 * 1024));
    assert_eq!(run(&mut engine, client, &["COPY", "k0", "copy"]), error(OOM));
    assert_eq!(run(&mut engine, client, &["RENAME", "k0", "another"]), Reply::ok());
    assert_eq!(run(&mut engine, client, &["SET", "small", "v", "NX", "PX", "10"]), Reply::ok());
    assert_eq!(run(&mut engine, client, &["DEL", "another"]), Reply::Integer(1));
    assert_eq!(run(&mut engine, client, &["COPY", "k1", "copy"]), Reply::Integer(1));
    engine.verify();
    assert_eq!(run(&mut engine, client, &["FLUSHALL"]), Reply::ok());
    assert_eq!(engine.used_memory(), 0);
}

#[test]
fn appending_for_ever_ends_with_an_error() {
    let (mut engine, client) = engine();
    let part = "x".repeat(3 * 1024 * 1024);
    let last = (0..100).map(|_| run(&mut engine, client, &["APPEND", "k", &part])).find(Reply::is_error);
    assert_eq!(last, Some(error(OOM)));
}

#[test]
fn patterns_and_subsequences_have_bounds() {
    let (mut engine, client) = engine();
    run(&mut engine, client, &["SET", &"a".repeat(10_000), "v"]);
    assert_eq!(run(&mut engine, client, &["KEYS", &format!("{}b", "a*".repeat(5_000))]), Reply::Array(Vec::new()));
    let long = "ab".repeat(4_000);
    run(&mut engine, client, &["MSET", "a", &long, "b", &long]);
    let too_much = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len";
    assert_eq!(run(&mut engine, client, &["LCS", "a", "b", "LEN"]), error(too_much));
    let shorter = "ab".repeat(1_900);
    run(&mut engine, client, &["MSET", "a", &shorter, "b", &shorter]);
    assert_eq!(run(&mut engine, client, &["LCS", "a", "b", "LEN"]), Reply::Integer(3_800));
}

#[test]
fn many_keys_expire_scan_and_go() {
    let (mut engine, client) = engine();
    let count = 100_000;
    for n in 0..count {
        run(&mut engine, client, &["SET", &format!("k{n}"), "v", "PX", &(n % 1_000 + 1).to_string()]);
    }
    assert_eq!(run(&mut engine, client, &["DBSIZE"]), Reply::Integer(count));
    // Pages of a scan while keys expire: no key twice, and those that live all along are all there.
    let (mut cursor, mut seen) = ("0".to_owned(), std::collections::BTreeSet::new());
    loop {
        let Reply::Array(parts) = run(&mut engine, client, &["SCAN", &cursor, "COUNT", "20000"]) else {
            panic!("no page")
        };
        let [Reply::Bulk(next), Reply::Array(keys)] = parts.as_slice() else { panic!("no page") };
        for key in keys {
            let Reply::Bulk(key) = key else { panic!("no key") };
            assert!(seen.insert(key.clone()), "{key:?} twice");
        }
        cursor = String::from_utf8(next.to_vec()).unwrap();
        run(&mut engine, client, &["CLOCK", "ADVANCE", "100"]);
        if cursor == "0" {
            break;
        }
    }
    let living = (0..count).filter(|n| n % 1_000 + 1 > 600).count();
    assert!(seen.len() >= living && seen.len() < count as usize);
    let expired = engine.advance(engine.now() + 10_000);
    assert!(expired.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(run(&mut engine, client, &["DBSIZE"]), Reply::Integer(0));
    engine.verify();
}

#[test]
fn a_million_keys_fall_due_in_slices_or_go_at_once() {
    let mut engine = Engine::new(Options { max_memory: 1 << 30, ..Options::default() });
    let client = engine.open();
    let (pages, size) = (100, 10_000);
    for page in 0..pages {
        let names: Vec<String> = (0..size).map(|n| format!("k{}", page * size + n)).collect();
        let count = size.to_string();
        let mut words = vec!["MSETEX", count.as_str()];
        words.extend(names.iter().flat_map(|name| [name.as_str(), "v"]));
        words.extend(["PX", "30000"]);
        assert_eq!(run(&mut engine, client, &words), Reply::Integer(1));
    }
    let count = pages * size;
    assert_eq!(run(&mut engine, client, &["DBSIZE"]), Reply::Integer(count));
    // Gone at one command.
    let mut flushed = engine.clone();
    assert_eq!(run(&mut flushed, client, &["FLUSHALL"]), Reply::ok());
    assert_eq!((flushed.used_memory(), run(&mut flushed, client, &["DBSIZE"])), (0, Reply::Integer(0)));
    // In slices: the first is not the last, nothing is seen of the others, and all come in order.
    let due = engine.now() + 30_001;
    let mut last = None;
    let mut slices = 0;
    loop {
        let slice = engine.advance_some(due, 50_000);
        for event in slice {
            assert!(last.as_ref() < Some(&event.key), "{:?} after {last:?}", event.key);
            last = Some(event.key.clone());
        }
        slices += 1;
        if engine.is_swept() {
            break;
        }
        assert_eq!(run(&mut engine, client, &["GET", "k999999"]), Reply::Nil);
    }
    assert!(slices > 10);
    assert_eq!(engine.used_memory(), 0);
    engine.verify();
}

#[test]
fn a_command_has_only_so_many_words() {
    let (mut engine, client) = engine();
    let words = vec!["a"; MAX_WORDS];
    assert_eq!(run(&mut engine, client, &[&["EXISTS"], &words[1..]].concat()), Reply::Integer(0));
    let too_many = error("ERR Protocol error: invalid multibulk length");
    assert_eq!(run(&mut engine, client, &[&["EXISTS"], &words[..]].concat()), too_many);
}

#[test]
fn what_waits_for_exec_and_what_is_watched_takes_memory() {
    let (mut engine, client) = engine();
    let part = "x".repeat(MAX_MEMORY / 4);
    assert_eq!(run(&mut engine, client, &["MULTI"]), Reply::ok());
    for _ in 0..3 {
        assert_eq!(run(&mut engine, client, &["SET", "k", &part]), Reply::status("QUEUED"));
    }
    assert!(engine.used_memory() > MAX_MEMORY / 4 * 3);
    assert_eq!(run(&mut engine, client, &["SET", "k", &part]), error(OOM));
    let aborted = error("EXECABORT Transaction discarded because of previous errors.");
    assert_eq!(run(&mut engine, client, &["EXEC"]), aborted);
    assert_eq!(engine.used_memory(), 0);
    // The same with keys.
    let fits =
        (0..10).take_while(|n| run(&mut engine, client, &["WATCH", &format!("{n}{part}")]) == Reply::ok()).count();
    assert_eq!(fits, 3);
    engine.verify();
    assert_eq!(run(&mut engine, client, &["UNWATCH"]), Reply::ok());
    assert_eq!(engine.used_memory(), 0);
}

#[test]
fn a_reply_that_is_to_be_left_out_is_left_out() {
    let (mut engine, client) = engine();
    for (words, reply) in [
        (vec!["CLIENT", "REPLY", "SKIP"], Reply::Silent),
        (vec!["RESET"], Reply::Silent),
        (vec!["PING"], Reply::status("PONG")),
        (vec!["CLIENT", "REPLY", "OFF"], Reply::Silent),
        (vec!["CLIENT", "REPLY", "SKIP"], Reply::Silent),
        (vec!["PING"], Reply::Silent),
        (vec!["CLIENT", "REPLY", "ON"], Reply::ok()),
        (vec!["PING"], Reply::status("PONG")),
    ] {
        assert_eq!(run(&mut engine, client, &words), reply, "{words:?}");
    }
}

#[test]
fn what_is_queued_and_watched_goes_with_the_connection() {
    let (mut engine, client) = engine();
    for words in [vec!["WATCH", "k"], vec!["MULTI"], vec!["SET", "k", "v"]] {
        run(&mut engine, client, &words);
    }
    engine.close(client);
    assert_eq!(run(&mut engine, client, &["EXEC"]), error("ERR EXEC without MULTI"));
    assert_eq!(run(&mut engine, client, &["GET", "k"]), Reply::Nil);
}

#[test]
fn replies_of_a_transaction_take_no_more_memory_than_there_is() {
    let (mut engine, client) = engine();
    let value = "x".repeat(10 << 20);
    run(&mut engine, client, &["SET", "k", &value]);
    run(&mut engine, client, &["MULTI"]);
    for _ in 0..10 {
        run(&mut engine, client, &["GETRANGE", "k", "0", "-1"]);
    }
    run(&mut engine, client, &["INCR", "n"]);
    let Reply::Array(replies) = run(&mut engine, client, &["EXEC"]) else { panic!("no list of replies") };
    let told = replies.iter().filter(|reply| **reply == Reply::bulk(&value)).count();
    let refused = error("ERR the replies of this transaction take more memory than there is");
    assert_eq!((replies.len(), told), (11, MAX_MEMORY / value.len()));
    assert!(replies[told..].iter().all(|reply| *reply == refused));
    // What it did is done all the same.
    assert_eq!(run(&mut engine, client, &["GET", "n"]), Reply::bulk("1"));
}
