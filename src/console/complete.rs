//! Completion and hints for a line being typed, from the command table and what the store holds.

use std::fmt;

use crate::command::syntax::Rest;
use crate::command::{self, Spec, all};
use crate::transcript::split_name;

/// The most candidates that are offered.
const MAX_CANDIDATES: usize = 50;

/// One way to go on with the word before the caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole word.
    pub text: String,
    /// What it is.
    pub kind: Kind,
}

/// What a candidate is.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A command or a subcommand: this one.
    Command(&'static Spec),
    /// An option of this command.
    Option(&'static Spec),
    /// A key or a token.
    Value,
}

/// Entries are told apart by their names.
impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Command(one), Self::Command(other)) | (Self::Option(one), Self::Option(other)) => {
                one.syntax == other.syntax
            }
            (Self::Value, Self::Value) => true,
            _ => false,
        }
    }
}

impl Eq for Kind {}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(spec) => write!(f, "Command({})", spec.name()),
            Self::Option(spec) => write!(f, "Option of {}", spec.name()),
            Self::Value => f.write_str("Value"),
        }
    }
}

/// What the store and the session know: values for arguments.
pub trait Known {
    /// Keys that are there and begin so, at most so many.
    fn keys(&self, prefix: &str, most: usize) -> Vec<String>;
    /// Tokens that were seen and begin so, at most so many.
    fn tokens(&self, prefix: &str, most: usize) -> Vec<String>;
}

/// A line up to the caret, taken apart: the entry of its command, the words after the name, and the word at the caret.
struct Typed<'a> {
    spec: Option<&'static Spec>,
    words: Vec<&'a str>,
    last: &'a str,
}

impl<'a> Typed<'a> {
    fn read(line: &'a str) -> Self {
        // A prompt before the command is none of its words.
        let line = split_name(line.trim_start(), '>').map_or(line, |(_, rest)| rest);
        let (before, last) = line.rsplit_once(char::is_whitespace).unwrap_or(("", line));
        let mut words: Vec<&str> = before.split_whitespace().collect();
        let mut spec = words.first().and_then(|name| command::find(name.as_bytes()));
        if spec.is_some() {
            words.remove(0);
        }
        let subcommands = spec.map_or(&[][..], Spec::subcommands);
        if let Some(word) = words.first().filter(|_| !subcommands.is_empty()) {
            spec = subcommands.iter().find(|sub| sub.name().eq_ignore_ascii_case(word));
        }
        Self { spec, words, last }
    }

    fn rest(&self) -> Option<Rest> {
        Rest::after(self.spec?.syntax, &self.words)
    }
}

/// The ways to go on with the word before the caret: commands, then their options, keys and tokens.
pub fn complete(line: &str, known: &impl Known) -> Vec<Candidate> {
    let typed = Typed::read(line);
    let prefix = typed.last.to_ascii_uppercase();
    let named = |text: &str, kind: Kind| Candidate { text: text.to_owned(), kind };
    let mut found: Vec<Candidate> = match typed.spec {
        None if typed.words.is_empty() => all()
            .filter(|spec| !prefix.is_empty() && spec.name().starts_with(&prefix))
            .map(|spec| named(spec.name(), Kind::Command(spec)))
            .collect(),
        None => Vec::new(),
        Some(spec) if !spec.subcommands().is_empty() => spec
            .subcommands()
            .iter()
            .filter(|sub| sub.name().starts_with(&prefix))
            .map(|sub| named(sub.name(), Kind::Command(sub)))
            .collect(),
        Some(spec) => {
            let rest = typed.rest();
            let words = rest.iter().flat_map(Rest::words).filter(|word| word.starts_with(&prefix));
            let mut found: Vec<Candidate> = words.map(|word| named(word, Kind::Option(spec))).collect();
            let values = match rest.and_then(|rest| rest.argument()) {
                Some("key" | "newkey" | "source" | "destination" | "key1" | "key2" | "pattern") => {
                    known.keys(typed.last, MAX_CANDIDATES)
                }
                Some("value") => known.tokens(typed.last, MAX_CANDIDATES),
                _ => Vec::new(),
            };
            // What would have to be quoted is left to whoever types it.
            let plain =
                |value: &String| value.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\''));
            found.extend(values.iter().filter(|value| plain(value)).map(|value| named(value, Kind::Value)));
            found
        }
    };
    // What stands there already needs no completing.
    found.retain(|candidate| candidate.text != typed.last);
    found.truncate(MAX_CANDIDATES);
    found
}

/// The rest of the syntax line after what was typed, with the space before it if one is needed; nothing when the words
/// do not fit, or nothing can follow.
pub fn hint(line: &str) -> Option<String> {
    let typed = Typed::read(line);
    // A word that was begun counts as finished, so that the hint follows the caret.
    let complete = if typed.last.is_empty() { line.to_owned() } else { format!("{line} ") };
    let typed = Typed::read(&complete);
    let rest = typed.rest()?.to_string();
    let space = if complete.len() > line.len() { " " } else { "" };
    (!rest.is_empty()).then(|| format!("{space}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with three keys.
    struct Few;

    impl Known for Few {
        fn keys(&self, prefix: &str, most: usize) -> Vec<String> {
            let keys = ["lock:a", "lock:b", "two words"].into_iter().filter(|key| key.starts_with(prefix));
            keys.take(most).map(str::to_owned).collect()
        }

        fn tokens(&self, prefix: &str, _: usize) -> Vec<String> {
            "tok-1".starts_with(prefix).then(|| "tok-1".to_owned()).into_iter().collect()
        }
    }

    #[track_caller]
    fn check_hint(line: &str, expected: Option<&str>) {
        assert_eq!(hint(line).as_deref(), expected, "{line}");
    }

    #[track_caller]
    fn check_words(line: &str, expected: &[&str]) {
        let found = complete(line, &Few);
        let texts: Vec<&str> = found.iter().map(|candidate| candidate.text.as_str()).collect();
        assert_eq!(texts, expected, "{line}");
    }

    #[test]
    fn hints() {
        check_hint("PEXPIRE", Some(" key milliseconds [NX | XX | GT | LT]"));
        check_hint("pexpire ", Some("key milliseconds [NX | XX | GT | LT]"));
        check_hint("B> PEXPIRE k", Some(" milliseconds [NX | XX | GT | LT]"));
        check_hint("DELEX lock:a IFEQ ", Some("value"));
        check_hint("DELEX lock:a IFEQ tok", None);
        check_hint("GET a b", None);
        check_hint("CLIENT SETNAME ", Some("connection-name"));
        check_hint("CLOCK ADVANCE ", Some("time"));
        check_hint("FOO ", None);
        check_hint("", None);
    }

    #[test]
    fn words() {
        check_words("PEX", &["PEXPIRE", "PEXPIREAT", "PEXPIRETIME"]);
        check_words("A> pers", &["PERSIST"]);
        check_words("GET ", &["lock:a", "lock:b"]);
        check_words("GET lock:a", &[]);
        check_words("DELEX lock:a ", &["IFEQ", "IFNE", "IFDEQ", "IFDNE"]);
        check_words("DELEX lock:a IFEQ t", &["tok-1"]);
        check_words("CLIENT SET", &["SETNAME", "SETINFO"]);
        check_words("EXPIRE k 10 ", &["NX", "XX", "GT", "LT"]);
        check_words("", &[]);
        check_words("FOO ", &[]);
    }
}
