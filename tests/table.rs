//! The command table: every entry is complete, and every example holds.

use std::collections::BTreeSet;

use hotkv_playground::command;
use hotkv_playground::engine::Options;
use hotkv_playground::transcript::{PLAIN_CLIENT, Runner};

#[test]
fn names_are_unique_and_in_capitals() {
    let mut names = BTreeSet::new();
    for spec in command::all() {
        assert_eq!(spec.name(), spec.name().to_ascii_uppercase());
        assert!(names.insert(spec.name()), "{} stands twice", spec.name());
    }
}

#[test]
fn examples_hold() {
    for spec in command::all() {
        assert!(!spec.examples.is_empty(), "{} has no example", spec.name());
        let mut runner = Runner::new(Options::default());
        for (line, reply) in spec.examples {
            assert_eq!(runner.command(PLAIN_CLIENT, line).unwrap().reply, *reply, "{}: {line}", spec.name());
            runner.engine().verify();
        }
        assert!(
            spec.examples.iter().any(|(line, _)| line.split(' ').next() == Some(spec.name())),
            "no example of {} uses it",
            spec.name()
        );
    }
}

#[test]
fn summaries_are_sentences() {
    for spec in command::all() {
        assert!(spec.summary.starts_with(char::is_uppercase) && !spec.summary.ends_with('.'), "{}", spec.name());
        assert!(spec.since.split('.').all(|part| part.parse::<u8>().is_ok()), "{}", spec.name());
    }
}

#[test]
fn too_few_words_are_an_arity_error() {
    let mut runner = Runner::new(Options::default());
    for spec in command::all().filter(|spec| spec.arity().abs() > 1) {
        let reply = runner.command(PLAIN_CLIENT, spec.name()).unwrap().reply;
        let expected =
            format!("(error) ERR wrong number of arguments for '{}' command", spec.name().to_ascii_lowercase());
        assert_eq!(reply, expected);
    }
}
