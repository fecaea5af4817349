//! Connections: who sends a command, and what the server keeps for each.

use rustc_hash::FxHashSet;

use super::Bytes;

/// One client of an engine: its place among those that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(u32);

impl ClientId {
    /// The id of the n-th client, counted from 0.
    pub(crate) fn nth(n: usize) -> Self {
        Self(n as u32)
    }

    /// Its place; in the order of opening while nobody hangs up for good.
    pub fn index(self) -> usize {
        self.0 as usize
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
    bytes: usize,
}

/// What a word or a command takes while it waits, beside its bytes.
const WAITING_BYTES: usize = 24;
/// What a watched key takes beside its bytes.
const WATCH_BYTES: usize = 64;

/// What a command takes while it waits, in bytes.
pub fn waiting_cost(argv: &[&[u8]]) -> usize {
    WAITING_BYTES + argv.iter().map(|word| WAITING_BYTES + word.len()).sum::<usize>()
}

/// What a watched key takes, in bytes.
pub fn watch_cost(key: &[u8]) -> usize {
    WATCH_BYTES + key.len()
}

impl Transaction {
    /// Adds a command.
    pub(crate) fn push(&mut self, argv: &[&[u8]]) {
        self.bytes += waiting_cost(argv);
        self.queue.push(argv.iter().map(|word| word.to_vec()).collect());
    }
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
    pub watched: FxHashSet<(usize, Bytes)>,
    watched_bytes: usize,
    /// Whether a watched key was touched, so that EXEC will do nothing.
    pub dirty: bool,
    /// Whether it sees what all clients send.
    pub monitor: bool,
}

impl Client {
    /// What waits and what is watched takes so much memory, in bytes.
    pub fn used(&self) -> usize {
        self.watched_bytes + self.transaction.as_ref().map_or(0, |transaction| transaction.bytes)
    }

    /// Whether commands of others or the memory in use have to do with it, or it is not answered.
    pub(super) fn is_busy(&self) -> bool {
        self.transaction.is_some() || !self.watched.is_empty() || self.monitor || self.reply != ReplyMode::On
    }

    /// Whether it is as it was when it opened.
    pub(crate) fn is_new(&self) -> bool {
        let Self { db, name, library, protocol, reply, transaction, watched, watched_bytes: _, dirty, monitor } = self;
        let named = !name.is_empty() || library.iter().any(|part| !part.is_empty());
        let usual = *db == 0 && *protocol == Protocol::Resp2 && *reply == ReplyMode::On;
        usual && !named && transaction.is_none() && watched.is_empty() && !dirty && !monitor
    }

    /// Watches a key.
    pub(crate) fn watch(&mut self, db: usize, key: &[u8]) {
        if self.watched.insert((db, key.into())) {
            self.watched_bytes += watch_cost(key);
        }
    }

    /// Watches nothing any more.
    pub(crate) fn unwatch(&mut self) {
        self.watched.clear();
        self.watched_bytes = 0;
        self.dirty = false;
    }

    /// Checks that the memory in use is told right.
    ///
    /// # Panics
    /// When it is not.
    pub fn verify(&self) {
        let words = |argv: &Vec<Vec<u8>>| waiting_cost(&argv.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let waiting: usize = self.transaction.iter().flat_map(|transaction| &transaction.queue).map(words).sum();
        let watched: usize = self.watched.iter().map(|(_, key)| watch_cost(key)).sum();
        assert_eq!(self.used(), waiting + watched, "the memory of a connection is told wrong");
    }
}
