//! Records to text: the inverse of parsing.

use std::fmt::{self, Write};

use super::{Located, Record};

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => Ok(()),
            Self::Comment(text) => write!(f, "//{text}"),
            Self::Step(title) => write!(f, "# {title}"),
            Self::Prose(text) | Self::Stray(text) => f.write_str(text),
            Self::Advance { text, .. } => write!(f, "+{text}"),
            Self::Act { client, act } => write!(f, "{client}: {act}"),
            Self::Command { client, line, reply } => {
                write!(f, "{client}> {line}")?;
                reply.iter().try_for_each(|reply| write!(f, "\n{reply}"))
            }
        }
    }
}

/// Writes a transcript, each record on its lines.
pub fn print<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    records.into_iter().fold(String::new(), |mut text, record| {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{record}");
        text
    })
}

/// Writes a parsed transcript.
pub fn print_located(records: &[Located]) -> String {
    print(records.iter().map(|located| &located.record))
}
