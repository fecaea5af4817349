//! The lock core: SET with its conditions, DELEX and DIGEST.

use std::mem::discriminant;

use super::args::{OptionName, TimeForm, option};
use super::context::{Deadline, Write};
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context};
use crate::engine::{Bytes, CommandError, Entry, Reply, digest};
use crate::later::later;

/// A condition on the value that a key holds.
enum Condition<'a> {
    /// IFEQ: it is this.
    Equal(&'a [u8]),
    /// IFNE: it is not this.
    NotEqual(&'a [u8]),
    /// IFDEQ: its digest is this.
    DigestEqual(&'a [u8]),
    /// IFDNE: its digest is not this.
    DigestNotEqual(&'a [u8]),
}

impl<'a> Condition<'a> {
    /// The condition of that name, if there is one.
    fn named(name: OptionName, argument: &'a [u8]) -> Option<Self> {
        Some(match name {
            option::IFEQ => Self::Equal(argument),
            option::IFNE => Self::NotEqual(argument),
            option::IFDEQ => Self::DigestEqual(argument),
            option::IFDNE => Self::DigestNotEqual(argument),
            _ => return None,
        })
    }

    /// Whether a value meets it. A digest's length is looked at only here, when there is a value.
    fn holds(&self, value: &Bytes) -> Result<bool, CommandError> {
        match self {
            Self::Equal(expected) => Ok(value.is(expected)),
            Self::NotEqual(unwanted) => Ok(!value.is(unwanted)),
            Self::DigestEqual(expected) => digest::matches(value, expected),
            Self::DigestNotEqual(unwanted) => digest::matches(value, unwanted).map(|same| !same),
        }
    }

    /// Whether a missing key meets it.
    fn holds_for_none(&self) -> bool {
        matches!(self, Self::NotEqual(_) | Self::DigestNotEqual(_))
    }

    /// Whether meeting it proves that the client knew the value.
    fn names_the_value(&self) -> bool {
        matches!(self, Self::Equal(_) | Self::DigestEqual(_))
    }
}

/// A condition on a key's existence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Existence {
    /// NX: it must be missing.
    Missing,
    /// XX: it must be there.
    There,
}

/// The options of SET.
#[derive(Default)]
struct SetOptions<'a> {
    existence: Option<Existence>,
    condition: Option<Condition<'a>>,
    get: bool,
    keep_ttl: bool,
    expire: Option<(TimeForm, &'a [u8])>,
}

impl<'a> SetOptions<'a> {
    /// Reads the options as the server does: an option may stand twice and the last one counts; what contradicts an
    /// earlier one is an error, but NX does not look at IFEQ and its kin, so only `IFEQ … NX` passes, not `NX IFEQ …`.
    fn parse(args: &mut Args<'a>) -> Result<Self, CommandError> {
        let mut options = Self::default();
        while let Some(name) = args.option() {
            match name {
                option::NX if options.existence != Some(Existence::There) => {
                    options.existence = Some(Existence::Missing);
                }
                option::XX if options.existence != Some(Existence::Missing) => {
                    options.existence = Some(Existence::There);
                }
                option::GET => options.get = true,
                option::KEEPTTL if options.expire.is_none() => options.keep_ttl = true,
                _ => match TimeForm::named(name) {
                    Some(form) => options.set_expire(form, args)?,
                    None => options.set_condition(name, args)?,
                },
            }
        }
        Ok(options)
    }

    fn set_expire(&mut self, form: TimeForm, args: &mut Args<'a>) -> Result<(), CommandError> {
        if self.keep_ttl || self.expire.is_some_and(|(earlier, _)| earlier != form) {
            return Err(CommandError::Syntax);
        }
        self.expire = Some((form, args.value()?));
        Ok(())
    }

    fn set_condition(&mut self, name: OptionName, args: &mut Args<'a>) -> Result<(), CommandError> {
        let condition = Condition::named(name, args.value()?).ok_or(CommandError::Syntax)?;
        let differs = |earlier: &Condition<'_>| discriminant(earlier) != discriminant(&condition);
        if self.existence.is_some() || self.condition.as_ref().is_some_and(differs) {
            return Err(CommandError::Syntax);
        }
        self.condition = Some(condition);
        Ok(())
    }
}

fn set(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key, value) = (args.word()?, args.word()?);
    let options = SetOptions::parse(&mut args)?;
    let now = context.now();
    let deadline = options.expire.map(|(form, text)| form.deadline(text, now, args.name())).transpose()?;
    let old = context.get(key).cloned();
    let kept =
        |old: Option<&Entry>| old.filter(|_| options.get).map_or(Reply::Nil, |old| Reply::Bulk(old.value.clone()));

    let exists = old.is_some();
    if options.existence.is_some_and(|wanted| (wanted == Existence::There) != exists) {
        context.refuse(key, old.as_ref());
        return Ok(kept(old.as_ref()));
    }
    if let Some(condition) = &options.condition {
        let holds = match &old {
            Some(old) => condition.holds(&old.value)?,
            None => condition.holds_for_none(),
        };
        if !holds {
            context.wrong_token(key, old.as_ref());
            return Ok(kept(old.as_ref()));
        }
    }

    let reply = if options.get { kept(old.as_ref()) } else { Reply::ok() };
    let by_token = exists && options.condition.as_ref().is_some_and(Condition::names_the_value);
    if deadline.is_some_and(|deadline| deadline <= now) {
        // Only an absolute time can be past; the server then answers OK and leaves nothing.
        // It was written all the same, which whoever watches the key sees.
        context.touch(key);
        if exists {
            context.delete(key, by_token);
        }
    } else {
        let deadline = if options.keep_ttl { Deadline::Keep } else { Deadline::Set(deadline) };
        let lock = options.existence == Some(Existence::Missing) || options.condition.is_some();
        context.put_over(old, key, value, Write { deadline, lock, by_token })?;
    }
    Ok(reply)
}

fn digest_of(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    // The word SHA256 is this playground's own; anything else has one word too many, as on the real server.
    let hash = match (args.left(), args.option()) {
        (0, _) => digest::xxh3,
        (1, Some(option::SHA256)) => digest::sha256,
        _ => return Err(args.arity_error()),
    };
    Ok(context.read(key).map_or(Reply::Nil, |entry| Reply::bulk(hash(&entry.value))))
}

fn delex(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word()?;
    let Some(name) = args.option() else { return Ok(context.delete(key, false).into()) };
    let argument = args.word()?;
    if args.left() > 0 {
        return Err(args.arity_error());
    }
    // A missing key answers 0 before anybody looks at the condition.
    let Some(entry) = context.get(key).cloned() else {
        context.missed(key);
        return Ok(Reply::Integer(0));
    };
    let condition = Condition::named(name, argument)
        .ok_or_else(|| CommandError::Other("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE".to_owned()))?;
    let holds = condition.holds(&entry.value)?;
    if holds {
        context.delete_held(key, entry.holder, entry.lock, condition.names_the_value());
    } else {
        context.wrong_token(key, Some(&entry));
    }
    Ok(holds.into())
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "SET key value [NX | XX | IFEQ value | IFNE value | IFDEQ digest | IFDNE digest] [GET] \
                 [EX seconds | PX milliseconds | EXAT unix-seconds | PXAT unix-milliseconds | KEEPTTL]",
        summary: "Write a value; with NX and PX, take a lock that expires by itself",
        since: "1.0.0",
        flags: &[Flag::Write, Flag::Denyoom],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("SET lock:billing-run tok-b22c NX PX 30000", "(nil)"),
            ("SET lock:billing-run tok-a81f IFEQ tok-a81f PX 60000", "OK"),
            ("SET lock:billing-run tok-b22c IFEQ tok-b22c PX 60000", "(nil)"),
        ]),
        run: Run::Handler(set),
    },
    Spec {
        syntax: "DELEX key [IFEQ value | IFNE value | IFDEQ digest | IFDNE digest]",
        summary: "Delete a key only if its value, or the digest of it, is as said: the safe release",
        since: "8.4.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("DELEX lock:billing-run IFEQ tok-stale", "(integer) 0"),
            ("DELEX lock:billing-run IFEQ tok-a81f", "(integer) 1"),
        ]),
        run: Run::Handler(delex),
    },
    Spec {
        syntax: "DIGEST key [SHA256]",
        summary: "Read the XXH3 digest of a value, 16 hex digits; with SHA256, which only HotKV has, 64",
        since: "8.4.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::Range(1, 1, 1),
        examples: later!(&[
            ("SET page \"Hello world\"", "OK"),
            ("DIGEST page", "\"b6acb9d84a38ff74\""),
            ("DELEX page IFDEQ b6acb9d84a38ff74", "(integer) 1"),
        ]),
        run: Run::Handler(digest_of),
    },
];
