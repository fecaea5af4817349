//! The keys, their values and their deadlines.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZero;

use rustc_hash::FxHashSet;

use super::slots::Slots;
use super::sorted::sorted;
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

/// The last instant at which a key lives, or that it lives for ever; eight bytes, since a million locks have one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until(Millis);

impl Until {
    /// Lives for ever. A key whose deadline is not in the future is deleted when that is set, so that none has this one.
    const EVER: Self = Self(Millis::MIN);

    /// The instant.
    pub fn get(self) -> Option<Millis> {
        (self != Self::EVER).then_some(self.0)
    }
}

impl From<Option<Millis>> for Until {
    fn from(deadline: Option<Millis>) -> Self {
        deadline.map_or(Self::EVER, Self)
    }
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value; clones of an engine share it.
    pub value: Bytes,
    /// The last instant at which the key lives; `None`: for ever.
    pub deadline: Until,
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
        self.deadline.get().is_none_or(|deadline| now <= deadline)
    }
}

/// What a key takes beside its own bytes and those of its value, in a list that has just grown: two slots of 64 bytes, and
/// their places in chains. From a handful on, keys take no more than is reckoned.
const KEY_BYTES: usize = 152;
/// What a deadline takes: its place in a queue that has just grown. Those in [`FRESH`] have 32 KiB a database beside it.
const DEADLINE_BYTES: usize = 64;

/// What a key with such a value takes, in bytes.
pub fn cost(key: &[u8], value_len: usize, deadline: Option<Millis>) -> usize {
    KEY_BYTES + key.len() + value_len + if deadline.is_some() { DEADLINE_BYTES } else { 0 }
}

/// How many deadlines wait at most without an order.
const FRESH: usize = 1_024;

/// The keys, with a queue of their deadlines.
///
/// A key past its deadline is invisible to every method that takes `now`, swept or not. What lists keys does so in byte
/// order.
#[derive(Clone, Debug)]
pub struct Keyspace {
    entries: Slots,
    /// Deadlines as they came. Most locks are given up before anybody has to know whose deadline is the first.
    fresh: Vec<(Millis, Bytes)>,
    /// The deadlines of all entries, here, in `fresh` or in `due`. One that was moved or whose key is gone stays until it
    /// comes to the top or outnumbers the others.
    queue: BinaryHeap<Reverse<(Millis, Bytes)>>,
    /// Deadlines taken from the queue because many fell due at once: sorted, the first one last. Sorting many is faster
    /// than taking one after the other off a heap.
    due: Vec<(Millis, Bytes)>,
    /// No deadline is earlier.
    earliest: Millis,
    /// How many were taken off the queue one by one since few were due.
    taken: usize,
    /// How many entries have a deadline.
    dated: usize,
    used: usize,
}

/// The queue follows from the entries, however it is laid out.
impl PartialEq for Keyspace {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Keyspace {}

impl Keyspace {
    /// No keys.
    pub const EMPTY: Self = Self {
        entries: Slots::EMPTY,
        fresh: Vec::new(),
        queue: BinaryHeap::new(),
        due: Vec::new(),
        earliest: Millis::MAX,
        taken: 0,
        dated: 0,
        used: 0,
    };

    /// The entry of a living key.
    pub fn get(&self, key: &[u8], now: Millis) -> Option<&Entry> {
        self.entries.get(key).map(|(_, entry)| entry).filter(|entry| entry.lives(now))
    }

    /// Puts an entry in place of what was there, living or not.
    pub fn insert(&mut self, key: Bytes, entry: Entry) {
        let (length, deadline) = (entry.value.len(), entry.deadline.get());
        self.used += cost(&key, length, deadline);
        let old = self.entries.insert(key.clone(), entry);
        let before = old.as_ref().and_then(|old| old.deadline.get());
        if let Some(old) = &old {
            self.used -= cost(&key, old.value.len(), before);
        }
        self.moved(&key, before, deadline);
    }

    /// Removes a key, living or not.
    pub fn remove(&mut self, key: &[u8]) -> Option<(Bytes, Entry)> {
        let (key, entry) = self.entries.remove(key)?;
        self.used -= cost(&key, entry.value.len(), entry.deadline.get());
        self.moved(&key, entry.deadline.get(), None);
        Some((key, entry))
    }

    /// Moves, sets or drops a key's deadline; `false` when there is no such key.
    pub fn set_deadline(&mut self, key: &[u8], deadline: Option<Millis>) -> bool {
        let Some((key, entry)) = self.entries.get_mut(key) else { return false };
        let before = std::mem::replace(&mut entry.deadline, deadline.into()).get();
        let length = entry.value.len();
        self.used = self.used + cost(key, length, deadline) - cost(key, length, before);
        let key = key.clone();
        self.moved(&key, before, deadline);
        true
    }

    /// Keeps the deadlines when a key's is another, or the key gone.
    fn moved(&mut self, key: &Bytes, before: Option<Millis>, after: Option<Millis>) {
        if before == after {
            return;
        }
        self.dated = self.dated + usize::from(after.is_some()) - usize::from(before.is_some());
        if let Some(after) = after {
            self.earliest = self.earliest.min(after);
            if self.fresh.len() == FRESH {
                self.order();
            }
            self.fresh.push((after, key.clone()));
        }
        // What is left behind never outgrows what is there.
        if self.fresh.len() + self.queue.len() + self.due.len() > 2 * self.dated + 64 {
            self.fresh.clear();
            self.due = Vec::new();
            let dated = self.entries.iter().filter_map(|(key, entry)| Some((entry.deadline.get()?, key.clone())));
            if self.dated < FRESH {
                self.queue.clear();
                self.fresh.extend(dated);
            } else {
                self.queue = dated.map(Reverse).collect();
            }
        }
    }

    /// Whether a deadline is still its key's.
    fn is_current(&self, deadline: Millis, key: &[u8]) -> bool {
        self.entries.get(key).is_some_and(|(_, entry)| entry.deadline.get() == Some(deadline))
    }

    /// Puts the fresh deadlines in order.
    fn order(&mut self) {
        while let Some((deadline, key)) = self.fresh.pop() {
            if self.is_current(deadline, &key) {
                self.queue.push(Reverse((deadline, key)));
            }
        }
    }

    /// The first of all deadlines in order, current or not.
    fn first(&self) -> Option<(Millis, &Bytes)> {
        let queued = self.queue.peek().map(|Reverse(first)| first);
        let first = match (queued, self.due.last()) {
            (Some(queued), Some(due)) => Some(queued.min(due)),
            (queued, due) => queued.or(due),
        };
        first.map(|(deadline, key)| (*deadline, key))
    }

    /// Takes the first deadline off.
    fn take_first(&mut self) -> Option<(Millis, Bytes)> {
        match (self.queue.peek(), self.due.last()) {
            (Some(Reverse(queued)), Some(due)) if queued < due => {}
            (_, Some(_)) => return self.due.pop(),
            _ => {}
        }
        self.queue.pop().map(|Reverse(first)| first)
    }

    /// The first deadline to look at, with its key, which may have another by now: none is earlier.
    pub fn first_to_look_at(&mut self) -> Option<(Millis, &Bytes)> {
        self.order();
        self.earliest = self.first().map_or(Millis::MAX, |(deadline, _)| deadline);
        self.first()
    }

    /// The earliest deadline and its key.
    pub fn next_deadline(&self) -> Option<(Millis, &Bytes)> {
        let first = self.first().filter(|(deadline, key)| self.fresh.is_empty() && self.is_current(*deadline, key));
        first.or_else(|| {
            self.entries.iter().filter_map(|(key, entry)| entry.deadline.get().map(|deadline| (deadline, key))).min()
        })
    }

    /// Takes the first deadline off if it has passed, and gives the key out whose deadline it was; `Some(None)` when it is
    /// no key's any more. Keys with one deadline go in byte order. Whoever is going to take all that is due says so: many
    /// are then sorted at once, which is faster but takes its time.
    pub fn pop_due(&mut self, now: Millis, all: bool) -> Option<Option<(Bytes, Entry)>> {
        if self.first_to_look_at().is_none_or(|(deadline, _)| deadline >= now) {
            self.taken = 0;
            return None;
        }
        self.taken += 1;
        if all && self.due.is_empty() && self.taken > self.queue.len() / 16 {
            self.gather(now);
        }
        let (deadline, key) = self.take_first()?;
        if !self.is_current(deadline, &key) {
            return Some(None);
        }
        let (key, entry) = self.entries.remove(&key)?;
        self.used -= cost(&key, entry.value.len(), entry.deadline.get());
        self.dated -= 1;
        Some(Some((key, entry)))
    }

    /// Takes all that is due off the queue at once.
    fn gather(&mut self, now: Millis) {
        self.taken = 0;
        let queued = std::mem::take(&mut self.queue).into_vec();
        let (due, later): (Vec<_>, Vec<_>) = queued.into_iter().partition(|Reverse((deadline, _))| *deadline < now);
        self.queue = later.into();
        self.due = due.into_iter().map(|Reverse(due)| due).collect();
        self.due.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Takes out a key that is past its deadline.
    pub fn remove_due(&mut self, key: &[u8], now: Millis) -> Option<(Bytes, Entry)> {
        if self.entries.get(key)?.1.lives(now) { None } else { self.remove(key) }
    }

    /// The living keys in byte order.
    pub fn iter(&self, now: Millis) -> impl Iterator<Item = (&Bytes, &Entry)> {
        let keys = sorted(self.unordered(now).map(|(key, _)| key));
        keys.into_iter().filter_map(|key| self.entries.get(key)).map(|(key, entry)| (key, entry))
    }

    /// The living keys in an order that means nothing: for what counts them, or sorts them by something else.
    pub(crate) fn unordered(&self, now: Millis) -> impl Iterator<Item = (&Bytes, &Entry)> {
        self.entries.iter().filter(move |(_, entry)| entry.lives(now))
    }

    /// The next living key in the order of hashes, with its hash: the first from a hash on, or what follows a key of that
    /// hash. Whatever comes and goes, a key that is there has its place among the others.
    pub(crate) fn next_by_hash<'a>(
        &'a self,
        mut from: u64,
        mut after: Option<&'a Bytes>,
        now: Millis,
    ) -> Option<(u64, &'a Bytes)> {
        loop {
            let (hash, key, entry) = self.entries.next_by_hash(from, after)?;
            if entry.lives(now) {
                return Some((hash, key));
            }
            (from, after) = (hash, Some(key));
        }
    }

    /// Any living key, each as likely as another, by random numbers. Which one hangs on the keys alone, not on how they lie.
    pub(crate) fn any(&self, now: Millis, mut draw: impl FnMut() -> u64) -> Option<&Bytes> {
        /// More keys than ever lie in a stretch of hashes in which there is one in the mean.
        const CROWD: u64 = 16;
        let stretch = u64::MAX / NonZero::new(self.len(now) as u64)?;
        loop {
            // A key is in as many stretches as any other, and is taken from as many of them, whatever else is there.
            let (begin, mut which) = (draw(), draw() % CROWD);
            // After the greatest hash comes the least.
            for (start, end) in [(begin, u64::MAX), (0, begin.saturating_sub(1))] {
                let (mut from, mut after) = (start, None);
                while let Some((hash, key)) = self.next_by_hash(from, after, now)
                    && hash <= end
                    && hash.wrapping_sub(begin) <= stretch
                {
                    if which == 0 {
                        return Some(key);
                    }
                    which -= 1;
                    (from, after) = (hash, Some(key));
                }
            }
        }
    }

    /// How many keys live.
    pub fn len(&self, now: Millis) -> usize {
        if now <= self.earliest { self.entries.len() } else { self.unordered(now).count() }
    }

    /// The memory that the keys take, in bytes: for each its own, its value's, and a fixed sum for the structures that
    /// hold them, plus one when it has a deadline.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        *self = Self::EMPTY;
    }

    /// Removes all keys and keeps their room, for as many that come at once.
    pub(crate) fn empty(&mut self) {
        self.entries.clear();
        self.fresh.clear();
        self.queue.clear();
        self.due.clear();
        self.earliest = Millis::MAX;
        (self.taken, self.dated, self.used) = (0, 0, 0);
    }

    /// Checks that queue, counts and entries tell the same.
    ///
    /// # Panics
    /// When they do not.
    pub fn verify(&self) {
        self.entries.verify();
        let queued = self.queue.iter().map(|Reverse(queued)| queued);
        let queued: FxHashSet<_> = queued.chain(&self.due).chain(&self.fresh).collect();
        assert!(self.fresh.len() <= FRESH, "too many deadlines wait");
        assert!(self.due.is_sorted_by(|a, b| a >= b), "what is due is out of order");
        let dated: Vec<_> = self.entries.iter().filter_map(|(key, entry)| Some((entry.deadline.get()?, key))).collect();
        assert_eq!(dated.len(), self.dated, "the deadlines are counted wrong");
        for (deadline, key) in &dated {
            assert!(queued.contains(&(*deadline, (*key).clone())), "the deadline of {key:?} is not in the queue");
            assert!(self.earliest <= *deadline, "the deadline of {key:?} is overlooked");
        }
        assert_eq!(self.next_deadline(), dated.into_iter().min(), "the first deadline is told wrong");
        let used: usize =
            self.entries.iter().map(|(key, entry)| cost(key, entry.value.len(), entry.deadline.get())).sum();
        assert_eq!(used, self.used, "the memory in use is told wrong");
    }
}
