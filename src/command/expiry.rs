//! Deadlines: how long a key still lives, and how that is moved.

use super::args::{OptionName, TimeForm, option};
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context};
use crate::engine::{CommandError, Millis, Reply};
use crate::later::later;

/// The conditions of EXPIRE and its kin.
#[derive(Clone, Copy, Default)]
struct Flags {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

impl Flags {
    fn parse(args: &mut Args<'_>) -> Result<Self, CommandError> {
        let mut flags = Self::default();
        while let Some(word) = args.next() {
            match OptionName::new(word) {
                option::NX => flags.nx = true,
                option::XX => flags.xx = true,
                option::GT => flags.gt = true,
                option::LT => flags.lt = true,
                _ => return Err(CommandError::UnsupportedOption(super::shown(word, word.len()))),
            }
        }
        if flags.nx && (flags.xx || flags.gt || flags.lt) {
            Err(CommandError::ExpireNx)
        } else if flags.gt && flags.lt {
            Err(CommandError::ExpireGtLt)
        } else {
            Ok(flags)
        }
    }

    /// Whether the deadline may move. A key without one lives longer than any deadline.
    fn allow(self, current: Option<Millis>, new: Millis) -> bool {
        !(self.nx && current.is_some()
            || self.xx && current.is_none()
            || self.gt && current.is_none_or(|current| new <= current)
            || self.lt && current.is_some_and(|current| new >= current))
    }
}

/// EXPIRE and its kin. Negative times are in the past and delete.
fn expire(context: &mut Context<'_>, mut args: Args<'_>, form: TimeForm) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let mut options = args.clone();
    let _number = options.word()?;
    let flags = Flags::parse(&mut options)?;
    let deadline = args
        .integer()?
        .checked_mul(form.unit())
        .and_then(|deadline| deadline.checked_add(form.origin(context.now())))
        .ok_or_else(|| CommandError::InvalidExpire(args.name().to_owned()))?;
    let Some(current) = context.get(key).map(|entry| entry.deadline.get()) else {
        context.missed(key);
        return Ok(Reply::Integer(0));
    };
    let allowed = flags.allow(current, deadline);
    if allowed {
        context.set_deadline(key, Some(deadline));
    }
    Ok(allowed.into())
}

fn expire_seconds(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    expire(context, args, TimeForm::Seconds)
}

fn pexpire(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    expire(context, args, TimeForm::Millis)
}

fn expireat(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    expire(context, args, TimeForm::UnixSeconds)
}

fn pexpireat(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    expire(context, args, TimeForm::UnixMillis)
}

/// Answers about a deadline: -2 without a key, -1 without a deadline, else what `tell` makes of it.
fn look(
    context: &mut Context<'_>,
    mut args: Args<'_>,
    tell: impl Fn(Millis, Millis) -> Millis,
) -> Result<Reply, CommandError> {
    let entry = context.read(args.word()?);
    Ok(Reply::Integer(match entry.map(|entry| entry.deadline.get()) {
        None => -2,
        Some(None) => -1,
        Some(Some(deadline)) => tell(deadline, context.now()),
    }))
}

/// Whole seconds, rounded to the nearest as the server does.
fn to_seconds(ms: Millis) -> Millis {
    ms.saturating_add(500) / 1_000
}

fn ttl(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    look(context, args, |deadline, now| to_seconds(deadline - now))
}

fn pttl(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    look(context, args, |deadline, now| deadline - now)
}

fn expiretime(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    look(context, args, |deadline, _| to_seconds(deadline))
}

fn pexpiretime(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    look(context, args, |deadline, _| deadline)
}

fn persist(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let Some(entry) = context.get(key) else {
        context.missed(key);
        return Ok(Reply::Integer(0));
    };
    let had_deadline = entry.deadline.get().is_some();
    if had_deadline {
        context.set_deadline(key, None);
    }
    Ok(had_deadline.into())
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "PTTL key",
        summary: "Read the time left in milliseconds; -1 without a deadline, -2 without a key",
        since: "2.6.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("CLOCK ADVANCE 12s", "(integer) 1893456012000"),
            ("PTTL lock:billing-run", "(integer) 18000"),
            ("PTTL nobody", "(integer) -2"),
        ]),
        run: Run::Handler(pttl),
    },
    Spec {
        syntax: "TTL key",
        summary: "Read the time left in seconds, rounded; -1 without a deadline, -2 without a key",
        since: "1.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET job done EX 10", "OK"), ("TTL job", "(integer) 10")]),
        run: Run::Handler(ttl),
    },
    Spec {
        syntax: "PEXPIRE key milliseconds [NX | XX | GT | LT]",
        summary: "Set the time left in milliseconds, whoever holds the key",
        since: "2.6.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("PEXPIRE lock:billing-run 60000", "(integer) 1"),
            ("PEXPIRE lock:billing-run 30000 GT", "(integer) 0"),
        ]),
        run: Run::Handler(pexpire),
    },
    Spec {
        syntax: "EXPIRE key seconds [NX | XX | GT | LT]",
        summary: "Set the time left in seconds",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET job done", "OK"),
            ("EXPIRE job 10", "(integer) 1"),
            ("EXPIRE nobody 10", "(integer) 0")
        ]),
        run: Run::Handler(expire_seconds),
    },
    Spec {
        syntax: "PEXPIREAT key unix-milliseconds [NX | XX | GT | LT]",
        summary: "Set the deadline as Unix milliseconds",
        since: "2.6.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET job done", "OK"),
            ("PEXPIREAT job 1893456010000", "(integer) 1"),
            ("PTTL job", "(integer) 10000"),
        ]),
        run: Run::Handler(pexpireat),
    },
    Spec {
        syntax: "EXPIREAT key unix-seconds [NX | XX | GT | LT]",
        summary: "Set the deadline as Unix seconds",
        since: "1.2.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET job done", "OK"),
            ("EXPIREAT job 1893456010", "(integer) 1"),
            ("TTL job", "(integer) 10")
        ]),
        run: Run::Handler(expireat),
    },
    Spec {
        syntax: "PEXPIRETIME key",
        summary: "Read the deadline as Unix milliseconds; -1 without one, -2 without a key",
        since: "7.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET job done PX 1500", "OK"), ("PEXPIRETIME job", "(integer) 1893456001500")]),
        run: Run::Handler(pexpiretime),
    },
    Spec {
        syntax: "EXPIRETIME key",
        summary: "Read the deadline as Unix seconds, rounded; -1 without one, -2 without a key",
        since: "7.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET job done EX 10", "OK"), ("EXPIRETIME job", "(integer) 1893456010")]),
        run: Run::Handler(expiretime),
    },
    Spec {
        syntax: "PERSIST key",
        summary: "Drop the deadline, so that the key lives for ever",
        since: "2.2.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[("SET job done EX 10", "OK"), ("PERSIST job", "(integer) 1"), ("TTL job", "(integer) -1")]),
        run: Run::Handler(persist),
    },
];
