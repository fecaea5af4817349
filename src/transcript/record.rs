//! The records of a transcript: what one line, or a command with its reply, says.

use crate::engine::Millis;

/// The longest name of a client.
const MAX_NAME: usize = 16;

/// The client that is nobody in particular: the prompt of the free console.
pub const PLAIN_CLIENT: &str = "hotkv";

/// Whether a word can name a client: a letter, then at most 15 letters, digits, `-` or `_`.
pub fn is_name(word: &str) -> bool {
    word.len() <= MAX_NAME
        && word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Splits `NAME> rest` or `NAME: rest` at its mark; `None` when no name stands before one.
pub fn split_name(line: &str, mark: char) -> Option<(&str, &str)> {
    let end = line.bytes().take(MAX_NAME + 1).position(|byte| !is_name_byte(byte))?;
    let rest = line[end..].strip_prefix(mark)?;
    is_name(&line[..end]).then_some((&line[..end], rest))
}

/// What a worker does outside the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It begins the work that the lock guards.
    Enter(String),
    /// It ends that work.
    Leave(String),
    /// It stops for a while, as in a long garbage collection.
    Pause,
    /// It goes on.
    Resume,
    /// It stops for good.
    Crash,
}

impl Act {
    /// Reads `enter R`, `leave R`, `pause`, `resume` or `crash`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let act = match (words.next()?, words.next()) {
            ("enter", Some(resource)) => Self::Enter(resource.to_owned()),
            ("leave", Some(resource)) => Self::Leave(resource.to_owned()),
            ("pause", None) => Self::Pause,
            ("resume", None) => Self::Resume,
            ("crash", None) => Self::Crash,
            _ => return None,
        };
        words.next().is_none().then_some(act)
    }
}

impl std::fmt::Display for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Enter(resource) => write!(f, "enter {resource}"),
            Self::Leave(resource) => write!(f, "leave {resource}"),
            Self::Pause => f.write_str("pause"),
            Self::Resume => f.write_str("resume"),
            Self::Crash => f.write_str("crash"),
        }
    }
}

/// One record. Together they hold all that the text said but for trailing spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An empty line.
    Blank,
    /// `// text`: kept, never shown.
    Comment(String),
    /// `# text`: opens a step.
    Step(String),
    /// A line of prose: under a step it explains it, before the first it introduces the session.
    Prose(String),
    /// `NAME> command` and the lines of its reply.
    Command {
        /// Who sends it.
        client: String,
        /// The command as typed.
        line: String,
        /// The reply in redis-cli form; empty when the text tells none.
        reply: Vec<String>,
    },
    /// `+12s`: the clock moves.
    Advance {
        /// By how much, in milliseconds.
        ms: Millis,
        /// As written, without the sign.
        text: String,
    },
    /// `NAME: enter R` and its kin.
    Act {
        /// Who does it.
        client: String,
        /// What.
        act: Act,
    },
    /// A line that is none of these, as a diagnostic says.
    Stray(String),
}

/// A record and the line on which it begins, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The line.
    pub line: usize,
    /// The record.
    pub record: Record,
}

/// What is wrong with a line, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and the nearest thing that is right.
    pub message: String,
}
