//! The connection and the server.

use super::{Args, Context, Spec};
use crate::engine::{CommandError, Reply};

fn ping(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let message = args.next();
    if args.left() > 0 {
        return Err(args.arity_error());
    }
    Ok(message.map_or_else(|| Reply::Status("PONG".to_owned()), Reply::bulk))
}

fn echo(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    Ok(Reply::bulk(args.word()?))
}

fn time(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    let now = context.now();
    let parts = [now / 1_000, now % 1_000 * 1_000];
    Ok(Reply::Array(parts.map(|part| Reply::bulk(part.to_string())).into()))
}

fn dbsize(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(context.engine().keyspace().len(context.now()).into())
}

fn flushall(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    match (args.left(), args.option().as_deref()) {
        (0, _) | (1, Some("SYNC" | "ASYNC")) => context.flush(),
        _ => return Err(CommandError::Syntax),
    }
    Ok(Reply::ok())
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "PING [message]",
        summary: "Ask whether the server is there",
        since: "1.0.0",
        examples: &[("PING", "PONG"), ("PING hello", "\"hello\"")],
        run: ping,
    },
    Spec {
        syntax: "ECHO message",
        summary: "Send a message back",
        since: "1.0.0",
        examples: &[("ECHO hello", "\"hello\"")],
        run: echo,
    },
    Spec {
        syntax: "TIME",
        summary: "Read the server's clock: Unix seconds, and microseconds of the second",
        since: "2.6.0",
        examples: &[("TIME", "1) \"1893456000\"\n2) \"0\"")],
        run: time,
    },
    Spec {
        syntax: "DBSIZE",
        summary: "Count all keys",
        since: "1.0.0",
        examples: &[("SET job done", "OK"), ("DBSIZE", "(integer) 1")],
        run: dbsize,
    },
    Spec {
        syntax: "FLUSHALL [ASYNC | SYNC]",
        summary: "Delete all keys",
        since: "1.0.0",
        examples: &[("SET job done", "OK"), ("FLUSHALL", "OK"), ("DBSIZE", "(integer) 0")],
        run: flushall,
    },
];
