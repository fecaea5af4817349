//! Replies as bytes.

use std::borrow::Cow;

use crate::engine::{Protocol, Reply};

/// Writes a reply in a protocol. In RESP2 maps are flat lists and text is a string of bytes.
pub fn write(reply: &Reply, protocol: Protocol, out: &mut Vec<u8>) {
    let resp3 = protocol == Protocol::Resp3;
    match reply {
        Reply::Status(Cow::Borrowed(text)) => {
            // Our own words have no ends of lines.
            out.push(b'+');
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        Reply::Status(text) => line(b'+', text, out),
        Reply::Error(text) => line(b'-', text, out),
        Reply::Integer(number) => head(b':', *number, out),
        Reply::Bulk(bytes) => bulk(b'$', b"", bytes, out),
        Reply::Text(text) if resp3 => bulk(b'=', b"txt:", text.as_bytes(), out),
        Reply::Text(text) => bulk(b'$', b"", text.as_bytes(), out),
        Reply::Nil | Reply::NilArray if resp3 => out.extend_from_slice(b"_\r\n"),
        Reply::Nil => out.extend_from_slice(b"$-1\r\n"),
        Reply::NilArray => out.extend_from_slice(b"*-1\r\n"),
        Reply::Array(replies) => {
            head(b'*', replies.len() as i64, out);
            for reply in replies {
                write(reply, protocol, out);
            }
        }
        Reply::Map(pairs) => {
            let (mark, count) = if resp3 { (b'%', pairs.len()) } else { (b'*', 2 * pairs.len()) };
            head(mark, count as i64, out);
            for (key, value) in pairs {
                write(key, protocol, out);
                write(value, protocol, out);
            }
        }
        Reply::Silent => {}
    }
}

/// A line of text; ends of lines within it would end it, and become spaces.
fn line(mark: u8, text: &str, out: &mut Vec<u8>) {
    let plain = |byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte };
    out.reserve(text.len() + Reply::HEAD);
    out.push(mark);
    out.extend(text.bytes().map(plain));
    out.extend_from_slice(b"\r\n");
}

fn head(mark: u8, number: i64, out: &mut Vec<u8>) {
    // Most numbers on the wire have one digit.
    if let Ok(digit @ 0..=9) = u8::try_from(number) {
        out.extend_from_slice(&[mark, b'0' + digit, b'\r', b'\n']);
        return;
    }
    out.push(mark);
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    out.extend_from_slice(b"\r\n");
}

fn bulk(mark: u8, before: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    // At once: the end of a long one is not to make a vector twice as long.
    out.reserve(before.len() + bytes.len() + Reply::HEAD);
    head(mark, (before.len() + bytes.len()) as i64, out);
    out.extend_from_slice(before);
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_in_both_protocols() {
        let cases: [(Reply, &str, &str); 11] = [
            (Reply::ok(), "+OK\r\n", "+OK\r\n"),
            (Reply::Error("ERR a\r\nb".to_owned()), "-ERR a  b\r\n", "-ERR a  b\r\n"),
            (Reply::Integer(7), ":7\r\n", ":7\r\n"),
            (Reply::Integer(i64::MIN), ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"),
            (Reply::bulk(b"a\r\n"), "$3\r\na\r\n\r\n", "$3\r\na\r\n\r\n"),
            (Reply::Text("ab".to_owned()), "$2\r\nab\r\n", "=6\r\ntxt:ab\r\n"),
            (Reply::Nil, "$-1\r\n", "_\r\n"),
            (Reply::NilArray, "*-1\r\n", "_\r\n"),
            (Reply::Array(vec![Reply::Nil, Reply::Integer(10)]), "*2\r\n$-1\r\n:10\r\n", "*2\r\n_\r\n:10\r\n"),
            (Reply::Map(vec![(Reply::bulk("k"), Reply::Nil)]), "*2\r\n$1\r\nk\r\n$-1\r\n", "%1\r\n$1\r\nk\r\n_\r\n"),
            (Reply::Silent, "", ""),
        ];
        for (reply, resp2, resp3) in cases {
            for (protocol, expected) in [(Protocol::Resp2, resp2), (Protocol::Resp3, resp3)] {
                let mut out = Vec::new();
                write(&reply, protocol, &mut out);
                assert_eq!(String::from_utf8_lossy(&out), expected, "{reply:?}");
                assert!(out.len() <= reply.size(), "{reply:?}");
            }
        }
    }
}
