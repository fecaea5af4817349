//! What a line typed into the console means.

use crate::engine::{Millis, parse_duration};
use crate::transcript::{Act, BAD_MOVE, PLAIN_CLIENT, split_name};

/// What is said to a clock move into the past.
const BACKWARDS: &str = "the clock never runs backwards";

/// One typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// Nothing but spaces.
    Nothing,
    /// `B>`: the lines after this are that client's.
    Switch(&'a str),
    /// A command, for a client when one is named.
    Command {
        /// The client that `B> …` names.
        client: Option<&'a str>,
        /// The command.
        line: &'a str,
    },
    /// `+30s`: let time pass.
    Advance(Millis),
    /// `A: enter billing`: what a worker does outside the store.
    Act {
        /// Who.
        client: &'a str,
        /// What.
        act: Act,
    },
    /// `help`, with a topic or without.
    Help(&'a str),
    /// `clear`.
    Clear,
    /// A line that means nothing, and why. Like replies, this stays in English.
    Bad(&'static str),
}

/// Reads a typed line.
pub fn parse(line: &str) -> Input<'_> {
    let line = line.trim();
    // Comments and headings of a transcript say nothing to a server.
    if line.is_empty() || line == "#" || line.starts_with("# ") || line.starts_with("//") {
        return Input::Nothing;
    }
    if let Some(moved) = line.strip_prefix('+') {
        return parse_duration(moved.trim_start()).map_or(Input::Bad(BAD_MOVE), Input::Advance);
    }
    if let Some(moved) = line.strip_prefix('-')
        && parse_duration(moved).is_some()
    {
        return Input::Bad(BACKWARDS);
    }
    let (word, rest) = first_word(line);
    // A line without a mark in its first word names nobody.
    if word.bytes().any(|byte| matches!(byte, b'>' | b':')) {
        if let Some((client, command)) = split_name(line, '>') {
            // What is no command is nobody's, whoever is named before it.
            return match parse(command) {
                Input::Nothing => Input::Switch(client),
                Input::Command { client: None, line } => Input::Command { client: Some(client), line },
                other => other,
            };
        }
        if let Some((client, act)) = split_name(line, ':')
            && let Some(act) = Act::parse(act)
        {
            return Input::Act { client, act };
        }
    }
    if word == "?" || word.eq_ignore_ascii_case("help") {
        Input::Help(rest.trim())
    } else if rest.is_empty() && word.eq_ignore_ascii_case("clear") {
        Input::Clear
    } else {
        Input::Command { client: None, line }
    }
}

/// The text before the first space, and what follows it. A search made for long texts takes longer here.
fn first_word(line: &str) -> (&str, &str) {
    let end = line.bytes().position(|byte| byte == b' ').unwrap_or(line.len());
    line.split_at(end)
}

/// Whether text reads as a transcript: more than one line of it.
pub fn is_transcript(text: &str) -> bool {
    text.trim().contains('\n')
}

/// A copy of a terminal with redis-cli in it: its prompt names a server, as in `127.0.0.1:6379>`, which is nobody here.
pub fn from_terminal(text: &str) -> String {
    let server = |prompt: &str| {
        let prompt = prompt.strip_suffix("(TX)").unwrap_or(prompt);
        let prompt = prompt.split_once('[').map_or(prompt, |(address, _)| address);
        prompt == "redis"
            || prompt.rsplit_once(':').is_some_and(|(host, port)| {
                !host.contains(char::is_whitespace)
                    && !port.is_empty()
                    && port.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    let lines = text.lines().map(|line| match line.split_once("> ") {
        Some((prompt, command)) if server(prompt) => format!("{PLAIN_CLIENT}> {command}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_lines() {
        fn command<'a>(client: Option<&'a str>, line: &'a str) -> Input<'a> {
            Input::Command { client, line }
        }
        for (line, input) in [
            ("  ", Input::Nothing),
            ("GET k", command(None, "GET k")),
            ("B> GET k", command(Some("B"), "GET k")),
            ("B>", Input::Switch("B")),
            ("hotkv>", Input::Switch("hotkv")),
            ("+30s", Input::Advance(30_000)),
            ("+ 500ms", Input::Advance(500)),
            ("+soon", Input::Bad(BAD_MOVE)),
            ("+99999999999999999999s", Input::Bad(BAD_MOVE)),
            ("-30s", Input::Bad(BACKWARDS)),
            ("A: crash", Input::Act { client: "A", act: Act::Crash }),
            ("A: crashes", command(None, "A: crashes")),
            ("help set", Input::Help("set")),
            ("clear", Input::Clear),
            ("9B> GET k", command(None, "9B> GET k")),
            ("// a comment", Input::Nothing),
            ("# A heading", Input::Nothing),
            ("B> help", Input::Help("")),
            ("B> +5s", Input::Advance(5_000)),
        ] {
            assert_eq!(parse(line), input, "{line}");
        }
    }
}
