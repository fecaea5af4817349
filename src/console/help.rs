//! HELP, as a terminal client has it: from the command table, without asking the server.

use std::fmt::Write;

use crate::command::{self, GROUPS, Group, Spec};

/// The longest name that is compared.
const MAX_NAME: usize = 20;
/// How far a misspelt name may be from a known one to be offered.
const MAX_TYPOS: usize = 2;

/// The help for a topic: a command, `@group`, or nothing for what there is.
pub fn help(topic: &str) -> String {
    if topic.is_empty() {
        return overview();
    }
    if let Some(name) = topic.strip_prefix('@') {
        return GROUPS.iter().find(|group| group.name.eq_ignore_ascii_case(name)).map_or_else(
            || format!("There is no group @{name}. Groups: {}", group_names()),
            |group| group.specs().map(|spec| entry(spec, group)).collect::<Vec<_>>().join("\n\n"),
        );
    }
    let wanted = topic.split_whitespace().collect::<Vec<_>>().join("|").to_ascii_lowercase();
    let found = GROUPS.iter().find_map(|group| {
        let mut specs = group.specs().flat_map(|spec| std::iter::once(spec).chain(spec.subcommands()));
        specs.find(|spec| spec.full_name() == wanted).map(|spec| (spec, group))
    });
    match (found, nearest(topic)) {
        (Some((spec, group)), _) => with_examples(spec, group),
        (None, Some(near)) => format!("There is no command {topic}. Did you mean {near}?"),
        (None, None) => format!("There is no command {topic}. Type help for all of them."),
    }
}

/// The known command whose name is closest to a misspelt one.
pub fn nearest(name: &str) -> Option<&'static str> {
    // A name longer than any, typos included, is near none; it may be megabytes long.
    if name.len() > MAX_NAME {
        return None;
    }
    let name = name.to_ascii_uppercase();
    command::all()
        .map(|spec| (strsim::damerau_levenshtein(&name, spec.name()), spec.name()))
        // Half of a word wrong is another word.
        .filter(|(typos, known)| *typos <= MAX_TYPOS && 2 * typos < name.len().min(known.len()))
        .min()
        .map(|(_, known)| known)
}

fn overview() -> String {
    let mut text = String::from(
        "help COMMAND     how one command is written, with examples\n\
         help @GROUP      all commands of a group\n\
         B> COMMAND       send one command as client B;  B>  alone stays with B\n\
         +30s             let 30 seconds pass (ms, s, m, h, d)\n\
         clear            empty this log\n",
    );
    for group in GROUPS {
        let names: Vec<_> = group.specs().map(Spec::name).collect();
        let _ = write!(text, "\n@{}: {}", group.name, names.join(" "));
    }
    text
}

fn entry(spec: &Spec, group: &Group) -> String {
    let mut text = format!("{}\n  {}\n  since {}, group @{}", spec.syntax, spec.summary, spec.since, group.name);
    for subcommand in spec.subcommands() {
        let _ = write!(text, "\n  {}: {}", subcommand.syntax, subcommand.summary);
    }
    text
}

fn with_examples(spec: &Spec, group: &Group) -> String {
    let mut text = entry(spec, group);
    for (line, reply) in spec.examples() {
        let _ = write!(text, "\n\n  hotkv> {line}\n  {}", reply.replace('\n', "\n  "));
    }
    text
}

fn group_names() -> String {
    GROUPS.iter().map(|group| format!("@{}", group.name)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics() {
        assert!(help("").contains("@expiry: PTTL"));
        assert!(help("delex").contains("DELEX key [IFEQ value") && help("delex").contains("(integer) 1"));
        assert!(help("@playground").contains("CLOCK NOW"));
        assert_eq!(help("DIGETS"), "There is no command DIGETS. Did you mean DIGEST?");
        assert_eq!(help("lpush"), "There is no command lpush. Type help for all of them.");
        assert!(help("@lists").starts_with("There is no group @lists. Groups: @string"));
    }

    #[test]
    fn near_names() {
        for (typed, known) in [("pexpir", Some("PEXPIRE")), ("gte", Some("GET")), ("subscribe", None), ("", None)] {
            assert_eq!(nearest(typed), known, "{typed}");
        }
    }
}
