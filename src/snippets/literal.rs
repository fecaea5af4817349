//! Names of keys as literals of programs.
//!
//! What could be taken for something else by a reader or a compiler is escaped: quotes, control characters, whatever is
//! not a letter or a digit beyond ASCII (marks that turn the direction of text among them), and bytes that are no text.

use std::fmt::Write;

/// How a language writes a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A word of redis-cli, in double quotes, within single quotes of a shell.
    Cli,
    /// `"…"`, or `b"…"` where it is no text.
    Python,
    /// `'…'`, or a buffer where it is no text.
    JavaScript,
    /// `"…"`, which holds any bytes.
    Go,
    /// The type and the literal: `&str = "…"`, or `&[u8] = b"…"` where it is no text.
    Rust,
    /// `"…"`, which holds text alone.
    Java,
}

impl Form {
    /// What stands in a template where a name goes.
    pub(super) fn place(self, name: &str) -> String {
        match self {
            Self::Cli | Self::JavaScript => format!("'{name}'"),
            Self::Python | Self::Go | Self::Java => format!("\"{name}\""),
            Self::Rust => format!("&str = \"{name}\""),
        }
    }

    /// The literal of a name; none where the language has none for it.
    pub fn literal(self, name: &[u8]) -> Option<String> {
        Some(match (self, std::str::from_utf8(name)) {
            (Self::Cli, _) => format!("'\"{}\"'", bytes(name, &['\\', '"', '\''])),
            (Self::Go, _) => format!("\"{}\"", go(name)),
            (Self::Python | Self::Java, Ok(text)) => format!("\"{}\"", self.escaped(text, '"')),
            (Self::Python, Err(_)) => format!("b\"{}\"", bytes(name, &['\\', '"'])),
            (Self::JavaScript, Ok(text)) => format!("'{}'", self.escaped(text, '\'')),
            (Self::JavaScript, Err(_)) => format!("Buffer.from('{}', 'latin1')", bytes(name, &['\\', '\''])),
            (Self::Rust, Ok(text)) => format!("&str = \"{}\"", self.escaped(text, '"')),
            (Self::Rust, Err(_)) => format!("&[u8] = b\"{}\"", bytes(name, &['\\', '"'])),
            (Self::Java, Err(_)) => return None,
        })
    }

    fn escaped(self, text: &str, quote: char) -> String {
        let mut escaped = String::with_capacity(text.len());
        for char in text.chars() {
            if char == quote || char == '\\' {
                escaped.extend(['\\', char]);
            } else if is_plain(char) {
                escaped.push(char);
            } else {
                // Writing to a string does not fail.
                let _ = self.escape(&mut escaped, char);
            }
        }
        escaped
    }

    fn escape(self, escaped: &mut String, char: char) -> std::fmt::Result {
        let code = u32::from(char);
        match (self, char) {
            (_, '\n') => write!(escaped, "\\n"),
            (Self::Rust, _) => write!(escaped, "\\u{{{code:x}}}"),
            // A compiler turns \u000a into a line's end before it sees the literal.
            (Self::Java, _) if code < 0x80 => write!(escaped, "\\{code:03o}"),
            (Self::Java, _) => {
                char.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(escaped, "\\u{unit:04x}"))
            }
            (Self::JavaScript, _) if code > 0xffff => write!(escaped, "\\u{{{code:x}}}"),
            (_, _) if code > 0xffff => write!(escaped, "\\U{code:08x}"),
            _ => write!(escaped, "\\u{code:04x}"),
        }
    }
}

/// Whether a character is seen as what it is.
fn is_plain(char: char) -> bool {
    char == ' ' || char.is_ascii_graphic() || !char.is_ascii() && char.is_alphanumeric()
}

/// Bytes, each that is not of printable ASCII or stands among those that mean something as `\xHH`.
fn bytes(name: &[u8], special: &[char]) -> String {
    let mut escaped = String::with_capacity(name.len());
    for &byte in name {
        if (byte == b' ' || byte.is_ascii_graphic()) && !special.contains(&char::from(byte)) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    escaped
}

/// Text with bytes that are none as `\xHH`.
fn go(name: &[u8]) -> String {
    name.utf8_chunks().map(|chunk| Form::Go.escaped(chunk.valid(), '"') + &bytes(chunk.invalid(), &[])).collect()
}
