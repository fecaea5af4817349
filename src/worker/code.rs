//! Programs made ready to run: a list of steps for each worker, each of which says which one comes next.

use std::borrow::Cow;

use super::check::{is_draw, name};
use super::parse::lines;
use super::program::{Expect, Line, Programs, Refusal, Statement, Team};
use crate::engine::{Millis, digest};
use crate::transcript::line::split;

/// The program of one worker.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Its steps. A worker begins at the first.
    pub(crate) ops: Vec<Op>,
    /// How long it waits before the first.
    pub(crate) delay: Millis,
    /// The interval and the first step of its renewals.
    pub(crate) renewal: Option<(Millis, u8)>,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    /// What is done.
    pub(crate) act: Act,
    /// What comes next.
    pub(crate) next: Next,
    /// What comes next when the reply is not as expected.
    pub(crate) refused: Next,
    /// Whether it may be taken at any instant: a try to acquire, or the first step of all.
    pub(crate) free: bool,
    /// Whether the worker has the lock once this is done.
    pub(crate) grants: bool,
    /// What the worker is inside of before this step.
    pub(crate) room: Option<u8>,
    /// The step with which it leaves.
    pub(crate) exit: u8,
    /// Whether a write may still come.
    pub(crate) writes: bool,
}

/// What is done in one step.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Sends a command.
    Send(Send),
    /// Enters what has such a number.
    Enter(u8),
    /// Leaves it.
    Leave,
    /// Writes, with its fencing number or without.
    Write(bool),
}

/// A command to send.
#[derive(Clone, Debug)]
pub(crate) struct Send {
    /// Its words.
    pub(crate) argv: Vec<Vec<u8>>,
    /// The same as typed.
    pub(crate) line: String,
    /// What the reply must be.
    pub(crate) expect: Expect,
    /// The worker's own token, which it may be.
    pub(crate) token: Vec<u8>,
    /// Where a fencing number stands in the reply.
    pub(crate) draws: Draws,
    /// The keys that it watches: bits, by [`Shared::watched`].
    pub(crate) watches: u16,
}

/// Where a fencing number stands in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draws {
    /// Nowhere.
    No,
    /// The reply is one.
    Reply,
    /// It is the n-th of those to a transaction.
    Part(usize),
}

/// What comes after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// That step, after a time.
    Op(u8, Millis),
    /// The try again, within a time, from that step.
    Retry(u8, Millis),
    /// What the renewal interrupted.
    Renewed,
    /// The worker leaves, for it has lost the lock.
    Lost,
    /// Nothing.
    End,
}

/// What the programs of all workers have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// What is entered.
    pub(crate) rooms: Vec<String>,
    /// The keys that are watched.
    pub(crate) watched: Vec<Vec<u8>>,
}

/// The token of a worker.
pub(crate) fn token(worker: &str) -> String {
    format!("tok-{}", worker.to_ascii_lowercase())
}

/// The words of a command.
pub(super) fn render(command: &str, token: &str, digest: &str) -> Vec<Vec<u8>> {
    let command = command.replace("{token}", token).replace("{digest}", digest);
    split(&command).unwrap_or_default().into_iter().map(Cow::into_owned).collect()
}

impl Code {
    /// The programs of all workers, in their order, and what they have in common.
    pub(crate) fn all(programs: &Programs) -> (Vec<Self>, Shared) {
        let mut shared = Shared::default();
        let mut codes = Vec::new();
        for team in programs.teams() {
            for worker in &team.workers {
                codes.push(Builder::new(worker, programs.counter(), &mut shared).build(team));
            }
        }
        (codes, shared)
    }
}

/// A place that says what comes next: of a step, whether its reply was as expected or not.
#[derive(Clone, Copy)]
enum Slot {
    Next(usize),
    Refused(usize),
}

struct Builder<'a> {
    token: String,
    digest: String,
    counter: Option<&'a str>,
    shared: &'a mut Shared,
    ops: Vec<Op>,
    /// What is waited for before the next step.
    busy: Millis,
    /// The places that lead to the next step.
    open: Vec<Slot>,
    /// What the worker is inside of.
    room: Option<u8>,
    delay: Option<Millis>,
}

impl<'a> Builder<'a> {
    fn new(worker: &str, counter: Option<&'a str>, shared: &'a mut Shared) -> Self {
        let token = token(worker);
        let digest = digest::xxh3(token.as_bytes());
        let (ops, open) = (Vec::new(), Vec::new());
        Self { token, digest, counter, shared, ops, busy: 0, open, room: None, delay: None }
    }

    fn build(mut self, team: &Team) -> Code {
        let mut renewal = None;
        let acquires = team.statements.iter().any(|statement| matches!(statement, Statement::Acquire { .. }));
        for statement in &team.statements {
            match statement {
                Statement::Work(time) => self.busy += time,
                Statement::Acquire { refused, lines } => self.acquire(*refused, lines),
                Statement::Release(lines) | Statement::Send(lines) => self.block(lines),
                Statement::Renew { every, lines } => renewal = Some((*every, lines)),
                Statement::Write { fenced } => {
                    self.step(Act::Write(*fenced));
                }
                Statement::Leave => {
                    let exit = self.step(Act::Leave);
                    self.room = None;
                    let stay = self.ops.iter_mut().rev().skip_while(|op| op.room.is_none());
                    stay.take_while(|op| op.room.is_some()).for_each(|op| op.exit = exit as u8);
                }
                Statement::Enter(resource) => {
                    let room = index_of(&mut self.shared.rooms, resource);
                    self.step(Act::Enter(room));
                    self.room = Some(room);
                }
                Statement::Again => {
                    let begin = Next::Op(0, self.busy + self.delay.unwrap_or_default());
                    self.close(begin);
                }
            }
        }
        self.close(Next::End);
        let again = team.statements.contains(&Statement::Again);
        let last_write = self.ops.iter().rposition(|op| matches!(op.act, Act::Write(_)));
        for (at, op) in self.ops.iter_mut().enumerate() {
            op.writes = last_write.is_some_and(|last| again || at <= last);
        }
        if let Some(first) = self.ops.first_mut() {
            first.free = true;
        }
        if !acquires && let Some(at) = self.stands_for_acquiring() {
            self.ops[at].grants = true;
        }
        let renewal = renewal.map(|(every, lines)| (every, self.renewal(lines)));
        Code { ops: self.ops, delay: self.delay.unwrap_or_default(), renewal }
    }

    /// The step that counts as acquiring in a program that takes no lock: the one that draws a number, else `enter`.
    fn stands_for_acquiring(&self) -> Option<usize> {
        let draws = |op: &Op| matches!(&op.act, Act::Send(send) if send.draws != Draws::No);
        let enters = |op: &Op| matches!(op.act, Act::Enter(_));
        self.ops.iter().position(draws).or_else(|| self.ops.iter().position(enters))
    }

    /// Adds a step that what is open leads to.
    fn step(&mut self, act: Act) -> usize {
        let at = self.ops.len();
        self.close(Next::Op(at as u8, self.busy));
        self.delay.get_or_insert(self.busy);
        self.busy = 0;
        self.add(act);
        self.open.push(Slot::Next(at));
        at
    }

    fn add(&mut self, act: Act) {
        let (next, refused) = (Next::End, Next::End);
        self.ops.push(Op { act, next, refused, free: false, grants: false, room: self.room, exit: 0, writes: false });
    }

    /// Lets what is open lead somewhere.
    fn close(&mut self, next: Next) {
        for slot in self.open.drain(..) {
            match slot {
                Slot::Next(at) => self.ops[at].next = next,
                Slot::Refused(at) => self.ops[at].refused = next,
            }
        }
    }

    /// Adds the commands of a block, and what is sent else. What a command that ends the block leads to comes back.
    fn block_steps(&mut self, lines: &[Line]) -> Vec<Slot> {
        let mut ends = Vec::new();
        // Where the numbers of an open transaction stand in its reply.
        let (mut queued, mut number) = (None, Draws::No);
        for line in lines {
            let draws = is_draw(&line.command, self.counter);
            let place = match (name(&line.command).as_str(), queued) {
                ("MULTI", _) => {
                    (queued, number) = (Some(0), Draws::No);
                    Draws::No
                }
                ("EXEC" | "DISCARD", _) => {
                    queued = None;
                    number
                }
                (_, Some(count)) => {
                    number = if draws { Draws::Part(count) } else { number };
                    queued = Some(count + 1);
                    Draws::No
                }
                _ if draws => Draws::Reply,
                _ => Draws::No,
            };
            let send = self.send(line.expect, &line.command, place);
            let at = self.step(send);
            if line.expect == Expect::Anything {
                continue;
            }
            match &line.otherwise {
                None => ends.push(Slot::Refused(at)),
                Some(otherwise) => {
                    let other = self.ops.len();
                    self.ops[at].refused = Next::Op(other as u8, 0);
                    let send = self.send(Expect::Anything, otherwise, Draws::No);
                    self.add(send);
                    ends.push(Slot::Next(other));
                }
            }
        }
        ends
    }

    fn block(&mut self, lines: &[Line]) {
        let ends = self.block_steps(lines);
        self.open.extend(ends);
    }

    fn acquire(&mut self, refused: Refusal, lines: &[Line]) {
        let first = self.ops.len();
        let ends = self.block_steps(lines);
        let goes_on = std::mem::replace(&mut self.open, ends);
        self.close(match refused {
            Refusal::Stop => Next::End,
            Refusal::Retry(within) => Next::Retry(first as u8, within),
        });
        self.open = goes_on;
        let looks = |op: &Op| matches!(&op.act, Act::Send(send) if send.expect != Expect::Anything);
        let grants = self.ops[first..].iter().position(looks).unwrap_or(0);
        self.ops[first + grants].grants = true;
        self.ops[first].free = true;
    }

    fn renewal(&mut self, lines: &[Line]) -> u8 {
        let first = self.ops.len();
        let ends = self.block_steps(lines);
        self.close(Next::Renewed);
        self.open = ends;
        self.close(Next::Lost);
        first as u8
    }

    fn send(&mut self, expect: Expect, command: &str, draws: Draws) -> Act {
        let argv = render(command, &self.token, &self.digest);
        let watching = name(command) == "WATCH";
        let keys = argv.iter().skip(1).filter(|_| watching);
        let watches = keys.fold(0, |bits: u16, key| bits | 1 << index_of(&mut self.shared.watched, key));
        let line = command.replace("{token}", &self.token).replace("{digest}", &self.digest);
        Act::Send(Send { argv, line, expect, token: self.token.clone().into_bytes(), draws, watches })
    }
}

/// Whether no command tells the value of the counter but INCR, whose reply is a number to compare.
pub(crate) fn only_counts(programs: &Programs) -> bool {
    const BLIND: [&str; 8] = ["INCR", "DEL", "UNLINK", "EXISTS", "EXPIRE", "PEXPIRE", "PERSIST", "WATCH"];
    let names = |word: &[u8]| programs.counter().is_some_and(|counter| word == counter.as_bytes());
    commands(programs)
        .filter(|command| render(command, "", "").iter().any(|word| names(word)))
        .all(|command| BLIND.contains(&name(command).as_str()))
}

/// All commands of programs.
fn commands(programs: &Programs) -> impl Iterator<Item = &String> {
    let all = programs.teams().iter().flat_map(|team| &team.statements).filter_map(lines).flatten();
    all.flat_map(|line| std::iter::once(&line.command).chain(&line.otherwise))
}

/// Whether programs treat workers alike whatever they are called: a token is written as a value or named as a condition,
/// and no command makes a new value out of one or looks into it.
pub(crate) fn treats_alike(programs: &Programs) -> bool {
    const WHOLE: [&str; 8] = ["SET", "SETNX", "SETEX", "PSETEX", "GETSET", "DELEX", "ECHO", "PING"];
    let tokens: Vec<String> = programs.workers().map(token).collect();
    commands(programs).all(|command| {
        let name = name(command);
        let words = render(command, "{token}", "{digest}");
        let own = |word: &[u8]| word == b"{token}" || word == b"{digest}";
        let hidden = |word: &[u8]| {
            let text = String::from_utf8_lossy(word);
            let named = tokens.iter().any(|token| text.contains(token) || text == digest::xxh3(token.as_bytes()));
            named || !own(word) && text.contains('{')
        };
        let in_place = !words.iter().any(|word| own(word)) || WHOLE.contains(&name.as_str());
        // The first word after the name is a key.
        let key = words.get(1).is_some_and(|key| own(key)) && !["ECHO", "PING"].contains(&name.as_str());
        in_place
            && !key
            && !words.iter().any(|word| hidden(word))
            && !["APPEND", "SETRANGE", "GETRANGE", "STRLEN"].contains(&name.as_str())
    })
}

/// The place of an item in a list, to which it is added when it is new.
fn index_of<T: PartialEq + Clone>(list: &mut Vec<T>, item: &T) -> u8 {
    let known = list.iter().position(|known| item == known);
    known.unwrap_or_else(|| {
        list.push(item.clone());
        list.len() - 1
    }) as u8
}
