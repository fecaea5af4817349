//! Running records: a server with clients that have names.

use std::borrow::Cow;

use super::{Located, Record, format, line::LineError, line::split};
use crate::command::{ClockRequest, Outcome, execute};
use crate::engine::{ClientId, Engine, Event, Millis, Options};

/// An engine and the names of its clients. A new name opens a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    engine: Engine,
    names: Vec<String>,
}

/// What came of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The reply in redis-cli form.
    pub reply: Cow<'static, str>,
    /// Whether the reply is an error.
    pub is_error: bool,
    /// What is asked of the shell's clock.
    pub clock: Option<ClockRequest>,
    /// What clients in MONITOR see.
    pub monitored: Option<String>,
}

impl Runner {
    /// A fresh server.
    pub fn new(options: Options) -> Self {
        Self { engine: Engine::new(options), names: Vec::new() }
    }

    /// The engine, to look at.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The client of that name, opened when it is new.
    pub fn client(&mut self, name: &str) -> ClientId {
        if let Some(id) = self.find(name) {
            return id;
        }
        self.names.push(name.to_owned());
        self.engine.open()
    }

    /// The client of that name, if it was opened.
    pub fn find(&self, name: &str) -> Option<ClientId> {
        // Names are opened in the order in which the engine counts its clients.
        self.names.iter().position(|known| known == name).map(ClientId::nth)
    }

    /// The name of a client.
    pub fn name(&self, client: ClientId) -> &str {
        &self.names[client.index()]
    }

    /// Runs a command line as a client. A line that is no command changes nothing, and opens nobody.
    pub fn command(&mut self, client: &str, line: &str) -> Result<Ran, LineError> {
        let argv = split(line)?;
        let client = self.client(client);
        let now = self.engine.now();
        let Outcome { reply, clock, monitored, close: _ } = execute(&mut self.engine, client, &argv, now);
        Ok(Ran { reply: format::reply(&reply), is_error: reply.is_error(), clock, monitored })
    }

    /// Moves the clock forward to an instant.
    pub fn advance_to(&mut self, at: Millis) -> &[Event] {
        self.engine.advance(at)
    }
}

/// Whether a reply is the one that a text tells. Ends of lines do not count: an editor may take their spaces away, and
/// some errors of the server end in one. No reply at all is told by no line.
pub fn same_reply(told: &str, actual: &str) -> bool {
    told.lines().map(str::trim_end).eq(actual.lines().map(str::trim_end))
}

/// A reply that is not what the transcript says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line of the command, counted from 1.
    pub line: usize,
    /// The command, with its prompt.
    pub command: String,
    /// The reply that the text tells; `None` when it tells none.
    pub expected: Option<String>,
    /// The reply that the engine gave.
    pub actual: String,
}

/// Runs a transcript on a fresh engine and returns each reply that differs, and each that is not told.
pub fn check(records: &[Located]) -> Vec<Mismatch> {
    let replies = play(&mut Runner::new(Options::default()), records);
    compare(records, &replies, |_, told, actual| same_reply(told, actual))
}

/// Runs a transcript; the replies of its commands, in order.
pub fn play(runner: &mut Runner, records: &[Located]) -> Vec<String> {
    let mut replies = Vec::new();
    for Located { record, .. } in records {
        match record {
            Record::Advance { ms, .. } => {
                let to = runner.engine().now().saturating_add(*ms);
                runner.advance_to(to);
            }
            Record::Command { client, line, .. } => {
                replies.push(
                    runner.command(client, line).map_or_else(|error| error.to_string(), |ran| ran.reply.into_owned()),
                );
            }
            _ => {}
        }
    }
    replies
}

/// Compares the replies of a transcript's commands with those that it tells. Whether a command, what is told and what
/// came fit together is for the caller to say.
pub fn compare(records: &[Located], replies: &[String], same: impl Fn(&str, &str, &str) -> bool) -> Vec<Mismatch> {
    let commands = records.iter().filter_map(|Located { line, record }| match record {
        Record::Command { client, line: command, reply } => Some((*line, client, command, reply)),
        _ => None,
    });
    let told = commands.zip(replies).filter_map(|((line, client, command, reply), actual)| {
        let told = reply.join("\n");
        (!same(command, &told, actual)).then(|| Mismatch {
            line,
            command: format!("{client}> {command}"),
            expected: (!reply.is_empty()).then_some(told),
            actual: actual.clone(),
        })
    });
    told.collect()
}
