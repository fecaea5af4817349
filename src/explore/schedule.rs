//! A schedule as plain steps: who does what, and when. The page puts them into words.

use super::model::{Action, Done, Locks};
use super::property::Property;
use super::state::State;
use crate::engine::Millis;
use crate::transcript::format;
use crate::worker::Act;

/// One schedule: what happens from the beginning until a property is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The names of the workers.
    pub workers: Vec<String>,
    /// The key that is the lock.
    pub lock: String,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who acts, by place in [`Schedule::workers`]; nobody when time passes.
    pub worker: Option<usize>,
    /// When, in milliseconds from the beginning; of time that passes, its end.
    pub at: Millis,
    /// What happens.
    pub kind: Kind,
    /// Who wrote the value that the lock's key holds after the step; nobody when the key is missing.
    pub holder: Option<usize>,
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command is sent and answered.
    Sent {
        /// The command as typed.
        line: String,
        /// The reply as redis-cli shows it.
        reply: String,
        /// Whether the worker has the lock by it.
        acquired: bool,
    },
    /// The worker enters what is named.
    Entered(String),
    /// It leaves what is named.
    Left(String),
    /// It writes to the resource.
    Wrote {
        /// The fencing number that it sends along.
        number: Option<i64>,
        /// Whether the resource takes the write.
        taken: bool,
    },
    /// It is paused.
    Paused,
    /// It goes on.
    Resumed,
    /// It stops for good.
    Crashed,
    /// Time passes, by so many milliseconds.
    Waited(Millis),
}

impl Locks {
    /// The steps that lead from state to state along a path of canonical states, and the last of which bears the mark
    /// if one is given. Which worker stands where in a canonical state is of no matter: of all that can happen the first
    /// is taken whose state has those bytes.
    pub(super) fn replay(&mut self, path: &[Vec<u8>], property: Property) -> Schedule {
        let mut schedule = Schedule { workers: self.names.clone(), lock: self.lock_name(), steps: Vec::new() };
        let (mut from, mut to, mut actions, mut bytes) = (self.first(), State::default(), Vec::new(), Vec::new());
        let mut now = 0;
        for (at, wanted) in path.iter().enumerate().skip(1) {
            let mark = property.mark().filter(|_| at + 1 == path.len()).unwrap_or_default();
            self.actions(&from, 0, &mut actions);
            let fits = actions.iter().find_map(|&action| {
                let done = self.apply(&from, action, &mut to);
                bytes.clear();
                self.encode(&to, &mut bytes);
                (bytes == *wanted && done.marks & mark == mark).then_some((action, done))
            });
            let (action, done) = fits.expect("a path is made of steps");
            now += done.passed;
            let step = self.told(&from, action, done, now, self.holder(&to));
            schedule.steps.push(step);
            std::mem::swap(&mut from, &mut to);
        }
        schedule
    }

    /// An action and what came of it, as a step.
    fn told(&self, from: &State, action: Action, done: Done, at: Millis, holder: Option<usize>) -> Step {
        let (worker, kind) = match action {
            Action::Step(worker) => (Some(worker), self.step_kind(from, worker, done)),
            Action::Pause(worker) => (Some(worker), Kind::Paused),
            Action::Resume(worker) => (Some(worker), Kind::Resumed),
            Action::Crash(worker) => (Some(worker), Kind::Crashed),
            Action::Wait => (None, Kind::Waited(done.passed)),
        };
        Step { worker, at, kind, holder }
    }

    fn step_kind(&self, from: &State, at: usize, done: Done) -> Kind {
        let (worker, code) = (&from.workers[at], &self.codes[at]);
        let room = || worker.room(code).map(|room| self.shared.rooms[usize::from(room)].clone()).unwrap_or_default();
        match &code.ops[usize::from(worker.next(code))].act {
            Act::Send(send) => Kind::Sent {
                line: send.line.clone(),
                reply: done.did.reply.as_ref().map(|reply| format::reply(reply).into_owned()).unwrap_or_default(),
                acquired: done.did.granted,
            },
            Act::Enter(room) => Kind::Entered(self.shared.rooms[usize::from(*room)].clone()),
            Act::Leave => Kind::Left(room()),
            Act::Write(fenced) => {
                Kind::Wrote { number: worker.number.filter(|_| *fenced), taken: done.taken.unwrap_or_default() }
            }
        }
    }
}
