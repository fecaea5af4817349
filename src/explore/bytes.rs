//! Numbers as few bytes, written in place and read from the front.

/// A few bytes in place.
#[derive(Clone, Debug)]
pub(super) struct Short {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Short {
    /// More than any record has: eight numbers of at most ten bytes, what waits for EXEC, and a few single bytes.
    const MOST: usize = 112;
    pub(super) const EMPTY: Self = Self { bytes: [0; Self::MOST], length: 0 };

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    pub(super) fn set(&mut self, bytes: &[u8]) {
        self.bytes[..bytes.len()].copy_from_slice(bytes);
        self.length = bytes.len();
    }

    pub(super) fn copy(&mut self, other: &Self) {
        self.set(other.bytes());
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    /// Appends a number in as few bytes as it needs.
    pub(super) fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.push(number as u8);
    }
}

impl Default for Short {
    fn default() -> Self {
        Self::EMPTY
    }
}

pub(super) fn signed(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

pub(super) fn unsigned(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Bytes that are read from the front. They are the codec's own, so that they never end early.
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl Cursor<'_> {
    pub(super) fn byte(&mut self) -> u8 {
        let (&byte, rest) = self.0.split_first().expect("a state is whole");
        self.0 = rest;
        byte
    }

    pub(super) fn take(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }
}
