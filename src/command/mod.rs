//! The command table: one entry a command, in one place, from which everything else about it is derived.
//!
//! To add a command, add an entry to its group's `COMMANDS` and its handler above it. Arity, HELP, the checks of its
//! examples and the README's table follow from the entry.

mod args;
mod clock;
mod context;
mod expiry;
mod float;
mod keys;
mod server;
mod strings;
pub mod syntax;

use std::fmt::Write;

pub use args::Args;
pub use context::Context;

use crate::engine::{ClientId, CommandError, Engine, Event, Millis, Reply};

/// One command: what it is called, what it is for and what runs it.
pub struct Spec {
    /// The one syntax line: help, hints and arity read it.
    pub syntax: &'static str,
    /// One sentence without a full stop.
    pub summary: &'static str,
    /// The first server version that has it; for the playground's own commands, its first release.
    pub since: &'static str,
    /// Lines typed one after the other into an empty engine, and their replies as a terminal shows them. Run as tests.
    pub examples: &'static [(&'static str, &'static str)],
    /// What runs it.
    pub run: fn(&mut Context<'_>, Args<'_>) -> Result<Reply, CommandError>,
}

impl Spec {
    /// The name in capitals.
    pub fn name(&self) -> &'static str {
        self.syntax.split(' ').next().unwrap_or(self.syntax)
    }

    /// How many words it takes; see [`syntax::arity`].
    pub fn arity(&self) -> i32 {
        syntax::arity(self.syntax)
    }
}

/// A group of commands, as HELP and the README list them.
pub struct Group {
    /// The name after `help @`.
    pub name: &'static str,
    /// Its commands.
    pub commands: &'static [Spec],
}

/// All commands by group.
pub const GROUPS: &[Group] = &[
    Group { name: "string", commands: strings::COMMANDS },
    Group { name: "generic", commands: keys::COMMANDS },
    Group { name: "expiry", commands: expiry::COMMANDS },
    Group { name: "server", commands: server::COMMANDS },
    Group { name: "playground", commands: clock::COMMANDS },
];

/// All commands in the table's order.
pub fn all() -> impl Iterator<Item = &'static Spec> {
    GROUPS.iter().flat_map(|group| group.commands)
}

/// Finds a command by name, in any case.
pub fn find(name: &[u8]) -> Option<&'static Spec> {
    all().find(|spec| spec.name().as_bytes().eq_ignore_ascii_case(name))
}

/// What a command asks of the shell that ticks the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockRequest {
    /// Let the clock run, so many simulated milliseconds a real one.
    Run(u32),
    /// Let it stand.
    Pause,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the server answers.
    pub reply: Reply,
    /// What happened to locks, and which keys expired, in order.
    pub events: Vec<Event>,
    /// What the shell is asked to do with its clock.
    pub clock: Option<ClockRequest>,
}

/// Runs one command at an instant. Keys whose deadline has passed expire first.
///
/// `now` in the past of the engine's clock counts as that clock: time never runs backwards. Whatever the words are,
/// the answer is a reply; errors are replies too, and leave everything as it was.
pub fn execute(engine: &mut Engine, client: ClientId, argv: &[Vec<u8>], now: Millis) -> Outcome {
    let expired = engine.advance(now);
    let mut context = Context::new(engine, client, expired);
    let reply = dispatch(&mut context, argv).unwrap_or_else(Reply::from);
    Outcome { reply, events: context.events, clock: context.clock }
}

fn dispatch(context: &mut Context<'_>, argv: &[Vec<u8>]) -> Result<Reply, CommandError> {
    let Some(spec) = argv.first().and_then(|name| find(name)) else { return Err(unknown(argv)) };
    let args = Args::new(spec.name(), argv);
    let (words, arity) = (argv.len() as i32, spec.arity());
    if words == arity || (arity < 0 && words >= -arity) { (spec.run)(context, args) } else { Err(args.arity_error()) }
}

/// The error of a name that is not in the table, as the server words it: at most 128 bytes of the arguments.
fn unknown(argv: &[Vec<u8>]) -> CommandError {
    const SHOWN: usize = 128;
    let show = |bytes: &[u8], limit: usize| String::from_utf8_lossy(&bytes[..bytes.len().min(limit)]).into_owned();
    let mut text = format!("ERR unknown command '{}'", show(argv.first().map_or(&[], |name| name), SHOWN));
    let mut args = String::new();
    for arg in argv.iter().skip(1) {
        if args.len() >= SHOWN {
            break;
        }
        let _ = write!(args, "'{}' ", show(arg, SHOWN - args.len()));
    }
    if !args.is_empty() {
        let _ = write!(text, ", with args beginning with: {args}");
    }
    CommandError::Other(text)
}
