//! The engine's own generator. SplitMix64: ten lines whose output is fixed for ever, so that a link or a shipped
//! session gives the same tokens in every release. It makes names unique; it is no secret.

use std::fmt::Write;

/// A generator; equal seeds give equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A token: 128 bits as 32 hex digits.
    pub fn token(&mut self) -> String {
        let mut text = String::with_capacity(32);
        for _ in 0..2 {
            let _ = write!(text, "{:016x}", self.next_u64());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_tokens() {
        // First output of SplitMix64 for seed 0, as its authors publish it.
        assert_eq!(Rng::new(0).next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(Rng::new(7).token(), Rng::new(7).token());
        assert_ne!(Rng::new(7).token(), Rng::new(8).token());
        assert_eq!(Rng::new(7).token().len(), 32);
    }
}
