//! The explorer's own steps, searched by Stateright. States come in canonical form, so that all it has to do is to find
//! them; what it says of the four invariants and how many states it finds must be what ours says.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hotkv_playground::explore::{GOAL, Locks, Model as _, Property, Steps};
use stateright::{Checker, Model};

/// The steps of programs, as Stateright takes them, and the one property that it is asked about. It remembers the last
/// state that breaks a property until all are broken, so that only a search for one ends at the first.
pub struct Second {
    model: Mutex<Locks>,
    asked: Option<Property>,
}

/// What it found.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// How many different states.
    pub states: usize,
    /// For each of the four invariants, how many steps the shortest schedule has that breaks it; 0: none does.
    pub broken: [usize; 4],
}

/// The invariants: what single steps break. *No stuck lock* is none.
pub const INVARIANTS: [Property; 4] =
    [Property::MutualExclusion, Property::NoForeignRelease, Property::NoForeignRenewal, Property::FencedWrites];

impl Second {
    /// The steps of a model.
    pub fn new(model: Locks) -> Self {
        Self { model: Mutex::new(model), asked: None }
    }

    fn steps(&self, state: &[u8]) -> Vec<(Vec<u8>, u32)> {
        let mut steps = Steps::default();
        self.model().expand(state, &mut steps);
        steps.iter().map(|(state, marks)| (state.to_vec(), marks)).collect()
    }

    fn model(&self) -> MutexGuard<'_, Locks> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches all states, and then for each of the invariants.
    pub fn search(model: impl Fn() -> Locks) -> Found {
        let all = Self::new(model()).checker().threads(1).spawn_bfs().join();
        let broken = INVARIANTS.map(|property| {
            let asked = Self { asked: Some(property), ..Self::new(model()) };
            let checker = asked.checker().threads(1).spawn_bfs().join();
            // The property is false of the state before the step that breaks it.
            checker.discovery(ASKED).map_or(0, |path| path.into_actions().len() + 1)
        });
        Found { states: all.unique_state_count(), broken }
    }
}

/// The name of the property that is asked about.
const ASKED: &str = "asked";

impl Model for Second {
    type State = Vec<u8>;
    type Action = usize;

    fn init_states(&self) -> Vec<Vec<u8>> {
        let mut state = Vec::new();
        self.model().start(&mut state);
        vec![state]
    }

    fn actions(&self, state: &Vec<u8>, actions: &mut Vec<usize>) {
        actions.extend(0..self.steps(state).len());
    }

    fn next_state(&self, state: &Vec<u8>, action: usize) -> Option<Vec<u8>> {
        self.steps(state).into_iter().nth(action).map(|(state, _)| state)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        // Asked about nothing it searches all, for a property that is never broken.
        vec![stateright::Property::always(ASKED, |model: &Self, state: &Vec<u8>| {
            model.asked.is_none_or(|asked| model.keeps(state, asked))
        })]
    }
}

impl Second {
    /// Whether no step out of a state breaks a property.
    fn keeps(&self, state: &[u8], property: Property) -> bool {
        let mark = property.mark().unwrap_or_default();
        self.steps(state).iter().all(|(_, marks)| marks & mark == 0)
    }
}

/// How many steps the nearest state is away from which none without the lock's key can be reached; 0: there is none. A
/// search back from all goals, on a graph of its own.
pub fn stuck(model: Locks) -> usize {
    let second = Second::new(model);
    let first = second.init_states().remove(0);
    let (mut states, mut goals, mut back) = (vec![first], vec![true], vec![Vec::new()]);
    let mut depths = vec![0];
    let mut known = std::collections::HashMap::from([(states[0].clone(), 0)]);
    let mut at = 0;
    while at < states.len() {
        for (to, marks) in second.steps(&states[at].clone()) {
            let next = *known.entry(to.clone()).or_insert_with(|| {
                states.push(to);
                goals.push(marks & GOAL != 0);
                back.push(Vec::new());
                depths.push(depths[at] + 1);
                states.len() - 1
            });
            back[next].push(at);
        }
        at += 1;
    }
    let mut reached = goals.clone();
    let mut queue: Vec<usize> = (0..states.len()).filter(|&state| goals[state]).collect();
    while let Some(state) = queue.pop() {
        for &before in &back[state] {
            if !std::mem::replace(&mut reached[before], true) {
                queue.push(before);
            }
        }
    }
    (0..states.len()).filter(|&state| !reached[state]).map(|state| depths[state]).min().unwrap_or(0)
}
