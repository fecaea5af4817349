//! Short words in capitals, as numbers: names of commands and options are compared in one go, in any case.

use crate::engine::numbers;

/// The longest word that is read; no name is longer.
pub(super) const LONGEST: usize = 16;

/// A word of at most [`LONGEST`] bytes in capitals, filled up with zeros: its first eight bytes and the others. `None` of a
/// longer one.
pub(super) fn capitals(word: &[u8]) -> Option<[u64; 2]> {
    let [first, rest, _] = numbers(word).filter(|_| word.len() <= LONGEST)?;
    // Most are not longer than eight bytes.
    Some([upper(first), if rest == 0 { 0 } else { upper(rest) }])
}

/// A word up to a NUL byte, where the server's text ends.
pub(crate) fn until_nul(word: &[u8]) -> &[u8] {
    &word[..word.iter().position(|byte| *byte == 0).unwrap_or(word.len())]
}

/// Eight bytes at once: those from `a` to `z` lose the bit that sets them apart from capitals.
fn upper(bytes: u64) -> u64 {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    let seven_bits = bytes & (EACH * 0x7f);
    let from_a = seven_bits + EACH * (0x80 - u64::from(b'a'));
    let past_z = seven_bits + EACH * (0x7f - u64::from(b'z'));
    let small = (from_a ^ past_z) & !bytes & (EACH * 0x80);
    bytes ^ (small >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_any_length_and_bytes_are_as_the_plain_way_has_them() {
        let plain = |word: &[u8]| {
            let mut bytes = [0; LONGEST];
            bytes.get_mut(..word.len())?.copy_from_slice(word);
            let upper = u128::from_le_bytes(bytes.map(|byte| byte.to_ascii_uppercase()));
            Some([upper as u64, (upper >> 64) as u64])
        };
        for length in 0..=LONGEST + 1 {
            for first in 0..=u8::MAX {
                let word: Vec<u8> = (0..length).map(|n| first.wrapping_add((n as u8).wrapping_mul(37))).collect();
                assert_eq!(capitals(&word), plain(&word), "{word:?}");
            }
        }
    }
}
