//! The lock engine: a key-value state machine without clock, chance, I/O or page.
//!
//! **Invariants.** Time is an argument in whole milliseconds and never runs backwards inside an engine. Nothing is
//! called back: what happened is told as [`Event`]s, until the next command. No order that a hash decides can reach a result. A clone
//! shares values and goes its own way, which is what seeking and searching rest on.

mod bytes;
mod client;
mod clients;
pub mod digest;
mod error;
mod event;
pub mod glob;
mod keyspace;
mod quote;
mod reply;
mod rng;
mod size;
mod slots;
mod sorted;
mod time;

pub(crate) use bytes::numbers;
pub use bytes::{Bytes, IN_PLACE};
pub use client::{Client, ClientId, Protocol, ReplyMode, Transaction, waiting_cost, watch_cost};
pub use error::CommandError;
pub use event::{Event, EventKind};
pub use keyspace::{Entry, Form, Keyspace, Until, cost};
pub use quote::quoted;
pub use reply::Reply;
pub use rng::Rng;
pub use size::parse_size;
pub(crate) use sorted::sorted;
pub use time::{EPOCH, Millis, format_duration, format_seconds, parse_duration};

use clients::Clients;

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
    /// Who moves the clock.
    pub clock: Clock,
    /// Where the clock stands at first, Unix milliseconds.
    pub start: Millis,
    /// The most memory that keys and values may take, in bytes, reckoned as [`Keyspace::used`] says.
    pub max_memory: usize,
    /// Whether nobody asks what happened: no events are told, and when CLOCK jumps, expiring is left to whoever calls
    /// [`Engine::advance_some`].
    pub silent: bool,
}

/// Settings by name.
pub(crate) type Settings = Vec<(&'static str, Vec<u8>)>;

/// Who moves an engine's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Whoever calls, and CLOCK.
    #[default]
    Standing,
    /// A shell that lets it run too, so that CLOCK RUN and CLOCK PAUSE mean something.
    Ticking,
    /// The time of day alone; CLOCK only tells it.
    Real,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, clock: Clock::Standing, start: EPOCH, max_memory: MAX_MEMORY, silent: false }
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
    clients: Clients,
    rng: Rng,
    clock: Clock,
    /// The most memory that the shell can spare.
    memory_there: usize,
    /// The most of it that is taken.
    max_memory: usize,
    settings: Settings,
    silent: bool,
    /// What happened in the last command or move of the clock. Room for it is made once and not for every command.
    events: Vec<Event>,
    expired_active: u64,
    expired_lazy: u64,
}

/// What can be told from outside: not how far databases were laid out, nor what was reckoned of deadlines or counted.
impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        let Self { now, clients, rng, clock, memory_there, max_memory, settings, silent, .. } = self;
        let Self { databases: _, earliest: _, events: _, expired_active: _, expired_lazy: _, .. } = self;
        (now, clients, rng, clock, silent) == (&other.now, &other.clients, &other.rng, &other.clock, &other.silent)
            && (memory_there, max_memory, settings) == (&other.memory_there, &other.max_memory, &other.settings)
            && (0..DATABASES).all(|db| self.database(db) == other.database(db))
    }
}

impl Eq for Engine {}

impl Engine {
    /// An empty server.
    pub fn new(options: Options) -> Self {
        Self {
            now: options.start,
            databases: vec![Keyspace::EMPTY],
            earliest: Millis::MAX,
            clients: Clients::default(),
            rng: Rng::new(options.seed),
            clock: options.clock,
            memory_there: options.max_memory,
            max_memory: options.max_memory,
            settings: Settings::default(),
            silent: options.silent,
            events: Vec::new(),
            expired_active: 0,
            expired_lazy: 0,
        }
    }

    /// Opens a connection.
    pub fn open(&mut self) -> ClientId {
        self.clients.open(String::new())
    }

    /// Opens a connection that comes from an address, which MONITOR and CLIENT LIST show.
    pub fn open_from(&mut self, address: String) -> ClientId {
        self.clients.open(address)
    }

    /// Drops a connection: its transaction, watches and settings are gone. The id stays, for a connection anew.
    pub fn close(&mut self, client: ClientId) {
        self.clients.reset(client);
    }

    /// Drops a connection for good: its id goes to one that is opened later, its number to none.
    pub fn hang_up(&mut self, client: ClientId) {
        self.clients.hang_up(client);
    }

    /// The engine's clock, Unix milliseconds.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Who moves the clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Whether nobody asks what happened.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent
    }

    /// The memory that is taken by all keys, by commands that wait for EXEC and by keys that are watched, in bytes.
    pub fn used_memory(&self) -> usize {
        self.databases.iter().map(Keyspace::used).sum::<usize>() + self.clients.used()
    }

    /// The most memory that they may take, in bytes.
    pub fn max_memory(&self) -> usize {
        self.max_memory
    }

    /// Whether the shell can spare so many bytes for keys.
    pub(crate) fn can_spare(&self, bytes: usize) -> bool {
        bytes <= self.memory_there
    }

    /// Lets keys take so many bytes of what the shell can spare, and with 0 all of it.
    pub(crate) fn set_max_memory(&mut self, bytes: usize) {
        self.max_memory = if bytes == 0 { self.memory_there } else { bytes.min(self.memory_there) };
    }

    /// Settings that were changed and mean nothing here, by name.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Keeps a setting that means nothing here.
    pub(crate) fn set(&mut self, name: &'static str, value: &[u8]) {
        self.settings.retain(|(known, _)| *known != name);
        self.settings.push((name, value.to_vec()));
    }

    /// How many keys expired by themselves, and how many when a command came upon them.
    pub fn expired_keys(&self) -> (u64, u64) {
        (self.expired_active, self.expired_lazy)
    }

    /// Counts anew.
    pub(crate) fn reset_counts(&mut self) {
        (self.expired_active, self.expired_lazy) = (0, 0);
    }

    /// What is kept for a connection.
    pub fn client(&self, client: ClientId) -> &Client {
        self.clients.get(client)
    }

    /// The number of a connection, which CLIENT ID answers; the server counts from 1, and never gives one again.
    pub fn number(&self, client: ClientId) -> i64 {
        self.clients.number(client)
    }

    /// Where a connection comes from; empty when nobody told.
    pub fn address(&self, client: ClientId) -> &str {
        self.clients.address(client)
    }

    /// All connections that are open, by their places.
    pub fn clients(&self) -> impl Iterator<Item = (ClientId, &Client)> {
        self.clients.iter()
    }

    /// How many connections are open.
    pub fn connected(&self) -> usize {
        self.clients.len()
    }

    /// The connections that see what all clients send.
    pub fn monitors(&self) -> impl Iterator<Item = ClientId> {
        self.clients.busy().filter(|(_, client)| client.monitor).map(|(id, _)| id)
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
    pub fn advance(&mut self, now: Millis) -> &[Event] {
        self.advance_some(now, usize::MAX)
    }

    /// Moves the clock at once, and expires at most so many keys of those that fall due, the first ones first. Call it
    /// again until [`Self::is_swept`]: in one go or in slices, the end is the same, and no command sees a key that is
    /// past its deadline meanwhile.
    pub fn advance_some(&mut self, now: Millis, budget: usize) -> &[Event] {
        self.begin();
        self.move_to(now, budget);
        &self.events
    }

    /// What happened in the last command or move of the clock, in order: to locks, and which keys expired.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Begins anew to tell what happens.
    pub(crate) fn begin(&mut self) {
        /// How many there is always room for: a burst of expiries gives its room back.
        const KEPT: usize = 1_024;
        self.events.clear();
        if self.events.capacity() > KEPT {
            self.events = Vec::new();
        }
    }

    /// Tells of one thing that happened.
    pub(crate) fn tell(&mut self, event: impl FnOnce() -> Event) {
        // Made where it will lie, rather than made and moved there.
        self.events.extend(std::iter::once_with(event));
    }

    /// As [`Self::advance_some`], after what was told already.
    pub(crate) fn move_to(&mut self, now: Millis, budget: usize) {
        self.now = self.now.max(now);
        if !self.is_swept() {
            self.sweep(budget);
        }
    }

    #[cold]
    fn sweep(&mut self, budget: usize) {
        for _ in 0..budget {
            let Some((_, db)) = self.first_to_look_at() else { break };
            let Some(due) = self.databases[db].pop_due(self.now, budget == usize::MAX) else { break };
            if let Some((key, entry)) = due {
                self.expired_active += 1;
                self.expired(db, key, &entry);
            }
        }
        self.earliest = self.first_to_look_at().map_or(Millis::MAX, |(deadline, _)| deadline);
    }

    /// The first deadline to look at, and its database. It may be no key's any more, and none is earlier.
    fn first_to_look_at(&mut self) -> Option<(Millis, usize)> {
        let databases = self.databases.iter_mut().enumerate();
        let first = databases.filter_map(|(db, keys)| keys.first_to_look_at().map(|first| (first, db))).min();
        first.map(|((deadline, _), db)| (deadline, db))
    }

    /// Whether no key is left that is past its deadline.
    pub fn is_swept(&self) -> bool {
        self.now <= self.earliest
    }

    /// Expires one key ahead of its turn if it is past its deadline and not swept yet.
    pub(crate) fn expire(&mut self, db: usize, key: &[u8]) {
        if !self.is_swept() {
            self.expire_due(db, key);
        }
    }

    #[cold]
    fn expire_due(&mut self, db: usize, key: &[u8]) {
        let now = self.now;
        let due = self.databases.get_mut(db).and_then(|keys| keys.remove_due(key, now));
        if let Some((key, entry)) = due {
            self.expired_lazy += 1;
            self.expired(db, key, &entry);
        }
    }

    /// Tells of a key that expired, when somebody asks; whoever watches it learns it anyway.
    fn expired(&mut self, db: usize, key: Bytes, entry: &Entry) {
        self.touch(db, &key);
        if !self.silent {
            let deadline = entry.deadline.get().unwrap_or(self.now);
            let kind = EventKind::Expired { holder: entry.holder, deadline, lock: entry.lock };
            self.tell(|| Event { at: deadline.saturating_add(1), db, key, kind });
        }
    }

    /// Makes the transactions of all who watch a key fail.
    pub(crate) fn touch(&mut self, db: usize, key: &[u8]) {
        if self.clients.is_quiet() {
            return;
        }
        let touched = (db, key.into());
        self.clients.each_watching(|client| client.dirty |= client.watched.contains(&touched));
    }

    /// Makes the transactions of all who watch a living key of a database fail.
    fn touch_all(&mut self, db: usize) {
        let (now, databases) = (self.now, &self.databases);
        let there = |(watched_db, key): &(usize, Bytes)| {
            *watched_db == db && databases.get(db).is_some_and(|keys| keys.get(key, now).is_some())
        };
        self.clients.each_watching(|client| client.dirty |= client.watched.iter().any(there));
    }

    /// Swaps two databases; whoever watches a key that is in either sees it as touched.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        let now = self.now;
        for (one, other) in [(a, b), (b, a)] {
            let databases = &self.databases;
            let there = |key: &Bytes| {
                [one, other].iter().any(|db| databases.get(*db).is_some_and(|keys| keys.get(key, now).is_some()))
            };
            self.clients.each_watching(|client| {
                client.dirty |= client.watched.iter().any(|(db, key)| *db == one && there(key));
            });
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

    /// Whether no connection has a transaction, watches, sees everything or is not answered.
    pub(crate) fn is_quiet(&self) -> bool {
        self.clients.is_quiet()
    }

    /// Draws a living key of a database by the engine's generator.
    pub(crate) fn draw(&mut self, db: usize) -> Option<Bytes> {
        let Self { databases, rng, now, .. } = self;
        databases.get(db)?.any(*now, || rng.next_u64()).cloned()
    }

    /// What is kept for a connection, to change. Call [`Self::settle_client`] when that is done.
    pub(crate) fn client_mut(&mut self, client: ClientId) -> &mut Client {
        self.clients.get_mut(client)
    }

    /// Looks at what became of a connection whose command is done.
    pub(crate) fn settle_client(&mut self, client: ClientId) {
        self.clients.settle(client);
    }

    /// Puts an entry into a database, as it is. The command layer keeps the rules of locks; see `command::Context`.
    pub(crate) fn insert(&mut self, db: usize, key: Bytes, entry: Entry) {
        self.touch(db, &key);
        self.earliest = self.earliest.min(entry.deadline.get().unwrap_or(Millis::MAX));
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
        self.begin();
        self.now = now;
        self.earliest = Millis::MAX;
        for keyspace in &mut self.databases {
            keyspace.empty();
        }
        self.clients.reset_all();
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
                assert!(self.clients.knows(entry.holder), "{key:?} is held by a client that was never opened");
                assert!(entry.lock || !is_lock_name(key), "{key:?} is named like a lock and is none");
            }
        }
        self.clients.verify();
        for (_, client) in self.clients.iter() {
            assert!(client.db < DATABASES, "a client stands in a database that is not there");
        }
    }
}

/// Whether a key's name alone makes it a lock.
pub fn is_lock_name(key: &[u8]) -> bool {
    key.starts_with(LOCK_PREFIX)
}
