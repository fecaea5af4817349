//! Replays recorded replies of the real server on the engine's simulated clock.
//!
//! Reads every `*.jsonl` of the folder in `HOTKV_CONFORMANCE` (default `tests/conformance`), prints how many cases
//! passed, failed and were skipped, by group and by what they need, and fails when one fails. The format: one case a
//! line, `{"id","group","proto","needs","steps":[{"c":[words],"r":reply}|{"advance_ms":n}|{"close":name}]}`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use hotkv_playground::command::{self, Outcome, execute};
use hotkv_playground::engine::{ClientId, Engine, Options, Protocol, Reply};
use serde_json::Value;

/// How far a time to live may be off: the recorded server needed some real milliseconds.
const SLACK_MS: i64 = 50;
/// The same for a time in seconds.
const SLACK_S: i64 = 1;

#[test]
fn recorded_replies() {
    let folder = std::env::var_os("HOTKV_CONFORMANCE")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance"), PathBuf::from);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();

    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut groups: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut needs: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = String::new();
    for path in files {
        for line in std::fs::read_to_string(&path).unwrap().lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line).unwrap();
            let group = groups.entry(case["group"].as_str().unwrap().to_owned()).or_default();
            let missing = missing(&case);
            if !missing.is_empty() {
                skipped += 1;
                group[2] += 1;
                for need in missing {
                    *needs.entry(need).or_default() += 1;
                }
            } else if let Err(problem) = run(&case) {
                failed += 1;
                group[1] += 1;
                let _ = writeln!(failures, "FAIL {} {problem}", case["id"]);
            } else {
                passed += 1;
                group[0] += 1;
            }
        }
    }
    for (group, [passed, failed, skipped]) in &groups {
        println!("{group:16} {passed:4} passed {failed:4} failed {skipped:4} skipped");
    }
    println!("skipped by need: {needs:?}");
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    assert!(failures.is_empty(), "\n{failures}");
    assert!(passed > 0, "no case was run: {}", folder.display());
}

/// What a case needs that is not there: commands of other data types or scripts, or 80-bit floats.
///
/// # Panics
/// When a case needs something else: then a command of ours is gone, or the test does not know a new need.
fn missing(case: &Value) -> Vec<String> {
    const OTHERS: [&str; 9] = ["EVAL", "EVALSHA", "HSET", "LPUSH", "SADD", "SCRIPT", "X87", "XADD", "ZADD"];
    let needs = case["needs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let there = |need: &&str| matches!(*need, "RESP3" | "CLIENT REPLY") || command::find(need.as_bytes()).is_some();
    let missing: Vec<String> = needs.filter(|need| !there(need)).map(str::to_owned).collect();
    assert!(missing.iter().all(|need| OTHERS.contains(&need.as_str())), "{}: {missing:?}", case["id"]);
    missing
}

fn run(case: &Value) -> Result<(), String> {
    let mut engine = Engine::new(Options::default());
    let mut clients: BTreeMap<String, ClientId> = BTreeMap::new();
    for (n, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        if let Some(ms) = step["advance_ms"].as_i64() {
            engine.advance(engine.now() + ms);
            continue;
        }
        if let Some(name) = step["close"].as_str() {
            if let Some(client) = clients.remove(name) {
                engine.close(client);
            }
            continue;
        }
        let name = step["conn"].as_str().unwrap_or("A");
        let client = *clients.entry(name.to_owned()).or_insert_with(|| open(&mut engine, case["proto"] == 3));
        let argv: Vec<Vec<u8>> = step["c"].as_array().unwrap().iter().map(bytes).collect();
        let now = engine.now();
        let Outcome { reply, close, .. } = execute(&mut engine, client, &argv, now);
        engine.verify();
        if close != (step["closes"] == true) {
            return Err(format!("step {}: {} hangs up: {close}", n + 1, step["c"]));
        }
        let tolerance = step["tol"].is_string().then(|| step["unit"] == "s");
        let third = engine.client(client).protocol == Protocol::Resp3;
        if !fits(&step["r"], &reply, step["unordered"] == true, tolerance, third) {
            return Err(format!("step {}: {} want {} got {reply:?}", n + 1, step["c"], step["r"]));
        }
    }
    Ok(())
}

/// Opens a connection, over RESP3 when the case asks for it.
fn open(engine: &mut Engine, third: bool) -> ClientId {
    let client = engine.open();
    if third {
        let hello = ["HELLO", "3"].map(|word| word.as_bytes().to_vec());
        let now = engine.now();
        execute(engine, client, &hello, now);
    }
    client
}

/// The bytes of an argument, or of a string in a reply.
fn bytes(value: &Value) -> Vec<u8> {
    if let Some(text) = value.as_str().or_else(|| value["b"].as_str()) {
        text.as_bytes().to_vec()
    } else if let Some(text) = value["b64"].as_str() {
        base64(text)
    } else {
        let repeated = value["rep"].as_array().unwrap_or_else(|| panic!("no string: {value}"));
        repeated[0].as_str().unwrap().repeat(repeated[1].as_u64().unwrap() as usize).into_bytes()
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |byte| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("no base64: {other}"),
    };
    let digits: Vec<u8> = text.bytes().filter(|&byte| byte != b'=').map(digit).collect();
    let mut out = Vec::new();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, &digit| bits << 6 | u32::from(digit)) << (6 * (4 - group.len()));
        out.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    out
}

/// Whether a reply is the recorded one. `tolerance` says whether a time to live may be off, and whether in seconds;
/// `third` is whether it goes over RESP3.
fn fits(want: &Value, got: &Reply, unordered: bool, tolerance: Option<bool>, third: bool) -> bool {
    let tolerance = tolerance.or_else(|| want["tol"].is_string().then(|| want["unit"] == "s"));
    match got {
        Reply::Status(text) => want["s"] == text.as_ref(),
        Reply::Error(text) => want["e"] == text.as_str(),
        Reply::Integer(number) => match (want["i"].as_i64(), tolerance) {
            _ if want["any"] == "i" => true,
            (Some(want), Some(seconds)) => {
                let slack = if seconds { SLACK_S } else { SLACK_MS };
                ((want - slack).max(0)..=want + slack).contains(number)
            }
            (want, _) => want == Some(*number),
        },
        Reply::Bulk(value) => {
            want["any"] == "b"
                || (want.as_object().is_some_and(|want| ["b", "b64", "rep"].iter().any(|key| want.contains_key(*key)))
                    && bytes(want) == **value)
        }
        Reply::Text(text) => want["any"] == "b" || want["b"] == text.as_str(),
        Reply::Silent => want["none"] == true,
        Reply::Nil => want["n"] == true && want["array"] != true,
        // RESP3 has one kind of nothing.
        Reply::NilArray => want["n"] == true && (third || want["array"] == true),
        Reply::Map(pairs) => {
            let wanted = want["m"].as_array();
            third
                && wanted.is_some_and(|wanted| {
                    wanted.len() == pairs.len()
                        && wanted.iter().all(|want| {
                            pairs.iter().any(|(key, value)| {
                                fits(&want[0], key, unordered, tolerance, third)
                                    && fits(&want[1], value, unordered, tolerance, third)
                            })
                        })
                })
        }
        Reply::Array(items) => {
            let Some(wanted) = want["a"].as_array() else {
                return want["any"] == "a";
            };
            let mut left: Vec<&Reply> = items.iter().collect();
            wanted.len() == items.len()
                && wanted.iter().enumerate().all(|(n, want)| {
                    if !unordered {
                        return fits(want, &items[n], false, tolerance, third);
                    }
                    let found = left.iter().position(|got| fits(want, got, true, tolerance, third));
                    found.map(|at| left.remove(at)).is_some()
                })
        }
    }
}
