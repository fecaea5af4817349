//! COMMAND: the table, for programs.

use super::args::option;
use super::table::{Flag, Keys, Known, Run, Spec};
use super::{Args, Context, GROUPS, all, find, resolve, until_nul};
use crate::engine::{CommandError, Protocol, Reply, glob};
use crate::later::later;

/// The name of the group that a command is in.
fn group_of(spec: &Spec) -> &'static str {
    let holds = |candidate: &Spec| {
        candidate.syntax == spec.syntax || candidate.subcommands().iter().any(|sub| sub.syntax == spec.syntax)
    };
    GROUPS.iter().find(|group| group.specs().any(holds)).map_or("generic", |group| group.name)
}

/// The entry or subcommand of a name such as `get` or `client|id`.
fn named(name: &[u8]) -> Option<&'static Spec> {
    match name.iter().position(|&byte| byte == b'|') {
        None => find(name),
        Some(at) => Known::find(&name[..at])?.subcommand(&name[at + 1..]).map(|known| known.spec),
    }
}

/// What COMMAND INFO tells of a command.
fn describe(spec: &Spec) -> Reply {
    let statuses = |words: Vec<String>| Reply::Array(words.into_iter().map(Reply::status).collect());
    let (first, last, step) = match spec.keys {
        Keys::None | Keys::Counted => (0, 0, 0),
        Keys::Range(first, last, step) => (first, last, step),
    };
    let has = |flag| spec.flags.contains(&flag);
    let kind = if has(Flag::Write) { Some("@write") } else { has(Flag::Readonly).then_some("@read") };
    let mut categories: Vec<String> = kind.into_iter().map(str::to_owned).collect();
    categories.push(format!("@{}", group_of(spec)));
    categories.push(if has(Flag::Fast) { "@fast" } else { "@slow" }.to_owned());
    let number = |number: i32| Reply::Integer(i64::from(number));
    Reply::Array(vec![
        Reply::bulk(spec.full_name()),
        number(spec.arity()),
        statuses(spec.flags.iter().map(|flag| flag.name().to_owned()).collect()),
        number(first),
        number(last),
        number(step),
        statuses(categories),
        Reply::Array(Vec::new()),
        Reply::Array(Vec::new()),
        Reply::Array(spec.subcommands().iter().map(describe).collect()),
    ])
}

/// What COMMAND DOCS tells of a command.
fn document(spec: &Spec, protocol: Protocol) -> Reply {
    let pair = |name: &str, value: &str| (Reply::bulk(name), Reply::bulk(value));
    let mut pairs = vec![pair("summary", spec.summary), pair("since", spec.since), pair("group", group_of(spec))];
    if !spec.subcommands().is_empty() {
        let documents = spec.subcommands().iter().map(|sub| (Reply::bulk(sub.full_name()), document(sub, protocol)));
        pairs.push((Reply::bulk("subcommands"), Reply::pairs(protocol, documents.collect())));
    }
    Reply::pairs(protocol, pairs)
}

pub(super) fn command(_: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(Reply::Array(all().map(describe).collect()))
}

/// What HELP after a container tells: its subcommands, two lines each.
pub(super) fn help(container: &Spec, subcommands: &[Spec]) -> Reply {
    let title = format!("{} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", container.name());
    let lines = subcommands.iter().flat_map(|sub| {
        let syntax = sub.syntax.split_once(' ').map_or(sub.syntax, |(_, rest)| rest);
        [syntax.to_owned(), format!("    {}.", sub.summary)]
    });
    let end = ["HELP".to_owned(), "    Print this help.".to_owned()];
    Reply::Array(std::iter::once(title).chain(lines).chain(end).map(Reply::status).collect())
}

fn command_count(_: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(all().count().into())
}

fn command_info(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    if args.left() == 0 {
        return command(context, args);
    }
    let mut found = Vec::new();
    while let Some(name) = args.next() {
        found.push(named(name).map_or(Reply::NilArray, describe));
    }
    Ok(Reply::Array(found))
}

fn command_docs(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let protocol = context.protocol();
    let mut wanted: Vec<&Spec> = Vec::new();
    if args.left() == 0 {
        wanted.extend(all());
    }
    while let Some(name) = args.next() {
        wanted.extend(named(name));
    }
    let documents = wanted.into_iter().map(|spec| (Reply::bulk(spec.full_name()), document(spec, protocol)));
    Ok(Reply::pairs(protocol, documents.collect()))
}

fn command_list(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let names = || all().map(|spec| (spec, spec.full_name()));
    let list = |names: Vec<String>| Ok(Reply::Array(names.iter().map(Reply::bulk).collect()));
    if args.left() == 0 {
        return list(names().map(|(_, name)| name).collect());
    }
    let (by, kind) = (args.option(), args.option());
    let (Some(option::FILTERBY), Some(kind), 1) = (by, kind, args.left()) else {
        return Err(CommandError::Syntax);
    };
    let value = args.word()?.to_ascii_lowercase();
    match kind {
        option::PATTERN => {
            list(names().map(|(_, name)| name).filter(|name| glob::matches(&value, name.as_bytes())).collect())
        }
        option::ACLCAT => list(
            names().filter(|(spec, _)| group_of(spec).as_bytes() == until_nul(&value)).map(|(_, name)| name).collect(),
        ),
        // There are no modules.
        option::MODULE => list(Vec::new()),
        _ => Err(CommandError::Syntax),
    }
}

fn command_getkeys(_: &mut Context<'_>, args: Args<'_>) -> Result<Reply, CommandError> {
    let words = args.rest();
    let (known, _) = resolve(words).map_err(|_| CommandError::other("Invalid command specified"))?;
    let spec = known.spec;
    if spec.keys == Keys::None {
        return Err(CommandError::other("The command has no key arguments"));
    }
    if !known.takes(words.len()) {
        return Err(CommandError::other("Invalid number of arguments specified for command"));
    }
    let places: Vec<usize> = match spec.keys {
        Keys::None => Vec::new(),
        Keys::Range(first, last, step) => {
            let last = if last < 0 { words.len() as i32 + last } else { last };
            (first..=last).step_by(step.unsigned_abs() as usize).map(|place| place as usize).collect()
        }
        Keys::Counted => {
            let number = super::args::integer(words[1]).ok().and_then(|number| usize::try_from(number).ok());
            (0..number.unwrap_or(0).min(words.len())).map(|n| 2 + 2 * n).collect()
        }
    };
    let keys: Option<Vec<Reply>> = places.into_iter().map(|place| words.get(place).map(Reply::bulk)).collect();
    keys.filter(|keys| !keys.is_empty())
        .map(Reply::Array)
        .ok_or_else(|| CommandError::other("Invalid arguments specified for command"))
}

const COMMAND: &[Spec] = &[
    Spec {
        syntax: "COMMAND COUNT",
        summary: "Count the commands of this server",
        since: "2.8.13",
        flags: &[Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("COMMAND COUNT x", "(error) ERR wrong number of arguments for 'command|count' command")]),
        run: Run::Handler(command_count),
    },
    Spec {
        syntax: "COMMAND DOCS [command-name ...]",
        summary: "Describe commands for people",
        since: "7.0.0",
        flags: &[Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("COMMAND DOCS nosuch", "(empty array)")]),
        run: Run::Handler(command_docs),
    },
    Spec {
        syntax: "COMMAND GETKEYS command [arg ...]",
        summary: "Tell which words of a command are keys",
        since: "2.8.13",
        flags: &[Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("COMMAND GETKEYS MSETEX 2 a 1 b 2", "1) \"a\"\n2) \"b\"")]),
        run: Run::Handler(command_getkeys),
    },
    Spec {
        syntax: "COMMAND INFO [command-name ...]",
        summary: "Describe commands for programs",
        since: "2.8.13",
        flags: &[Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("COMMAND INFO nosuch", "1) (nil)")]),
        run: Run::Handler(command_info),
    },
    Spec {
        syntax: "COMMAND LIST [FILTERBY kind value]",
        summary: "List the names of commands, filtered by MODULE, ACLCAT or PATTERN",
        since: "7.0.0",
        flags: &[Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("COMMAND LIST FILTERBY PATTERN *ttl", "1) \"pttl\"\n2) \"ttl\"")]),
        run: Run::Handler(command_list),
    },
];

pub(super) const COMMANDS: &[Spec] = &[Spec {
    syntax: "COMMAND [subcommand [argument ...]]",
    summary: "Look at the commands of this server",
    since: "2.8.13",
    flags: &[Flag::Loading, Flag::Stale],
    keys: Keys::None,
    examples: later!(&[("COMMAND GETKEYS GET a", "1) \"a\"")]),
    run: Run::Container(COMMAND),
}];
