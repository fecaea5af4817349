//! Programs as data, and the text that they print as.

use std::fmt;

use crate::engine::{Millis, format_duration};

/// All that a file of programs says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The key that is the lock.
    pub(super) lock: String,
    /// The key whose INCR draws fencing numbers.
    pub(super) counter: Option<String>,
    /// Who runs what.
    pub(super) teams: Vec<Team>,
}

/// Workers that run one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Their names.
    pub workers: Vec<String>,
    /// What each of them does, in order.
    pub statements: Vec<Statement>,
}

/// One statement of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Takes the lock.
    Acquire {
        /// What becomes of a worker that is refused.
        refused: Refusal,
        /// What it sends.
        lines: Vec<Line>,
    },
    /// Sends something at intervals, from `enter` to `leave`.
    Renew {
        /// The interval, in milliseconds.
        every: Millis,
        /// What it sends.
        lines: Vec<Line>,
    },
    /// Gives the lock up.
    Release(Vec<Line>),
    /// Sends commands.
    Send(Vec<Line>),
    /// Begins the work that the lock guards, on the resource named.
    Enter(String),
    /// Lets so many milliseconds go by.
    Work(Millis),
    /// Writes to the guarded resource.
    Write {
        /// Whether the fencing number goes along.
        fenced: bool,
    },
    /// Ends the work.
    Leave,
    /// Begins anew.
    Again,
}

/// What a worker does that is refused the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It gives up.
    Stop,
    /// It tries again within so many milliseconds.
    Retry(Millis),
}

/// What a worker looks for in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It does not look.
    Anything,
    /// Anything but nil, 0, an error, or an array with one of them in it.
    Yes,
    /// Its own token.
    Token,
}

impl Expect {
    /// The mark before the command.
    fn mark(self) -> char {
        match self {
            Self::Anything => '>',
            Self::Yes => '?',
            Self::Token => '=',
        }
    }

    /// The expectation that a mark stands for.
    pub(super) fn marked(mark: char) -> Option<Self> {
        [Self::Anything, Self::Yes, Self::Token].into_iter().find(|expect| expect.mark() == mark)
    }
}

/// A command to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the reply must be for the block to go on.
    pub expect: Expect,
    /// The command, with `{token}` and `{digest}` in it.
    pub command: String,
    /// What is sent when the reply is another.
    pub otherwise: Option<String>,
}

impl Programs {
    /// The key that is the lock.
    pub fn lock(&self) -> &str {
        &self.lock
    }

    /// The key whose INCR draws fencing numbers.
    pub fn counter(&self) -> Option<&str> {
        self.counter.as_deref()
    }

    /// Who runs what.
    pub fn teams(&self) -> &[Team] {
        &self.teams
    }

    /// All workers, in the order of the text.
    pub fn workers(&self) -> impl Iterator<Item = &str> {
        self.teams.iter().flat_map(|team| team.workers.iter().map(String::as_str))
    }
}

impl fmt::Display for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "lock {}", self.lock)?;
        if let Some(counter) = &self.counter {
            writeln!(f, "counter {counter}")?;
        }
        for team in &self.teams {
            writeln!(f, "worker {}", team.workers.join(" "))?;
            team.statements.iter().try_for_each(|statement| statement.fmt(f))?;
        }
        Ok(())
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acquire { refused: Refusal::Stop, lines } => {
                writeln!(f, "acquire or stop")?;
                block(f, "  ", lines)
            }
            Self::Acquire { refused: Refusal::Retry(within), lines } => {
                writeln!(f, "acquire or retry within {}", format_duration(*within))?;
                block(f, "  ", lines)
            }
            Self::Renew { every, lines } => {
                writeln!(f, "renew every {}", format_duration(*every))?;
                block(f, "  ", lines)
            }
            Self::Release(lines) => {
                writeln!(f, "release")?;
                block(f, "  ", lines)
            }
            Self::Send(lines) => block(f, "", lines),
            Self::Enter(resource) => writeln!(f, "enter {resource}"),
            Self::Work(time) => writeln!(f, "work {}", format_duration(*time)),
            Self::Write { fenced: false } => writeln!(f, "write"),
            Self::Write { fenced: true } => writeln!(f, "write fenced"),
            Self::Leave => writeln!(f, "leave"),
            Self::Again => writeln!(f, "again"),
        }
    }
}

fn block(f: &mut fmt::Formatter<'_>, indent: &str, lines: &[Line]) -> fmt::Result {
    for Line { expect, command, otherwise } in lines {
        writeln!(f, "{indent}{} {command}", expect.mark())?;
        if let Some(otherwise) = otherwise {
            writeln!(f, "{indent}else > {otherwise}")?;
        }
    }
    Ok(())
}
