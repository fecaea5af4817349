//! A typed line and the words in it, quoted as in redis-cli.

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
    match text.bytes().find(|&byte| byte.is_ascii_control() && byte != b'\t') {
        Some(byte) => Err(LineError::Control(byte)),
        None => Ok(text),
    }
}

/// Splits a line into words. `"…"` knows `\n \r \t \b \a \xHH` and a backslash before any other byte; `'…'` knows `\'`.
pub fn split(line: &str) -> Result<Vec<Vec<u8>>, LineError> {
    let mut bytes = check(line.as_bytes())?.as_bytes();
    let mut words = Vec::new();
    loop {
        bytes = bytes.trim_ascii_start();
        if bytes.is_empty() {
            return Ok(words);
        }
        words.push(word(&mut bytes)?);
    }
}

/// Takes one word off the front.
fn word(bytes: &mut &[u8]) -> Result<Vec<u8>, LineError> {
    let mut word = Vec::new();
    loop {
        match *bytes {
            [] | [b' ' | b'\t', ..] => return Ok(word),
            [quote @ (b'"' | b'\''), rest @ ..] => {
                *bytes = rest;
                quoted(*quote, bytes, &mut word)?;
            }
            [byte, rest @ ..] => {
                word.push(*byte);
                *bytes = rest;
            }
        }
    }
}

/// Takes the rest of a quoted part, its closing quote included.
fn quoted(quote: u8, bytes: &mut &[u8], word: &mut Vec<u8>) -> Result<(), LineError> {
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
                    [] | [b' ' | b'\t', ..] => Ok(()),
                    _ => Err(LineError::Unbalanced),
                };
            }
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
    fn what_is_no_line() {
        for line in ["\"a", "'a", "\"a\"b", "'a'b", "\"a\\\""] {
            assert_eq!(split(line), Err(LineError::Unbalanced), "{line}");
        }
        assert_eq!(split("GET a\0b"), Err(LineError::Control(0)));
        assert_eq!(check(b"GET \xff"), Err(LineError::NotText));
        assert_eq!(split(&"a".repeat(MAX_LINE + 1)), Err(LineError::TooLong(MAX_LINE + 1)));
        assert_eq!(split(&"a".repeat(MAX_LINE)).unwrap().len(), 1);
    }
}
