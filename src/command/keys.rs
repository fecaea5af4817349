//! Keys as such: are they there, which are there, and away with them.

use super::{Args, Context, Spec};
use crate::engine::{CommandError, Reply, glob};

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
    Ok(Reply::Status(if there { "string" } else { "none" }.to_owned()))
}

fn keys(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let pattern = args.word()?;
    let now = context.now();
    let fitting = context.engine().keyspace().iter(now).map(|(key, _)| key).filter(|key| glob::matches(pattern, key));
    Ok(Reply::Array(fitting.map(|key| Reply::Bulk(key.clone())).collect()))
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "DEL key [key ...]",
        summary: "Delete keys, whoever holds them: no safe release",
        since: "1.0.0",
        examples: &[
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("DEL lock:billing-run nobody", "(integer) 1"),
        ],
        run: del,
    },
    Spec {
        syntax: "EXISTS key [key ...]",
        summary: "Count the keys that are there",
        since: "1.0.0",
        examples: &[("SET job done", "OK"), ("EXISTS job nobody job", "(integer) 2")],
        run: exists,
    },
    Spec {
        syntax: "TYPE key",
        summary: "Read the kind of value that a key holds",
        since: "1.0.0",
        examples: &[("SET job done", "OK"), ("TYPE job", "string"), ("TYPE nobody", "none")],
        run: kind,
    },
    Spec {
        syntax: "KEYS pattern",
        summary: "List the keys that fit a pattern, in byte order",
        since: "1.0.0",
        examples: &[
            ("SET lock:b 1", "OK"),
            ("SET lock:a 1", "OK"),
            ("KEYS lock:*", "1) \"lock:a\"\n2) \"lock:b\""),
            ("KEYS x*", "(empty array)"),
        ],
        run: keys,
    },
];
