//! Strings of bytes that are cheap to copy: keys, values, tokens.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

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

/// Copies a short string to its place in a few steps of a fixed size, overlapping where it must: a copy of any size is a
/// call, which takes longer than these.
fn in_place(bytes: &[u8]) -> Option<[u8; IN_PLACE]> {
    fn step<const N: usize>(place: &mut [u8; IN_PLACE], bytes: &[u8], at: usize) {
        place[at..at + N].copy_from_slice(&bytes[at..at + N]);
    }
    let mut place = [0; IN_PLACE];
    match bytes.len() {
        0 => {}
        1 => step::<1>(&mut place, bytes, 0),
        length @ 2..4 => {
            step::<2>(&mut place, bytes, 0);
            step::<1>(&mut place, bytes, length - 1);
        }
        length @ 4..8 => {
            step::<4>(&mut place, bytes, 0);
            step::<4>(&mut place, bytes, length - 4);
        }
        length @ 8..=16 => {
            step::<8>(&mut place, bytes, 0);
            step::<8>(&mut place, bytes, length - 8);
        }
        length @ 17..=IN_PLACE => {
            step::<16>(&mut place, bytes, 0);
            step::<8>(&mut place, bytes, length - 8);
        }
        _ => return None,
    }
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

/// The order of two short strings, eight bytes at a time. Those that differ in zeros at the end alone are told apart by
/// their lengths.
fn short_order((one, a): (&[u8; IN_PLACE], u8), (two, b): (&[u8; IN_PLACE], u8)) -> Ordering {
    const STEP: usize = size_of::<u64>();
    let part = |bytes: &[u8; IN_PLACE], at: usize| {
        let mut part = [0; STEP];
        part.copy_from_slice(&bytes[at..at + STEP]);
        u64::from_ne_bytes(part)
    };
    for at in [0, STEP, IN_PLACE - STEP] {
        let (one, two) = (part(one, at), part(two, at));
        if one != two {
            return one.to_be().cmp(&two.to_be());
        }
    }
    a.cmp(&b)
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
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
