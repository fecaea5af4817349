//! What a command's entry says of it.

use std::sync::LazyLock;

use super::capitals::capitals;
use super::{Args, Context, all, syntax};
use crate::engine::{CommandError, Reply};
use crate::later::Later;

/// What a command does, in the words of COMMAND INFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// It may write.
    Write,
    /// It only reads.
    Readonly,
    /// It may need memory.
    Denyoom,
    /// It takes the same time whatever the data.
    Fast,
    /// It is for the connection or for whoever runs the server.
    Admin,
    /// It is not for scripts.
    Noscript,
    /// It works while data is loaded.
    Loading,
    /// It works on stale data.
    Stale,
    /// It cannot stand in a transaction.
    NoMulti,
    /// Its key arguments stand where a number says.
    Movablekeys,
}

impl Flag {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Readonly => "readonly",
            Self::Denyoom => "denyoom",
            Self::Fast => "fast",
            Self::Admin => "admin",
            Self::Noscript => "noscript",
            Self::Loading => "loading",
            Self::Stale => "stale",
            Self::NoMulti => "no_multi",
            Self::Movablekeys => "movablekeys",
        }
    }
}

/// Which words of a command are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// None.
    None,
    /// From the first to the last by a step; a last of -1 is the last word.
    Range(i32, i32, i32),
    /// Every other one after a number that says how many there are.
    Counted,
}

/// What runs a command.
pub enum Run {
    /// A handler.
    Handler(fn(&mut Context<'_>, Args<'_>) -> Result<Reply, CommandError>),
    /// The subcommand that the second word names.
    Container(&'static [Spec]),
}

/// One command: what it is called, what it is for and what runs it.
pub struct Spec {
    /// The one syntax line: help, hints and arity read it.
    pub syntax: &'static str,
    /// One sentence without a full stop.
    pub summary: &'static str,
    /// The first server version that has it; for the playground's own commands, its first release.
    pub since: &'static str,
    /// What it does.
    pub flags: &'static [Flag],
    /// Where its keys are.
    pub keys: Keys,
    pub(super) examples: &'static Later<&'static [(&'static str, &'static str)]>,
    /// What runs it.
    pub run: Run,
}

impl Spec {
    /// The name in capitals; of a subcommand, its own word.
    pub fn name(&self) -> &'static str {
        let words = usize::from(self.is_subcommand());
        self.syntax.split(' ').nth(words).unwrap_or(self.syntax)
    }

    /// The name as errors and COMMAND have it: `set`, `client|setname`.
    pub fn full_name(&self) -> String {
        let words = 1 + usize::from(self.is_subcommand());
        self.syntax.split(' ').take(words).collect::<Vec<_>>().join("|").to_ascii_lowercase()
    }

    /// How many words it takes; see [`syntax::arity`].
    pub fn arity(&self) -> i32 {
        syntax::arity(self.syntax)
    }

    /// Lines typed one after the other into an empty engine, and their replies as a terminal shows them. Run as tests.
    pub fn examples(&self) -> &'static [(&'static str, &'static str)] {
        self.examples.get()
    }

    /// Its subcommands.
    pub fn subcommands(&self) -> &'static [Spec] {
        match self.run {
            Run::Handler(_) => &[],
            Run::Container(subcommands) => subcommands,
        }
    }

    /// Whether its name takes two words: both stand in capitals, and the first has an entry of its own.
    fn is_subcommand(&self) -> bool {
        let mut words = self.syntax.split(' ');
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        CONTAINERS.contains(&first)
            && !second.is_empty()
            && second.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
    }
}

/// An entry with what is derived from it, reckoned once: commands are looked up far more often than there are entries.
pub(super) struct Known {
    /// The entry.
    pub(super) spec: &'static Spec,
    /// Its name in capitals.
    pub(super) name: &'static str,
    /// The same as numbers, which are compared in one go.
    capitals: [u64; 2],
    /// Its name as errors have it.
    pub(super) full_name: String,
    /// How many words it takes; see [`syntax::arity`].
    arity: i32,
    /// Whether it may need memory.
    pub(super) needs_memory: bool,
    /// Its subcommands.
    subcommands: Vec<Known>,
    /// Whether its second word names a subcommand.
    pub(super) is_container: bool,
}

/// How many lists the commands are spread over: most have a list of their own.
const LISTS: usize = 128;

/// All commands by what is reckoned of their names.
static KNOWN: LazyLock<[Vec<Known>; LISTS]> = LazyLock::new(|| {
    let mut lists = std::array::from_fn(|_| Vec::new());
    for known in all().map(Known::new) {
        lists[list(known.capitals)].push(known);
    }
    lists
});

/// The list that a command of that name is in.
fn list([first, rest]: [u64; 2]) -> usize {
    /// Odd, its bits without a pattern: 2^64 by the golden ratio.
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let highest = u64::BITS - LISTS.ilog2();
    ((first ^ rest).wrapping_mul(GOLDEN) >> highest) as usize
}

impl Known {
    fn new(spec: &'static Spec) -> Self {
        Self {
            spec,
            name: spec.name(),
            capitals: capitals(spec.name().as_bytes()).expect("a command's name is short"),
            full_name: spec.full_name(),
            arity: spec.arity(),
            needs_memory: spec.flags.contains(&Flag::Denyoom),
            subcommands: spec.subcommands().iter().map(Self::new).collect(),
            is_container: !spec.subcommands().is_empty(),
        }
    }

    /// The command of that name, in any case.
    pub(super) fn find(name: &[u8]) -> Option<&'static Self> {
        let capitals = capitals(name)?;
        KNOWN[list(capitals)].iter().find(|known| known.is(capitals, name))
    }

    /// Whether this is its name; a NUL byte at the end is one too many.
    fn is(&self, capitals: [u64; 2], name: &[u8]) -> bool {
        self.capitals == capitals && self.name.len() == name.len()
    }

    /// Its subcommand of that name, in any case.
    pub(super) fn subcommand(&self, name: &[u8]) -> Option<&Self> {
        let capitals = capitals(name)?;
        self.subcommands.iter().find(|known| known.is(capitals, name))
    }

    /// Whether it takes so many words.
    pub(super) fn takes(&self, words: usize) -> bool {
        let (words, arity) = (words as i32, self.arity);
        words == arity || (arity < 0 && words >= -arity)
    }
}

/// The commands that have subcommands with entries of their own.
const CONTAINERS: [&str; 6] = ["CLIENT", "COMMAND", "CONFIG", "OBJECT", "FUNCTION", "SCRIPT"];
