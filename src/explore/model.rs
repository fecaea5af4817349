//! The steps between states: workers act, pause, go on and crash, time passes, keys expire. What a command does is the
//! engine's to say: a state is put into one engine, the command runs, and what the engine holds then is the next state.

use super::property::{Property, Sometimes};
use super::search::{GOAL, Model, Steps};
use super::state::{Codec, State};
use super::store::Store;
use crate::engine::{EPOCH, EventKind, Millis};
use crate::worker::{Act, Code, Did, Programs, Shared, Worker, step, treats_alike};

/// What may go wrong beside the order of steps. Numbers are totals over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many pauses may begin, at most 15.
    pub pauses: u8,
    /// How long a pause may last, in milliseconds.
    pub pause: Millis,
    /// How many workers may crash, at most 15.
    pub crashes: u8,
}

/// The most pauses, and the most crashes.
pub const MAX_FAULTS: u8 = 15;

/// One step of a schedule: what happens, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A worker takes the next step of its program.
    Step(usize),
    /// It stops.
    Pause(usize),
    /// It goes on.
    Resume(usize),
    /// It stops for good.
    Crash(usize),
    /// The clock moves to the next instant at which something happens.
    Wait,
}

/// What came of an action.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// The marks of the step.
    pub(super) marks: u32,
    /// What came of the worker's step.
    pub(super) did: Did,
    /// Of a write, whether the resource took it.
    pub(super) taken: Option<bool>,
    /// How much time passed.
    pub(super) passed: Millis,
}

/// The programs as a model to search.
pub struct Locks {
    pub(super) names: Vec<String>,
    pub(super) codes: Vec<Code>,
    pub(super) shared: Shared,
    faults: Faults,
    codec: Codec,
    store: Store,
    from: State,
    to: State,
    actions: Vec<Action>,
}

impl Locks {
    /// The model of programs and what may go wrong.
    pub fn new(programs: &Programs, faults: Faults) -> Self {
        let names: Vec<String> = programs.workers().map(str::to_owned).collect();
        let (codes, shared) = Code::all(programs);
        let store = Store::new(programs);
        let alike = treats_alike(programs);
        let sizes = programs.teams().iter().map(|team| team.workers.len());
        let teams = sizes.enumerate().flat_map(|(team, size)| std::iter::repeat_n(team, size));
        let groups = teams.enumerate().map(|(at, team)| if alike { team } else { at } as u8).collect();
        let codec = Codec::new(groups, store.lock());
        let faults = Faults {
            pauses: if faults.pause > 0 { faults.pauses.min(MAX_FAULTS) } else { 0 },
            pause: faults.pause,
            crashes: faults.crashes.min(MAX_FAULTS),
        };
        let (from, to, actions) = (State::default(), State::default(), Vec::new());
        Self { names, codes, shared, faults, codec, store, from, to, actions }
    }

    /// The same model in which all workers are told apart, to see what taking them as one up to renaming saves.
    #[must_use]
    pub fn without_symmetry(mut self) -> Self {
        self.codec.groups = (0..self.names.len() as u8).collect();
        self
    }

    /// The state in which nobody has begun.
    pub(super) fn first(&self) -> State {
        let workers = self.codes.iter().map(Worker::new).collect();
        State { pauses: self.faults.pauses, crashes: self.faults.crashes, workers, ..State::default() }
    }

    /// Whether a program has a statement in which it can happen.
    pub(super) fn can(&self, sometimes: Sometimes) -> bool {
        self.codes.iter().flat_map(|code| &code.ops).any(|op| match sometimes {
            Sometimes::Acquired => op.grants,
            Sometimes::Worked => matches!(op.act, Act::Leave | Act::Write(_)),
        })
    }

    /// The key that is the lock.
    pub(super) fn lock_name(&self) -> String {
        String::from_utf8_lossy(&self.store.name).into_owned()
    }

    /// Who wrote what the lock's key holds.
    pub(super) fn holder(&self, state: &State) -> Option<usize> {
        let kept = state.keys.iter().find(|kept| kept.key == self.codec.lock)?;
        Some(usize::from(kept.holder))
    }

    /// The canonical bytes of a state.
    pub(super) fn encode(&mut self, state: &State, out: &mut Vec<u8>) {
        self.codec.encode(state, None, &self.codes, out);
    }

    /// All that can happen in a state; of workers that stand alike, to the first.
    pub(super) fn actions(&self, state: &State, twins: u32, actions: &mut Vec<Action>) {
        actions.clear();
        let mut urgent = false;
        for (at, worker) in state.workers.iter().enumerate() {
            urgent |= self.urgent(at, worker);
            if worker.gone() || twins >> at & 1 != 0 {
                continue;
            }
            if let Some(left) = worker.paused {
                if left < self.faults.pause {
                    actions.push(Action::Resume(at));
                }
                continue;
            }
            if worker.ready() {
                actions.push(Action::Step(at));
            }
            if !worker.waits(&self.codes[at]) {
                actions.extend((state.pauses > 0).then_some(Action::Pause(at)));
                actions.extend((state.crashes > 0).then_some(Action::Crash(at)));
            }
        }
        if !urgent && Self::next_instant(state).is_some() {
            actions.push(Action::Wait);
        }
    }

    /// Whether time cannot pass before a worker acts.
    fn urgent(&self, at: usize, worker: &Worker) -> bool {
        match worker.paused {
            Some(left) => left == 0,
            None => worker.ready() && (!worker.waits(&self.codes[at]) || worker.retry == Some(0)),
        }
    }

    /// How far off the next instant is at which something happens.
    fn next_instant(state: &State) -> Option<Millis> {
        let keys = state.keys.iter().filter_map(|kept| Some(kept.left? + 1));
        let workers = state.workers.iter().filter(|worker| !worker.gone()).flat_map(|worker| match worker.paused {
            Some(left) => [Some(left), None, None],
            None => [Some(worker.busy).filter(|&busy| busy > 0), worker.beat, worker.retry],
        });
        keys.chain(workers.flatten()).min()
    }

    /// Does one thing in a state; `to` becomes the state after it.
    pub(super) fn apply(&mut self, from: &State, action: Action, to: &mut State) -> Done {
        to.copy(from);
        let mut done = Done::default();
        match action {
            Action::Step(at) => self.act(from, at, to, &mut done),
            Action::Pause(at) => {
                to.workers[at].paused = Some(self.faults.pause);
                to.pauses -= 1;
            }
            Action::Resume(at) => to.workers[at].paused = None,
            Action::Crash(at) => {
                to.workers[at] = Worker::DONE;
                to.crashes -= 1;
            }
            Action::Wait => done.passed = self.wait(from, to),
        }
        if to.keys.iter().all(|kept| kept.key != self.codec.lock) {
            done.marks |= GOAL;
        }
        done
    }

    fn act(&mut self, from: &State, at: usize, to: &mut State, done: &mut Done) {
        let code = &self.codes[at];
        let Some(op) = code.ops.get(usize::from(from.workers[at].next(code))) else { return };
        let sends = matches!(op.act, Act::Send(_));
        if sends {
            self.store.load(from, &self.codes, &self.shared);
        }
        let code = &self.codes[at];
        let did = step(code, &mut to.workers[at], &mut self.store.engine, self.store.clients[at], EPOCH);
        match code.ops[usize::from(from.workers[at].next(code))].act {
            Act::Enter(room) => {
                let inside = |other: usize| other != at && from.workers[other].room(&self.codes[other]) == Some(room);
                if (0..from.workers.len()).any(inside) {
                    done.marks |= mark(Property::MutualExclusion);
                }
            }
            Act::Leave if !code.ops.iter().any(|op| matches!(op.act, Act::Write(_))) => {
                done.marks |= Sometimes::Worked.mark();
            }
            Act::Write(fenced) => {
                done.marks |= Sometimes::Worked.mark();
                done.taken = Some(Self::write(at, fenced, to, &mut done.marks));
            }
            Act::Send(_) => {
                self.store.save(to);
                done.marks |= self.judge();
            }
            Act::Leave => {}
        }
        if did.granted {
            to.workers[at].age = from.next_age();
            done.marks |= Sometimes::Acquired.mark();
        }
        done.did = did;
    }

    /// A write comes to the resource; whether it takes it.
    fn write(at: usize, fenced: bool, to: &mut State, marks: &mut u32) -> bool {
        let worker = to.workers[at];
        let number = worker.number.unwrap_or_default();
        if fenced && to.seen_number.is_some_and(|seen| number < seen) {
            return false;
        }
        // Who never acquired is as old as its write.
        let age = if worker.age == 0 { to.next_age() } else { worker.age };
        if age < to.seen_age {
            *marks |= mark(Property::FencedWrites);
        }
        to.seen_age = to.seen_age.max(age);
        if fenced {
            to.seen_number = to.seen_number.max(Some(number));
        }
        true
    }

    /// What is wrong with what the last command did to the lock. Whose it is goes by who wrote its value: naming the value is no
    /// excuse, since programs may give all workers the same one.
    fn judge(&self) -> u32 {
        let of_lock = self.store.engine.events().iter().filter(|event| event.db == 0 && *event.key == *self.store.name);
        of_lock.fold(0, |marks, event| {
            let broken = match event.kind {
                // Written over, a lock is as gone for its holder as deleted.
                EventKind::DeletedByAnother { client, holder }
                | EventKind::Released { client, holder }
                | EventKind::Overwritten { client, holder, .. } => {
                    (client != holder).then_some(Property::NoForeignRelease)
                }
                EventKind::Renewed { client, holder, .. } => (client != holder).then_some(Property::NoForeignRenewal),
                _ => None,
            };
            marks | broken.map_or(0, mark)
        })
    }

    /// Time passes to the next instant at which something happens; by how much.
    fn wait(&mut self, from: &State, to: &mut State) -> Millis {
        let time = Self::next_instant(from).unwrap_or_default();
        for (worker, code) in to.workers.iter_mut().zip(&self.codes).filter(|(worker, _)| !worker.gone()) {
            worker.pass(time, code.renewal.map_or(1, |(every, _)| every));
        }
        if from.keys.iter().any(|kept| kept.left.is_some_and(|left| left < time)) {
            self.store.load(from, &self.codes, &self.shared);
            self.store.engine.advance(EPOCH + time);
            self.store.save(to);
        } else {
            to.keys.iter_mut().filter_map(|kept| kept.left.as_mut()).for_each(|left| *left -= time);
        }
        time
    }
}

fn mark(property: Property) -> u32 {
    property.mark().unwrap_or_default()
}

impl Model for Locks {
    fn start(&mut self, state: &mut Vec<u8>) -> u32 {
        let first = self.first();
        self.encode(&first, state);
        GOAL
    }

    fn expand(&mut self, state: &[u8], steps: &mut Steps) {
        let (mut from, mut to) = (std::mem::take(&mut self.from), std::mem::take(&mut self.to));
        let mut actions = std::mem::take(&mut self.actions);
        let twins = self.codec.decode(state, &mut from);
        self.actions(&from, twins, &mut actions);
        for &action in &actions {
            steps.add(|out| {
                let done = self.apply(&from, action, &mut to);
                self.codec.encode(&to, Some(&from), &self.codes, out);
                done.marks
            });
        }
        (self.from, self.to, self.actions) = (from, to, actions);
    }
}
