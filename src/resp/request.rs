//! Requests out of bytes that come in pieces.

use std::fmt;
use std::ops::Range;

use crate::command::with_words;
use crate::transcript::line::split_sent;

/// The longest line of the protocol itself: a request typed by hand, or a count. In bytes.
pub const MAX_INLINE: usize = 64 * 1024;

/// What one request may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most words.
    pub words: usize,
    /// The longest word, in bytes.
    pub word: usize,
    /// The most bytes of all its words together.
    pub request: usize,
}

/// Why bytes are no request. What comes after them cannot be told apart any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// A line without an end.
    LongInline,
    /// Quotes that do not end.
    Quotes,
    /// A count of words that does not end.
    LongCount,
    /// A count of words that is no number, or too big.
    Count,
    /// Something else where the length of a word belongs.
    NoLength(u8),
    /// A length that does not end.
    LongLength,
    /// A length that is no number, negative, or too big.
    Length,
    /// More bytes than one request may have.
    TooBig,
}

impl fmt::Display for ProtocolError {
    /// The words of the real server; of those that it hangs up on without a word, our own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::LongInline => "too big inline request",
            Self::Quotes => "unbalanced quotes in request",
            Self::LongCount => "too big mbulk count string",
            Self::Count => "invalid multibulk length",
            Self::NoLength(byte) => return write!(f, "Protocol error: expected '$', got '{}'", char::from(*byte)),
            Self::LongLength => "too big bulk count string",
            Self::Length => "invalid bulk length",
            Self::TooBig => "too big request",
        };
        write!(f, "Protocol error: {text}")
    }
}

/// The requests of one connection: takes bytes, lends words.
#[derive(Debug)]
pub struct Requests {
    limits: Limits,
    /// Whether the limits allow whatever [`short`] reads.
    short: bool,
    buffer: Vec<u8>,
    /// Where the request begins that is being read; all before it is done with.
    start: usize,
    /// How far it was read.
    at: usize,
    /// How far its line was looked through for an end, from `at` on: a line that comes byte by byte is not looked through
    /// anew for each.
    looked: usize,
    /// Its words so far, as places after `start`, or in `typed`.
    words: Vec<Range<usize>>,
    /// How many words are to come; `None` when its head was not read yet.
    missing: Option<usize>,
    /// The length of the word that is being read.
    length: Option<usize>,
    /// The words of a line typed by hand.
    typed: Vec<u8>,
}

impl Requests {
    /// Nothing read yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            short: limits.words > SHORT && limits.word > SHORT && limits.request > SHORT * 2 * SHORT,
            buffer: Vec::new(),
            start: 0,
            at: 0,
            looked: 0,
            words: Vec::new(),
            missing: None,
            length: None,
            typed: Vec::new(),
        }
    }

    /// The buffer to put the next bytes behind, with room for some.
    pub fn room(&mut self) -> &mut Vec<u8> {
        /// What is read at a time, in bytes.
        const FEW: usize = 16 * 1024;
        /// The same of a long word.
        const MANY: usize = 1024 * 1024;
        if self.start == self.buffer.len() && self.buffer.capacity() >= FEW {
            // Nothing waits, as mostly.
            self.buffer.clear();
            self.start = 0;
            return &mut self.buffer;
        }
        self.buffer.drain(..self.start);
        self.at = self.at.saturating_sub(self.start);
        self.start = 0;
        let missing = self.length.map_or(0, |length| (self.at + length + 2).saturating_sub(self.buffer.len()));
        // Not twice as much as there is, as vectors do it: it may be a big one.
        self.buffer.reserve_exact(missing.max(self.buffer.len() / 8).clamp(FEW, MANY));
        &mut self.buffer
    }

    /// The memory that is held, in bytes.
    pub fn held(&self) -> usize {
        self.buffer.capacity() + self.typed.capacity() + self.words.capacity() * size_of::<Range<usize>>()
    }

    /// Gives memory back that a big request took, when nothing waits in it.
    pub fn shrink(&mut self) {
        /// What is kept for requests of the usual size, in bytes.
        const KEPT: usize = 32 * 1024;
        if self.missing.is_none() && self.start == self.buffer.len() && self.held() > KEPT {
            let limits = self.limits;
            *self = Self::new(limits);
        }
    }

    /// Lends the words of the next request whose last byte is there, one at least; `None` until more bytes come.
    pub fn take<T>(&mut self, run: impl FnOnce(&[&[u8]]) -> T) -> Result<Option<T>, ProtocolError> {
        if self.short && self.missing.is_none() {
            let bytes = &self.buffer[self.start..];
            let mut words = [&[][..]; FEW];
            if let Some((count, length)) = short(bytes, &mut words) {
                self.start += length;
                self.looked = 0;
                return Ok(Some(run(&words[..count])));
            }
        }
        self.take_long(run)
    }

    /// The same of a request that is not short, or has not come whole.
    fn take_long<T>(&mut self, run: impl FnOnce(&[&[u8]]) -> T) -> Result<Option<T>, ProtocolError> {
        while self.missing.is_none() {
            match self.buffer.get(self.start) {
                None => return Ok(None),
                Some(b'*') => {
                    if !self.read_count()? {
                        return Ok(None);
                    }
                }
                Some(_) => match self.read_line()? {
                    None => return Ok(None),
                    Some(false) => {}
                    Some(true) => return Ok(Some(lend(&self.typed, &self.words, run))),
                },
            }
        }
        while let Some(missing) = self.missing.filter(|missing| *missing > 0) {
            if !self.read_word()? {
                return Ok(None);
            }
            self.missing = Some(missing - 1);
        }
        self.missing = None;
        let bytes = &self.buffer[self.start..];
        self.start = self.at;
        Ok(Some(lend(bytes, &self.words, run)))
    }

    /// Reads the number of words; `false` until it is there. None of nothing is no request.
    fn read_count(&mut self) -> Result<bool, ProtocolError> {
        self.at = self.start;
        let Some(count) = self.number(b'*', ProtocolError::LongCount, ProtocolError::Count)? else { return Ok(false) };
        self.words.clear();
        match usize::try_from(count) {
            Ok(count) if count > self.limits.words => return Err(ProtocolError::Count),
            Ok(count @ 1..) => self.missing = Some(count),
            _ => self.start = self.at,
        }
        Ok(true)
    }

    /// Reads one word; `false` until it is there.
    fn read_word(&mut self) -> Result<bool, ProtocolError> {
        if self.length.is_none() && !self.read_length()? {
            return Ok(false);
        }
        let length = self.length.unwrap_or_default();
        if self.buffer.len() < self.at + length + 2 {
            return Ok(false);
        }
        let from = self.at - self.start;
        self.words.push(from..from + length);
        self.at += length + 2;
        self.length = None;
        Ok(true)
    }

    /// Reads the length of a word; `false` until it is there.
    fn read_length(&mut self) -> Result<bool, ProtocolError> {
        let before = self.at;
        if before == self.buffer.len() {
            return Ok(false);
        }
        let Some(length) = self.number(b'$', ProtocolError::LongLength, ProtocolError::Length)? else {
            return Ok(false);
        };
        let length = usize::try_from(length).ok().filter(|length| *length <= self.limits.word);
        let length = length.ok_or(ProtocolError::Length)?;
        if before - self.start + length > self.limits.request {
            return Err(ProtocolError::TooBig);
        }
        self.length = Some(length);
        Ok(true)
    }

    /// Reads a mark and a number up to the end of the line; `None` until that is there. The real server looks for it before
    /// it looks at the mark.
    fn number(&mut self, mark: u8, endless: ProtocolError, wrong: ProtocolError) -> Result<Option<i64>, ProtocolError> {
        let line = &self.buffer[self.at..];
        // Most counts have one digit.
        let end = match line {
            [b'*' | b'$', b'0'..=b'9', b'\r', ..] => 2,
            _ => match end_of_line(line, b'\r', &mut self.looked) {
                Some(end) => end,
                None if line.len() > MAX_INLINE => return Err(endless),
                None => return Ok(None),
            },
        };
        if line.len() < end + 2 {
            return Ok(None);
        }
        if line[0] != mark {
            return Err(ProtocolError::NoLength(line[0]));
        }
        let number = number(&line[1..end]).ok_or(wrong)?;
        self.at += end + 2;
        self.looked = 0;
        Ok(Some(number))
    }

    /// Reads a line typed by hand: `None` until its end is there, `false` when nothing stands in it.
    fn read_line(&mut self) -> Result<Option<bool>, ProtocolError> {
        let line = &self.buffer[self.start..];
        let Some(end) = end_of_line(line, b'\n', &mut self.looked) else {
            return if line.len() > MAX_INLINE { Err(ProtocolError::LongInline) } else { Ok(None) };
        };
        let words = split_sent(&line[..end]).map_err(|_| ProtocolError::Quotes)?;
        self.typed.clear();
        self.words.clear();
        for word in words {
            let from = self.typed.len();
            self.typed.extend_from_slice(&word);
            self.words.push(from..self.typed.len());
        }
        self.start += end + 1;
        self.at = self.start;
        self.looked = 0;
        Ok(Some(!self.words.is_empty()))
    }
}

/// Lends words that lie at these places.
fn lend<T>(bytes: &[u8], words: &[Range<usize>], run: impl FnOnce(&[&[u8]]) -> T) -> T {
    with_words(words.iter().map(|word| &bytes[word.clone()]), run)
}

/// How many words a command has mostly at most; they need no memory to be lent.
const FEW: usize = 8;

/// Reads the words of a request as most are: few, each of less than a hundred bytes, and all there. How many they are, and how
/// long the request is; `None` of any other, which is read piece by piece.
#[inline]
fn short<'a>(bytes: &'a [u8], words: &mut [&'a [u8]; FEW]) -> Option<(usize, usize)> {
    let (count @ 1.., mut at) = small(bytes, b'*')? else { return None };
    for word in words.get_mut(..count)? {
        let (length, head) = small(bytes.get(at..)?, b'$')?;
        // What ends a word is two bytes, whatever they are; the real server does not look at them either.
        *word = bytes.get(at + head..at + head + length)?;
        at += head + length + 2;
    }
    (at <= bytes.len()).then_some((count, at))
}

/// The greatest number that [`small`] reads.
const SHORT: usize = 99;

/// A number of one or two digits behind its mark, and how long its line is with its end: what most counts and lengths are.
/// `None` of any other.
fn small(bytes: &[u8], mark: u8) -> Option<(usize, usize)> {
    let digit = |byte: u8| Some(usize::from(byte.wrapping_sub(b'0'))).filter(|digit| *digit <= 9);
    match *bytes {
        [first, ones, b'\r', b'\n', ..] if first == mark => Some((digit(ones)?, 4)),
        [first, tens @ b'1'..=b'9', ones, b'\r', b'\n', ..] if first == mark => {
            Some((10 * digit(tens)? + digit(ones)?, 5))
        }
        _ => None,
    }
}

/// Where a line ends that is not too long, if its end has come. `looked` tells from where on nobody looked yet.
fn end_of_line(line: &[u8], end: u8, looked: &mut usize) -> Option<usize> {
    let most = line.len().min(MAX_INLINE + 1);
    let from = (*looked).min(most);
    let found = line[from..most].iter().position(|byte| *byte == end).map(|found| from + found);
    *looked = found.unwrap_or(most);
    found
}

/// A number as the protocol writes it: no sign but a minus, and no zero before others.
fn number(digits: &[u8]) -> Option<i64> {
    match digits {
        [digit @ b'0'..=b'9'] => Some(i64::from(digit - b'0')),
        [b'1'..=b'9', ..] | [b'-', b'1'..=b'9', ..] => std::str::from_utf8(digits).ok()?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_word_announces_takes_no_memory_before_it_comes() {
        let mut requests = Requests::new(Limits { words: 1 << 20, word: 512 << 20, request: 1 << 30 });
        requests.room().extend_from_slice(b"*1048576\r\n$536870912\r\n");
        assert!(requests.take(|_| ()).unwrap().is_none());
        requests.room();
        assert!(requests.held() < 3 << 20, "{} bytes", requests.held());
    }

    #[test]
    fn memory_of_a_big_request_is_given_back() {
        let mut requests = Requests::new(Limits { words: 10, word: 1 << 20, request: 1 << 20 });
        let word = vec![b'a'; 1 << 19];
        requests.room().extend_from_slice(&[&b"*1\r\n$524288\r\n"[..], &word, b"\r\n"].concat());
        assert_eq!(requests.take(|words| words == [&*word]), Ok(Some(true)));
        requests.shrink();
        assert!(requests.held() < 1 << 15);
        // What waits is kept.
        requests.room().extend_from_slice(&[&b"*1\r\n$524288\r\n"[..], &word].concat());
        assert!(requests.take(|_| ()).unwrap().is_none());
        requests.shrink();
        requests.room().extend_from_slice(b"\r\n");
        assert_eq!(requests.take(|words| words == [&*word]), Ok(Some(true)));
    }
}
