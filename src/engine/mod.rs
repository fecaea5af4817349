//! The lock engine: a key-value state machine without clock, chance, I/O or page.
//!
//! **Invariants.** Time is an argument in whole milliseconds and never runs backwards inside an engine. Nothing is
//! called back: what happened is returned as [`Event`]s. No order that a hash decides can reach a result. A clone
//! shares values and goes its own way, which is what seeking and searching rest on.

mod client;
pub mod digest;
mod error;
mod event;
pub mod glob;
mod keyspace;
mod reply;
mod rng;
mod time;

use std::sync::Arc;

pub use client::ClientId;
pub use error::CommandError;
pub use event::{Event, EventKind};
pub use keyspace::{Entry, Keyspace};
pub use reply::Reply;
pub use rng::Rng;
pub use time::{EPOCH, Millis, format_duration, format_seconds, parse_duration};

/// A shared string of bytes: a key, a value, a token.
pub type Bytes = Arc<[u8]>;

/// Keys named like this are locks from their first write on, however written.
const LOCK_PREFIX: &[u8] = b"lock:";

/// How an engine starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Seed of TOKEN's generator.
    pub seed: u64,
    /// Whether a shell ticks this engine's clock, so that CLOCK RUN and CLOCK PAUSE mean something.
    pub running_clock: bool,
}

/// The whole state of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    now: Millis,
    keyspace: Keyspace,
    clients: usize,
    rng: Rng,
    running_clock: bool,
}

impl Engine {
    /// An empty server whose clock stands at [`EPOCH`].
    pub fn new(options: Options) -> Self {
        Self {
            now: EPOCH,
            keyspace: Keyspace::default(),
            clients: 0,
            rng: Rng::new(options.seed),
            running_clock: options.running_clock,
        }
    }

    /// Opens a connection.
    pub fn open(&mut self) -> ClientId {
        self.clients += 1;
        ClientId::nth(self.clients - 1)
    }

    /// The engine's clock, Unix milliseconds.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Whether a shell ticks this engine's clock.
    pub fn has_running_clock(&self) -> bool {
        self.running_clock
    }

    /// The keys, to look at.
    pub fn keyspace(&self) -> &Keyspace {
        &self.keyspace
    }

    /// The entry of a living key.
    pub fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.keyspace.get(key, self.now)
    }

    /// The first instant at which a key will be gone, and that key. A deadline at the end of 64 bits never passes.
    pub fn next_expiry(&self) -> Option<(Millis, &Bytes)> {
        let (deadline, key) = self.keyspace.next_deadline()?;
        Some((deadline.checked_add(1)?, key))
    }

    /// Moves the clock, never backwards, and expires what falls due: one key after the other, each at its own
    /// instant, in the order of deadlines.
    pub fn advance(&mut self, now: Millis) -> Vec<Event> {
        self.now = self.now.max(now);
        let mut events = Vec::new();
        while let Some((key, entry)) = self.keyspace.pop_due(self.now) {
            let deadline = entry.deadline.unwrap_or(self.now);
            let kind = EventKind::Expired { holder: entry.holder, deadline, lock: entry.lock };
            events.push(Event { at: deadline.saturating_add(1), key, kind });
        }
        events
    }

    /// Draws a token from the engine's generator.
    pub(crate) fn token(&mut self) -> String {
        self.rng.token()
    }

    /// The keys, to change. The command layer keeps the rules of locks; see `command::Context`.
    pub(crate) fn keyspace_mut(&mut self) -> &mut Keyspace {
        &mut self.keyspace
    }

    /// Checks every invariant of the state.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn verify(&self) {
        self.keyspace.verify();
        for (key, entry) in self.keyspace.iter(self.now) {
            assert!(entry.holder.index() < self.clients, "{key:?} is held by a client that was never opened");
            assert!(entry.lock || !is_lock_name(key), "{key:?} is named like a lock and is none");
        }
    }
}

/// Whether a key's name alone makes it a lock.
pub fn is_lock_name(key: &[u8]) -> bool {
    key.starts_with(LOCK_PREFIX)
}
