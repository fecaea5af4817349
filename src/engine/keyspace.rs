//! The keys, their values and their deadlines.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bytes, ClientId, Millis};

/// How the server would keep a string, which OBJECT ENCODING tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a number.
    Int,
    /// Beside its key in one piece of memory.
    Embedded,
    /// In memory of its own.
    Raw,
}

impl Form {
    /// The form of a value that is written whole.
    pub fn of(key: &[u8], value: &[u8], number: bool) -> Self {
        // Key and value share a cache line as long as they fit; measured on the real server for keys of 1 to 60 bytes.
        const SHARED: usize = 41;
        if number {
            Self::Int
        } else if key.len() + value.len() + usize::from(key.len() == 32) <= SHARED {
            Self::Embedded
        } else {
            Self::Raw
        }
    }
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value; clones of an engine share it.
    pub value: Bytes,
    /// The last instant at which the key lives; `None`: for ever.
    pub deadline: Option<Millis>,
    /// Whether the key counts as a lock.
    pub lock: bool,
    /// Who wrote the value.
    pub holder: ClientId,
    /// How the server would keep it.
    pub form: Form,
}

impl Entry {
    /// Whether the key is still there. At its deadline it lives; a millisecond later it is gone.
    fn lives(&self, now: Millis) -> bool {
        self.deadline.is_none_or(|deadline| now <= deadline)
    }
}

/// What a key takes beside its own bytes and those of its value: its place in the tree, two reference counts, and the
/// entry.
const KEY_BYTES: usize = 136;
/// What a deadline takes: its place in the index.
const DEADLINE_BYTES: usize = 40;

/// What a key with such a value takes, in bytes.
pub fn cost(key: &[u8], value_len: usize, deadline: Option<Millis>) -> usize {
    KEY_BYTES + key.len() + value_len + if deadline.is_some() { DEADLINE_BYTES } else { 0 }
}

/// The keys in byte order, with an index by deadline.
///
/// A key past its deadline is invisible to every method that takes `now`, swept or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyspace {
    entries: BTreeMap<Bytes, Entry>,
    deadlines: BTreeSet<(Millis, Bytes)>,
    used: usize,
}

impl Keyspace {
    /// The entry of a living key.
    pub fn get(&self, key: &[u8], now: Millis) -> Option<&Entry> {
        self.entries.get(key).filter(|entry| entry.lives(now))
    }

    /// Puts an entry in place of what was there.
    pub fn insert(&mut self, key: Bytes, entry: Entry) {
        self.remove(&key);
        self.used += cost(&key, entry.value.len(), entry.deadline);
        if let Some(deadline) = entry.deadline {
            self.deadlines.insert((deadline, key.clone()));
        }
        self.entries.insert(key, entry);
    }

    /// Removes a key, living or not.
    pub fn remove(&mut self, key: &[u8]) -> Option<Entry> {
        let (key, entry) = self.entries.remove_entry(key)?;
        self.used -= cost(&key, entry.value.len(), entry.deadline);
        if let Some(deadline) = entry.deadline {
            self.deadlines.remove(&(deadline, key));
        }
        Some(entry)
    }

    /// Moves, sets or drops a key's deadline; `false` when there is no such key.
    pub fn set_deadline(&mut self, key: &[u8], deadline: Option<Millis>) -> bool {
        let Some((key, entry)) = self.entries.get_key_value(key).map(|(key, entry)| (key.clone(), entry.clone()))
        else {
            return false;
        };
        self.insert(key, Entry { deadline, ..entry });
        true
    }

    /// The earliest deadline and its key.
    pub fn next_deadline(&self) -> Option<(Millis, &Bytes)> {
        self.deadlines.first().map(|(deadline, key)| (*deadline, key))
    }

    /// Takes out the key whose deadline passed first, if one has passed. Keys with one deadline go in byte order.
    pub fn pop_due(&mut self, now: Millis) -> Option<(Bytes, Entry)> {
        let (deadline, key) = self.deadlines.first()?;
        if now <= *deadline {
            return None;
        }
        let key = key.clone();
        self.remove(&key).map(|entry| (key, entry))
    }

    /// The living keys in byte order.
    pub fn iter(&self, now: Millis) -> impl Iterator<Item = (&Bytes, &Entry)> {
        self.entries.iter().filter(move |(_, entry)| entry.lives(now))
    }

    /// How many keys live.
    pub fn len(&self, now: Millis) -> usize {
        self.entries.len() - self.deadlines.iter().take_while(|(deadline, _)| *deadline < now).count()
    }

    /// The memory that the keys take, in bytes: for each its own, its value's, and a fixed sum for the structures that
    /// hold them, plus one when it has a deadline.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Checks that the index and the entries tell the same deadlines.
    ///
    /// # Panics
    /// When they do not.
    pub fn verify(&self) {
        let told: BTreeSet<_> =
            self.entries.iter().filter_map(|(key, entry)| Some((entry.deadline?, key.clone()))).collect();
        assert_eq!(told, self.deadlines, "the deadline index differs from the entries");
        let used: usize = self.entries.iter().map(|(key, entry)| cost(key, entry.value.len(), entry.deadline)).sum();
        assert_eq!(used, self.used, "the memory in use is told wrong");
    }
}
