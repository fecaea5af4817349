//! Connections: who sends a command, and what the server keeps for each.

use std::collections::BTreeSet;

use super::Bytes;

/// One client of an engine, in the order in which they were opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(u32);

impl ClientId {
    /// The id of the n-th client, counted from 0.
    pub(crate) fn nth(n: usize) -> Self {
        Self(n as u32)
    }

    /// Its place in the order of opening.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number that CLIENT ID answers; the server counts from 1.
    pub fn number(self) -> i64 {
        i64::from(self.0) + 1
    }
}

/// The version of the protocol, which decides the shape of some replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2: maps are flat arrays.
    #[default]
    Resp2,
    /// RESP3.
    Resp3,
}

impl Protocol {
    /// Its number in HELLO.
    pub fn number(self) -> i64 {
        match self {
            Self::Resp2 => 2,
            Self::Resp3 => 3,
        }
    }
}

/// Whether a client is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyMode {
    /// It is.
    #[default]
    On,
    /// It is not until it asks to be.
    Off,
    /// It is not for the command that comes next.
    SkipNext,
    /// It is not for the command that is being run.
    Skip,
}

/// Commands that wait for EXEC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// The commands, each a list of words.
    pub queue: Vec<Vec<Vec<u8>>>,
    /// Whether one of them could not be queued, so that EXEC will refuse.
    pub broken: bool,
}

/// What the server keeps for a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The selected database.
    pub db: usize,
    /// The name that the client gave itself; empty at first.
    pub name: Vec<u8>,
    /// The name and version of its library, as it told them.
    pub library: [Vec<u8>; 2],
    /// The protocol.
    pub protocol: Protocol,
    /// Whether it is answered.
    pub reply: ReplyMode,
    /// The transaction that is open.
    pub transaction: Option<Transaction>,
    /// The keys that are watched, with their databases.
    pub watched: BTreeSet<(usize, Bytes)>,
    /// Whether a watched key was touched, so that EXEC will do nothing.
    pub dirty: bool,
    /// Whether it sees what all clients send.
    pub monitor: bool,
}
