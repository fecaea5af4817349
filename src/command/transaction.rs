//! Transactions: commands that wait for EXEC, and keys that are watched. The optimistic release of old.

use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context, may_need_memory, run, with_words};
use crate::engine::{CommandError, Reply, Transaction, sorted, watch_cost};
use crate::later::later;

fn multi(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    if context.client().transaction.is_some() {
        return Err(CommandError::other("MULTI calls can not be nested"));
    }
    context.client_mut().transaction = Some(Transaction::default());
    Ok(Reply::ok())
}

fn exec(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    // A watched key that is past its deadline was touched, swept or not.
    if !context.engine().is_swept() {
        for (db, key) in sorted(context.client().watched.iter().cloned()) {
            context.in_database(db, |context| context.expire(&key));
        }
    }
    let dirty = context.client().dirty;
    let Some(Transaction { queue, broken, .. }) = context.client_mut().transaction.take() else {
        return Err(CommandError::other("EXEC without MULTI"));
    };
    context.unwatch();
    if broken {
        let text = "EXECABORT Transaction discarded because of previous errors.";
        return Err(CommandError::Other(text.to_owned()));
    }
    if dirty {
        return Ok(Reply::NilArray);
    }
    if context.is_overdrawn() && queue.iter().any(|argv| may_need_memory(argv)) {
        let text = format!("EXECABORT Transaction discarded because of: {}", CommandError::OutOfMemory);
        return Err(CommandError::Other(text));
    }
    let mut size = 0_usize;
    let replies = queue.iter().map(|argv| {
        let reply = with_words(argv.iter().map(Vec::as_slice), |argv| run(context, argv)).unwrap_or_else(Reply::from);
        size = size.saturating_add(reply.size());
        // Short commands can ask for a long value again and again, and their replies wait for each other.
        if context.engine().can_spare(size) {
            reply
        } else {
            CommandError::other("the replies of this transaction take more memory than there is").into()
        }
    });
    Ok(Reply::Array(replies.collect()))
}

fn discard(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    if context.client_mut().transaction.take().is_none() {
        return Err(CommandError::other("DISCARD without MULTI"));
    }
    context.unwatch();
    Ok(Reply::ok())
}

fn watch(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    if context.client().transaction.is_some() {
        return Err(CommandError::other("WATCH inside MULTI is not allowed"));
    }
    let db = context.db();
    while let Some(key) = args.next() {
        context.expire(key);
        context.reserve_bytes(watch_cost(key))?;
        context.client_mut().watch(db, key);
    }
    Ok(Reply::ok())
}

fn unwatch(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    context.unwatch();
    Ok(Reply::ok())
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "MULTI",
        summary: "Begin a transaction: what follows waits for EXEC",
        since: "1.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[
            ("MULTI", "OK"),
            ("SET lock:a tok NX PX 30000", "QUEUED"),
            ("INCR lock:a:fence", "QUEUED"),
            ("EXEC", "1) OK\n2) (integer) 1"),
        ]),
        run: Run::Handler(multi),
    },
    Spec {
        syntax: "EXEC",
        summary: "Run what waits, at one instant; nil when a watched key was touched",
        since: "1.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[
            ("WATCH lock:a", "OK"),
            ("B> SET lock:a tok", "OK"),
            ("MULTI", "OK"),
            ("DEL lock:a", "QUEUED"),
            ("EXEC", "(nil)"),
        ]),
        run: Run::Handler(exec),
    },
    Spec {
        syntax: "DISCARD",
        summary: "Drop what waits, and all watches",
        since: "2.0.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("MULTI", "OK"), ("DEL a", "QUEUED"), ("DISCARD", "OK")]),
        run: Run::Handler(discard),
    },
    Spec {
        syntax: "WATCH key [key ...]",
        summary: "Make the next EXEC do nothing if one of these keys is touched until then",
        since: "2.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::Range(1, -1, 1),
        examples: later!(&[("WATCH a", "OK"), ("MULTI", "OK"), ("EXEC", "(empty array)")]),
        run: Run::Handler(watch),
    },
    Spec {
        syntax: "UNWATCH",
        summary: "Watch nothing any more",
        since: "2.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("WATCH a", "OK"), ("UNWATCH", "OK")]),
        run: Run::Handler(unwatch),
    },
];
