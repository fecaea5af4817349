//! Replies as redis-cli shows them in a terminal.

use std::borrow::Cow;
use std::fmt::Write;

use crate::engine::{Reply, quoted};

/// The longest reply that is written out, in bytes. A few words can ask for gigabytes.
const MAX_TEXT: usize = 1024 * 1024;

/// How long most of the others are at most, in bytes.
const USUAL: usize = 32;

/// Writes a reply, its lines separated by `\n`, without one at the end. One longer than a person reads is cut, and says
/// so.
pub fn reply(reply: &Reply) -> Cow<'static, str> {
    // What most replies are takes no memory.
    match reply {
        Reply::Status(status) => return status.clone(),
        Reply::Nil => return "(nil)".into(),
        Reply::Integer(0) => return "(integer) 0".into(),
        Reply::Integer(1) => return "(integer) 1".into(),
        _ => {}
    }
    let mut text = String::with_capacity(USUAL);
    write_reply(&mut text, reply, 0);
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push_str("… (cut: the reply is longer)");
    }
    text.into()
}

/// Nested arrays stand under the text of their element: `indent` columns to the right.
fn write_reply(text: &mut String, reply: &Reply, indent: usize) {
    if text.len() > MAX_TEXT {
        return;
    }
    // Writing into a String cannot fail.
    let _ = match reply {
        Reply::Status(status) => write!(text, "{status}"),
        Reply::Error(error) => write!(text, "(error) {error}"),
        Reply::Integer(number) => write!(text, "(integer) {number}"),
        // Each byte takes a character at least, so that what is past the limit cannot show.
        Reply::Bulk(bytes) => write!(text, "{}", quoted(&bytes[..bytes.len().min(MAX_TEXT)])),
        Reply::Text(words) => write!(text, "{}", quoted(words.as_bytes())),
        Reply::Nil | Reply::NilArray => write!(text, "(nil)"),
        Reply::Silent => Ok(()),
        Reply::Array(items) if items.is_empty() => write!(text, "(empty array)"),
        Reply::Map(pairs) if pairs.is_empty() => write!(text, "(empty hash)"),
        Reply::Map(pairs) => {
            let width = pairs.len().to_string().len();
            for (n, (key, value)) in pairs.iter().enumerate() {
                if n > 0 {
                    let _ = write!(text, "\n{:indent$}", "");
                }
                let _ = write!(text, "{:>width$}# ", n + 1);
                write_reply(text, key, indent + width + 2);
                text.push_str(" => ");
                write_reply(text, value, indent + width + 2);
            }
            Ok(())
        }
        Reply::Array(items) => {
            let width = items.len().to_string().len();
            for (n, item) in items.iter().enumerate() {
                if text.len() > MAX_TEXT {
                    break;
                }
                if n > 0 {
                    let _ = write!(text, "\n{:indent$}", "");
                }
                let _ = write!(text, "{:>width$}) ", n + 1);
                write_reply(text, item, indent + width + 2);
            }
            Ok(())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies() {
        let array = |items: &[Reply]| Reply::Array(items.to_vec());
        let one = Reply::Integer(1);
        for (given, shown) in [
            (Reply::ok(), "OK"),
            (Reply::Error("ERR syntax error".to_owned()), "(error) ERR syntax error"),
            (Reply::Integer(-2), "(integer) -2"),
            (Reply::Nil, "(nil)"),
            (Reply::bulk(b"a\"\\\n\x07\x00\xff"), r#""a\"\\\n\a\x00\xff""#),
            (Reply::bulk("é"), r#""\xc3\xa9""#),
            (array(&[]), "(empty array)"),
            (Reply::NilArray, "(nil)"),
            (Reply::Silent, ""),
            (
                Reply::Map(vec![(Reply::bulk("a"), one.clone()), (Reply::bulk("b"), Reply::Nil)]),
                "1# \"a\" => (integer) 1\n2# \"b\" => (nil)",
            ),
            (array(&[one.clone(), Reply::Nil]), "1) (integer) 1\n2) (nil)"),
            (
                array(&[one.clone(), array(&[one.clone(), array(&[one.clone(), one.clone()])])]),
                "1) (integer) 1\n2) 1) (integer) 1\n   2) 1) (integer) 1\n      2) (integer) 1",
            ),
        ] {
            assert_eq!(reply(&given), shown);
        }
        let ten = reply(&array(&vec![one; 10]));
        let huge = reply(&array(&vec![Reply::bulk(vec![0; MAX_TEXT]); 1_000]));
        assert!(huge.len() < MAX_TEXT + 64 && huge.ends_with("(cut: the reply is longer)"));
        assert!(ten.starts_with(" 1) ") && ten.ends_with("\n10) (integer) 1"), "{ten}");
    }
}
