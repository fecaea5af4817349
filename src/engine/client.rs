//! Connections: who sends a command.

use std::fmt;

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
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {}", self.0)
    }
}
