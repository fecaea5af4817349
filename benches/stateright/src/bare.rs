//! A lock without a store: workers that take turns with one variable, whose value may vanish at any moment. What a search
//! costs when a step costs next to nothing.

use hotkv_playground::explore::{Model, Steps};
use stateright::Property;

/// Where a worker stands in one of its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// It wants the lock.
    Outside,
    /// It has taken it, and works.
    Inside,
    /// It is about to give it up.
    Leaving,
    /// It has had all its turns.
    Done,
}

/// A worker: its place, and how many turns it has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Worker {
    place: Place,
    turn: u8,
}

/// All of it: the workers, and whose turn of which worker the lock holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    workers: Vec<Worker>,
    lock: Option<(u8, u8)>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    /// A worker takes its next step.
    Worker(u8),
    /// The lock expires; whoever works under it notices, and leaves.
    Expire,
}

/// So many workers with so many turns each.
#[derive(Clone, Copy, Debug)]
pub struct Bare {
    /// How many workers.
    pub workers: u8,
    /// How many turns.
    pub turns: u8,
}

impl Bare {
    fn first(self) -> State {
        State { workers: vec![Worker { place: Place::Outside, turn: 0 }; usize::from(self.workers)], lock: None }
    }

    fn moves(state: &State, mut give: impl FnMut(Move)) {
        for (at, worker) in state.workers.iter().enumerate() {
            let refused = worker.place == Place::Outside && state.lock.is_some();
            if worker.place != Place::Done && !refused {
                give(Move::Worker(at as u8));
            }
        }
        if state.lock.is_some() {
            give(Move::Expire);
        }
    }

    fn after(self, state: &mut State, what: Move) {
        match what {
            Move::Expire => {
                let Some((at, turn)) = state.lock.take() else { return };
                let worker = &mut state.workers[usize::from(at)];
                if worker.place == Place::Inside && worker.turn == turn {
                    worker.place = Place::Leaving;
                }
            }
            Move::Worker(at) => {
                let worker = &mut state.workers[usize::from(at)];
                let own = Some((at, worker.turn));
                match worker.place {
                    Place::Outside => {
                        state.lock = own;
                        worker.place = Place::Inside;
                    }
                    Place::Inside => worker.place = Place::Leaving,
                    Place::Leaving => {
                        worker.turn += 1;
                        worker.place = if worker.turn == self.turns { Place::Done } else { Place::Outside };
                        if state.lock == own {
                            state.lock = None;
                        }
                    }
                    Place::Done => {}
                }
            }
        }
    }
}

impl stateright::Model for Bare {
    type State = State;
    type Action = Move;

    fn init_states(&self) -> Vec<State> {
        vec![self.first()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Move>) {
        Self::moves(state, |what| actions.push(what));
    }

    fn next_state(&self, state: &State, what: Move) -> Option<State> {
        let mut state = state.clone();
        self.after(&mut state, what);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("mutual exclusion", |_, state: &State| {
            state.workers.iter().filter(|worker| worker.place == Place::Inside).count() <= 1
        })]
    }
}

/// The same for our search, which wants bytes.
pub struct Bytes(pub Bare);

impl Model for Bytes {
    fn start(&mut self, state: &mut Vec<u8>) -> u32 {
        write(&self.0.first(), state)
    }

    fn expand(&mut self, state: &[u8], steps: &mut Steps) {
        let from = read(state);
        Bare::moves(&from, |what| {
            steps.add(|out| {
                let mut to = from.clone();
                self.0.after(&mut to, what);
                write(&to, out)
            });
        });
    }

    fn has_goals(&self) -> bool {
        false
    }
}

const PLACES: [Place; 4] = [Place::Outside, Place::Inside, Place::Leaving, Place::Done];

fn write(state: &State, out: &mut Vec<u8>) -> u32 {
    let (holder, turn) = state.lock.unwrap_or((u8::MAX, 0));
    out.extend([holder, turn]);
    for worker in &state.workers {
        out.extend([worker.place as u8, worker.turn]);
    }
    u32::from(state.workers.iter().filter(|worker| worker.place == Place::Inside).count() > 1)
}

fn read(bytes: &[u8]) -> State {
    let lock = (bytes[0] != u8::MAX).then_some((bytes[0], bytes[1]));
    let workers = bytes[2..].chunks(2).map(|worker| Worker { place: PLACES[usize::from(worker[0])], turn: worker[1] });
    State { workers: workers.collect(), lock }
}
