//! Strings beside the lock core: reading, writing many, changing in place.

use super::args::{TimeForm, integer, option};
use super::context::{Deadline, Write};
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context};
use crate::engine::{Bytes, CommandError, Form, Reply};
use crate::later::later;

/// The longest string that the server takes.
pub(super) const MAX_STRING: usize = 512 * 1024 * 1024;

fn get(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    Ok(context.read(args.word()?).map_or(Reply::Nil, |entry| Reply::Bulk(entry.value)))
}

fn getdel(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let value = context.get(key).map(|entry| entry.value.clone());
    context.delete(key, false);
    Ok(value.map_or(Reply::Nil, Reply::Bulk))
}

fn getset(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key, value) = (args.word()?, args.word()?);
    let old = context.get(key).map(|entry| entry.value.clone());
    context.put(key, value, Write::PLAIN)?;
    Ok(old.map_or(Reply::Nil, Reply::Bulk))
}

/// What GETEX does with the deadline.
enum Getex<'a> {
    Nothing,
    Persist,
    Expire(TimeForm, &'a [u8]),
}

fn getex(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let mut wanted = Getex::Nothing;
    while let Some(name) = args.option() {
        wanted = match (TimeForm::named(name), wanted) {
            // The same option may stand twice; the last one counts.
            (Some(form), Getex::Nothing) => Getex::Expire(form, args.value()?),
            (Some(form), Getex::Expire(earlier, _)) if form == earlier => Getex::Expire(form, args.value()?),
            (None, Getex::Nothing | Getex::Persist) if name == option::PERSIST => Getex::Persist,
            _ => return Err(CommandError::Syntax),
        };
    }
    // A missing key is told before anybody looks at the time.
    let Some(entry) = context.get(key).cloned() else {
        context.missed(key);
        return Ok(Reply::Nil);
    };
    match wanted {
        Getex::Nothing => {
            context.read(key);
        }
        Getex::Persist if entry.deadline.get().is_some() => context.set_deadline(key, None),
        Getex::Persist => {}
        Getex::Expire(form, text) => {
            let deadline = form.deadline(text, context.now(), args.name())?;
            context.set_deadline(key, Some(deadline));
        }
    }
    Ok(Reply::Bulk(entry.value))
}

fn setnx(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key, value) = (args.word()?, args.word()?);
    let old = context.get(key).cloned();
    let free = old.is_none();
    if free {
        context.put_over(old, key, value, Write::LOCK)?;
    } else {
        context.refuse(key, old.as_ref());
    }
    Ok(free.into())
}

fn set_with_time(context: &mut Context<'_>, mut args: Args<'_>, form: TimeForm) -> Result<Reply, CommandError> {
    let (key, time, value) = (args.word()?, args.word()?, args.word()?);
    let deadline = form.deadline(time, context.now(), args.name())?;
    context.put(key, value, Write { deadline: Deadline::Set(Some(deadline)), ..Write::PLAIN })?;
    Ok(Reply::ok())
}

fn setex(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    set_with_time(context, args, TimeForm::Seconds)
}

fn psetex(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    set_with_time(context, args, TimeForm::Millis)
}

fn mget(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let mut values = Vec::with_capacity(args.left());
    while let Some(key) = args.next() {
        values.push(context.read(key).map_or(Reply::Nil, |entry| Reply::Bulk(entry.value)));
    }
    Ok(Reply::Array(values))
}

/// A key and its value.
type Pair<'a> = (&'a [u8], &'a [u8]);

/// Keys and values in turn.
fn pairs<'a>(args: &Args<'a>) -> Result<Vec<Pair<'a>>, CommandError> {
    let words = args.rest();
    if words.len() % 2 == 1 {
        return Err(args.arity_error());
    }
    Ok(words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

fn mset(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    let pairs = pairs(&args)?;
    context.reserve(pairs.iter().map(|(key, value)| (*key, value.len())))?;
    for (key, value) in pairs {
        context.put(key, value, Write::PLAIN)?;
    }
    Ok(Reply::ok())
}

/// Writes all pairs if all keys are missing, or all there; else tells of each key that stands in the way.
fn put_all(
    context: &mut Context<'_>,
    pairs: &[Pair<'_>],
    there: Option<bool>,
    write: Write,
) -> Result<bool, CommandError> {
    let in_the_way: Vec<&[u8]> = match there {
        Some(there) => pairs.iter().map(|(key, _)| *key).filter(|key| context.get(key).is_some() != there).collect(),
        None => Vec::new(),
    };
    for key in &in_the_way {
        let entry = context.get(key).cloned();
        context.refuse(key, entry.as_ref());
    }
    if in_the_way.is_empty() {
        context.reserve(pairs.iter().map(|(key, value)| (*key, value.len())))?;
        for (key, value) in pairs {
            context.put(key, value, write)?;
        }
    }
    Ok(in_the_way.is_empty())
}

fn msetnx(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    let pairs = pairs(&args)?;
    Ok(put_all(context, &pairs, Some(false), Write::LOCK)?.into())
}

fn msetex(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let number = integer(args.word()?).ok().filter(|number| (1..=i64::from(i32::MAX)).contains(number));
    let number = number.ok_or_else(|| CommandError::other("invalid numkeys value"))? as usize;
    if args.left() / 2 < number {
        return Err(CommandError::other("wrong number of key-value pairs"));
    }
    let mut pairs = Vec::with_capacity(number);
    for _ in 0..number {
        pairs.push((args.word()?, args.word()?));
    }
    let (mut there, mut expire, mut keep) = (None, None::<(TimeForm, &[u8])>, false);
    while let Some(name) = args.option() {
        match (name, TimeForm::named(name)) {
            (option::NX, _) if there != Some(true) => there = Some(false),
            (option::XX, _) if there != Some(false) => there = Some(true),
            (option::KEEPTTL, _) if expire.is_none() => keep = true,
            (_, Some(form)) if !keep && expire.is_none_or(|(earlier, _)| earlier == form) => {
                expire = Some((form, args.value()?));
            }
            _ => return Err(CommandError::Syntax),
        }
    }
    let deadline = expire.map(|(form, text)| form.deadline(text, context.now(), args.name())).transpose()?;
    let write = Write {
        deadline: if keep { Deadline::Keep } else { Deadline::Set(deadline) },
        lock: there == Some(false),
        by_token: false,
    };
    if deadline.is_some_and(|deadline| deadline <= context.now()) {
        // As with SET, a time that is past leaves nothing.
        let met = there.is_none_or(|there| pairs.iter().all(|(key, _)| context.get(key).is_some() == there));
        if met {
            for (key, _) in &pairs {
                context.touch(key);
                context.delete(key, false);
            }
        }
        return Ok(met.into());
    }
    Ok(put_all(context, &pairs, there, write)?.into())
}

fn append(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key, tail) = (args.word()?, args.word()?);
    let Some(old) = context.get(key).map(|entry| entry.value.clone()) else {
        context.put(key, tail, Write::CHANGE)?;
        return Ok(tail.len().into());
    };
    if old.len() + tail.len() > MAX_STRING {
        return Err(CommandError::TooLong);
    }
    context.reserve([(key, old.len() + tail.len())])?;
    let value = [&old, tail].concat();
    context.put_as(key, &value, Write::CHANGE, Form::Raw)?;
    Ok(value.len().into())
}

fn strlen(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    Ok(context.read(args.word()?).map_or(0, |entry| entry.value.len()).into())
}

fn getrange(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let (start, end) = (args.integer()?, args.integer()?);
    let value = context.read(key).map_or_else(Bytes::default, |entry| entry.value);
    let length = value.len() as i64;
    if start < 0 && end < 0 && start > end {
        return Ok(Reply::bulk(""));
    }
    let from_end = |at: i64| if at < 0 { at.saturating_add(length).max(0) } else { at };
    let (start, end) = (from_end(start), from_end(end).min(length - 1));
    if start > end || length == 0 {
        return Ok(Reply::bulk(""));
    }
    Ok(Reply::bulk(&value[start as usize..=end as usize]))
}

fn setrange(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key, offset, part) = (args.word()?, args.integer()?, args.word()?);
    if offset < 0 {
        return Err(CommandError::other("offset is out of range"));
    }
    // Where a machine word is shorter than the number, it is too long anyway.
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let old = context.get(key).map_or_else(Bytes::default, |entry| entry.value.clone());
    if part.is_empty() {
        return Ok(old.len().into());
    }
    if offset.saturating_add(part.len()) > MAX_STRING {
        return Err(CommandError::TooLong);
    }
    context.reserve([(key, old.len().max(offset + part.len()))])?;
    let mut value = old.to_vec();
    value.resize(value.len().max(offset + part.len()), 0);
    value[offset..offset + part.len()].copy_from_slice(part);
    context.put_as(key, &value, Write::CHANGE, Form::Raw)?;
    Ok(value.len().into())
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "GET key",
        summary: "Read a value",
        since: "1.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET greeting hello", "OK"), ("GET greeting", "\"hello\""), ("GET nobody", "(nil)")]),
        run: Run::Handler(get),
    },
    Spec {
        syntax: "MGET key [key ...]",
        summary: "Read several values",
        since: "1.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, -1, 1),
        examples: later!(&[("SET a 1", "OK"), ("MGET a nobody", "1) \"1\"\n2) (nil)")]),
        run: Run::Handler(mget),
    },
    Spec {
        syntax: "GETDEL key",
        summary: "Read a value and delete its key",
        since: "6.2.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a 1", "OK"), ("GETDEL a", "\"1\""), ("GETDEL a", "(nil)")]),
        run: Run::Handler(getdel),
    },
    Spec {
        syntax: "GETEX key [EX seconds | PX milliseconds | EXAT unix-seconds | PXAT unix-milliseconds | PERSIST]",
        summary: "Read a value and move its deadline",
        since: "6.2.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a 1", "OK"), ("GETEX a PX 30000", "\"1\""), ("PTTL a", "(integer) 30000")]),
        run: Run::Handler(getex),
    },
    Spec {
        syntax: "GETSET key value",
        summary: "Write a value and read the one before; SET with GET does more",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("GETSET a 1", "(nil)"), ("GETSET a 2", "\"1\"")]),
        run: Run::Handler(getset),
    },
    Spec {
        syntax: "SETNX key value",
        summary: "Write a value only if there is none, without a deadline: SET with NX and PX does both at once",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SETNX lock:a tok-1", "(integer) 1"),
            ("SETNX lock:a tok-2", "(integer) 0"),
            ("TTL lock:a", "(integer) -1"),
        ]),
        run: Run::Handler(setnx),
    },
    Spec {
        syntax: "SETEX key seconds value",
        summary: "Write a value that expires, in seconds",
        since: "2.0.0",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SETEX a 10 1", "OK"), ("TTL a", "(integer) 10")]),
        run: Run::Handler(setex),
    },
    Spec {
        syntax: "PSETEX key milliseconds value",
        summary: "Write a value that expires, in milliseconds",
        since: "2.6.0",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("PSETEX a 1500 1", "OK"), ("PTTL a", "(integer) 1500")]),
        run: Run::Handler(psetex),
    },
    Spec {
        syntax: "MSET key value [key value ...]",
        summary: "Write several values",
        since: "1.0.1",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, -1, 2),
        examples: later!(&[("MSET a 1 b 2", "OK"), ("GET b", "\"2\"")]),
        run: Run::Handler(mset),
    },
    Spec {
        syntax: "MSETNX key value [key value ...]",
        summary: "Write several values only if none of the keys is there",
        since: "1.0.1",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, -1, 2),
        examples: later!(&[("MSETNX a 1 b 2", "(integer) 1"), ("MSETNX b 3 c 4", "(integer) 0")]),
        run: Run::Handler(msetnx),
    },
    Spec {
        syntax: "MSETEX numkeys key value [key value ...] [NX | XX] \
                 [EX seconds | PX milliseconds | EXAT unix-seconds | PXAT unix-milliseconds | KEEPTTL]",
        summary: "Write several values, all or none, with one deadline: several locks at once",
        since: "8.4.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Movablekeys],
        keys: Keys::Counted,
        examples: later!(&[
            ("MSETEX 2 lock:a tok lock:b tok NX PX 30000", "(integer) 1"),
            ("MSETEX 2 lock:b tok lock:c tok NX PX 30000", "(integer) 0"),
            ("PTTL lock:b", "(integer) 30000"),
        ]),
        run: Run::Handler(msetex),
    },
    Spec {
        syntax: "APPEND key value",
        summary: "Add to the end of a value",
        since: "2.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("APPEND a hello", "(integer) 5"), ("APPEND a !", "(integer) 6"), ("GET a", "\"hello!\"")]),
        run: Run::Handler(append),
    },
    Spec {
        syntax: "STRLEN key",
        summary: "Read the length of a value in bytes",
        since: "2.2.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a hello", "OK"), ("STRLEN a", "(integer) 5")]),
        run: Run::Handler(strlen),
    },
    Spec {
        syntax: "GETRANGE key start end",
        summary: "Read a part of a value; negative offsets count from its end",
        since: "2.4.0",
        flags: &[Flag::Readonly],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a hello", "OK"), ("GETRANGE a 1 -2", "\"ell\"")]),
        run: Run::Handler(getrange),
    },
    Spec {
        syntax: "SUBSTR key start end",
        summary: "The old name of GETRANGE",
        since: "1.0.0",
        flags: &[Flag::Readonly],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a hello", "OK"), ("SUBSTR a 0 1", "\"he\"")]),
        run: Run::Handler(getrange),
    },
    Spec {
        syntax: "SETRANGE key offset value",
        summary: "Write over a part of a value, with zero bytes up to there",
        since: "2.2.0",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET a hello", "OK"), ("SETRANGE a 1 EL", "(integer) 5"), ("GET a", "\"hELlo\"")]),
        run: Run::Handler(setrange),
    },
];
