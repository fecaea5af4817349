//! What a command answers, before any protocol or terminal gives it a form.

use std::borrow::Cow;

use super::{Bytes, Protocol};

/// One reply of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A simple string such as `OK`.
    Status(Cow<'static, str>),
    /// An error with its prefix, such as `ERR syntax error`.
    Error(String),
    /// A signed 64-bit integer.
    Integer(i64),
    /// A string of bytes.
    Bulk(Bytes),
    /// Text for people, which RESP3 sends as such.
    Text(String),
    /// No value.
    Nil,
    /// No array, which only an EXEC that did nothing answers; RESP3 sends it as no value.
    NilArray,
    /// Replies in order.
    Array(Vec<Reply>),
    /// Pairs; only RESP3 has them.
    Map(Vec<(Reply, Reply)>),
    /// Nothing is sent at all, as the client asked with CLIENT REPLY.
    Silent,
}

impl Reply {
    /// The reply of a write that worked.
    pub fn ok() -> Self {
        Self::status("OK")
    }

    /// A simple string.
    pub fn status(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Status(text.into())
    }

    /// A string of bytes, copied.
    pub fn bulk(bytes: impl AsRef<[u8]>) -> Self {
        Self::Bulk(bytes.as_ref().into())
    }

    /// Pairs in the form that a protocol has for them.
    pub fn pairs(protocol: Protocol, pairs: Vec<(Self, Self)>) -> Self {
        match protocol {
            Protocol::Resp3 => Self::Map(pairs),
            Protocol::Resp2 => Self::Array(pairs.into_iter().flat_map(|(key, value)| [key, value]).collect()),
        }
    }

    /// The most bytes that a reply takes on the wire beside what is in it: a type, a number of 64 bits, and ends of lines.
    pub const HEAD: usize = 32;

    /// How many bytes it takes at most on the wire, in any protocol.
    pub fn size(&self) -> usize {
        Self::HEAD
            + match self {
                Self::Status(text) => text.len(),
                Self::Error(text) | Self::Text(text) => text.len(),
                Self::Bulk(bytes) => bytes.len(),
                Self::Array(replies) => replies.iter().map(Self::size).sum(),
                Self::Map(pairs) => pairs.iter().map(|(key, value)| key.size() + value.size()).sum(),
                Self::Integer(_) | Self::Nil | Self::NilArray | Self::Silent => 0,
            }
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
