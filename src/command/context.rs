//! What a handler works with: the engine, who asks, and the rules of locks.
//!
//! Every write goes through here, so that each tells what happened to the lock in the same way.

use super::ClockRequest;
use crate::engine::{Bytes, ClientId, Engine, Entry, Event, EventKind, Millis, is_lock_name};

/// What a write does with the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadline {
    /// Keep what is there.
    Keep,
    /// Live for ever, or until the instant given.
    Set(Option<Millis>),
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
    pub(super) events: Vec<Event>,
    pub(super) clock: Option<ClockRequest>,
}

impl<'a> Context<'a> {
    pub(super) fn new(engine: &'a mut Engine, client: ClientId, events: Vec<Event>) -> Self {
        Self { engine, client, events, clock: None }
    }

    pub(super) fn now(&self) -> Millis {
        self.engine.now()
    }

    pub(super) fn engine(&self) -> &Engine {
        self.engine
    }

    pub(super) fn token(&mut self) -> String {
        self.engine.token()
    }

    /// The entry of a living key.
    pub(super) fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.engine.get(key)
    }

    /// The entry of a living key, told as a look at the lock.
    pub(super) fn read(&mut self, key: &[u8]) -> Option<Entry> {
        let entry = self.engine.get(key).cloned();
        if entry.as_ref().map_or_else(|| is_lock_name(key), |entry| entry.lock) {
            self.tell(key, EventKind::Read { client: self.client });
        }
        entry
    }

    /// Writes a value and tells what that means for the lock.
    pub(super) fn put(&mut self, key: &[u8], value: &[u8], write: Write) {
        let client = self.client;
        let old = self.engine.get(key).cloned();
        let deadline = match write.deadline {
            Deadline::Keep => old.as_ref().and_then(|old| old.deadline),
            Deadline::Set(deadline) => deadline,
        };
        let lock = write.lock || is_lock_name(key) || old.as_ref().is_some_and(|old| old.lock);
        let token: Bytes = value.into();
        if lock {
            let kind = match old {
                Some(old) if *old.value == *value && (write.by_token || old.holder == client) => EventKind::Renewed {
                    client,
                    holder: old.holder,
                    before: old.deadline,
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
            self.tell(key, kind);
        }
        self.engine.keyspace_mut().insert(key.into(), Entry { value: token, deadline, lock, holder: client });
    }

    /// Deletes a living key; whether there was one.
    pub(super) fn delete(&mut self, key: &[u8], by_token: bool) -> bool {
        let client = self.client;
        let Some(entry) = self.engine.get(key).cloned() else {
            self.missed(key);
            return false;
        };
        if entry.lock {
            let holder = entry.holder;
            self.tell(
                key,
                if by_token || holder == client {
                    EventKind::Released { client, holder }
                } else {
                    EventKind::DeletedByAnother { client, holder }
                },
            );
        }
        self.engine.keyspace_mut().remove(key);
        true
    }

    /// Moves a living key's deadline. One that is not in the future deletes the key at once.
    pub(super) fn set_deadline(&mut self, key: &[u8], deadline: Option<Millis>) {
        if deadline.is_some_and(|deadline| deadline <= self.now()) {
            self.delete(key, false);
            return;
        }
        let Some(entry) = self.engine.get(key) else { return };
        let (holder, before, lock) = (entry.holder, entry.deadline, entry.lock);
        if lock {
            let client = self.client;
            self.tell(key, EventKind::Renewed { client, holder, before, after: deadline, by_token: false });
        }
        self.engine.keyspace_mut().set_deadline(key, deadline);
    }

    /// Tells that a condition on the key's existence failed.
    pub(super) fn refuse(&mut self, key: &[u8]) {
        let client = self.client;
        let holder = self.engine.get(key).map(|entry| entry.holder);
        self.tell(key, EventKind::Refused { client, holder });
    }

    /// Tells that a condition on the key's value failed.
    pub(super) fn wrong_token(&mut self, key: &[u8]) {
        let client = self.client;
        match self.engine.get(key).map(|entry| entry.holder) {
            Some(holder) => self.tell(key, EventKind::WrongToken { client, holder }),
            None => self.tell(key, EventKind::Missed { client }),
        }
    }

    /// Tells that a lock which the client meant is not there; says nothing of other keys.
    pub(super) fn missed(&mut self, key: &[u8]) {
        if is_lock_name(key) {
            self.tell(key, EventKind::Missed { client: self.client });
        }
    }

    /// Deletes every key, telling of each lock.
    pub(super) fn flush(&mut self) {
        let now = self.now();
        let locks: Vec<Bytes> =
            self.engine.keyspace().iter(now).filter(|(_, entry)| entry.lock).map(|(key, _)| key.clone()).collect();
        for key in locks {
            self.delete(&key, false);
        }
        self.engine.keyspace_mut().clear();
    }

    /// Moves the clock and expires what falls due.
    pub(super) fn advance(&mut self, to: Millis) {
        let expired = self.engine.advance(to);
        self.events.extend(expired);
    }

    fn tell(&mut self, key: &[u8], kind: EventKind) {
        self.events.push(Event { at: self.now(), key: key.into(), kind });
    }
}
