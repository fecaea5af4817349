//! The server as a whole: its clock, its databases, its settings, and who sees what.

use std::fmt::Write;

use super::args::{integer, option};
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context, SERVER_VERSION, shown, until_nul};
use crate::engine::{CommandError, DATABASES, Reply, glob, parse_size, sorted};
use crate::later::later;

fn time(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    let now = context.now();
    let parts = [now / 1_000, now % 1_000 * 1_000];
    Ok(Reply::Array(parts.map(|part| Reply::bulk(part.to_string())).into()))
}

fn dbsize(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(context.keyspace().len(context.now()).into())
}

/// The one word that FLUSHDB and FLUSHALL may have.
fn check_flush(mut args: Args<'_>) -> Result<(), CommandError> {
    match (args.left(), args.option()) {
        (0, _) | (1, Some(option::SYNC | option::ASYNC)) => Ok(()),
        _ => Err(CommandError::Syntax),
    }
}

fn flushdb(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    check_flush(args)?;
    context.flush();
    Ok(Reply::ok())
}

fn flushall(context: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    check_flush(args)?;
    for db in 0..DATABASES {
        context.in_database(db, Context::flush);
    }
    Ok(Reply::ok())
}

fn swapdb(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let mut number = |place: &str| {
        let number = integer(args.word()?).ok().and_then(|number| i32::try_from(number).ok());
        number.ok_or_else(|| CommandError::other(format!("invalid {place} DB index")))
    };
    let (a, b) = (number("first")?, number("second")?);
    let database =
        |number: i32| usize::try_from(number).ok().filter(|number| *number < DATABASES).ok_or(CommandError::NoDatabase);
    let (a, b) = (database(a)?, database(b)?);
    if a != b {
        context.swap(a, b);
    }
    Ok(Reply::ok())
}

fn monitor(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    context.client_mut().monitor = true;
    Ok(Reply::ok())
}

fn info(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    const ALL: [&str; 5] = ["server", "clients", "memory", "stats", "keyspace"];
    let mut wanted = Vec::new();
    while let Some(word) = args.next() {
        wanted.push(shown(word, word.len()).to_ascii_lowercase());
    }
    let everything =
        wanted.is_empty() || wanted.iter().any(|word| matches!(word.as_str(), "all" | "default" | "everything"));
    let now = context.now();
    let mut sections = Vec::new();
    for name in ALL.into_iter().filter(|name| everything || wanted.iter().any(|word| word == name)) {
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = match name {
            "server" => write!(
                text,
                "# Server\r\nredis_version:{SERVER_VERSION}\r\nredis_mode:standalone\r\nhotkv_version:{}\r\n\
                 server_time_usec:{}\r\n",
                env!("CARGO_PKG_VERSION"),
                now.saturating_mul(1_000)
            ),
            "clients" => {
                write!(text, "# Clients\r\nconnected_clients:{}\r\n", context.engine().connected())
            }
            "memory" => write!(
                text,
                "# Memory\r\nused_memory:{}\r\nmaxmemory:{}\r\nmaxmemory_policy:noeviction\r\n",
                context.engine().used_memory(),
                context.engine().max_memory()
            ),
            "stats" => {
                let (active, lazy) = context.engine().expired_keys();
                write!(text, "# Stats\r\nexpired_keys:{}\r\nexpired_keys_active:{active}\r\n", active + lazy)
            }
            _ => {
                text.push_str("# Keyspace\r\n");
                (0..DATABASES).try_for_each(|db| {
                    let keys = context.engine().database(db);
                    let (count, expires) = (
                        keys.len(now),
                        keys.unordered(now).filter(|(_, entry)| entry.deadline.get().is_some()).count(),
                    );
                    if count == 0 { Ok(()) } else { write!(text, "db{db}:keys={count},expires={expires}\r\n") }
                })
            }
        };
        sections.push(text);
    }
    Ok(Reply::Text(sections.join("\r\n")))
}

/// The settings that clients ask for when they start. None can be changed: each says how this engine is. Beside them
/// stand maxmemory, of which the shell chose the most, and [`KEPT`].
const SETTINGS: [(&str, &str); 8] = [
    ("appendonly", "no"),
    ("databases", "16"),
    ("lfu-decay-time", "1"),
    ("maxmemory-policy", "noeviction"),
    ("notify-keyspace-events", ""),
    ("proto-max-bulk-len", "536870912"),
    ("save", ""),
    ("timeout", "0"),
];

/// Settings of data types that are not here: kept and told, so that what sets them up for a test goes on.
const KEPT: [(&str, &str); 5] = [
    ("hash-max-listpack-entries", "512"),
    ("hash-max-ziplist-entries", "512"),
    ("list-max-listpack-size", "-2"),
    ("zset-max-listpack-entries", "128"),
    ("zset-max-ziplist-entries", "128"),
];

/// All settings by name.
fn settings(context: &Context<'_>) -> Vec<(&'static str, String)> {
    let mut settings: Vec<_> = SETTINGS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    settings.push(("maxmemory", context.engine().max_memory().to_string()));
    settings.extend(KEPT.iter().map(|(name, usual)| {
        let changed = context.engine().settings().iter().find(|(known, _)| known == name);
        (*name, changed.map_or_else(|| (*usual).to_owned(), |(_, value)| String::from_utf8_lossy(value).into_owned()))
    }));
    sorted(settings)
}

fn config_get(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let settings = settings(context);
    let mut shown: Vec<(&str, Reply, Reply)> = Vec::new();
    while let Some(pattern) = args.next() {
        // A name without a wildcard comes back as it was typed.
        let literal = !pattern.iter().any(|byte| b"*?[".contains(byte));
        let lower = if literal { pattern } else { until_nul(pattern) }.to_ascii_lowercase();
        for (name, value) in settings.iter().filter(|(name, _)| glob::matches(&lower, name.as_bytes())) {
            if !shown.iter().any(|(known, ..)| known == name) {
                let typed = if literal { Reply::bulk(pattern) } else { Reply::bulk(name) };
                shown.push((name, typed, Reply::bulk(value)));
            }
        }
    }
    let pairs = shown.into_iter().map(|(_, name, value)| (name, value)).collect();
    Ok(Reply::pairs(context.protocol(), pairs))
}

fn config_set(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    if args.left() % 2 == 1 {
        return Err(CommandError::Syntax);
    }
    let settings = settings(context);
    let (mut refused, mut memory, mut kept) = (None, None, Vec::new());
    while let Some(name) = args.next() {
        let value = args.word()?;
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let found = settings.iter().find(|(known, _)| is(known));
        let name = shown(name, name.len());
        let Some((known, current)) = found else {
            let text = format!("Unknown option or number of arguments for CONFIG SET - '{name}'");
            return Err(CommandError::other(text));
        };
        let found = KEPT.iter().find(|(kept, _)| kept == known);
        if let Some((known, _)) = found {
            match integer(value) {
                Ok(_) => kept.push((*known, value)),
                Err(_) => refused = refused.or(Some((name, "argument couldn't be parsed into an integer"))),
            }
        } else if *known == "maxmemory" {
            match std::str::from_utf8(until_nul(value))
                .ok()
                .and_then(parse_size)
                .filter(|bytes| context.engine().can_spare(*bytes))
            {
                Some(bytes) => memory = Some(bytes),
                None => {
                    refused = refused.or(Some((name, "argument must be a memory value that this server can spare")));
                }
            }
        } else if current.as_bytes() != value {
            refused = refused.or(Some((name, "can't set immutable config")));
        }
    }
    // All or nothing.
    if let Some((name, why)) = refused {
        let text = format!("CONFIG SET failed (possibly related to argument '{name}') - {why}");
        return Err(CommandError::other(text));
    }
    if let Some(bytes) = memory {
        context.engine_mut().set_max_memory(bytes);
    }
    for (name, value) in kept {
        context.engine_mut().set(name, value);
    }
    Ok(Reply::ok())
}

/// Of what a server has that keeps functions, there is nothing to throw away here.
fn function_flush(_: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    if args.left() > 1 {
        let text = "unknown subcommand or wrong number of arguments for 'FLUSH'. Try FUNCTION HELP.";
        return Err(CommandError::other(text));
    }
    check_flush(args).map_err(|_| CommandError::other("FUNCTION FLUSH only supports SYNC|ASYNC option"))?;
    Ok(Reply::ok())
}

/// Of what a server has that keeps scripts, there is nothing to throw away here either.
fn script_flush(_: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    check_flush(args).map_err(|_| CommandError::other("SCRIPT FLUSH only support SYNC|ASYNC option"))?;
    Ok(Reply::ok())
}

fn config_resetstat(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    context.engine_mut().reset_counts();
    Ok(Reply::ok())
}

const FUNCTION: &[Spec] = &[Spec {
    syntax: "FUNCTION FLUSH [ASYNC | SYNC]",
    summary: "Delete all functions, of which this server has none",
    since: "7.0.0",
    flags: &[Flag::Write, Flag::Noscript],
    keys: Keys::None,
    examples: later!(&[("FUNCTION FLUSH", "OK")]),
    run: Run::Handler(function_flush),
}];

const SCRIPT: &[Spec] = &[Spec {
    syntax: "SCRIPT FLUSH [ASYNC | SYNC]",
    summary: "Delete all scripts, of which this server has none",
    since: "2.6.0",
    flags: &[Flag::Noscript],
    keys: Keys::None,
    examples: later!(&[("SCRIPT FLUSH", "OK")]),
    run: Run::Handler(script_flush),
}];

const CONFIG: &[Spec] = &[
    Spec {
        syntax: "CONFIG RESETSTAT",
        summary: "Count keys that expire anew",
        since: "2.0.0",
        flags: &[Flag::Admin, Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CONFIG RESETSTAT", "OK")]),
        run: Run::Handler(config_resetstat),
    },
    Spec {
        syntax: "CONFIG GET parameter [parameter ...]",
        summary: "Read settings by pattern",
        since: "2.0.0",
        flags: &[Flag::Admin, Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CONFIG GET databases", "1) \"databases\"\n2) \"16\"")]),
        run: Run::Handler(config_get),
    },
    Spec {
        syntax: "CONFIG SET parameter value [parameter value ...]",
        summary: "Change settings: maxmemory, as far as there is memory; all others stay as they are",
        since: "2.0.0",
        flags: &[Flag::Admin, Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CONFIG SET appendonly no", "OK")]),
        run: Run::Handler(config_set),
    },
];

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "TIME",
        summary: "Read the server's clock: Unix seconds, and microseconds of the second",
        since: "2.6.0",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("TIME", "1) \"1893456000\"\n2) \"0\"")]),
        run: Run::Handler(time),
    },
    Spec {
        syntax: "DBSIZE",
        summary: "Count the keys of this database",
        since: "1.0.0",
        flags: &[Flag::Readonly, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("SET job done", "OK"), ("DBSIZE", "(integer) 1")]),
        run: Run::Handler(dbsize),
    },
    Spec {
        syntax: "FLUSHDB [ASYNC | SYNC]",
        summary: "Delete all keys of this database",
        since: "1.0.0",
        flags: &[Flag::Write],
        keys: Keys::None,
        examples: later!(&[("SET job done", "OK"), ("FLUSHDB", "OK"), ("DBSIZE", "(integer) 0")]),
        run: Run::Handler(flushdb),
    },
    Spec {
        syntax: "FLUSHALL [ASYNC | SYNC]",
        summary: "Delete all keys",
        since: "1.0.0",
        flags: &[Flag::Write],
        keys: Keys::None,
        examples: later!(&[("SET job done", "OK"), ("FLUSHALL", "OK"), ("DBSIZE", "(integer) 0")]),
        run: Run::Handler(flushall),
    },
    Spec {
        syntax: "SWAPDB index1 index2",
        summary: "Swap two databases for everybody",
        since: "4.0.0",
        flags: &[Flag::Write, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("SET a 1", "OK"), ("SWAPDB 0 1", "OK"), ("GET a", "(nil)")]),
        run: Run::Handler(swapdb),
    },
    Spec {
        syntax: "MONITOR",
        summary: "See what every client sends from now on",
        since: "1.0.0",
        flags: &[Flag::Admin, Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("MONITOR", "OK")]),
        run: Run::Handler(monitor),
    },
    Spec {
        syntax: "INFO [section ...]",
        summary: "Describe the server: sections server, clients, memory, stats and keyspace",
        since: "1.0.0",
        flags: &[Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[
            ("SET a 1 PX 100", "OK"),
            ("INFO keyspace", "\"# Keyspace\\r\\ndb0:keys=1,expires=1\\r\\n\"")
        ]),
        run: Run::Handler(info),
    },
    Spec {
        syntax: "CONFIG subcommand [argument ...]",
        summary: "Look at settings",
        since: "2.0.0",
        flags: &[],
        keys: Keys::None,
        examples: later!(&[("CONFIG GET maxmemory-policy", "1) \"maxmemory-policy\"\n2) \"noeviction\"")]),
        run: Run::Container(CONFIG),
    },
    Spec {
        syntax: "FUNCTION subcommand [argument ...]",
        summary: "Ask a server that may have functions",
        since: "7.0.0",
        flags: &[],
        keys: Keys::None,
        examples: later!(&[("FUNCTION FLUSH", "OK")]),
        run: Run::Container(FUNCTION),
    },
    Spec {
        syntax: "SCRIPT subcommand [argument ...]",
        summary: "Ask a server that may have scripts",
        since: "2.6.0",
        flags: &[],
        keys: Keys::None,
        examples: later!(&[("SCRIPT FLUSH", "OK")]),
        run: Run::Container(SCRIPT),
    },
];
