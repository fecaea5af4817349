//! The command table: every entry is complete, and every example holds.

use std::collections::BTreeSet;

use hotkv_playground::command;
use hotkv_playground::engine::Options;
use hotkv_playground::transcript::{PLAIN_CLIENT, Runner, split_name};

#[test]
fn names_are_unique_and_in_capitals() {
    let mut names = BTreeSet::new();
    for spec in command::all_with_subcommands() {
        assert_eq!(spec.name(), spec.name().to_ascii_uppercase());
        assert!(names.insert(spec.full_name()), "{} stands twice", spec.full_name());
    }
}

#[test]
fn examples_hold() {
    for spec in command::all_with_subcommands() {
        assert!(!spec.examples().is_empty(), "{} has no example", spec.name());
        let mut runner = Runner::new(Options::default());
        for (line, reply) in spec.examples() {
            let (client, line) =
                split_name(line, '>').map_or((PLAIN_CLIENT, *line), |(name, line)| (name, line.trim()));
            assert_eq!(runner.command(client, line).unwrap().reply, *reply, "{}: {line}", spec.name());
            runner.engine().verify();
        }
        assert!(
            spec.examples().iter().any(|(line, _)| line.split(' ').any(|word| word == spec.name())),
            "no example of {} uses it",
            spec.name()
        );
    }
}

#[test]
fn summaries_are_sentences() {
    for spec in command::all_with_subcommands() {
        assert!(spec.summary.starts_with(char::is_uppercase) && !spec.summary.ends_with('.'), "{}", spec.name());
        assert!(spec.since.split('.').all(|part| part.parse::<u8>().is_ok()), "{}", spec.name());
    }
}

#[test]
fn too_few_words_are_an_arity_error() {
    let mut runner = Runner::new(Options::default());
    for spec in command::all_with_subcommands() {
        let name = spec.full_name().replace('|', " ");
        if spec.arity().unsigned_abs() as usize <= name.split(' ').count() {
            continue;
        }
        let reply = runner.command(PLAIN_CLIENT, &name).unwrap().reply;
        let expected = format!("(error) ERR wrong number of arguments for '{}' command", spec.full_name());
        assert_eq!(reply, expected);
    }
}
