//! What a command answers, before any protocol or terminal gives it a form.

use super::Bytes;

/// One reply of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A simple string such as `OK`.
    Status(String),
    /// An error with its prefix, such as `ERR syntax error`.
    Error(String),
    /// A signed 64-bit integer.
    Integer(i64),
    /// A string of bytes.
    Bulk(Bytes),
    /// No value.
    Nil,
    /// Replies in order.
    Array(Vec<Reply>),
}

impl Reply {
    /// The reply of a write that worked.
    pub fn ok() -> Self {
        Self::Status("OK".to_owned())
    }

    /// A string of bytes, copied.
    pub fn bulk(bytes: impl AsRef<[u8]>) -> Self {
        Self::Bulk(bytes.as_ref().into())
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}

impl From<bool> for Reply {
    fn from(yes: bool) -> Self {
        Self::Integer(i64::from(yes))
    }
}

impl From<usize> for Reply {
    fn from(count: usize) -> Self {
        Self::Integer(count as i64)
    }
}
