//! Strings of bytes that are cheap to copy: keys, values, tokens.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::quoted;

/// The longest string that stands in place, which takes no memory of its own; names and tokens of locks mostly fit.
pub const IN_PLACE: usize = 22;

/// A string of bytes that does not change. A copy of a short one is made in place, copies of a long one share it.
#[derive(Clone)]
pub struct Bytes(Repr);

#[derive(Clone)]
enum Repr {
    InPlace { length: u8, bytes: [u8; IN_PLACE] },
    Shared(Arc<[u8]>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::InPlace { length, bytes } => &bytes[..usize::from(*length)],
            Repr::Shared(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        match in_place(bytes) {
            Some(place) => Self(Repr::InPlace { length: bytes.len() as u8, bytes: place }),
            None => Self(Repr::Shared(bytes.into())),
        }
    }
}

/// A short string as numbers, its first byte the lowest, filled up with zeros; `None` of a longer one. A copy of any size is
/// a call, and bytes that were stored one way and are read another are waited for: both take longer than this.
pub(crate) fn numbers(bytes: &[u8]) -> Option<[u64; 3]> {
    let length = bytes.len();
    let at = |at: usize| read::<STEP>(bytes, at);
    // The last eight bytes, moved to where they belong in the number that ends there.
    let last = |end: usize| at(length - STEP).checked_shr(8 * (end - length) as u32).unwrap_or(0);
    Some(match length {
        0 => [0; 3],
        // Where what is read overlaps, the same bytes come to lie on each other.
        1..4 => {
            let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
            [byte(0) | byte(length / 2) | byte(length - 1), 0, 0]
        }
        4..STEP => [read::<4>(bytes, 0) | read::<4>(bytes, length - 4) << (8 * (length - 4)), 0, 0],
        STEP..=16 => [at(0), last(16), 0],
        17..=24 => [at(0), at(STEP), last(24)],
        _ => return None,
    })
}

/// How many bytes are taken at a time.
const STEP: usize = size_of::<u64>();

fn read<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; STEP];
    number[..N].copy_from_slice(&bytes[at..at + N]);
    u64::from_le_bytes(number)
}

/// A short string in its place.
fn in_place(bytes: &[u8]) -> Option<[u8; IN_PLACE]> {
    if bytes.len() > IN_PLACE {
        return None;
    }
    let mut place = [0; IN_PLACE];
    let [first, second, rest] = numbers(bytes)?.map(u64::to_le_bytes);
    place[..STEP].copy_from_slice(&first);
    place[STEP..2 * STEP].copy_from_slice(&second);
    place[2 * STEP..].copy_from_slice(&rest[..IN_PLACE - 2 * STEP]);
    Some(place)
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Borrow<[u8]> for Bytes {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self(Repr::InPlace { length: 0, bytes: [0; IN_PLACE] })
    }
}

impl Bytes {
    /// Whether these are the bytes.
    pub fn is(&self, bytes: &[u8]) -> bool {
        Sought::new(bytes).is(self)
    }
}

/// A string to look for: what is reckoned of it once, however many it is compared with.
#[derive(Clone, Copy)]
pub(super) struct Sought<'a> {
    bytes: &'a [u8],
    /// It as numbers, if it is short.
    numbers: Option<[u64; 3]>,
}

impl<'a> Sought<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, numbers: numbers(bytes) }
    }

    /// Whether this is the string: of short ones, as most are, without a call.
    pub(super) fn is(&self, there: &Bytes) -> bool {
        /// What is read of the last eight bytes of a place and belongs to those before.
        const UPPER: usize = 8 * (3 * STEP - IN_PLACE);
        match &there.0 {
            Repr::InPlace { length, bytes: place } => {
                let there =
                    [read::<STEP>(place, 0), read::<STEP>(place, STEP), read::<STEP>(place, IN_PLACE - STEP) >> UPPER];
                usize::from(*length) == self.bytes.len() && self.numbers == Some(there)
            }
            Repr::Shared(shared) => **shared == *self.bytes,
        }
    }

    /// A number that is as good as any and follows from the bytes alone, on every machine: SCAN goes by it. It has no seed,
    /// so that whoever wants to can find strings of one number.
    pub(super) fn hash(&self) -> u64 {
        /// Odd, its bits without a pattern: 2^64 by the golden ratio.
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let Some(numbers) = self.numbers else { return xxh3_64(self.bytes) };
        // The highest bits of a product hang on all bits of what is multiplied; they come down for the next one.
        numbers.into_iter().fold(self.bytes.len() as u64, |hash, number| {
            let hash = (hash ^ number).wrapping_mul(GOLDEN);
            hash ^ hash >> 32
        })
    }
}

/// The order of two short strings, eight bytes at a time. Those that differ in zeros at the end alone are told apart by
/// their lengths.
fn short_order((one, a): (&[u8; IN_PLACE], u8), (two, b): (&[u8; IN_PLACE], u8)) -> Ordering {
    for at in [0, STEP, IN_PLACE - STEP] {
        let (one, two) = (read::<STEP>(one, at), read::<STEP>(two, at));
        if one != two {
            return one.swap_bytes().cmp(&two.swap_bytes());
        }
    }
    a.cmp(&b)
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}

impl Eq for Bytes {}

impl PartialOrd for Bytes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bytes {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::InPlace { length: a, bytes: one }, Repr::InPlace { length: b, bytes: two }) => {
                short_order((one, *a), (two, *b))
            }
            _ => (**self).cmp(&**other),
        }
    }
}

impl Hash for Bytes {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (**self).hash(hasher);
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_are_the_same_kind_of_thing() {
        for length in (0..=IN_PLACE + 1).chain([300]) {
            let plain: Vec<u8> = (1..=length).map(|n| n as u8).collect();
            let bytes = Bytes::from(plain.as_slice());
            assert_eq!((&*bytes, bytes.clone()), (plain.as_slice(), bytes.clone()), "{length}");
            assert_eq!(matches!(bytes.0, Repr::InPlace { .. }), length <= IN_PLACE, "{length}");
        }
        let words =
            ["", "\0", "\0\0", "a", "a\0", "a\0b", "ab", "b", "lock:00000000000000001", "lock:00000000000000002", "é"];
        for (one, two) in words.iter().flat_map(|one| words.iter().map(move |two| (one, two))) {
            assert_eq!(Bytes::from(*one).cmp(&Bytes::from(*two)), one.cmp(two), "{one:?} and {two:?}");
        }
        let (short, long) = (Bytes::from("b"), Bytes::from("a".repeat(IN_PLACE + 1).as_str()));
        assert!(long < short, "the order is that of the bytes");
        assert_eq!(format!("{:?}", Bytes::from(&b"a\0"[..])), "\"a\\x00\"");
        assert_eq!(size_of::<Bytes>(), 24);
    }
}
