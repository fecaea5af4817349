//! Where keys and their entries lie: one after the other in a list, and those of one hash in a chain.
//!
//! A hash table has more room than it needs, twice as much when it has just grown. Here that room is for places of four
//! bytes and not for keys and values, which is what makes a million locks small; it also makes less code than a table of
//! the library.

use super::bytes::Sought;
use super::{Bytes, Entry};

/// A place in the list, which a key keeps as long as it is there.
type Place = u32;

/// No place.
const NOWHERE: Place = Place::MAX;

/// Entries by key. They lie in the order of the commands that made them, which nobody sees.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    list: Vec<Option<(Bytes, Entry)>>,
    /// Of each place the next one in its chain, be it a chain of keys or that of places which nobody has.
    next: Vec<Place>,
    /// Where chains begin, by the highest bits of their hash, so that they are in its order: a power of two of them, twice
    /// as many as keys at least, so that most have one.
    heads: Vec<Place>,
    /// Where the places begin that nobody has.
    free: Place,
    count: usize,
}

impl PartialEq for Slots {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, entry)| other.get(key).is_some_and(|(_, its)| its == entry))
    }
}

impl Eq for Slots {}

impl Slots {
    /// No entries.
    pub(super) const EMPTY: Self =
        Self { list: Vec::new(), next: Vec::new(), heads: Vec::new(), free: NOWHERE, count: 0 };

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The number of the chain of a hash; 0 while there are none.
    fn chain(&self, hash: u64) -> usize {
        (((hash >> 32) * self.heads.len() as u64) >> 32) as usize
    }

    /// The place of a key in its chain, and the one before it; nowhere for none.
    fn find(&self, chain: usize, key: &Sought<'_>) -> (Place, Place) {
        let (mut before, mut place) = (NOWHERE, self.heads.get(chain).copied().unwrap_or(NOWHERE));
        while let Some(slot) = self.list.get(place as usize) {
            if slot.as_ref().is_some_and(|(there, _)| key.is(there)) {
                break;
            }
            (before, place) = (place, self.next[place as usize]);
        }
        (before, place)
    }

    /// A key as it lies here, and its entry.
    pub(super) fn get(&self, key: &[u8]) -> Option<&(Bytes, Entry)> {
        let key = Sought::new(key);
        let (_, place) = self.find(self.chain(key.hash()), &key);
        self.list.get(place as usize)?.as_ref()
    }

    /// A key as it lies here, and its entry, to change.
    pub(super) fn get_mut(&mut self, key: &[u8]) -> Option<&mut (Bytes, Entry)> {
        let key = Sought::new(key);
        let (_, place) = self.find(self.chain(key.hash()), &key);
        self.list.get_mut(place as usize)?.as_mut()
    }

    /// Puts an entry in, and gives back the one that was in its place.
    pub(super) fn insert(&mut self, key: Bytes, entry: Entry) -> Option<Entry> {
        if 2 * self.count >= self.heads.len() {
            self.grow();
        }
        let sought = Sought::new(&key);
        let chain = self.chain(sought.hash());
        let (_, place) = self.find(chain, &sought);
        if let Some(Some((_, there))) = self.list.get_mut(place as usize) {
            return Some(std::mem::replace(there, entry));
        }
        let place = self.take_place();
        self.list[place as usize] = Some((key, entry));
        self.link(place, chain);
        self.count += 1;
        None
    }

    /// A place that nobody has, in no chain.
    fn take_place(&mut self) -> Place {
        if let Some(next) = self.next.get(self.free as usize) {
            return std::mem::replace(&mut self.free, *next);
        }
        self.list.push(None);
        self.next.push(NOWHERE);
        self.next.len() as Place - 1
    }

    /// Puts a place at the beginning of a chain.
    fn link(&mut self, place: Place, chain: usize) {
        self.next[place as usize] = std::mem::replace(&mut self.heads[chain], place);
    }

    /// Makes twice as many chains. The list is read from end to end, and not here and there as the old chains lead.
    #[cold]
    fn grow(&mut self) {
        /// How many chains there are at first.
        const FEW: usize = 8;
        self.heads = vec![NOWHERE; (2 * self.heads.len()).max(FEW)];
        for place in 0..self.list.len() {
            if let Some((key, _)) = &self.list[place] {
                let chain = self.chain(hash(key));
                self.link(place as Place, chain);
            }
        }
    }

    /// Takes out a key and its entry.
    pub(super) fn remove(&mut self, key: &[u8]) -> Option<(Bytes, Entry)> {
        let key = Sought::new(key);
        let chain = self.chain(key.hash());
        let (before, place) = self.find(chain, &key);
        let taken = self.list.get_mut(place as usize)?.take();
        let after = std::mem::replace(&mut self.next[place as usize], self.free);
        *self.next.get_mut(before as usize).unwrap_or(&mut self.heads[chain]) = after;
        self.free = place;
        self.count -= 1;
        taken
    }

    /// All keys and entries, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Bytes, &Entry)> {
        self.list.iter().flatten().map(|(key, entry)| (key, entry))
    }

    /// The next key in the order of hashes, with its hash and entry: the first from a hash on, or what follows a key of that
    /// hash. Writes change the order only by putting a key in or taking it out.
    pub(super) fn next_by_hash(&self, from: u64, after: Option<&Bytes>) -> Option<(u64, &Bytes, &Entry)> {
        self.heads.get(self.chain(from)..)?.iter().find_map(|head| {
            let (mut next, mut place) = (None, *head);
            while let Some(Some((key, entry))) = self.list.get(place as usize) {
                let here = (hash(key), key);
                let follows = here.0 > from || here.0 == from && after.is_none_or(|after| key > after);
                if follows && next.is_none_or(|(hash, key, _)| here < (hash, key)) {
                    next = Some((here.0, key, entry));
                }
                place = self.next[place as usize];
            }
            next
        })
    }

    /// Takes all out and keeps their room.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.next.clear();
        self.heads.fill(NOWHERE);
        (self.free, self.count) = (NOWHERE, 0);
    }

    /// Checks that every place is in the chain of its key, or is free.
    ///
    /// # Panics
    /// When one is not.
    pub(super) fn verify(&self) {
        let mut seen = 0;
        let mut walk = |from: Place, of: Option<usize>| {
            let mut place = from;
            while place != NOWHERE {
                let chain = self.list[place as usize].as_ref().map(|(key, _)| self.chain(hash(key)));
                assert_eq!(chain, of, "place {place} is in a wrong chain");
                seen += 1;
                assert!(seen <= self.list.len(), "a place is in two chains, or a chain ends nowhere");
                place = self.next[place as usize];
            }
        };
        walk(self.free, None);
        for (chain, head) in self.heads.iter().enumerate() {
            walk(*head, Some(chain));
        }
        assert_eq!(seen, self.list.len(), "a place is in no chain");
        assert_eq!(self.iter().count(), self.count, "the keys are counted wrong");
        assert!(2 * self.count <= self.heads.len(), "the chains are too few");
        let mut last = None;
        for _ in 0..self.count {
            let next = self.next_by_hash(last.map_or(0, |(hash, _)| hash), last.map(|(_, key)| key));
            let next = next.map(|(hash, key, _)| (hash, key));
            assert!(next > last, "a key has no place by its hash");
            last = next;
        }
        assert!(last.is_none_or(|(hash, key)| self.next_by_hash(hash, Some(key)).is_none()), "a key has two places");
    }
}

/// The hash of a key.
fn hash(key: &[u8]) -> u64 {
    Sought::new(key).hash()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_takes_no_more_than_memory_is_reckoned_with() {
        assert_eq!(size_of::<Option<(Bytes, Entry)>>(), 64);
    }
}
