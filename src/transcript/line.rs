//! A typed line and the words in it, quoted as in redis-cli.

use std::borrow::Cow;
use std::fmt;

/// The longest line that is read, in bytes. A line is typed or pasted by a person; bigger values come from programs.
pub const MAX_LINE: usize = 4 * 1024 * 1024;

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineError {
    /// A quote that is not closed, or that closes in the middle of a word.
    Unbalanced,
    /// More bytes than [`MAX_LINE`].
    TooLong(usize),
    /// A control byte as such, which no terminal would show.
    Control(u8),
    /// Bytes that are no text.
    NotText,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The words of redis-cli, so that a search finds them.
            Self::Unbalanced => f.write_str("Invalid argument(s): a quote is not closed, or text follows it directly"),
            Self::TooLong(bytes) => write!(f, "The line has {bytes} bytes; at most {MAX_LINE} are read"),
            Self::Control(byte) => write!(f, "The line holds the control byte {byte}; write it as \"\\x{byte:02x}\""),
            Self::NotText => f.write_str("The line is no UTF-8 text; write other bytes as \"\\xHH\""),
        }
    }
}

/// Checks that bytes from outside are a line: text of a bearable length without control bytes other than the tab.
pub fn check(bytes: &[u8]) -> Result<&str, LineError> {
    if bytes.len() > MAX_LINE {
        return Err(LineError::TooLong(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| LineError::NotText)?;
    match text.bytes().find(|&byte| is_control(byte)) {
        Some(byte) => Err(LineError::Control(byte)),
        None => Ok(text),
    }
}

/// Whether a byte may not stand in a line as such.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

/// Splits a line into words. `"…"` knows `\n \r \t \b \a \xHH` and a backslash before any other byte; `'…'` knows `\'`.
/// A word without quotes is lent from the line.
pub fn split(line: &str) -> Result<Vec<Cow<'_, [u8]>>, LineError> {
    if line.len() > MAX_LINE {
        return Err(LineError::TooLong(line.len()));
    }
    split_as(line.as_bytes(), Kind::Typed)
}

/// As [`split`], of bytes that a program sent: whatever they are, they are words. Only quotes can be wrong.
pub fn split_sent(line: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, LineError> {
    split_as(line, Kind::Sent)
}

/// Where a line comes from, which decides what control bytes are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// From a person: control bytes are mistakes.
    Typed,
    /// From a program: some are spaces, all others are bytes like any.
    Sent,
}

impl Kind {
    fn is_space(self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t') || self == Self::Sent && matches!(byte, b'\r' | b'\n' | 0x0b | 0x0c)
    }

    fn is_wrong(self, byte: u8) -> bool {
        self == Self::Typed && is_control(byte)
    }
}

fn split_as(mut bytes: &[u8], kind: Kind) -> Result<Vec<Cow<'_, [u8]>>, LineError> {
    // Room for a command of the usual size, so that it is made once.
    let mut words = Vec::with_capacity(8);
    loop {
        while let [byte, rest @ ..] = bytes
            && kind.is_space(*byte)
        {
            bytes = rest;
        }
        if bytes.is_empty() {
            return Ok(words);
        }
        words.push(word(&mut bytes, kind)?);
    }
}

/// The bytes at which a plain word ends: spaces, quotes and control bytes.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < ends.len() {
        ends[byte] = matches!(byte as u8, 0..=b' ' | b'"' | b'\'' | 0x7f);
        byte += 1;
    }
    ends
};

/// Takes one word off the front.
fn word<'a>(bytes: &mut &'a [u8], kind: Kind) -> Result<Cow<'a, [u8]>, LineError> {
    let end = bytes.iter().position(|byte| ENDS[usize::from(*byte)]).unwrap_or(bytes.len());
    let (head, rest) = bytes.split_at(end);
    *bytes = rest;
    match *rest {
        [byte, ..] if kind.is_wrong(byte) => Err(LineError::Control(byte)),
        [byte, ..] if !kind.is_space(byte) => unquoted(bytes, head.to_vec(), kind).map(Cow::Owned),
        _ => Ok(Cow::Borrowed(head)),
    }
}

/// Takes the rest of a word in which a quote stands.
fn unquoted(bytes: &mut &[u8], mut word: Vec<u8>, kind: Kind) -> Result<Vec<u8>, LineError> {
    loop {
        match *bytes {
            [] => return Ok(word),
            [byte, ..] if kind.is_space(*byte) => return Ok(word),
            [quote @ (b'"' | b'\''), rest @ ..] => {
                *bytes = rest;
                quoted(*quote, bytes, &mut word, kind)?;
            }
            [byte, ..] if kind.is_wrong(*byte) => return Err(LineError::Control(*byte)),
            [byte, rest @ ..] => {
                word.push(*byte);
                *bytes = rest;
            }
        }
    }
}

/// Takes the rest of a quoted part, its closing quote included.
fn quoted(quote: u8, bytes: &mut &[u8], word: &mut Vec<u8>, kind: Kind) -> Result<(), LineError> {
    loop {
        let (byte, rest) = match *bytes {
            [] => return Err(LineError::Unbalanced),
            [b'\\', b'\'', rest @ ..] if quote == b'\'' => (b'\'', rest),
            [b'\\', b'x', high, low, rest @ ..]
                if quote == b'"' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                (hex(*high) << 4 | hex(*low), rest)
            }
            [b'\\', escaped, rest @ ..] if quote == b'"' => (unescape(*escaped), rest),
            [byte, rest @ ..] if *byte == quote => {
                *bytes = rest;
                return match rest {
                    [byte, ..] if !kind.is_space(*byte) => Err(LineError::Unbalanced),
                    _ => Ok(()),
                };
            }
            [byte, ..] if kind.is_wrong(*byte) => return Err(LineError::Control(*byte)),
            [byte, rest @ ..] => (*byte, rest),
        };
        word.push(byte);
        *bytes = rest;
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

fn unescape(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'a' => 7,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let cases: [(&str, &[&[u8]]); 9] = [
            ("", &[]),
            ("  GET   k\t", &[b"GET", b"k"]),
            (r#"SET k "a b""#, &[b"SET", b"k", b"a b"]),
            (r#""\x00\xfF\n\"\q""#, &[b"\x00\xff\n\"q"]),
            (r#""\xg1""#, &[b"xg1"]),
            (r"'a\'b\n'", &[br"a'b\n"]),
            (r#"a"b""#, &[b"ab"]),
            (r#""" ''"#, &[b"", b""]),
            ("é", &["é".as_bytes()]),
        ];
        for (line, words) in cases {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn words_that_a_program_sent() {
        let cases: [(&[u8], &[&[u8]]); 4] = [
            (b"GET\x0bk\r", &[b"GET", b"k"]),
            (b"GET \x00\xff'\n' \x7f", &[b"GET", b"\x00\xff\n", b"\x7f"]),
            (b"GET \"k\"\r", &[b"GET", b"k"]),
            (b" \t\n", &[]),
        ];
        for (line, words) in cases {
            assert_eq!(split_sent(line).unwrap(), words, "{line:?}");
        }
        assert_eq!(split_sent(b"GET 'k"), Err(LineError::Unbalanced));
        assert_eq!(split_sent(b"GET 'k'\x01"), Err(LineError::Unbalanced));
    }

    #[test]
    fn what_is_no_line() {
        for line in ["\"a", "'a", "\"a\"b", "'a'b", "\"a\\\""] {
            assert_eq!(split(line), Err(LineError::Unbalanced), "{line}");
        }
        for (line, byte) in [("GET a\0b", 0), ("a\n", 10), ("\x7f", 127), ("'a' \x01", 1), ("\"\x1b\"", 27)] {
            let error = LineError::Control(byte);
            assert_eq!(
                (split(line).err(), check(line.as_bytes()).err()),
                (Some(error.clone()), Some(error)),
                "{line:?}"
            );
        }
        assert_eq!(check(b"GET \xff"), Err(LineError::NotText));
        assert_eq!(split(&"a".repeat(MAX_LINE + 1)), Err(LineError::TooLong(MAX_LINE + 1)));
        assert_eq!(split(&"a".repeat(MAX_LINE)).unwrap().len(), 1);
    }
}
