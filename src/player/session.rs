//! A session: a transcript made ready to be played.

use rustc_hash::FxHashSet;

use crate::engine::{Bytes, Millis};
use crate::transcript::{Act, Diagnostic, PLAIN_CLIENT, Record, line, parse};

/// A step of the story.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its title.
    pub title: String,
    /// What it explains.
    pub prose: String,
}

/// What happens at one place of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A client sends a command.
    Command {
        /// Who.
        client: String,
        /// The command as typed.
        line: String,
        /// The reply that the text tells.
        expected: Option<String>,
    },
    /// The clock moves by so many milliseconds.
    Advance(Millis),
    /// A worker does something outside the store.
    Act {
        /// Who.
        client: String,
        /// What.
        act: Act,
    },
}

/// One place of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What happens.
    pub kind: Kind,
    /// The step that it belongs to, counted from 0.
    pub step: Option<usize>,
    /// Whether the reader added it.
    pub typed: bool,
}

impl Item {
    /// Whether it is something that this client does.
    pub(super) fn is_of(&self, client: &str) -> bool {
        matches!(&self.kind, Kind::Command { client: who, .. } | Kind::Act { client: who, .. } if who == client)
    }

    /// Whom it stops, if it does.
    pub(super) fn stops(&self) -> Option<String> {
        match &self.kind {
            Kind::Act { client, act: Act::Pause | Act::Crash } => Some(client.clone()),
            _ => None,
        }
    }
}

/// A transcript as steps to read and items to play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// What stands before the first step.
    pub intro: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// What happens, in order.
    pub items: Vec<Item>,
}

impl Session {
    /// Reads a transcript. What cannot be read is left out and told.
    pub fn parse(text: &str) -> (Self, Vec<Diagnostic>) {
        let (records, diagnostics) = parse(text);
        let mut session = Self::default();
        for record in records {
            session.add(record.record);
        }
        (session, diagnostics)
    }

    /// Goes on with the next record.
    pub(super) fn add(&mut self, record: Record) {
        let step = self.steps.len().checked_sub(1);
        let kind = match record {
            Record::Step(title) => return self.steps.push(Step { title, prose: String::new() }),
            Record::Prose(text) => {
                let prose = self.steps.last_mut().map_or(&mut self.intro, |step| &mut step.prose);
                if !prose.is_empty() {
                    prose.push(' ');
                }
                return prose.push_str(&text);
            }
            Record::Command { client, line, reply } => {
                Kind::Command { client, line, expected: (!reply.is_empty()).then(|| reply.join("\n")) }
            }
            Record::Advance { ms, .. } => Kind::Advance(ms),
            Record::Act { client, act } => Kind::Act { client, act },
            Record::Blank | Record::Comment(_) | Record::Stray(_) => return,
        };
        self.items.push(Item { kind, step, typed: false });
    }

    /// The workers in the order of their first appearance, those of the story before those whom items beside it bring in,
    /// so that nobody's place and colour change, whoever is stopped; the plain client is none.
    pub fn workers(&self, items: &[Item]) -> Vec<String> {
        let mut seen = FxHashSet::default();
        let clients = self.items.iter().chain(items).filter_map(|item| match &item.kind {
            Kind::Command { client, .. } | Kind::Act { client, .. } => Some(client.as_str()),
            Kind::Advance(_) => None,
        });
        clients.filter(|client| *client != PLAIN_CLIENT && seen.insert(*client)).map(str::to_owned).collect()
    }

    /// The first key that a command names, which is the lock that the story is about.
    pub fn first_key(items: &[Item]) -> Option<Bytes> {
        items.iter().find_map(|item| match &item.kind {
            Kind::Command { line, .. } => line::split(line).ok()?.get(1).map(|key| Bytes::from(&**key)),
            _ => None,
        })
    }
}
