//! Digests of values: XXH3-64 as the server and its clients compute it, and SHA-256 by word.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use super::CommandError;

/// Length of an XXH3-64 digest in hex digits.
const XXH3_DIGITS: usize = 16;
/// Length of a SHA-256 digest in hex digits.
const SHA256_DIGITS: usize = 64;

/// The XXH3-64 digest, 16 hex digits.
pub fn xxh3(value: &[u8]) -> String {
    format!("{:016x}", xxh3_64(value))
}

/// The SHA-256 digest, 64 hex digits. XXH3 can be made to collide on purpose; this cannot.
pub fn sha256(value: &[u8]) -> String {
    Sha256::digest(value).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether `digest` is that of `value`. Its length tells the kind; hex case does not count; what is no hex never
/// matches, as on the real server.
pub fn matches(value: &[u8], digest: &[u8]) -> Result<bool, CommandError> {
    let own = match digest.len() {
        XXH3_DIGITS => xxh3(value),
        SHA256_DIGITS => sha256(value),
        _ => return Err(CommandError::DigestLength),
    };
    Ok(digest.eq_ignore_ascii_case(own.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        assert_eq!(xxh3(b"Hello world"), "b6acb9d84a38ff74");
        assert_eq!(xxh3(b"v"), "f7042be43fb80714");
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn either_kind_matches_by_length() {
        assert_eq!(matches(b"v", b"F7042BE43FB80714"), Ok(true));
        assert_eq!(matches(b"v", b"zzzzzzzzzzzzzzzz"), Ok(false));
        assert_eq!(matches(b"v", sha256(b"v").as_bytes()), Ok(true));
        assert_eq!(matches(b"v", b"f704"), Err(CommandError::DigestLength));
    }
}
