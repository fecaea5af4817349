//! The errors that a command can answer, with the exact texts of the real server.

use std::fmt;

use super::Reply;

/// Why a command was refused. [`fmt::Display`] writes the text as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// Options that do not fit together, or a word that is no option.
    Syntax,
    /// A number was expected.
    NotAnInteger,
    /// A floating point number was expected.
    NotAFloat,
    /// A sum that is no number.
    NanOrInfinity,
    /// Too few or too many words for the command named.
    Arity(String),
    /// A time to live of zero or less, or one past the end of 64 bits, for the command named.
    InvalidExpire(String),
    /// A word that EXPIRE and its kin do not know.
    UnsupportedOption(String),
    /// NX beside XX, GT or LT.
    ExpireNx,
    /// GT beside LT.
    ExpireGtLt,
    /// A sum past the end of 64 bits.
    Overflow,
    /// DECRBY of the smallest number, which has no opposite.
    DecrementOverflow,
    /// A digest of a length that no digest has.
    DigestLength,
    /// A database that is not there.
    NoDatabase,
    /// No memory left for what a write would need.
    OutOfMemory,
    /// A string longer than the server takes.
    TooLong,
    /// A subcommand that the command named does not have.
    UnknownSubcommand(String, String),
    /// Anything else, in full.
    Other(String),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("ERR syntax error"),
            Self::NotAnInteger => f.write_str("ERR value is not an integer or out of range"),
            Self::NotAFloat => f.write_str("ERR value is not a valid float"),
            Self::NanOrInfinity => f.write_str("ERR increment would produce NaN or Infinity"),
            Self::Arity(name) => {
                write!(f, "ERR wrong number of arguments for '{}' command", name.to_ascii_lowercase())
            }
            Self::InvalidExpire(name) => {
                write!(f, "ERR invalid expire time in '{}' command", name.to_ascii_lowercase())
            }
            Self::UnsupportedOption(word) => write!(f, "ERR Unsupported option {word}"),
            Self::ExpireNx => f.write_str("ERR NX and XX, GT or LT options at the same time are not compatible"),
            Self::ExpireGtLt => f.write_str("ERR GT and LT options at the same time are not compatible"),
            Self::Overflow => f.write_str("ERR increment or decrement would overflow"),
            Self::DecrementOverflow => f.write_str("ERR decrement would overflow"),
            Self::DigestLength => f.write_str("ERR must be exactly 16 hexadecimal characters"),
            Self::NoDatabase => f.write_str("ERR DB index is out of range"),
            Self::OutOfMemory => f.write_str("OOM command not allowed when used memory > 'maxmemory'."),
            Self::TooLong => f.write_str("ERR string exceeds maximum allowed size (proto-max-bulk-len)"),
            Self::UnknownSubcommand(name, word) => {
                write!(f, "ERR unknown subcommand '{word}'. Try {} HELP.", name.to_ascii_uppercase())
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl CommandError {
    /// An error of the `ERR` kind in its own words.
    pub fn other(text: impl fmt::Display) -> Self {
        Self::Other(format!("ERR {text}"))
    }
}

impl From<CommandError> for Reply {
    fn from(error: CommandError) -> Self {
        // A line of the protocol cannot hold line breaks; the server sends spaces in their place.
        Self::Error(error.to_string().replace(['\r', '\n'], " "))
    }
}
