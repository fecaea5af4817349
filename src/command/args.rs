//! A cursor over a command's words, with the server's own error texts.

use super::capitals::{capitals, until_nul};
use crate::engine::{CommandError, Millis};

/// The words of one command, read from left to right. The name is read already.
#[derive(Clone)]
pub struct Args<'a> {
    /// The command's name, its subcommand included, for error texts.
    name: &'a str,
    words: &'a [&'a [u8]],
    at: usize,
}

impl<'a> Args<'a> {
    /// Starts after the name, which takes `at` words.
    pub(super) fn new(name: &'a str, words: &'a [&'a [u8]], at: usize) -> Self {
        Self { name, words, at }
    }

    /// The command's name.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    /// All words that are left.
    pub(super) fn rest(&self) -> &'a [&'a [u8]] {
        self.words.get(self.at..).unwrap_or_default()
    }

    /// How many words are left.
    pub(super) fn left(&self) -> usize {
        self.words.len().saturating_sub(self.at)
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    /// The next word, which must be there.
    pub(super) fn word(&mut self) -> Result<&'a [u8], CommandError> {
        self.next().ok_or_else(|| self.arity_error())
    }

    /// The next word in capitals, as an option's name.
    pub(super) fn option(&mut self) -> Option<OptionName> {
        self.next().map(OptionName::new)
    }

    /// The value that belongs to an option; without one the command is no sentence.
    pub(super) fn value(&mut self) -> Result<&'a [u8], CommandError> {
        self.next().ok_or(CommandError::Syntax)
    }

    /// The next word as a number.
    pub(super) fn integer(&mut self) -> Result<i64, CommandError> {
        integer(self.word()?)
    }

    /// The error of a command whose words do not add up.
    pub(super) fn arity_error(&self) -> CommandError {
        CommandError::Arity(self.name.to_owned())
    }
}

/// A word in capitals, as options are compared: what follows a NUL byte does not count. What is longer than any option is the
/// empty name, which none has.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OptionName([u64; 2]);

impl OptionName {
    /// The name that a word is.
    pub(super) fn new(word: &[u8]) -> Self {
        Self(capitals(until_nul(word)).unwrap_or_default())
    }

    /// The name that is written so, in capitals.
    pub(super) const fn of(name: &str) -> Self {
        let (name, mut numbers, mut at) = (name.as_bytes(), [0; 2], 0);
        while at < name.len() {
            numbers[at / 8] |= (name[at] as u64) << (8 * (at % 8));
            at += 1;
        }
        Self(numbers)
    }
}

/// The names of options, as patterns.
pub(super) mod option {
    use super::OptionName;

    macro_rules! names {
        ($($name:ident)*) => { $(pub(in crate::command) const $name: OptionName = OptionName::of(stringify!($name));)* };
    }

    names! {
        ACLCAT ADVANCE ASYNC AUTH COUNT DB EX EXAT FILTERBY GET GT ID IDX IFDEQ IFDNE IFEQ IFNE KEEPTTL LEN LT MATCH
        MINMATCHLEN MODULE NEXT NOVALUES NOW NX OFF ON PATTERN PAUSE PERSIST PX PXAT REPLACE RUN SETNAME SHA256 SKIP SYNC TYPE
        WITHMATCHLEN XX
    }
}

/// Reads a number as the server does: no sign `+`, no leading zero, no `-0`, no spaces.
pub(super) fn integer(text: &[u8]) -> Result<i64, CommandError> {
    canonical(text).ok_or(CommandError::NotAnInteger)
}

/// As [`integer`]; `None` of what is no number.
pub(super) fn canonical(text: &[u8]) -> Option<i64> {
    let (digits, negative) = match text {
        b"0" => return Some(0),
        [b'-', digits @ ..] => (digits, true),
        digits => (digits, false),
    };
    if !matches!(digits, [b'1'..=b'9', ..]) {
        return None;
    }
    // Nineteen digits fit, so that only the sign can be too much: 19 nines are less than 2^64.
    let size = digits.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.wrapping_sub(b'0');
        (digit <= 9).then(|| number.wrapping_mul(10).wrapping_add(u64::from(digit)))
    })?;
    match (digits.len(), negative) {
        (20.., _) => None,
        (_, true) => 0_i64.checked_sub_unsigned(size),
        (_, false) => i64::try_from(size).ok(),
    }
}

/// The unit and origin of a time argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeForm {
    /// EX: seconds from now.
    Seconds,
    /// PX: milliseconds from now.
    Millis,
    /// EXAT: Unix seconds.
    UnixSeconds,
    /// PXAT: Unix milliseconds.
    UnixMillis,
}

impl TimeForm {
    /// The form that an option names.
    pub(super) fn named(option: OptionName) -> Option<Self> {
        Some(match option {
            option::EX => Self::Seconds,
            option::PX => Self::Millis,
            option::EXAT => Self::UnixSeconds,
            option::PXAT => Self::UnixMillis,
            _ => return None,
        })
    }

    /// Milliseconds in one unit.
    pub(super) fn unit(self) -> Millis {
        match self {
            Self::Seconds | Self::UnixSeconds => 1_000,
            Self::Millis | Self::UnixMillis => 1,
        }
    }

    /// What the time is counted from.
    pub(super) fn origin(self, now: Millis) -> Millis {
        match self {
            Self::Seconds | Self::Millis => now,
            Self::UnixSeconds | Self::UnixMillis => 0,
        }
    }

    /// The deadline that an option of SET names: positive and inside 64 bits.
    pub(super) fn deadline(self, text: &[u8], now: Millis, name: &str) -> Result<Millis, CommandError> {
        let number = integer(text)?;
        let deadline = if number <= 0 { None } else { number.checked_mul(self.unit()) };
        deadline
            .and_then(|deadline| deadline.checked_add(self.origin(now)))
            .ok_or_else(|| CommandError::InvalidExpire(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_canonical() {
        for (text, number) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("10", Some(10)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-0", None),
            ("01", None),
            ("+1", None),
            (" 1", None),
            ("1 ", None),
            ("", None),
            ("-", None),
            ("1.0", None),
        ] {
            assert_eq!(integer(text.as_bytes()).ok(), number, "{text}");
        }
    }
}
