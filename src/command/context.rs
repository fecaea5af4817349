//! What a handler works with: the engine, who asks, and the rules of locks.
//!
//! Every write goes through here, so that each tells what happened to the lock in the same way.

use super::ClockRequest;
use super::args::canonical;
use crate::engine::{
    Bytes, Client, ClientId, CommandError, Engine, Entry, Event, EventKind, Form, Keyspace, Millis, Protocol, cost,
    is_lock_name,
};

/// What a write does with the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadline {
    /// Keep what is there.
    Keep,
    /// Live for ever, or until the instant given.
    Set(Option<Millis>),
}

impl Write {
    /// How a plain write goes: without a deadline, and no lock unless it is named like one.
    pub(super) const PLAIN: Self = Self { deadline: Deadline::Set(None), lock: false, by_token: false };
    /// How a value is changed in place: the deadline stays.
    pub(super) const CHANGE: Self = Self { deadline: Deadline::Keep, lock: false, by_token: false };
    /// How a write goes that wants the key to be missing.
    pub(super) const LOCK: Self = Self { deadline: Deadline::Set(None), lock: true, by_token: false };
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// What becomes of the deadline.
    pub(super) deadline: Deadline,
    /// Whether the form of the write makes the key a lock (NX and its kin, IFEQ).
    pub(super) lock: bool,
    /// Whether the client named the value that it expected, and was right.
    pub(super) by_token: bool,
}

/// One command being run.
pub struct Context<'a> {
    engine: &'a mut Engine,
    client: ClientId,
    pub(super) clock: Option<ClockRequest>,
    /// Whether the client hangs up.
    pub(super) close: bool,
}

impl<'a> Context<'a> {
    pub(super) fn new(engine: &'a mut Engine, client: ClientId) -> Self {
        Self { engine, client, clock: None, close: false }
    }

    pub(super) fn now(&self) -> Millis {
        self.engine.now()
    }

    pub(super) fn engine(&self) -> &Engine {
        self.engine
    }

    pub(super) fn engine_mut(&mut self) -> &mut Engine {
        self.engine
    }

    /// Who asks.
    pub(super) fn id(&self) -> ClientId {
        self.client
    }

    /// What is kept for who asks.
    pub(super) fn client(&self) -> &Client {
        self.engine.client(self.client)
    }

    pub(super) fn client_mut(&mut self) -> &mut Client {
        self.engine.client_mut(self.client)
    }

    pub(super) fn protocol(&self) -> Protocol {
        self.client().protocol
    }

    /// The selected database.
    pub(super) fn db(&self) -> usize {
        self.client().db
    }

    /// The keys of the selected database.
    pub(super) fn keyspace(&self) -> &Keyspace {
        self.engine.database(self.db())
    }

    /// The entry of a living key.
    pub(super) fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.keyspace().get(key, self.now())
    }

    /// The entry of a living key, told as a look at the lock.
    pub(super) fn read(&mut self, key: &[u8]) -> Option<Entry> {
        let entry = self.get(key).cloned();
        if entry.as_ref().map_or_else(|| is_lock_name(key), |entry| entry.lock) {
            self.tell(key, EventKind::Read { client: self.client });
        }
        entry
    }

    /// Checks that there is memory for values of such lengths under these keys, before anything is built or written.
    pub(super) fn reserve<'k>(
        &mut self,
        lengths: impl IntoIterator<Item = (&'k [u8], usize)>,
    ) -> Result<(), CommandError> {
        let need = lengths
            .into_iter()
            .fold(0, |need: usize, (key, length)| need.saturating_add(growth(key, length, self.get(key))));
        self.reserve_bytes(need)
    }

    /// Checks that there is memory for so many bytes more.
    pub(super) fn reserve_bytes(&mut self, need: usize) -> Result<(), CommandError> {
        let fits = |engine: &Engine| engine.used_memory().saturating_add(need) <= engine.max_memory();
        // What is past its deadline takes nobody's room.
        if fits(self.engine) || fits(self.settle()) { Ok(()) } else { Err(CommandError::OutOfMemory) }
    }

    /// Whether more memory is taken than may be, since less may be than did.
    pub(super) fn is_overdrawn(&mut self) -> bool {
        let overdrawn = |engine: &Engine| engine.used_memory() > engine.max_memory();
        overdrawn(self.engine) && overdrawn(self.settle())
    }

    /// Writes a value, as a number where it is one, and tells what that means for the lock.
    pub(super) fn put(&mut self, key: &[u8], value: &[u8], write: Write) -> Result<(), CommandError> {
        let old = self.get(key).cloned();
        self.put_over(old, key, value, write)
    }

    /// As [`Self::put`], when the living key's entry is known.
    pub(super) fn put_over(
        &mut self,
        old: Option<Entry>,
        key: &[u8],
        value: &[u8],
        write: Write,
    ) -> Result<(), CommandError> {
        self.reserve_bytes(growth(key, value.len(), old.as_ref()))?;
        let form = Form::of(key, value, canonical(value).is_some());
        self.write_over(old, key, value, write, form);
        Ok(())
    }

    /// Writes a value in a form.
    pub(super) fn put_as(&mut self, key: &[u8], value: &[u8], write: Write, form: Form) -> Result<(), CommandError> {
        self.reserve([(key, value.len())])?;
        self.write(key, value, write, form);
        Ok(())
    }

    /// Writes a value in a form without looking at memory: for what is moved rather than made.
    pub(super) fn write(&mut self, key: &[u8], value: &[u8], write: Write, form: Form) {
        let old = self.get(key).cloned();
        self.write_over(old, key, value, write, form);
    }

    fn write_over(&mut self, old: Option<Entry>, key: &[u8], value: &[u8], write: Write, form: Form) {
        let client = self.client;
        let deadline = match write.deadline {
            Deadline::Keep => old.as_ref().and_then(|old| old.deadline.get()),
            Deadline::Set(deadline) => deadline,
        };
        let lock = write.lock || is_lock_name(key) || old.as_ref().is_some_and(|old| old.lock);
        let (key, token) = (Bytes::from(key), Bytes::from(value));
        if lock && !self.engine.is_silent() {
            let kind = match old {
                Some(old) if !old.lock => EventKind::Granted { client, token: token.clone(), deadline, previous: None },
                Some(old) if old.value == token && (write.by_token || old.holder == client) => EventKind::Renewed {
                    client,
                    holder: old.holder,
                    before: old.deadline.get(),
                    after: deadline,
                    by_token: write.by_token,
                },
                Some(old) if old.holder != client && !write.by_token => {
                    EventKind::Overwritten { client, holder: old.holder, token: token.clone(), deadline }
                }
                old => {
                    let previous = old.map(|old| old.holder);
                    EventKind::Granted { client, token: token.clone(), deadline, previous }
                }
            };
            self.tell_of(key.clone(), kind);
        }
        self.insert(key, Entry { value: token, deadline: deadline.into(), lock, holder: client, form });
    }

    /// Deletes a living key; whether there was one.
    pub(super) fn delete(&mut self, key: &[u8], by_token: bool) -> bool {
        let Some((holder, lock)) = self.get(key).map(|entry| (entry.holder, entry.lock)) else {
            self.missed(key);
            return false;
        };
        self.delete_held(key, holder, lock, by_token);
        true
    }

    /// Deletes a living key of which it is known who wrote it and whether it is a lock.
    pub(super) fn delete_held(&mut self, key: &[u8], holder: ClientId, lock: bool, by_token: bool) {
        if lock {
            self.tell(key, gone(self.client, holder, by_token));
        }
        let db = self.db();
        self.engine.remove(db, key);
    }

    /// Makes the transactions of all who watch a key fail, though nothing of it is left to be seen.
    pub(super) fn touch(&mut self, key: &[u8]) {
        let db = self.db();
        self.engine.touch(db, key);
    }

    /// Puts an entry as it is; nothing is told of locks.
    pub(super) fn insert(&mut self, key: Bytes, entry: Entry) {
        self.expire(&key);
        let db = self.db();
        self.engine.insert(db, key, entry);
    }

    /// Expires a key ahead of its turn if it is past its deadline and not swept yet: before something else takes its
    /// place, or its being there or not is told.
    pub(super) fn expire(&mut self, key: &[u8]) {
        let db = self.db();
        self.engine.expire(db, key);
    }

    /// Expires all that is past its deadline and not swept yet.
    pub(super) fn settle(&mut self) -> &Engine {
        self.engine.move_to(self.now(), usize::MAX);
        self.engine
    }

    /// Moves a living key's deadline. One that is not in the future deletes the key at once.
    pub(super) fn set_deadline(&mut self, key: &[u8], deadline: Option<Millis>) {
        if deadline.is_some_and(|deadline| deadline <= self.now()) {
            self.delete(key, false);
            return;
        }
        let Some(entry) = self.get(key) else { return };
        let (holder, before, lock) = (entry.holder, entry.deadline.get(), entry.lock);
        if lock {
            let client = self.client;
            self.tell(key, EventKind::Renewed { client, holder, before, after: deadline, by_token: false });
        }
        let db = self.db();
        self.engine.set_deadline(db, key, deadline);
    }

    /// Tells that a condition on the existence of a key failed, whose entry is given; says nothing of what is no lock.
    pub(super) fn refuse(&mut self, key: &[u8], entry: Option<&Entry>) {
        let client = self.client;
        if entry.map_or_else(|| is_lock_name(key), |entry| entry.lock) {
            self.tell(key, EventKind::Refused { client, holder: entry.map(|entry| entry.holder) });
        }
    }

    /// Tells that a condition on the value of a key failed, whose entry is given; says nothing of what is no lock.
    pub(super) fn wrong_token(&mut self, key: &[u8], entry: Option<&Entry>) {
        match entry {
            Some(Entry { holder, lock: true, .. }) => {
                self.tell(key, EventKind::WrongToken { client: self.client, holder: *holder });
            }
            Some(_) => {}
            None => self.missed(key),
        }
    }

    /// Tells that a lock which the client meant is not there; says nothing of other keys.
    pub(super) fn missed(&mut self, key: &[u8]) {
        if is_lock_name(key) {
            self.tell(key, EventKind::Missed { client: self.client });
        }
    }

    /// Deletes every key of the selected database, telling of each lock.
    pub(super) fn flush(&mut self) {
        self.settle();
        let (now, db) = (self.now(), self.db());
        if !self.engine.is_silent() {
            let locks = self.keyspace().iter(now).filter(|(_, entry)| entry.lock);
            for key in locks.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
                self.delete(&key, false);
            }
        }
        self.engine.clear(db);
    }

    /// Watches nothing any more.
    pub(super) fn unwatch(&mut self) {
        self.client_mut().unwatch();
    }

    /// Makes the open transaction, if there is one, fail at EXEC; the error that did it comes back.
    pub(super) fn break_transaction(&mut self, error: CommandError) -> CommandError {
        if let Some(transaction) = &mut self.client_mut().transaction {
            transaction.broken = true;
        }
        error
    }

    /// Runs something in another database.
    pub(super) fn in_database<T>(&mut self, db: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let own = std::mem::replace(&mut self.client_mut().db, db);
        let done = run(self);
        self.client_mut().db = own;
        done
    }

    /// Swaps two databases, telling of each lock that goes from where it was and is held elsewhere.
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.settle();
        if self.engine.is_silent() {
            return self.engine.swap(a, b);
        }
        let (now, client) = (self.now(), self.client);
        let locks = |engine: &Engine, db: usize| -> Vec<(Bytes, Entry)> {
            let locks = engine.database(db).iter(now).filter(|(_, entry)| entry.lock);
            locks.map(|(key, entry)| (key.clone(), entry.clone())).collect()
        };
        let (in_a, in_b) = (locks(self.engine, a), locks(self.engine, b));
        for (db, locks) in [(a, &in_a), (b, &in_b)] {
            for (key, entry) in locks {
                let kind = gone(client, entry.holder, false);
                self.engine.tell(|| Event { at: now, db, key: key.clone(), kind });
            }
        }
        self.engine.swap(a, b);
        for (db, locks) in [(b, in_a), (a, in_b)] {
            for (key, Entry { holder, value, deadline, .. }) in locks {
                let kind =
                    EventKind::Granted { client: holder, token: value, deadline: deadline.get(), previous: None };
                self.engine.tell(|| Event { at: now, db, key, kind });
            }
        }
    }

    /// Moves the clock and expires what falls due, at once when somebody asks what happens.
    pub(super) fn advance(&mut self, to: Millis) {
        let budget = if self.engine.is_silent() { 0 } else { usize::MAX };
        self.engine.move_to(to, budget);
    }

    fn tell(&mut self, key: &[u8], kind: EventKind) {
        if !self.engine.is_silent() {
            self.tell_of(key.into(), kind);
        }
    }

    fn tell_of(&mut self, key: Bytes, kind: EventKind) {
        // Of one key everything is told in the order in which it was.
        self.expire(&key);
        let (at, db) = (self.now(), self.db());
        self.engine.tell(|| Event { at, db, key, kind });
    }
}

/// How many bytes a value of such a length takes under a key beyond what is there. A deadline may come with the value;
/// that of one key too many does no harm.
fn growth(key: &[u8], length: usize, old: Option<&Entry>) -> usize {
    let before = old.map_or(0, |old| cost(key, old.value.len(), old.deadline.get()));
    cost(key, length, Some(0)).saturating_sub(before)
}

/// What it is for a lock that a client takes it away: whoever holds it, or names its token, gives it up.
fn gone(client: ClientId, holder: ClientId, by_token: bool) -> EventKind {
    if by_token || holder == client {
        EventKind::Released { client, holder }
    } else {
        EventKind::DeletedByAnother { client, holder }
    }
}
