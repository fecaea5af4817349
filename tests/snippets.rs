//! Programs for client libraries: names as literals, what every program says and has, and the notes beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hotkv_playground::app::{Choice, Effect, Locale, Msg, Panel, State, View, update, wanted};
use hotkv_playground::snippets::{Client, Facts, Form, Language, Part, Server, Snippet, parts, snippet};

fn facts(lock: &[u8], ttl: u64) -> Facts {
    Facts { lock: lock.to_vec(), ttl, language: Language::English }
}

/// Every program, for a lock.
fn all(facts: &Facts) -> Vec<(Client, Server, Snippet)> {
    let pairs = Client::ALL.into_iter().flat_map(|client| Server::ALL.map(|server| (client, server)));
    pairs.map(|(client, server)| (client, server, snippet(facts, client, server))).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn names_are_literals_of_each_language() {
    use Form::{Cli, Go, Java, JavaScript, Python, Rust};
    for (form, name, literal) in [
        (Python, &b"lock:x"[..], r#""lock:x""#),
        (Python, b"a\"b\\c'd$e#{f}%s{g}", r#""a\"b\\c'd$e#{f}%s{g}""#),
        (Python, "caf\u{e9}\n\0\u{202e}\u{1f512}".as_bytes(), r#""café\n\u0000\u202e\U0001f512""#),
        (Python, b"\xff\"\\\n", r#"b"\xff\x22\x5c\x0a""#),
        (JavaScript, b"it's ${x} `y` \\", r"'it\'s ${x} `y` \\'"),
        (JavaScript, "\n\u{2028}\u{1f512}".as_bytes(), r"'\n\u2028\u{1f512}'"),
        (JavaScript, b"\xff'", r"Buffer.from('\xff\x27', 'latin1')"),
        (Go, b"a\"`\\\n\xff\xfe", r#""a\"`\\\n\xff\xfe""#),
        (Go, "\u{200b}\u{1f512}".as_bytes(), r#""\u200b\U0001f512""#),
        (Rust, b"a\"{}\\\n\0", r#"&str = "a\"{}\\\n\u{0}""#),
        (Rust, b"\xff\"", r#"&[u8] = b"\xff\x22""#),
        (Java, b"a\"\\u0041\n\r\0", r#""a\"\\u0041\n\015\000""#),
        (Java, "\u{202e}\u{1f512}".as_bytes(), r#""\u202e\ud83d\udd12""#),
        // For a shell and for redis-cli at once.
        (Cli, b"lock:x $y `z` \\ ' \" \n \0 \xff", r#"'"lock:x $y `z` \x5c \x27 \x22 \x0a \x00 \xff"'"#),
        (Cli, b"", r#"'""'"#),
    ] {
        assert_eq!(form.literal(name).as_deref(), Some(literal), "{form:?} {name:?}");
    }
    assert_eq!(Java.literal(b"\xff"), None);
}

#[test]
fn every_program_has_the_lock_its_counter_its_time_and_every_part() {
    for (client, server, Snippet { code, file, needs, install, notes }) in all(&facts(b"lock:report-7", 12_345)) {
        let what = format!("{client:?} for {server:?}");
        for (part, times) in [("lock:report-7", 2), ("lock:report-7:fence", 1), ("12345", 1), ("lock:name", 0)] {
            assert_eq!(code.matches(part).count(), times, "{what}: {part}");
        }
        assert!(!code.contains("only: ") && !code.contains("30000"), "{what} has lines of the template");
        let lower = code.to_lowercase();
        assert!(["multi", "pipeline(", "pipe()"].iter().any(|word| lower.contains(word)), "{what} has no transaction");
        for part in ["acquire", "renew", "release", "incr", "fence", "token", "deadline", "redis_url"] {
            let timer = client == Client::GoRedis && part == "deadline"; // Go stops the work by a timer
            assert!(timer || lower.contains(part), "{what} does not {part}");
        }
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        // No program writes or deletes without a comparison, and each compares by what its server has.
        assert_eq!(has(&["ifeq", "valueeq"]), server != Server::Older, "{what}");
        assert_eq!(has(&["redis.call('get', keys[1]) == argv[1]"]), server == Server::Older, "{what}");
        assert_eq!(has(&["delifeq"]), server == Server::Valkey, "{what}");
        assert_eq!(has(&["digest"]), server == Server::Redis, "{what}");
        // Python has two empty lines between definitions.
        let gap = "\n".repeat(if client == Client::RedisPy { 4 } else { 3 });
        assert!(code.ends_with('\n') && !code.contains(&gap), "{what} has empty lines in a row");
        assert!(!code.lines().any(|line| line.ends_with(' ')), "{what} has spaces at the end of a line");
        assert!(code.lines().count() < 170 && code.lines().all(|line| line.len() < 160), "{what} is too long");
        assert!(!file.is_empty() && !install.is_empty() && notes.len() >= 3, "{what}");
        assert!(needs.starts_with("Needs ") && needs.ends_with(" or newer."), "{what}: {needs}");
    }
}

#[test]
fn no_name_leaves_its_literal() {
    let names: [&[u8]; 6] = [
        b"\"; rm -rf / #",
        b"'; rm -rf / #",
        b"x\"\nimport os\n\"",
        b"30000 lock:name lock:name:fence",
        b"*/ end // only: valkey",
        "\u{2028}\u{202e}\u{feff}".as_bytes(),
    ];
    for name in names {
        let plain = all(&facts(b"lock:x", 30_000));
        for ((client, server, hostile), (_, _, plain)) in all(&facts(name, 30_000)).into_iter().zip(plain) {
            let (hostile, plain): (Vec<&str>, Vec<&str>) =
                (hostile.code.lines().collect(), plain.code.lines().collect());
            let other = hostile.iter().zip(&plain).filter(|(hostile, plain)| hostile != plain).count();
            // Just the two lines with the names differ.
            assert_eq!((hostile.len(), other), (plain.len(), 2), "{client:?} for {server:?}: {name:?}");
        }
    }
}

#[test]
fn a_name_that_cannot_stand_in_code_is_told_and_not_written_wrong() {
    let long = [b'x'; 600];
    for (client, _, told) in all(&facts(b"\xff", 1_000)) {
        assert_eq!(told.notes[0].contains("cannot stand in this code"), client == Client::Jedis, "{client:?}");
        assert_eq!(told.code.contains("lock:name"), client == Client::Jedis, "{client:?}");
    }
    for (client, _, told) in all(&facts(&long, 1_000)) {
        assert!(told.notes[0].contains("cannot stand in this code") && !told.code.contains("xxx"), "{client:?}");
    }
}

#[test]
fn times_stay_within_what_programs_can_keep() {
    for (ttl, written, told) in [
        (1, "100", true),
        (99, "100", true),
        (100, "100", false),
        (2_592_000_000, "2592000000", false),
        (u64::MAX, "2592000000", true),
    ] {
        for (client, server, Snippet { code, notes, .. }) in all(&facts(b"lock:x", ttl)) {
            let assigned = ["= ", "=", "millis("].iter().any(|before| code.contains(&format!("{before}{written}")));
            assert!(assigned, "{client:?} for {server:?}: {ttl}");
            assert_eq!(notes[0].contains("100 ms to 30 days"), told, "{client:?} for {server:?}: {ttl}");
        }
    }
}

#[test]
fn the_parts_of_a_program_are_the_program() {
    // A name that could pass for the end of its literal, or for a comment.
    for name in [&b"lock:x"[..], b"a' # \" // `y` /* \\"] {
        for (client, server, Snippet { code, .. }) in all(&facts(name, 30_000)) {
            let what = format!("{client:?} for {server:?}");
            let mark = if matches!(client, Client::RedisCli | Client::RedisPy) { " # " } else { "//" };
            let parts = parts(&code, client);
            assert_eq!(parts.iter().map(|(_, text)| *text).collect::<String>(), code, "{what}");
            for (part, text) in parts {
                match part {
                    Part::Comment => assert!(text.starts_with(['#', '/']), "{what}: {text}"),
                    // Of all that stands in several lines a comment alone may.
                    Part::Text => assert!(text.len() > 1 && !text.contains('\n'), "{what}: {text}"),
                    Part::Code => assert!(!text.contains(mark), "{what}: {text}"),
                }
            }
        }
    }
    let python = "x = \"a#\\\"b\"  # c\n";
    let pieces = [
        (Part::Code, "x = "),
        (Part::Text, "\"a#\\\"b\""),
        (Part::Code, "  "),
        (Part::Comment, "# c"),
        (Part::Code, "\n"),
    ];
    assert_eq!(parts(python, Client::RedisPy), pieces);
    assert_eq!(parts("/* a", Client::Jedis), [(Part::Comment, "/* a")]);
    assert_eq!(parts("\"a\\", Client::GoRedis), [(Part::Text, "\"a\\")]);
    assert_eq!(parts("${a#b}", Client::RedisCli), [(Part::Code, "${a#b}")]);
}

#[test]
fn a_lock_without_a_deadline_is_told_of_and_the_program_gives_it_one() {
    for language in Language::ALL {
        for client in Client::ALL {
            let facts = Facts { lock: b"lock:x".to_vec(), ttl: 0, language };
            let Snippet { code, notes, .. } = snippet(&facts, client, Server::Redis);
            assert!(code.contains("30000") && notes[0].contains("30 s"), "{client:?}: {}", notes[0]);
        }
    }
}

#[test]
fn every_program_says_which_version_of_its_language_it_needs() {
    for (client, server, Snippet { notes, .. }) in all(&facts(b"lock:x", 30_000)) {
        let version = match client {
            Client::RedisCli => "Bash that has to be 5.0",
            Client::RedisPy => "Python 3.10",
            Client::NodeRedis => "Node.js 18",
            Client::Ioredis => "Node.js 20",
            Client::GoRedis => "Go 1.20",
            Client::RedisRs => "Rust 1.85",
            Client::Jedis => "Java 17",
        };
        assert!(notes[0].contains(version), "{client:?} for {server:?}: {}", notes[0]);
    }
}

#[test]
fn notes_are_the_same_in_three_languages() {
    let texts = Language::ALL.map(|language| -> BTreeMap<String, String> {
        serde_json::from_str(&read(&format!("src/snippets/notes/{}.json", language.tag()))).unwrap()
    });
    let [english, others @ ..] = &texts;
    // Names, numbers and placeholders: what is no word of a language.
    let constants = |text: &str| {
        let is_constant = |word: &&str| {
            word.starts_with('{')
                || word.contains(['(', '@', '[', '%'])
                || word.chars().filter(|c| c.is_uppercase()).count() > 1
        };
        let mut found: Vec<String> = text
            .split([' ', ',', ';', ':', '='])
            .map(|word| word.trim_end_matches(['.', ')']))
            .filter(is_constant)
            .map(str::to_owned)
            .collect();
        found.sort();
        found
    };
    for other in others {
        assert_eq!(english.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (key, text) in english {
            let told = &other[key];
            assert_eq!(constants(text), constants(told), "{key}");
            assert!(told != text && told.ends_with('.') && told.trim() == told, "{key}: {told}");
        }
    }
    // Each program has as many notes in each language, and none is the name of a note.
    for language in Language::ALL {
        let there = all(&Facts { language, ..facts(b"lock:x", 1_000) });
        for ((client, server, told), (_, _, english)) in there.iter().zip(all(&facts(b"lock:x", 1_000))) {
            assert_eq!(told.notes.len(), english.notes.len(), "{client:?} for {server:?}");
            assert!(told.notes.iter().all(|note| note.contains(' ') && note.ends_with('.')));
            assert_eq!(told.code, english.code);
        }
    }
}

#[test]
fn traps_are_told_where_they_are() {
    let notes = |client, server| snippet(&facts(b"lock:x", 1_000), client, server).notes.join("\n");
    for (client, trap) in [
        (Client::RedisPy, "ifeq=None"),
        (Client::NodeRedis, "Positional"),
        (Client::Ioredis, "keyPrefix"),
        (Client::GoRedis, "empty Mode"),
        (Client::RedisRs, "ValueComparison"),
        (Client::Jedis, "refuses null"),
        (Client::RedisCli, "status 0"),
    ] {
        for other in Client::ALL {
            assert_eq!(notes(other, Server::Redis).contains(trap), other == client, "{other:?}: {trap}");
        }
    }
    assert!(!notes(Client::RedisPy, Server::Older).contains("ifeq=None"));
    for (server, words) in [(Server::Redis, "8.4"), (Server::Valkey, "DELIFEQ from 9.0"), (Server::Older, "The script")]
    {
        for client in Client::ALL {
            assert!(notes(client, server).contains(words), "{client:?} for {server:?}");
        }
    }
}

#[test]
fn programs_are_plain_data() {
    let facts = facts(b"lock:\xff", 1_500);
    let json = serde_json::to_string(&facts).unwrap();
    assert_eq!(json, r#"{"lock":[108,111,99,107,58,255],"ttl":1500,"language":"en"}"#);
    assert_eq!(serde_json::from_str::<Facts>(&json).unwrap(), facts);
    for (client, server, told) in all(&facts) {
        let words = serde_json::to_string(&(client, server)).unwrap();
        assert_eq!(words, format!("[\"{}\",\"{}\"]", client.name(), server.name()));
        assert_eq!(serde_json::from_str::<(Client, Server)>(&words).unwrap(), (client, server));
        assert_eq!((Client::named(client.name()), Server::named(server.name())), (Some(client), Some(server)));
        assert_eq!(serde_json::from_str::<Snippet>(&serde_json::to_string(&told).unwrap()).unwrap(), told);
    }
}

#[test]
fn the_lock_is_that_of_the_session() {
    let mut state = State::new(0);
    let shown = |state: &State| {
        let facts = wanted(state).facts;
        (String::from_utf8(facts.lock).unwrap(), facts.ttl)
    };
    assert_eq!(shown(&state), ("lock:billing-run".to_owned(), 30_000));
    update(&mut state, Msg::Start);
    assert_eq!(shown(&state), ("lock:billing-run".to_owned(), 30_000));
    for (line, lock, ttl) in [
        ("A> SET lock:report t NX PX 7500", "lock:report", 7_500),
        ("A> SET lock:report t IFEQ t EX 9", "lock:report", 9_000),
        // A refusal and an expiry tell of no other time.
        ("B> SET lock:report u NX PX 100", "lock:report", 9_000),
        ("A> SET lock:for-ever t NX", "lock:for-ever", 0),
        ("A> PEXPIRE lock:for-ever 5000", "lock:for-ever", 5_000),
        ("A> PERSIST lock:for-ever", "lock:for-ever", 0),
    ] {
        update(&mut state, Msg::Submit(line.to_owned()));
        assert_eq!(shown(&state), (lock.to_owned(), ttl), "{line}");
    }
    update(&mut state, Msg::Scenario("extend".to_owned()));
    let first = shown(&state);
    assert!(first.0.starts_with("lock:") && first.0 != "lock:for-ever", "{first:?}");
}

#[test]
fn choices_are_kept_and_the_language_goes_along() {
    let mut state = State::new(0).for_programs(Client::Jedis, Server::Valkey);
    assert_eq!((wanted(&state).client, wanted(&state).server), (Client::Jedis, Server::Valkey));
    for msg in [Msg::ClientLibrary(Client::GoRedis), Msg::Server(Server::Older)] {
        assert!(update(&mut state, msg).contains(&Effect::Store(Choice::Program)));
    }
    assert_eq!(state.programs(), (Client::GoRedis, Server::Older));
    update(&mut state, Msg::Scenario("fleet".to_owned()));
    assert_eq!(state.programs(), (Client::GoRedis, Server::Older));
    for language in Language::ALL {
        let locale = match language {
            Language::English => Locale::english(),
            other => Locale::parse(&read(&format!("www/locales/{}.json", other.tag()))).unwrap(),
        };
        update(&mut state, Msg::Language(locale));
        assert_eq!(wanted(&state).facts.language, language);
    }
    assert_eq!(View::named("snippets"), Some(View { panel: Panel::Snippets, bare: false }));
}

#[test]
fn the_page_offers_what_there_is() {
    let page = read("index.html");
    let offered = |id: &str| -> Vec<String> {
        let select = page.split_once(&format!("id=\"{id}\"")).unwrap().1.split_once("</select>").unwrap().0;
        select.split("value=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let mut clients = Client::ALL.map(Client::name);
    clients.sort_unstable();
    let mut there = offered("snippet-client");
    there.sort_unstable();
    assert_eq!(there, clients);
    assert_eq!(offered("snippet-server"), Server::ALL.map(Server::name));
}
