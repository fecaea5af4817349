//! Keys as such: are they there, which are there, and away with them.

use super::args::{integer, option};
use super::context::{Deadline, Write};
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context, until_nul};
use crate::engine::{Bytes, CommandError, DATABASES, Entry, Form, Reply, glob, sorted};
use crate::later::later;

fn del(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let mut deleted = 0;
    while let Some(key) = args.next() {
        deleted += usize::from(context.delete(key, false));
    }
    Ok(deleted.into())
}

fn exists(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let mut found = 0;
    while let Some(key) = args.next() {
        found += usize::from(context.read(key).is_some());
    }
    Ok(found.into())
}

fn kind(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let there = context.get(args.word()?).is_some();
    Ok(Reply::status(if there { "string" } else { "none" }))
}

fn keys(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let pattern = args.word()?;
    let now = context.now();
    // What fits is put in order, and nothing else.
    let fitting = context.keyspace().unordered(now).map(|(key, _)| key).filter(|key| glob::matches(pattern, key));
    Ok(Reply::Array(sorted(fitting).into_iter().map(|key| Reply::Bulk(key.clone())).collect()))
}

fn touch(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    // There is no access time to move; what is left is the count.
    exists(context, args)
}

/// Takes a key's entry from its place and writes it under another name: value, deadline and form go along.
fn put_entry(context: &mut Context<'_>, key: &[u8], entry: &Entry) {
    let write = Write { deadline: Deadline::Set(entry.deadline.get()), lock: entry.lock, by_token: false };
    // A longer name may push the value out of the shared piece; a shorter one does not bring it back.
    let form = match entry.form {
        Form::Embedded => Form::of(key, &entry.value, false),
        form => form,
    };
    context.write(key, &entry.value, write, form);
}

/// The entry that a renaming starts from.
fn source(context: &Context<'_>, key: &[u8]) -> Result<Entry, CommandError> {
    context.get(key).cloned().ok_or_else(|| CommandError::other("no such key"))
}

fn rename(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (from, to) = (args.word()?, args.word()?);
    let entry = source(context, from)?;
    if from != to {
        context.delete(from, false);
        put_entry(context, to, &entry);
    }
    Ok(Reply::ok())
}

fn renamenx(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (from, to) = (args.word()?, args.word()?);
    let entry = source(context, from)?;
    let free = context.get(to).is_none();
    if free {
        context.delete(from, false);
        put_entry(context, to, &entry);
    }
    Ok(free.into())
}

fn copy(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (from, to) = (args.word()?, args.word()?);
    let (mut db, mut replace) = (context.db(), false);
    while let Some(name) = args.option() {
        match name {
            option::REPLACE => replace = true,
            option::DB => db = database(args.value()?)?,
            _ => return Err(CommandError::Syntax),
        }
    }
    if db == context.db() && from == to {
        return Err(CommandError::other("source and destination objects are the same"));
    }
    let Some(entry) = context.get(from).cloned() else { return Ok(Reply::Integer(0)) };
    let copied = context.in_database(db, |context| {
        let free = replace || context.get(to).is_none();
        if free {
            context.reserve([(to, entry.value.len())])?;
            put_entry(context, to, &entry);
        }
        Ok(free)
    });
    copied.map(Reply::from)
}

fn mv(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let db = database(args.word()?)?;
    if db == context.db() {
        return Err(CommandError::other("source and destination objects are the same"));
    }
    let Some(entry) = context.get(key).cloned() else { return Ok(Reply::Integer(0)) };
    let free = context.in_database(db, |context| context.get(key).is_none());
    if free {
        context.delete(key, false);
        context.in_database(db, |context| put_entry(context, key, &entry));
    }
    Ok(free.into())
}

/// Reads the number of a database.
pub(super) fn database(text: &[u8]) -> Result<usize, CommandError> {
    let number = integer(text)?;
    if i32::try_from(number).is_err() {
        let text = format!("value is out of range, value must between {} and {}", i32::MIN, i32::MAX);
        return Err(CommandError::other(text));
    }
    usize::try_from(number).ok().filter(|number| *number < DATABASES).ok_or(CommandError::NoDatabase)
}

fn randomkey(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    let db = context.db();
    Ok(context.engine_mut().draw(db).map_or(Reply::Nil, Reply::Bulk))
}

/// How many bits of a key's hash a cursor leaves out: those that not every language's numbers hold exactly.
const LEFT_OUT: u32 = u64::BITS - 52;

/// Reads a cursor as the server does: a number as it writes numbers, else whatever `strtoull` takes.
fn scan_cursor(text: &[u8]) -> Option<u64> {
    if let Ok(number) = integer(text) {
        return u64::try_from(number).ok();
    }
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let number: u64 = digits.parse().ok()?;
    Some(if negative { number.wrapping_neg() } else { number })
}

/// Goes through the keys in the order of their hashes, which no write changes: a key that is there all the time is given
/// once, whatever comes and goes meanwhile. The cursor is the hash to go on from.
fn scan(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let cursor = scan_cursor(until_nul(args.word()?)).ok_or_else(|| CommandError::other("invalid cursor"))?;
    let (mut pattern, mut count, mut strings) = (None, 10, true);
    while let Some(name) = args.option() {
        match name {
            option::MATCH => pattern = Some(args.value()?),
            option::COUNT => {
                count = integer(args.value()?)?;
                if count < 1 {
                    return Err(CommandError::Syntax);
                }
            }
            option::TYPE => strings = until_nul(args.value()?).eq_ignore_ascii_case(b"string"),
            option::NOVALUES => return Err(CommandError::other("NOVALUES option can only be used in HSCAN")),
            _ => return Err(CommandError::Syntax),
        }
    }
    let (now, from, keyspace) = (context.now(), cursor << LEFT_OUT, context.keyspace());
    // A cursor with more bits is past all keys.
    let mut left = if from >> LEFT_OUT == cursor { keyspace.next_by_hash(from, None, now) } else { None };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let fits = |key: &Bytes| strings && pattern.is_none_or(|pattern| glob::matches(pattern, key));
    let (mut seen, mut last, mut keys) = (0, cursor, Vec::new());
    // Keys of one place stay together, so that the cursor never stands between them.
    while let Some((hash, key)) = left
        && (seen < count || hash >> LEFT_OUT == last)
    {
        (seen, last) = (seen + 1, hash >> LEFT_OUT);
        if fits(key) {
            keys.push(Reply::Bulk(key.clone()));
        }
        left = keyspace.next_by_hash(hash, Some(key), now);
    }
    let next = if left.is_some() { last + 1 } else { 0 };
    Ok(Reply::Array(vec![Reply::bulk(next.to_string()), Reply::Array(keys)]))
}

fn object_encoding(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    Ok(context.get(args.word()?).map_or(Reply::Nil, |entry| {
        Reply::bulk(match entry.form {
            Form::Int => "int",
            Form::Embedded => "embstr",
            Form::Raw => "raw",
        })
    }))
}

fn object_refcount(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    Ok(context.get(args.word()?).map_or(Reply::Nil, |_| Reply::Integer(1)))
}

fn object_idletime(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    // Access times are not kept: every key counts as just used.
    Ok(context.get(args.word()?).map_or(Reply::Nil, |_| Reply::Integer(0)))
}

fn object_freq(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    if context.get(args.word()?).is_none() {
        return Ok(Reply::Nil);
    }
    Err(CommandError::other(
        "An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between \
         policies at runtime LRU and LFU data will take some time to adjust.",
    ))
}

const OBJECT: &[Spec] = &[
    Spec {
        syntax: "OBJECT ENCODING key",
        summary: "Read how the server would keep a value",
        since: "2.2.3",
        flags: &[Flag::Readonly],
        keys: Keys::Range(2, 2, 1),
        examples: later!(&[("SET a 5", "OK"), ("OBJECT ENCODING a", "\"int\"")]),
        run: Run::Handler(object_encoding),
    },
    Spec {
        syntax: "OBJECT FREQ key",
        summary: "Read how often a key is used, which this server does not count",
        since: "4.0.0",
        flags: &[Flag::Readonly],
        keys: Keys::Range(2, 2, 1),
        examples: later!(&[("OBJECT FREQ nobody", "(nil)")]),
        run: Run::Handler(object_freq),
    },
    Spec {
        syntax: "OBJECT IDLETIME key",
        summary: "Read for how long a key was not used; 0, since access times are not kept",
        since: "2.2.3",
        flags: &[Flag::Readonly],
        keys: Keys::Range(2, 2, 1),
        examples: later!(&[("SET a 5", "OK"), ("OBJECT IDLETIME a", "(integer) 0")]),
        run: Run::Handler(object_idletime),
    },
    Spec {
        syntax: "OBJECT REFCOUNT key",
        summary: "Read how many references there are to a value",
        since: "2.2.3",
        flags: &[Flag::Readonly],
        keys: Keys::Range(2, 2, 1),
        examples: later!(&[("SET a 5", "OK"), ("OBJECT REFCOUNT a", "(integer) 1")]),
        run: Run::Handler(object_refcount),
    },
];

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "UNLINK key [key ...]",
        summary: "Delete keys and free their memory later; here the same as DEL",
        since: "4.0.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, -1, 1),
        examples: later!(&[("SET a 1", "OK"), ("UNLINK a b", "(integer) 1")]),
        run: Run::Handler(del),
    },
    Spec {
        syntax: "TOUCH key [key ...]",
        summary: "Count the keys that are there, as used just now",
        since: "3.2.1",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, -1, 1),
        examples: later!(&[("SET a 1", "OK"), ("TOUCH a b", "(integer) 1")]),
        run: Run::Handler(touch),
    },
    Spec {
        syntax: "RENAME key newkey",
        summary: "Give a key another name; its deadline goes along",
        since: "1.0.0",
        flags: &[Flag::Write],
        keys: Keys::Range(1, 2, 1),
        examples: later!(&[("SET a 1 PX 30000", "OK"), ("RENAME a b", "OK"), ("PTTL b", "(integer) 30000")]),
        run: Run::Handler(rename),
    },
    Spec {
        syntax: "RENAMENX key newkey",
        summary: "Give a key another name that is not taken",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 2, 1),
        examples: later!(&[("MSET a 1 b 2", "OK"), ("RENAMENX a b", "(integer) 0")]),
        run: Run::Handler(renamenx),
    },
    Spec {
        syntax: "COPY source destination [DB destination-db] [REPLACE]",
        summary: "Copy a value and its deadline to another key",
        since: "6.2.0",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, 2, 1),
        examples: later!(&[("SET a 1", "OK"), ("COPY a b", "(integer) 1"), ("COPY a b", "(integer) 0")]),
        run: Run::Handler(copy),
    },
    Spec {
        syntax: "MOVE key db",
        summary: "Move a key to another database",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a 1", "OK"), ("MOVE a 1", "(integer) 1"), ("EXISTS a", "(integer) 0")]),
        run: Run::Handler(mv),
    },
    Spec {
        syntax: "SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]",
        summary: "Go through the keys page by page, in an order that writes do not change",
        since: "2.8.0",
        flags: &[Flag::Readonly],
        keys: Keys::None,
        examples: later!(&[("SET a 1", "OK"), ("SCAN 0", "1) \"0\"\n2) 1) \"a\"")]),
        run: Run::Handler(scan),
    },
    Spec {
        syntax: "RANDOMKEY",
        summary: "Draw a key, the same each time a session is replayed",
        since: "1.0.0",
        flags: &[Flag::Readonly],
        keys: Keys::None,
        examples: later!(&[("RANDOMKEY", "(nil)"), ("SET a 1", "OK"), ("RANDOMKEY", "\"a\"")]),
        run: Run::Handler(randomkey),
    },
    Spec {
        syntax: "OBJECT subcommand [argument ...]",
        summary: "Look at how a value is kept",
        since: "2.2.3",
        flags: &[],
        keys: Keys::None,
        examples: later!(&[("SET a x", "OK"), ("OBJECT ENCODING a", "\"embstr\"")]),
        run: Run::Container(OBJECT),
    },
    Spec {
        syntax: "DEL key [key ...]",
        summary: "Delete keys, whoever holds them: no safe release",
        since: "1.0.0",
        flags: &[Flag::Write],
        keys: Keys::Range(1, -1, 1),
        examples: later!(&[
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("DEL lock:billing-run nobody", "(integer) 1"),
        ]),
        run: Run::Handler(del),
    },
    Spec {
        syntax: "EXISTS key [key ...]",
        summary: "Count the keys that are there",
        since: "1.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, -1, 1),
        examples: later!(&[("SET job done", "OK"), ("EXISTS job nobody job", "(integer) 2")]),
        run: Run::Handler(exists),
    },
    Spec {
        syntax: "TYPE key",
        summary: "Read the kind of value that a key holds",
        since: "1.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET job done", "OK"), ("TYPE job", "string"), ("TYPE nobody", "none")]),
        run: Run::Handler(kind),
    },
    Spec {
        syntax: "KEYS pattern",
        summary: "List the keys that fit a pattern, in byte order",
        since: "1.0.0",
        flags: &[Flag::Readonly],
        keys: Keys::None,
        examples: later!(&[
            ("SET lock:b 1", "OK"),
            ("SET lock:a 1", "OK"),
            ("KEYS lock:*", "1) \"lock:a\"\n2) \"lock:b\""),
            ("KEYS x*", "(empty array)"),
        ]),
        run: Run::Handler(keys),
    },
];
