//! Counters: strings that are numbers.

use super::args::integer;
use super::context::Write;
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context, float};
use crate::engine::{CommandError, Form, Reply};
use crate::later::later;

/// Adds to a counter; a missing key counts as 0, and the deadline stays.
fn add(context: &mut Context<'_>, key: &[u8], amount: i64) -> Result<Reply, CommandError> {
    let current = context.get(key).map_or(Ok(0), |entry| integer(&entry.value))?;
    let sum = current.checked_add(amount).ok_or(CommandError::Overflow)?;
    context.put(key, sum.to_string().as_bytes(), Write::CHANGE)?;
    Ok(Reply::Integer(sum))
}

fn incr(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    add(context, args.word()?, 1)
}

fn decr(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    add(context, args.word()?, -1)
}

fn incrby(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    add(context, key, args.integer()?)
}

fn decrby(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let amount = args.integer()?.checked_neg().ok_or(CommandError::DecrementOverflow)?;
    add(context, key, amount)
}

fn incrbyfloat(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key, amount) = (args.word()?, args.word()?);
    let current = context.get(key).map_or_else(|| b"0".as_slice().into(), |entry| entry.value.clone());
    let sum = float::add(&current, amount)?;
    // The server keeps it as text, even where it is a whole number.
    context.put_as(key, sum.as_bytes(), Write::CHANGE, Form::of(key, sum.as_bytes(), false))?;
    Ok(Reply::bulk(sum))
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "INCR key",
        summary: "Add one to a counter",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("INCR runs", "(integer) 1"), ("INCR runs", "(integer) 2")]),
        run: Run::Handler(incr),
    },
    Spec {
        syntax: "DECR key",
        summary: "Take one from a counter",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("DECR stock", "(integer) -1")]),
        run: Run::Handler(decr),
    },
    Spec {
        syntax: "INCRBY key increment",
        summary: "Add to a counter",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("INCRBY runs 10", "(integer) 10")]),
        run: Run::Handler(incrby),
    },
    Spec {
        syntax: "DECRBY key decrement",
        summary: "Take from a counter",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("DECRBY stock 3", "(integer) -3")]),
        run: Run::Handler(decrby),
    },
    Spec {
        syntax: "INCRBYFLOAT key increment",
        summary: "Add a fraction to a number",
        since: "2.6.0",
        flags: &[Flag::Write, Flag::Denyoom, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET price 10.50", "OK"), ("INCRBYFLOAT price 0.1", "\"10.6\"")]),
        run: Run::Handler(incrbyfloat),
    },
];
