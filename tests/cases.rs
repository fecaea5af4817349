//! Cases of public reports about locks: what went wrong and how it is repaired, reply for reply as a real server gave
//! them. Cases with commands that the playground does not have are skipped by name and counted.

use std::collections::BTreeSet;

use hotkv_playground::command;
use hotkv_playground::engine::{Options, quoted};
use hotkv_playground::transcript::{Runner, line::split, same_reply};
use serde_json::Value;

const CASES: &str = include_str!("cases/lock-cases.jsonl");

/// A command as it is typed. Where quotes stand inside a word, the case means them as they are.
fn typed(line: &str) -> String {
    let plain = || line.split(' ').map(|word| quoted(word.as_bytes())).collect::<Vec<_>>().join(" ");
    if split(line).is_ok() { line.to_owned() } else { plain() }
}

/// The commands of a run that the playground does not have.
fn missing(steps: &[Value]) -> BTreeSet<String> {
    let lines = steps.iter().filter_map(|step| step["cmd"].as_str());
    let names = lines.map(|line| line.split(' ').next().unwrap_or_default());
    names.filter(|name| command::find(name.as_bytes()).is_none()).map(str::to_owned).collect()
}

fn play(case: &str, steps: &[Value]) {
    let mut runner = Runner::new(Options::default());
    for step in steps {
        if let Some(ms) = step["advance_ms"].as_i64() {
            let to = runner.engine().now() + ms;
            runner.advance_to(to);
        }
        if let Some(line) = step["cmd"].as_str() {
            let ran = runner.command(step["worker"].as_str().unwrap(), &typed(line)).unwrap();
            let told = step["reply"].as_str().unwrap();
            assert!(same_reply(told, &ran.reply), "{case}: {line}\n told: {told}\n actual: {}", ran.reply);
        }
    }
    runner.engine().verify();
}

#[test]
fn cases_end_as_they_were_seen_to() {
    let (mut passed, mut skipped) = (0, Vec::new());
    for case in CASES.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let id = case["id"].as_str().unwrap();
        for run in ["steps", "fixed_steps"] {
            let Some(steps) = case[run].as_array() else { continue };
            let missing = missing(steps);
            if missing.is_empty() {
                play(&format!("{id}, {run}"), steps);
                passed += 1;
            } else {
                skipped.push(format!("{id}, {run}: {}", missing.into_iter().collect::<Vec<_>>().join(" ")));
            }
        }
    }
    println!("cases: {passed} runs passed, {} skipped", skipped.len());
    for skipped in &skipped {
        println!("  skipped {skipped}");
    }
    assert_eq!((passed, skipped.len()), (110, 7));
}
