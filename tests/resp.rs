//! RESP: what a client library packs is read as it was, in pieces of any size, and what is written is what one reads.

use hotkv_playground::engine::{Protocol, Reply};
use hotkv_playground::resp::{Limits, MAX_INLINE, ProtocolError, Requests, write};
use proptest::collection::vec;
use proptest::prelude::*;
use redis::{Value, VerbatimFormat};

const LIMITS: Limits = Limits { words: 1_000, word: 10_000, request: 100_000 };
/// Limits that a test reaches.
const TIGHT: Limits = Limits { words: 4, word: 100, request: 150 };

/// All requests in bytes that come in pieces; the sizes of the pieces are taken in turn.
fn read(bytes: &[u8], pieces: &[usize], limits: Limits) -> (Vec<Vec<Vec<u8>>>, Result<(), ProtocolError>) {
    let (mut requests, mut read, mut rest) = (Requests::new(limits), Vec::new(), bytes);
    for size in pieces.iter().copied().cycle() {
        let (piece, after) = rest.split_at(size.min(rest.len()));
        rest = after;
        requests.room().extend_from_slice(piece);
        loop {
            match requests.take(|words| words.iter().map(|word| word.to_vec()).collect()) {
                Ok(Some(request)) => read.push(request),
                Ok(None) => break,
                Err(error) => return (read, Err(error)),
            }
        }
        if rest.is_empty() {
            return (read, Ok(()));
        }
    }
    unreachable!("pieces come for ever")
}

fn command() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(vec(any::<u8>(), 0..40), 1..12)
}

/// A reply of any kind. A status and an error are one line of text; an error has a code.
fn any_reply() -> impl Strategy<Value = Reply> {
    let line = "[ -~]{0,20}";
    let leaf = prop_oneof![
        line.prop_filter("OK is a value of its own", |text| text != "OK").prop_map(Reply::status),
        Just(Reply::ok()),
        any::<i64>().prop_map(Reply::Integer),
        vec(any::<u8>(), 0..40).prop_map(Reply::bulk),
        "[ -~\r\n]{0,40}".prop_map(Reply::Text),
        Just(Reply::Nil),
        Just(Reply::NilArray),
    ];
    leaf.prop_recursive(3, 30, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Reply::Array),
            vec((inner.clone(), inner), 0..4).prop_map(Reply::Map),
        ]
    })
}

/// What a client library makes of a reply.
fn value(reply: &Reply, protocol: Protocol) -> Value {
    match reply {
        Reply::Status(text) if text == "OK" => Value::Okay,
        Reply::Status(text) => Value::SimpleString(text.to_string()),
        Reply::Integer(number) => Value::Int(*number),
        Reply::Bulk(bytes) => Value::BulkString(bytes.to_vec()),
        Reply::Text(text) if protocol == Protocol::Resp3 => {
            Value::VerbatimString { format: VerbatimFormat::Text, text: text.clone() }
        }
        Reply::Text(text) => Value::BulkString(text.clone().into_bytes()),
        Reply::Nil | Reply::NilArray => Value::Nil,
        Reply::Array(replies) => Value::Array(replies.iter().map(|reply| value(reply, protocol)).collect()),
        Reply::Map(pairs) if protocol == Protocol::Resp3 => {
            Value::Map(pairs.iter().map(|(key, item)| (value(key, protocol), value(item, protocol))).collect())
        }
        Reply::Map(pairs) => {
            Value::Array(pairs.iter().flat_map(|(key, item)| [value(key, protocol), value(item, protocol)]).collect())
        }
        Reply::Error(_) | Reply::Silent => unreachable!("not made here"),
    }
}

#[test]
fn requests_in_pieces_of_any_size() {
    let bytes = b"*2\r\n$4\r\nECHO\r\n$12\r\nhello\r\nworld\r\n\r\nGET \"a b\"\r\n*0\r\n*-1\r\n\r\n*1\r\n$4\r\nPING\r\nPING\n*1\r\n$0\r\n\r\n";
    let words: [&[&[u8]]; 5] = [&[b"ECHO", b"hello\r\nworld"], &[b"GET", b"a b"], &[b"PING"], &[b"PING"], &[b""]];
    for piece in 1..=bytes.len() {
        let (read, error) = read(bytes, &[piece], TIGHT);
        assert_eq!(error, Ok(()), "in pieces of {piece}");
        assert_eq!(read, words, "in pieces of {piece}");
    }
}

#[test]
fn what_is_no_request() {
    use ProtocolError as E;
    let long = vec![b'1'; MAX_INLINE + 1];
    let endless = |head: &[u8]| [head, &long].concat();
    for (bytes, error, text) in [
        (b"*1\rx1\r\n\r".to_vec(), E::NoLength(b'1'), "expected '$', got '1'"),
        (b"*x\r\n".to_vec(), E::Count, "invalid multibulk length"),
        (b"*\r\n".to_vec(), E::Count, "invalid multibulk length"),
        (b"*+1\r\n".to_vec(), E::Count, "invalid multibulk length"),
        (b"*5\r\n".to_vec(), E::Count, "invalid multibulk length"),
        (b"*99999999999999999999\r\n".to_vec(), E::Count, "invalid multibulk length"),
        (b"*1\r\nPING\r\n".to_vec(), E::NoLength(b'P'), "expected '$', got 'P'"),
        (b"*1\r\n$x\r\n".to_vec(), E::Length, "invalid bulk length"),
        (b"*1\r\n$-1\r\n".to_vec(), E::Length, "invalid bulk length"),
        (b"*1\r\n$01\r\n".to_vec(), E::Length, "invalid bulk length"),
        (b"*1\r\n$101\r\n".to_vec(), E::Length, "invalid bulk length"),
        (b"*2\r\n$1\r\na\r\n$9223372036854775807\r\n".to_vec(), E::Length, "invalid bulk length"),
        ([&b"*2\r\n$100\r\n"[..], &[b'a'; 100], b"\r\n$60\r\n"].concat(), E::TooBig, "too big request"),
        (b"GET \"a\n".to_vec(), E::Quotes, "unbalanced quotes in request"),
        (endless(b"*"), E::LongCount, "too big mbulk count string"),
        (endless(b"*1\r\n$"), E::LongLength, "too big bulk count string"),
        (endless(b"PING"), E::LongInline, "too big inline request"),
    ] {
        for piece in [1, 7, bytes.len()] {
            assert_eq!(read(&bytes, &[piece], TIGHT), (Vec::new(), Err(error)), "{:?}", &bytes[..bytes.len().min(20)]);
        }
        assert_eq!(error.to_string(), format!("Protocol error: {text}"));
    }
}

proptest! {
    #[test]
    fn requests_read_as_they_were_packed(commands in vec(command(), 1..6), pieces in vec(1_usize..200, 1..5)) {
        let packed: Vec<u8> = commands
            .iter()
            .flat_map(|words| words.iter().fold(redis::Cmd::new(), |mut command, word| { command.arg(word); command }).get_packed_command())
            .collect();
        prop_assert_eq!(read(&packed, &pieces, LIMITS), (commands, Ok(())));
    }

    #[test]
    fn any_bytes_read_alike_in_any_pieces(
        bytes in vec(prop_oneof![
            3 => prop::sample::select(&b"*$123\r\n\"' GETx"[..]).prop_map(|byte| vec![byte]),
            1 => vec(any::<u8>(), 0..4),
            1 => Just(b"*1\r\n$4\r\nPING\r\n".to_vec()),
        ], 0..60).prop_map(|parts| parts.concat()),
        pieces in vec(1_usize..20, 1..5),
    ) {
        prop_assert_eq!(read(&bytes, &pieces, LIMITS), read(&bytes, &[bytes.len().max(1)], LIMITS));
    }

    #[test]
    fn replies_read_as_they_were_written(reply in any_reply()) {
        for protocol in [Protocol::Resp2, Protocol::Resp3] {
            let mut out = b"before".to_vec();
            write(&reply, protocol, &mut out);
            let written = &out[b"before".len()..];
            prop_assert!(written.len() <= reply.size());
            prop_assert_eq!(redis::parse_redis_value(written).unwrap(), value(&reply, protocol));
        }
    }
}
