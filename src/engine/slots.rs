//! Where keys and their entries lie: one after the other in a list, with a table of their places beside it.
//!
//! A hash table has more room than it needs, twice as much when it has just grown. Here that room is for places of four
//! bytes and not for keys and values, which is what makes a million locks small.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::{Bytes, Entry};

/// A key's place in the list, as long as the key is there.
type Place = u32;

/// Entries by key. Their order is that of the commands that made them, whatever the hash is: it has no seed, and nothing
/// that anybody sees goes by it.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    list: List,
    /// Places that nobody has.
    free: Vec<Place>,
    places: HashTable<Place>,
}

type List = Vec<Option<(Bytes, Entry)>>;

fn hash(key: &[u8]) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// The hash of the key that has a place.
fn hash_at(list: &List, place: Place) -> u64 {
    list[place as usize].as_ref().map_or(0, |(key, _)| hash(key))
}

/// Whether a place is that of a key.
fn is_of(list: &List, place: Place, key: &[u8]) -> bool {
    list[place as usize].as_ref().is_some_and(|(there, _)| there.is(key))
}

impl PartialEq for Slots {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, entry)| other.get(key).is_some_and(|(_, its)| its == entry))
    }
}

impl Eq for Slots {}

impl Slots {
    /// No entries.
    pub(super) const EMPTY: Self = Self { list: Vec::new(), free: Vec::new(), places: HashTable::new() };

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// A key as it lies here, and its entry.
    pub(super) fn get(&self, key: &[u8]) -> Option<&(Bytes, Entry)> {
        let place = self.places.find(hash(key), |place| is_of(&self.list, *place, key))?;
        self.list[*place as usize].as_ref()
    }

    /// A key as it lies here, and its entry, to change.
    pub(super) fn get_mut(&mut self, key: &[u8]) -> Option<&mut (Bytes, Entry)> {
        let place = self.places.find(hash(key), |place| is_of(&self.list, *place, key))?;
        self.list[*place as usize].as_mut()
    }

    /// Puts an entry in, and gives back the one that was in its place.
    pub(super) fn insert(&mut self, key: Bytes, entry: Entry) -> Option<Entry> {
        let hashed = hash(&key);
        let there = self.places.find(hashed, |place| is_of(&self.list, *place, &key));
        if let Some((_, there)) = there.and_then(|place| self.list[*place as usize].as_mut()) {
            return Some(std::mem::replace(there, entry));
        }
        if self.places.len() == self.places.capacity() {
            self.grow();
        }
        let slot = Some((key, entry));
        let place = match self.free.pop() {
            Some(place) => {
                self.list[place as usize] = slot;
                place
            }
            None => {
                self.list.push(slot);
                self.list.len() as Place - 1
            }
        };
        let list = &self.list;
        self.places.insert_unique(hashed, place, |place| hash_at(list, *place));
        None
    }

    /// Makes room for as many places again. The list is read from end to end: in the order of the old table it would be
    /// read here and there, which takes many times as long.
    #[cold]
    fn grow(&mut self) {
        let mut places = HashTable::with_capacity(self.len() + self.len() / 2 + 1);
        for (place, slot) in self.list.iter().enumerate() {
            if let Some((key, _)) = slot {
                places.insert_unique(hash(key), place as Place, |place| hash_at(&self.list, *place));
            }
        }
        self.places = places;
    }

    /// Takes out a key and its entry.
    pub(super) fn remove(&mut self, key: &[u8]) -> Option<(Bytes, Entry)> {
        let found = self.places.find_entry(hash(key), |place| is_of(&self.list, *place, key)).ok()?;
        let (place, _) = found.remove();
        self.free.push(place);
        self.list[place as usize].take()
    }

    /// All keys and entries, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Bytes, &Entry)> {
        self.list.iter().flatten().map(|(key, entry)| (key, entry))
    }

    /// Takes all out and keeps their room.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.free.clear();
        self.places.clear();
    }
}
