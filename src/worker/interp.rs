//! A worker in the middle of its program, and the one step that it takes next. Pauses, crashes and the clock are not its
//! business: whoever runs it decides when it steps.

use super::check::MAX_QUEUED;
use super::code::{Act, Code, Draws, Next, Op, Send};
use super::program::Expect;
use crate::command::execute;
use crate::engine::{ClientId, Engine, Millis, Reply};

/// The place of a worker that is done or dead.
pub(crate) const GONE: u8 = u8::MAX;

/// Where a worker stands. Times are milliseconds from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Worker {
    /// Its next step but for renewals; [`GONE`] when there is none.
    pub(crate) at: u8,
    /// Until when it works before that step.
    pub(crate) busy: Millis,
    /// The step of its renewal that comes next, when it is in the middle of one.
    pub(crate) renewing: Option<u8>,
    /// When the next renewal falls due, while renewals go on.
    pub(crate) beat: Option<Millis>,
    /// Whether a renewal is due. Of several that were missed one is sent, as timers do.
    pub(crate) due: bool,
    /// How long it may put off its further try, after a refusal.
    pub(crate) retry: Option<Millis>,
    /// How long it may stay paused, when it is.
    pub(crate) paused: Option<Millis>,
    /// Its place in the order of acquisition, from 1; 0 before.
    pub(crate) age: u32,
    /// Its fencing number.
    pub(crate) number: Option<i64>,
    /// Whether a transaction is open.
    pub(crate) open: bool,
    /// The steps whose commands wait for EXEC.
    pub(crate) queued: [u8; MAX_QUEUED],
    /// How many of them there are.
    pub(crate) queue: u8,
    /// The keys that it watches; see [`Send::watches`].
    pub(crate) watched: u16,
    /// Whether one of them was touched.
    pub(crate) dirty: bool,
}

/// What came of a step.
#[derive(Debug, Default)]
pub(crate) struct Did {
    /// What the server answered.
    pub(crate) reply: Option<Reply>,
    /// Whether the worker has the lock now.
    pub(crate) granted: bool,
}

impl Worker {
    /// A worker that has not begun.
    pub(crate) fn new(code: &Code) -> Self {
        Self { at: if code.ops.is_empty() { GONE } else { 0 }, busy: code.delay, ..Self::DONE }
    }

    /// A worker that never acts again.
    pub(crate) const DONE: Self = Self {
        at: GONE,
        busy: 0,
        renewing: None,
        beat: None,
        due: false,
        retry: None,
        paused: None,
        age: 0,
        number: None,
        open: false,
        queued: [0; MAX_QUEUED],
        queue: 0,
        watched: 0,
        dirty: false,
    };

    /// Whether it is done or dead.
    pub(crate) fn gone(&self) -> bool {
        self.at == GONE
    }

    /// Whether it stands as another does, age and number aside.
    pub(crate) fn stands_as(&self, other: &Self) -> bool {
        let Self {
            at,
            busy,
            renewing,
            beat,
            due,
            retry,
            paused,
            age: _,
            number: _,
            open,
            queued,
            queue,
            watched,
            dirty,
        } = self;
        (*at, *busy, *due, *open, *queue, *watched, *dirty)
            == (other.at, other.busy, other.due, other.open, other.queue, other.watched, other.dirty)
            && (*renewing, *beat, *retry, *paused) == (other.renewing, other.beat, other.retry, other.paused)
            && queued[..usize::from(*queue)] == other.queued[..usize::from(*queue)]
    }

    /// What it is inside of.
    pub(crate) fn room(&self, code: &Code) -> Option<u8> {
        code.ops.get(usize::from(self.at))?.room
    }

    /// The step of its program that it stands at, renewals aside.
    pub(crate) fn op<'c>(&self, code: &'c Code) -> Option<&'c Op> {
        code.ops.get(usize::from(self.at))
    }

    /// The step that it takes next, once its time has come: a renewal that is due goes first.
    pub(crate) fn next(&self, code: &Code) -> u8 {
        match (self.renewing, code.renewal) {
            (Some(at), _) => at,
            (None, Some((_, first))) if self.due => first,
            _ => self.at,
        }
    }

    /// Whether its next step can be taken now.
    pub(crate) fn ready(&self) -> bool {
        !self.gone() && self.paused.is_none() && (self.busy == 0 || self.due || self.renewing.is_some())
    }

    /// Whether it waits to acquire, or to begin: its next step may be put off, and nothing is lost by a pause.
    pub(crate) fn waits(&self, code: &Code) -> bool {
        self.renewing.is_none() && !self.due && self.op(code).is_some_and(|op| op.free)
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: Millis, every: Millis) {
        match &mut self.paused {
            Some(left) => *left -= time,
            None => self.busy -= time.min(self.busy),
        }
        if let Some(left) = &mut self.retry {
            *left -= time;
        }
        if let Some(left) = &mut self.beat {
            *left -= time;
            if *left <= 0 {
                self.due = true;
                *left = every - (-*left) % every;
            }
        }
    }

    /// Goes on after a step.
    fn go(&mut self, code: &Code, next: Next) {
        match next {
            Next::Op(at, busy) => (self.at, self.busy) = (at, busy),
            Next::Retry(at, within) => {
                *self = Self { at, retry: Some(within), watched: self.watched, dirty: self.dirty, ..Self::DONE };
            }
            Next::Renewed => {}
            Next::Lost => {
                let exit = self.op(code).map_or(GONE, |op| op.exit);
                (self.at, self.busy, self.beat, self.due) = (exit, 0, None, false);
            }
            Next::End => *self = Self::DONE,
        }
    }
}

/// Takes the next step of a worker at an instant.
pub(crate) fn step(code: &Code, worker: &mut Worker, engine: &mut Engine, client: ClientId, now: Millis) -> Did {
    let at = worker.next(code);
    let Some(op) = code.ops.get(usize::from(at)) else { return Did::default() };
    let renewal = worker.due || worker.renewing.is_some();
    (worker.due, worker.renewing) = (worker.due && !renewal, None);
    worker.retry = None;
    let mut did = Did::default();
    let next = match &op.act {
        Act::Send(send) => {
            let outcome = execute(engine, client, &send.argv, now);
            let fits = fits(send, &outcome.reply);
            keep_track(worker, engine, client, at, send, &outcome.reply);
            if fits && let Some(number) = drawn(send, &outcome.reply) {
                worker.number = Some(number);
            }
            did.reply = Some(outcome.reply);
            did.granted = op.grants && fits;
            if fits { op.next } else { op.refused }
        }
        Act::Enter(_) => {
            worker.beat = code.renewal.map(|(every, _)| every);
            did.granted = op.grants;
            op.next
        }
        Act::Leave => {
            (worker.beat, worker.due) = (None, false);
            op.next
        }
        Act::Write(_) => op.next,
    };
    match next {
        // A renewal goes on beside what it interrupted.
        Next::Op(at, _) if renewal => worker.renewing = Some(at),
        next => worker.go(code, next),
    }
    did
}

/// Keeps what the server holds for the worker's connection.
fn keep_track(worker: &mut Worker, engine: &Engine, client: ClientId, at: u8, send: &Send, reply: &Reply) {
    let kept = engine.client(client);
    worker.open = kept.transaction.is_some();
    if !worker.open {
        worker.queue = 0;
    } else if matches!(reply, Reply::Status(status) if status == "QUEUED") {
        worker.queued[usize::from(worker.queue)] = at;
        worker.queue += 1;
    }
    if kept.watched.is_empty() {
        (worker.watched, worker.dirty) = (0, false);
    } else {
        worker.watched |= send.watches;
        worker.dirty = kept.dirty;
    }
}

/// Whether a reply is what the worker looks for.
fn fits(send: &Send, reply: &Reply) -> bool {
    match send.expect {
        Expect::Anything => true,
        Expect::Yes => !is_no(reply),
        Expect::Token => matches!(reply, Reply::Bulk(value) if **value == *send.token),
    }
}

/// Whether a reply says no.
fn is_no(reply: &Reply) -> bool {
    match reply {
        Reply::Nil | Reply::NilArray | Reply::Integer(0) | Reply::Error(_) => true,
        Reply::Array(items) => items.iter().any(is_no),
        _ => false,
    }
}

/// The fencing number in a reply.
fn drawn(send: &Send, reply: &Reply) -> Option<i64> {
    let number = match (send.draws, reply) {
        (Draws::Reply, number) => number,
        (Draws::Part(place), Reply::Array(items)) => items.get(place)?,
        _ => return None,
    };
    if let Reply::Integer(number) = number { Some(*number) } else { None }
}
