//! The player: where a session stands, and how it gets elsewhere.
//!
//! **Invariant.** A position reached by seeking equals that position reached by playing from the start, byte for
//! byte: going back takes up the keyframe before it and replays, going forward goes on. Typed records are part of the
//! session like any other.

mod edit;
mod edited;
mod keyframes;
mod session;
mod workers;

pub use edit::EditMark;
pub use edited::Place;
pub use session::{Item, Kind, Session, Step};
pub use workers::{Belief, Overlap, Stay, beliefs, overlaps, stays};

use keyframes::{Keyframe, Keyframes};

use crate::command::ClockRequest;
use crate::engine::{EPOCH, Event, Millis, Options};
use crate::transcript::{Act, Located, Ran, Record, Runner, parse, print, same_reply};

/// The last instant that the clock can hold, since the start of a session.
const LAST: Millis = Millis::MAX - EPOCH;

/// A place in a session: before the item `index`, or `offset` milliseconds into it when it moves the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The next item.
    pub index: usize,
    /// How far the clock has moved inside it; 0 but inside an advance.
    pub offset: Millis,
}

/// Something that happened while playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in milliseconds since the start of the session.
    pub at: Millis,
    /// Where the session stood just after it.
    pub position: Position,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A client sent a command.
    Command(Played),
    /// A key was gone.
    Expired(Event),
    /// A client in MONITOR saw a command.
    Monitored(String),
    /// A worker did something outside the store.
    Act {
        /// Who.
        client: String,
        /// What.
        act: Act,
        /// Whether the reader added it.
        typed: bool,
    },
}

/// A command that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who sent it.
    pub client: String,
    /// The command as typed.
    pub line: String,
    /// The reply in redis-cli form.
    pub reply: String,
    /// Whether the reply is an error.
    pub is_error: bool,
    /// The reply that the text tells, when this one differs from it.
    pub instead_of: Option<String>,
    /// The step that it belongs to, counted from 0.
    pub step: Option<usize>,
    /// Whether the reader added it.
    pub typed: bool,
    /// What happened to locks.
    pub events: Vec<Event>,
}

/// Up to where to go forward.
#[derive(Clone, Copy)]
enum Until {
    /// An instant, what happens at it included.
    Time(Millis),
    /// A position.
    Position(Position),
    /// The next thing that happens.
    Event,
}

/// A session being played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    session: Session,
    items: Vec<Item>,
    options: Options,
    runner: Runner,
    position: Position,
    log: Vec<Entry>,
    /// When each item that was begun began, since the start of the session.
    begun: Vec<Millis>,
    undo: Vec<(Vec<Item>, Position)>,
    /// Whether the last item is a move that grows while the clock runs on.
    running: bool,
    /// The workers, in the order of their first appearance.
    workers: Vec<String>,
    keyframes: Keyframes,
    cuts: Cuts,
}

/// How often entries were taken off the log. Two players that stand alike are equal, whatever way they came.
#[derive(Clone, Copy, Debug, Default)]
struct Cuts(u64);

impl PartialEq for Cuts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Cuts {}

impl Player {
    /// Stands at the start of a session.
    pub fn new(session: Session, options: Options) -> Self {
        let items = session.items.clone();
        let workers = session.workers(&[]);
        Self {
            session,
            items,
            options,
            runner: Runner::new(options),
            position: Position::default(),
            log: Vec::new(),
            begun: Vec::new(),
            undo: Vec::new(),
            running: false,
            workers,
            keyframes: Keyframes::default(),
            cuts: Cuts::default(),
        }
    }

    /// The workers, in the order of their first appearance; the plain client is none.
    pub fn workers(&self) -> &[String] {
        &self.workers
    }

    /// The session as its author wrote it.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The items, the reader's own included.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The server and its clients.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Where the session stands.
    pub fn position(&self) -> Position {
        self.position
    }

    /// What happened so far, in order.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// How often entries were taken off the log. While it stays, the log has only grown.
    pub fn cuts(&self) -> u64 {
        self.cuts.0
    }

    /// Milliseconds since the start of the session.
    pub fn now(&self) -> Millis {
        since_start(self.runner.engine().now())
    }

    /// Whether nothing is left to play.
    pub fn at_end(&self) -> bool {
        self.position.index >= self.items.len()
    }

    /// When each item begins, since the start of the session: as it was for those begun, as planned for the others.
    pub fn schedule(&self) -> Vec<Millis> {
        let mut times = self.begun.clone();
        let inside = match self.items.get(self.position.index) {
            Some(Item { kind: Kind::Advance(ms), .. }) if self.position.offset > 0 => ms - self.position.offset,
            _ => 0,
        };
        let mut at = self.now().saturating_add(inside).min(LAST);
        for item in self.items.iter().skip(times.len()) {
            times.push(at);
            if let Kind::Advance(ms) = item.kind {
                at = at.saturating_add(ms).min(LAST);
            }
        }
        times
    }

    /// What is still to come, with the instants that a [`Self::schedule`] gives.
    pub fn planned<'a>(&'a self, schedule: &'a [Millis]) -> impl Iterator<Item = (&'a Item, Millis)> {
        self.items.iter().zip(schedule.iter().copied()).skip(self.position.index)
    }

    /// When the session ends, as far as it is planned, since its start.
    pub fn end(&self) -> Millis {
        let rest = self.items[self.position.index.min(self.items.len())..].iter();
        let moved: Millis =
            rest.map(|item| if let Kind::Advance(ms) = item.kind { ms } else { 0 }).fold(0, Millis::saturating_add);
        self.now().saturating_add(moved).saturating_sub(self.position.offset).min(LAST)
    }

    /// The step last begun, counted from 0.
    pub fn current_step(&self) -> Option<usize> {
        let speaks = |step: usize| {
            self.items.iter().any(|item| item.step == Some(step) && matches!(item.kind, Kind::Command { .. }))
        };
        self.items[..self.position.index].iter().rev().find_map(|item| match item.kind {
            Kind::Command { .. } => item.step,
            // A step in which no command is sent begins with what else happens in it.
            _ => item.step.filter(|step| !speaks(*step)),
        })
    }

    /// When a step's last command is or was sent, or what else ends it happens, since the start of the session.
    pub fn step_time(&self, step: usize, schedule: &[Millis]) -> Option<Millis> {
        let last = self.last_of(step)?;
        let at = *schedule.get(last)?;
        // A move ends where the next item begins.
        Some(if let Kind::Advance(ms) = self.items[last].kind { at.saturating_add(ms) } else { at })
    }

    /// The step that ends next, and when.
    pub fn next_step_end(&self) -> Option<(usize, Millis)> {
        let ends = (0..self.session.steps.len()).filter_map(|step| Some((self.last_of(step)?, step)));
        let (_, step) = ends.filter(|(index, _)| *index >= self.position.index).min()?;
        Some((step, self.step_time(step, &self.schedule())?))
    }

    /// The last command of a step; of a step without any, the last thing that happens in it.
    fn last_of(&self, step: usize) -> Option<usize> {
        let of = |command: bool| {
            move |item: &Item| item.step == Some(step) && (!command || matches!(item.kind, Kind::Command { .. }))
        };
        self.items.iter().rposition(of(true)).or_else(|| self.items.iter().rposition(of(false)))
    }

    /// Goes to an instant since the start of the session and runs what happens at it; no further than the end.
    pub fn seek(&mut self, at: Millis) {
        let at = at.clamp(0, self.end());
        let instant = EPOCH.saturating_add(at);
        if at < self.now() {
            self.restart_from(self.keyframes.before_instant(instant).cloned());
        }
        self.forward(Until::Time(instant));
    }

    /// Goes to the end, whatever clock commands stand on the way.
    pub fn go_to_end(&mut self) {
        self.forward(Until::Position(Position { index: self.items.len(), offset: 0 }));
    }

    /// Goes on by so much simulated time; no further than the end.
    pub fn tick(&mut self, ms: Millis) {
        self.seek(self.now().saturating_add(ms.max(0)));
    }

    /// Runs a step: up to and including its last command, and what its workers do at that instant; of a step without
    /// commands, all of it.
    pub fn go_to_step(&mut self, step: usize) {
        if let Some(index) = self.after_step(step) {
            self.go_to(Position { index, offset: 0 });
        }
    }

    /// The item before which a step is done.
    fn after_step(&self, step: usize) -> Option<usize> {
        let last = self.last_of(step)?;
        let acts = self.items[last + 1..]
            .iter()
            .take_while(|item| item.step == Some(step) && matches!(item.kind, Kind::Act { .. }))
            .count();
        Some(last + 1 + acts)
    }

    /// Goes on to the next thing that happens: a command or an act with the acts beside it, or an expiry.
    pub fn step_forward(&mut self) {
        self.forward(Until::Event);
    }

    /// Goes back to the thing that happened before the last one, or to the last one when time has passed since.
    pub fn step_back(&mut self) {
        let stops = self.log.iter().rev().filter(|entry| self.is_stop(entry));
        let before = stops.map(|entry| entry.position).find(|position| *position < self.position);
        self.go_to(before.unwrap_or_default());
    }

    /// Whether going on step by step rests after an entry: acts go with the command beside them.
    fn is_stop(&self, entry: &Entry) -> bool {
        let next = self.items.get(entry.position.index).map(|item| &item.kind);
        match next {
            _ if entry.position.offset > 0 => true,
            Some(Kind::Act { .. }) => false,
            Some(Kind::Command { .. }) => !matches!(entry.what, What::Act { .. }),
            Some(Kind::Advance(_)) | None => true,
        }
    }

    /// The session as text: what was played with the replies that it got, what is still planned as it was written.
    pub fn to_transcript(&self) -> String {
        let mut records: Vec<Record> = Vec::new();
        if !self.session.intro.is_empty() {
            records.extend(prose_records(&self.session.intro));
            records.push(Record::Blank);
        }
        let mut played = self.log.iter().filter_map(|entry| match &entry.what {
            What::Command(played) => Some(played),
            _ => None,
        });
        let mut steps = self.session.steps.iter();
        let mut told = 0;
        for (index, item) in self.items.iter().enumerate() {
            // Steps without a command or an act of their own come before the next one that has some.
            while !item.typed && !matches!(item.kind, Kind::Advance(_)) && item.step.is_some_and(|step| told <= step) {
                told += 1;
                records.extend(steps.next().into_iter().flat_map(step_records));
            }
            records.push(match &item.kind {
                Kind::Advance(ms) => Record::Advance { ms: *ms, text: crate::engine::format_duration(*ms) },
                Kind::Act { client, act } => Record::Act { client: client.clone(), act: act.clone() },
                Kind::Command { client, line, expected } => {
                    let reply = if index < self.position.index {
                        played.next().map(|played| played.reply.clone())
                    } else {
                        expected.clone()
                    };
                    let reply = reply.iter().flat_map(|reply| reply.split('\n').map(str::to_owned)).collect();
                    Record::Command { client: client.clone(), line: line.clone(), reply }
                }
            });
        }
        records.extend(steps.flat_map(step_records));
        print(&records)
    }

    fn go_to(&mut self, position: Position) {
        if position < self.position {
            self.restart_from(self.keyframes.before_item(position.index).cloned());
        }
        self.forward(Until::Position(position));
    }

    /// Stands at a keyframe, or at the start.
    fn restart_from(&mut self, keyframe: Option<Keyframe>) {
        let start = || Keyframe { index: 0, runner: Runner::new(self.options), log: 0 };
        let Keyframe { index, runner, log } = keyframe.unwrap_or_else(start);
        self.runner = runner;
        self.position = Position { index, offset: 0 };
        self.log.truncate(log);
        self.cuts.0 += 1;
        self.begun.truncate(index);
    }

    /// Stands at the start of items that are others than before.
    fn restart(&mut self) {
        self.keyframes = Keyframes::default();
        self.restart_from(None);
    }

    /// Goes forward. Commands and acts take no time; the clock moves inside advances only.
    fn forward(&mut self, until: Until) {
        while let Some(item) = self.items.get(self.position.index) {
            let index = self.position.index;
            if matches!(until, Until::Position(to) if to <= self.position) {
                return;
            }
            if self.position.offset == 0 {
                self.keyframes.keep(index, &self.runner, self.log.len());
            }
            let Kind::Advance(ms) = item.kind else {
                let due = match until {
                    Until::Time(at) => self.runner.engine().now() <= at,
                    Until::Position(_) | Until::Event => true,
                };
                if !due {
                    return;
                }
                self.run_item(index);
                if matches!(until, Until::Event) && self.log.last().is_some_and(|entry| self.is_stop(entry)) {
                    return;
                }
                continue;
            };
            let now = self.runner.engine().now();
            let start = now.saturating_sub(self.position.offset);
            let end = start.saturating_add(ms);
            let to = match until {
                Until::Time(at) => at.min(end),
                Until::Position(to) if index < to.index => end,
                Until::Position(to) => start.saturating_add(to.offset).min(end),
                Until::Event => self.runner.engine().next_expiry().map_or(end, |(at, _)| at.clamp(now, end)),
            };
            if to < now {
                return;
            }
            let happened = self.advance(to, start, end);
            if to < end || (happened && matches!(until, Until::Event)) {
                return;
            }
        }
    }

    /// Moves the clock inside the advance at the playhead; whether anything expired.
    fn advance(&mut self, to: Millis, start: Millis, end: Millis) -> bool {
        let index = self.position.index;
        if to == start && to < end {
            return false;
        }
        self.begin(index, start);
        let place = |at: Millis| {
            if at >= end { Position { index: index + 1, offset: 0 } } else { Position { index, offset: at - start } }
        };
        let expired = self.runner.advance_to(to);
        let happened = !expired.is_empty();
        self.log.extend(expired.iter().map(|event| {
            let (at, position) = (since_start(event.at), place(event.at));
            Entry { at, position, what: What::Expired(event.clone()) }
        }));
        self.position = place(to);
        happened
    }

    /// Runs the command or act at the playhead; what it asks of the shell's clock.
    fn run_item(&mut self, index: usize) -> Option<ClockRequest> {
        let at = self.runner.engine().now();
        self.begin(index, at);
        self.position = Position { index: index + 1, offset: 0 };
        let position = self.position;
        let Item { kind, step, typed } = self.items[index].clone();
        let at = since_start(at);
        let (client, line, expected) = match kind {
            Kind::Command { client, line, expected } => (client, line, expected),
            Kind::Act { client, act } => {
                self.log.push(Entry { at, position, what: What::Act { client, act, typed } });
                return None;
            }
            Kind::Advance(_) => return None,
        };
        let ran = self.runner.command(&client, &line);
        let events = if ran.is_ok() { self.runner.engine().events() } else { &[] };
        // A command that moves the clock lets keys expire after it was sent.
        let (expired, events) = events.iter().cloned().partition::<Vec<_>, _>(|event| event.kind.client().is_none());
        let Ran { reply, is_error, clock, monitored } = ran.unwrap_or_else(|error| Ran {
            // The parser lets no such line through; if one came, the reader is told instead of the page failing.
            reply: error.to_string().into(),
            is_error: true,
            clock: None,
            monitored: None,
        });
        let instead_of = expected.filter(|expected| !same_reply(expected, &reply));
        let reply = reply.into_owned();
        let played = Played { client, line, reply, is_error, instead_of, step, typed, events };
        self.log.push(Entry { at, position, what: What::Command(played) });
        self.log.extend(monitored.map(|line| Entry { at, position, what: What::Monitored(line) }));
        for event in expired {
            self.log.push(Entry { at: since_start(event.at), position, what: What::Expired(event) });
        }
        clock
    }

    fn begin(&mut self, index: usize, at: Millis) {
        if self.begun.len() == index {
            self.begun.push(since_start(at));
        }
    }
}

/// A step's title and prose.
fn step_records(step: &Step) -> Vec<Record> {
    std::iter::once(Record::Step(step.title.clone())).chain(prose_records(&step.prose)).collect()
}

/// Prose, on one line unless that would be read as something else: `#` at the end of a line, and a word on the next.
fn prose_records(text: &str) -> Vec<Record> {
    /// More than the longest name with its mark and a verb: what a line is, its beginning tells.
    const HEAD: usize = 64;
    let (mut records, mut rest) = (Vec::new(), text);
    let is_prose = |text: &str| {
        let head = &text[..text.floor_char_boundary(HEAD)];
        matches!(&parse(head).0[..], [Located { record: Record::Prose(_), .. }])
    };
    while !is_prose(rest)
        && let Some((line, next)) = rest.split_once(' ')
    {
        records.push(Record::Prose(line.to_owned()));
        rest = next;
    }
    records.extend((!rest.is_empty()).then(|| Record::Prose(rest.to_owned())));
    records
}

/// An instant as time since the start of a session, which is where every engine's clock starts.
pub fn since_start(at: Millis) -> Millis {
    at.saturating_sub(EPOCH)
}

#[cfg(test)]
mod tests;
