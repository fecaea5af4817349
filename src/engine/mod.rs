//! The lock engine: a key-value state machine without clock, chance, I/O or page.
//!
//! **Invariants.** Time is an argument in whole milliseconds and never runs backwards inside an engine. Nothing is
//! called back: what happened is returned as [`Event`]s. No order that a hash decides can reach a result. A clone
//! shares values and goes its own way, which is what seeking and searching rest on.

mod bytes;
mod client;
pub mod digest;
mod error;
mod event;
pub mod glob;
mod keyspace;
mod quote;
mod reply;
mod rng;
mod sorted;
mod time;

pub use bytes::{Bytes, IN_PLACE};
pub use client::{Client, ClientId, Protocol, ReplyMode, Transaction, waiting_cost, watch_cost};
pub use error::CommandError;
pub use event::{Event, EventKind};
pub use keyspace::{Entry, Form, Keyspace, cost};
pub use quote::quoted;
pub use reply::Reply;
pub use rng::Rng;
pub(crate) use sorted::sorted;
pub use time::{EPOCH, Millis, format_duration, format_seconds, parse_duration};

/// How many databases there are.
pub const DATABASES: usize = 16;

/// Keys named like this are locks from their first write on, however written.
const LOCK_PREFIX: &[u8] = b"lock:";

/// The memory that keys may take when nothing else is said, in bytes: what a page can spare.
pub const MAX_MEMORY: usize = 64 * 1024 * 1024;

/// How an engine starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Seed of TOKEN's generator.
    pub seed: u64,
    /// Whether a shell ticks this engine's clock, so that CLOCK RUN and CLOCK PAUSE mean something.
    pub running_clock: bool,
    /// The most memory that keys and values may take, in bytes, reckoned as [`Keyspace::used`] says.
    pub max_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, running_clock: false, max_memory: MAX_MEMORY }
    }
}

/// The whole state of a server.
#[derive(Clone, Debug)]
pub struct Engine {
    now: Millis,
    /// The databases up to the last that was ever written to.
    databases: Vec<Keyspace>,
    /// No deadline is earlier than this one; looked at before each command, so that most need not look further.
    earliest: Millis,
    clients: Vec<Client>,
    rng: Rng,
    running_clock: bool,
    max_memory: usize,
}

/// What can be told from outside: not how far databases were laid out, nor what was reckoned of deadlines.
impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        let Self { now, databases: _, earliest: _, clients, rng, running_clock, max_memory } = self;
        (now, clients, rng, running_clock, max_memory)
            == (&other.now, &other.clients, &other.rng, &other.running_clock, &other.max_memory)
            && (0..DATABASES).all(|db| self.database(db) == other.database(db))
    }
}

impl Eq for Engine {}

impl Engine {
    /// An empty server whose clock stands at [`EPOCH`].
    pub fn new(options: Options) -> Self {
        Self {
            now: EPOCH,
            databases: vec![Keyspace::EMPTY],
            earliest: Millis::MAX,
            clients: Vec::new(),
            rng: Rng::new(options.seed),
            running_clock: options.running_clock,
            max_memory: options.max_memory,
        }
    }

    /// Opens a connection.
    pub fn open(&mut self) -> ClientId {
        self.clients.push(Client::default());
        ClientId::nth(self.clients.len() - 1)
    }

    /// Drops a connection: its transaction, watches and settings are gone. The id stays, for a connection anew.
    pub fn close(&mut self, client: ClientId) {
        self.clients[client.index()] = Client::default();
    }

    /// The engine's clock, Unix milliseconds.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Whether a shell ticks this engine's clock.
    pub fn has_running_clock(&self) -> bool {
        self.running_clock
    }

    /// The memory that is taken by all keys, by commands that wait for EXEC and by keys that are watched, in bytes.
    pub fn used_memory(&self) -> usize {
        self.databases.iter().map(Keyspace::used).chain(self.clients.iter().map(Client::used)).sum()
    }

    /// The most memory that they may take, in bytes.
    pub fn max_memory(&self) -> usize {
        self.max_memory
    }

    /// What is kept for a connection.
    pub fn client(&self, client: ClientId) -> &Client {
        &self.clients[client.index()]
    }

    /// All connections, in the order of opening.
    pub fn clients(&self) -> impl Iterator<Item = (ClientId, &Client)> {
        self.clients.iter().enumerate().map(|(n, client)| (ClientId::nth(n), client))
    }

    /// The keys of the first database, to look at.
    pub fn keyspace(&self) -> &Keyspace {
        &self.databases[0]
    }

    /// The keys of one database, to look at.
    pub fn database(&self, db: usize) -> &Keyspace {
        static EMPTY: Keyspace = Keyspace::EMPTY;
        self.databases.get(db).unwrap_or(&EMPTY)
    }

    /// The keys of one database, to change.
    fn database_mut(&mut self, db: usize) -> &mut Keyspace {
        if self.databases.len() <= db {
            self.databases.resize(db + 1, Keyspace::EMPTY);
        }
        &mut self.databases[db]
    }

    /// The first instant at which a key will be gone, and that key; of keys that are past their deadline and not swept
    /// yet, an instant that has been. A deadline at the end of 64 bits never passes.
    pub fn next_expiry(&self) -> Option<(Millis, &Bytes)> {
        let (deadline, key) = self.databases.iter().filter_map(Keyspace::next_deadline).min()?;
        Some((deadline.checked_add(1)?, key))
    }

    /// Moves the clock, never backwards, and expires what falls due: one key after the other, each at its own
    /// instant, in the order of deadlines.
    pub fn advance(&mut self, now: Millis) -> Vec<Event> {
        self.advance_some(now, usize::MAX)
    }

    /// Moves the clock at once, and expires at most so many keys of those that fall due, the first ones first. Call it
    /// again until [`Self::is_swept`]: in one go or in slices, the end is the same, and no command sees a key that is
    /// past its deadline meanwhile.
    pub fn advance_some(&mut self, now: Millis, budget: usize) -> Vec<Event> {
        self.now = self.now.max(now);
        let mut events = Vec::new();
        if self.is_swept() {
            return events;
        }
        while events.len() < budget {
            let due = self.databases.iter().enumerate().filter_map(|(db, keys)| Some((keys.next_deadline()?, db)));
            let Some((_, db)) = due.min() else { break };
            let Some((key, entry)) = self.databases[db].pop_due(self.now, budget == usize::MAX) else { break };
            events.push(self.expired(db, key, &entry));
        }
        self.earliest = self
            .databases
            .iter()
            .filter_map(Keyspace::next_deadline)
            .map(|(deadline, _)| deadline)
            .min()
            .unwrap_or(Millis::MAX);
        events
    }

    /// Whether no key is left that is past its deadline.
    pub fn is_swept(&self) -> bool {
        self.now <= self.earliest
    }

    /// Expires one key ahead of its turn if it is past its deadline and not swept yet.
    pub(crate) fn expire(&mut self, db: usize, key: &[u8]) -> Option<Event> {
        if self.is_swept() {
            return None;
        }
        let (key, entry) = self.databases.get_mut(db)?.remove_due(key, self.now)?;
        Some(self.expired(db, key, &entry))
    }

    /// What is told of a key that expired, and whoever watches it.
    fn expired(&mut self, db: usize, key: Bytes, entry: &Entry) -> Event {
        self.touch(db, &key);
        let deadline = entry.deadline.unwrap_or(self.now);
        let kind = EventKind::Expired { holder: entry.holder, deadline, lock: entry.lock };
        Event { at: deadline.saturating_add(1), db, key, kind }
    }

    /// Makes the transactions of all who watch a key fail.
    pub(crate) fn touch(&mut self, db: usize, key: &[u8]) {
        for client in self.clients.iter_mut().filter(|client| !client.watched.is_empty()) {
            client.dirty |= client.watched.contains(&(db, key.into()));
        }
    }

    /// Makes the transactions of all who watch a living key of a database fail.
    fn touch_all(&mut self, db: usize) {
        let now = self.now;
        for client in self.clients.iter_mut().filter(|client| !client.watched.is_empty()) {
            let there = |(watched_db, key): &(usize, Bytes)| {
                *watched_db == db && self.databases.get(db).is_some_and(|keys| keys.get(key, now).is_some())
            };
            client.dirty |= client.watched.iter().any(there);
        }
    }

    /// Swaps two databases; whoever watches a key that is in either sees it as touched.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        let now = self.now;
        for (one, other) in [(a, b), (b, a)] {
            let there = |key: &Bytes| {
                [one, other].iter().any(|db| self.databases.get(*db).is_some_and(|keys| keys.get(key, now).is_some()))
            };
            for client in &mut self.clients {
                client.dirty |= client.watched.iter().any(|(db, key)| *db == one && there(key));
            }
        }
        self.database_mut(a.max(b));
        self.databases.swap(a, b);
    }

    /// Whether anything was drawn from the generator, which started from this seed.
    pub fn has_drawn(&self, seed: u64) -> bool {
        self.rng != Rng::new(seed)
    }

    /// Draws a token from the engine's generator.
    pub(crate) fn token(&mut self) -> String {
        self.rng.token()
    }

    /// Draws a number below a bound from the engine's generator.
    pub(crate) fn draw(&mut self, below: usize) -> usize {
        (self.rng.next_u64() % below.max(1) as u64) as usize
    }

    /// What is kept for a connection, to change.
    pub(crate) fn client_mut(&mut self, client: ClientId) -> &mut Client {
        &mut self.clients[client.index()]
    }

    /// Puts an entry into a database, as it is. The command layer keeps the rules of locks; see `command::Context`.
    pub(crate) fn insert(&mut self, db: usize, key: Bytes, entry: Entry) {
        self.touch(db, &key);
        self.earliest = self.earliest.min(entry.deadline.unwrap_or(Millis::MAX));
        self.database_mut(db).insert(key, entry);
    }

    /// Takes an entry out of a database.
    pub(crate) fn remove(&mut self, db: usize, key: &[u8]) -> Option<(Bytes, Entry)> {
        self.touch(db, key);
        self.database_mut(db).remove(key)
    }

    /// Moves, sets or drops a key's deadline.
    pub(crate) fn set_deadline(&mut self, db: usize, key: &[u8], deadline: Option<Millis>) {
        self.touch(db, key);
        self.earliest = self.earliest.min(deadline.unwrap_or(Millis::MAX));
        self.database_mut(db).set_deadline(key, deadline);
    }

    /// Takes everything out of a database.
    pub(crate) fn clear(&mut self, db: usize) {
        self.touch_all(db);
        self.database_mut(db).clear();
    }

    /// Makes this an empty server whose clock stands at an instant, be it in the past. Connections stay open and are as
    /// new; memory is kept. A search puts one state after another into one engine, and this is how each begins.
    pub(crate) fn restart(&mut self, now: Millis) {
        self.now = now;
        self.earliest = Millis::MAX;
        for keyspace in &mut self.databases {
            keyspace.empty();
        }
        for client in &mut self.clients {
            if !client.is_new() {
                *client = Client::default();
            }
        }
    }

    /// Checks every invariant of the state.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn verify(&self) {
        for keyspace in &self.databases {
            keyspace.verify();
            assert!(
                keyspace.next_deadline().is_none_or(|(deadline, _)| self.earliest <= deadline),
                "a deadline is overlooked"
            );
            for (key, entry) in keyspace.unordered(self.now) {
                assert!(entry.holder.index() < self.clients.len(), "{key:?} is held by a client that was never opened");
                assert!(entry.lock || !is_lock_name(key), "{key:?} is named like a lock and is none");
            }
        }
        for client in &self.clients {
            assert!(client.db < DATABASES, "a client stands in a database that is not there");
            assert!(!client.dirty || !client.watched.is_empty(), "a client that watches nothing has a touched watch");
            client.verify();
        }
    }
}

/// Whether a key's name alone makes it a lock.
pub fn is_lock_name(key: &[u8]) -> bool {
    key.starts_with(LOCK_PREFIX)
}
