//! The command table: one entry a command, in one place, from which everything else about it is derived.
//!
//! To add a command, add an entry to its group's `COMMANDS` and its handler above it. Arity, HELP, the checks of its
//! examples and the README's table follow from the entry.

mod args;
mod capitals;
mod clock;
mod connection;
mod context;
mod expiry;
mod float;
mod introspect;
mod keys;
mod lcs;
mod numbers;
mod server;
mod set;
mod strings;
pub mod syntax;
mod table;
mod transaction;

use std::fmt::Write;

pub use args::Args;
pub use context::Context;
pub use table::{Flag, Keys, Run, Spec};

pub(crate) use capitals::until_nul;
use table::Known;

use crate::engine::{ClientId, CommandError, Engine, Millis, Reply, ReplyMode, quoted, waiting_cost};

/// The version of the real server whose replies these are.
pub const SERVER_VERSION: &str = "8.6.3";

/// A group of commands, as HELP and the README list them.
pub struct Group {
    /// The name after `help @`.
    pub name: &'static str,
    /// Its commands, file by file.
    commands: &'static [&'static [Spec]],
}

impl Group {
    /// Its commands in order.
    pub fn specs(&self) -> impl Iterator<Item = &'static Spec> + use<> {
        self.commands.iter().flat_map(|commands| commands.iter())
    }
}

/// All commands by group.
pub const GROUPS: &[Group] = &[
    Group { name: "string", commands: &[set::COMMANDS, strings::COMMANDS, numbers::COMMANDS, lcs::COMMANDS] },
    Group { name: "expiry", commands: &[expiry::COMMANDS] },
    Group { name: "generic", commands: &[keys::COMMANDS] },
    Group { name: "transactions", commands: &[transaction::COMMANDS] },
    Group { name: "connection", commands: &[connection::COMMANDS] },
    Group { name: "server", commands: &[server::COMMANDS, introspect::COMMANDS] },
    Group { name: "playground", commands: &[clock::COMMANDS] },
];

/// All commands in the table's order, without subcommands.
pub fn all() -> impl Iterator<Item = &'static Spec> {
    GROUPS.iter().flat_map(Group::specs)
}

/// All commands and their subcommands.
pub fn all_with_subcommands() -> impl Iterator<Item = &'static Spec> {
    all().flat_map(|spec| std::iter::once(spec).chain(spec.subcommands()))
}

/// Finds a command by name, in any case.
pub fn find(name: &[u8]) -> Option<&'static Spec> {
    Known::find(name).map(|known| known.spec)
}

/// What a command asks of the shell that ticks the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockRequest {
    /// Let the clock run, so many simulated milliseconds a real one.
    Run(u32),
    /// Let it stand.
    Pause,
}

/// What came of a command; what happened to locks is told by [`Engine::events`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the server answers.
    pub reply: Reply,
    /// What the shell is asked to do with its clock.
    pub clock: Option<ClockRequest>,
    /// Whether the server hangs up after the reply. The connection is as new already.
    pub close: bool,
    /// What clients in MONITOR see of the command; nothing when there are none.
    pub monitored: Option<String>,
}

/// How many keys that fall due expire before a command at most: about a millisecond's work. The others wait for the
/// commands after it, or for [`Engine::advance`], and no command sees them.
pub const SWEEP: usize = 1_024;

/// The most words that a command may have.
pub const MAX_WORDS: usize = 1024 * 1024;

/// Runs one command at an instant. Keys whose deadline has passed expire first, [`SWEEP`] of them at most.
///
/// `now` in the past of the engine's clock counts as that clock: time never runs backwards. Whatever the words are,
/// the answer is a reply; errors are replies too, and leave everything as it was.
pub fn execute(engine: &mut Engine, client: ClientId, argv: &[impl AsRef<[u8]>], now: Millis) -> Outcome {
    execute_within(engine, client, argv, now, SWEEP)
}

/// As [`execute`], with the number of keys that expire before it at most.
pub fn execute_within(
    engine: &mut Engine,
    client: ClientId,
    argv: &[impl AsRef<[u8]>],
    now: Millis,
    sweep: usize,
) -> Outcome {
    with_words(argv.iter().map(AsRef::as_ref), |argv| execute_words(engine, client, argv, now, sweep))
}

/// Lends words as slices. Most commands have few, and need no memory for that.
pub(crate) fn with_words<'a, T>(argv: impl ExactSizeIterator<Item = &'a [u8]>, run: impl FnOnce(&[&[u8]]) -> T) -> T {
    let mut few: [&[u8]; 8] = Default::default();
    match few.get_mut(..argv.len()) {
        Some(words) => {
            for (slot, word) in words.iter_mut().zip(argv) {
                *slot = word;
            }
            run(words)
        }
        None => run(&argv.collect::<Vec<_>>()),
    }
}

/// As [`execute_within`], when the words are slices already.
pub fn execute_words(engine: &mut Engine, client: ClientId, argv: &[&[u8]], now: Millis, sweep: usize) -> Outcome {
    engine.begin();
    engine.move_to(now, sweep);
    // While nobody has anything open, nobody watches, and everybody is answered.
    let monitored = if engine.is_quiet() { None } else { begin_busy(engine, client, argv) };
    let mut context = Context::new(engine, client);
    let mut reply = dispatch(&mut context, argv).unwrap_or_else(Reply::from);
    let Context { clock, close, .. } = context;
    if !engine.is_quiet() {
        end_busy(engine, client, &mut reply);
    }
    if close {
        engine.close(client);
    }
    Outcome { reply, clock, close, monitored }
}

/// Begins a command while some clients are busy, and tells what those in MONITOR see of it.
fn begin_busy(engine: &mut Engine, client: ClientId, argv: &[&[u8]]) -> Option<String> {
    if engine.client(client).reply == ReplyMode::SkipNext {
        engine.client_mut(client).reply = ReplyMode::Skip;
    }
    monitored(engine, client, argv)
}

/// Ends it: who asked not to be answered is not.
fn end_busy(engine: &mut Engine, client: ClientId, reply: &mut Reply) {
    match engine.client(client).reply {
        ReplyMode::On | ReplyMode::SkipNext => {}
        ReplyMode::Off => *reply = Reply::Silent,
        ReplyMode::Skip => {
            *reply = Reply::Silent;
            engine.client_mut(client).reply = ReplyMode::On;
        }
    }
    engine.settle_client(client);
}

/// Runs a command at once, queues it, or says why it can do neither.
fn dispatch(context: &mut Context<'_>, argv: &[&[u8]]) -> Result<Reply, CommandError> {
    match usual(argv) {
        Some(known) => go(context, known, argv, 1),
        None => dispatch_unusual(context, argv),
    }
}

/// The same of a command whose name takes two words, or that cannot run.
fn dispatch_unusual(context: &mut Context<'_>, argv: &[&[u8]]) -> Result<Reply, CommandError> {
    if argv.len() > MAX_WORDS {
        // The words of the protocol, which counts them first.
        return Err(context.break_transaction(CommandError::other("Protocol error: invalid multibulk length")));
    }
    let checked = resolve(argv).and_then(|(known, words)| check_arity(known, argv).map(|()| (known, words)));
    match checked {
        Ok((known, words)) => go(context, known, argv, words),
        Err(error) if argv.first().is_some_and(|name| name.eq_ignore_ascii_case(b"EXEC")) => {
            // An EXEC that cannot run ends the transaction all the same.
            context.client_mut().transaction = None;
            context.unwatch();
            let text = error.to_string();
            let text = text.strip_prefix("ERR ").unwrap_or(&text);
            Err(CommandError::Other(format!("EXECABORT Transaction discarded because of: {text}")))
        }
        Err(error) => Err(context.break_transaction(error)),
    }
}

/// The entry of a command whose name is one word, if its words are as many as it takes: of most commands.
fn usual(argv: &[&[u8]]) -> Option<&'static Known> {
    let known = Known::find(argv.first()?)?;
    (!known.is_container && known.takes(argv.len()) && argv.len() <= MAX_WORDS).then_some(known)
}

/// Runs a command that was found at once, or queues it.
fn go(context: &mut Context<'_>, known: &'static Known, argv: &[&[u8]], words: usize) -> Result<Reply, CommandError> {
    /// What runs at once in a transaction too.
    const AT_ONCE: [&str; 6] = ["EXEC", "DISCARD", "MULTI", "WATCH", "QUIT", "RESET"];
    if known.needs_memory && context.is_overdrawn() {
        return Err(context.break_transaction(CommandError::OutOfMemory));
    }
    if context.client().transaction.is_none() || AT_ONCE.contains(&known.name) {
        return call(context, known, argv, words);
    }
    if known.spec.flags.contains(&Flag::NoMulti) {
        return Err(context.break_transaction(CommandError::other("Command not allowed inside a transaction")));
    }
    if let Err(error) = context.reserve_bytes(waiting_cost(argv)) {
        return Err(context.break_transaction(error));
    }
    if let Some(transaction) = &mut context.client_mut().transaction {
        transaction.push(argv);
    }
    Ok(Reply::status("QUEUED"))
}

/// Whether a command that waits may need memory.
fn may_need_memory(argv: &[Vec<u8>]) -> bool {
    argv.first().and_then(|name| Known::find(name)).is_some_and(|known| known.needs_memory)
}

/// Runs a command whatever transaction is open.
fn run(context: &mut Context<'_>, argv: &[&[u8]]) -> Result<Reply, CommandError> {
    let (known, words) = resolve(argv)?;
    check_arity(known, argv)?;
    call(context, known, argv, words)
}

/// Calls a command's handler.
fn call(context: &mut Context<'_>, known: &Known, argv: &[&[u8]], words: usize) -> Result<Reply, CommandError> {
    let args = Args::new(&known.full_name, argv, words);
    match known.spec.run {
        Run::Handler(handler) => handler(context, args),
        Run::Container(subcommands) if words == 2 => Ok(introspect::help(known.spec, subcommands)),
        // A container alone: of those that may stand alone there is one.
        Run::Container(_) => introspect::command(context, args),
    }
}

/// The entry of a command, or of a subcommand when its name takes one, and how many words that name takes.
fn resolve(argv: &[&[u8]]) -> Result<(&'static Known, usize), CommandError> {
    let known = argv.first().and_then(|name| Known::find(name)).ok_or_else(|| unknown(argv))?;
    let Some(word) = argv.get(1).filter(|_| known.is_container) else { return Ok((known, 1)) };
    if word.eq_ignore_ascii_case(b"HELP") {
        return if argv.len() == 2 {
            Ok((known, 2))
        } else {
            Err(CommandError::Arity(format!("{}|help", known.full_name)))
        };
    }
    known
        .subcommand(word)
        .map(|sub| (sub, 2))
        .ok_or_else(|| CommandError::UnknownSubcommand(known.full_name.clone(), shown(word, SHOWN)))
}

fn check_arity(known: &Known, argv: &[&[u8]]) -> Result<(), CommandError> {
    if known.takes(argv.len()) { Ok(()) } else { Err(CommandError::Arity(known.full_name.clone())) }
}

/// What clients in MONITOR see: the instant, the database and who, and the words. Nobody sees what
/// is for administrators, or is no command.
fn monitored(engine: &Engine, client: ClientId, argv: &[&[u8]]) -> Option<String> {
    let watched = engine.monitors().next().is_some();
    let shown =
        || resolve(argv).is_ok_and(|(known, _)| known.takes(argv.len()) && !known.spec.flags.contains(&Flag::Admin));
    if !watched || !shown() {
        return None;
    }
    let now = engine.now();
    let from = match engine.address(client) {
        "" => engine.number(client).to_string(),
        address => address.to_owned(),
    };
    let mut line = format!("{}.{:03}000 [{} {from}]", now / 1_000, now % 1_000, engine.client(client).db);
    let secrets = connection::secrets(argv);
    for (place, word) in argv.iter().enumerate() {
        let word = if secrets.contains(&place) { &b"(redacted)"[..] } else { word };
        let _ = write!(line, " {}", quoted(word));
    }
    Some(line)
}

/// How many bytes of unknown words an error shows.
const SHOWN: usize = 128;

/// A word as an error shows it: up to a NUL byte, where the server's text ends too, and not too long.
fn shown(word: &[u8], limit: usize) -> String {
    let word = until_nul(word);
    String::from_utf8_lossy(&word[..word.len().min(limit)]).into_owned()
}

/// The error of a name that is not in the table, as the server words it: at most 128 bytes of the arguments.
fn unknown(argv: &[&[u8]]) -> CommandError {
    let mut text = format!("ERR unknown command '{}'", shown(argv.first().map_or(&[], |name| name), SHOWN));
    let (mut args, mut used) = (String::new(), 0);
    for arg in argv.iter().skip(1) {
        if used >= SHOWN {
            break;
        }
        let word = shown(arg, SHOWN - used);
        // Bytes count as they were sent, not as the text that stands for them.
        used += until_nul(arg).len().min(SHOWN - used) + "'' ".len();
        // Writing into a String cannot fail.
        let _ = write!(args, "'{word}' ");
    }
    if !args.is_empty() {
        let _ = write!(text, ", with args beginning with: {args}");
    }
    CommandError::Other(text)
}
