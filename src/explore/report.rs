//! A search over programs, and what it has to say.

use super::model::{Faults, Locks};
use super::property::{Property, Sometimes, Verdict};
use super::schedule::Schedule;
use super::search::{Search, Stage};
use crate::worker::Programs;

/// A search over all schedules of programs. It does nothing but in [`Self::step`]; dropping it cancels it.
pub struct Explorer {
    search: Search<Locks>,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// How many different states are known.
    pub states: usize,
    /// How many of them have been dealt with in this stage.
    pub visited: usize,
    /// How many steps between states were tried.
    pub transitions: u64,
    /// How many steps the states that are being dealt with are away from the beginning.
    pub depth: usize,
    /// The memory in use, in bytes.
    pub bytes: usize,
}

impl Explorer {
    /// A search that keeps so many states at most.
    pub fn new(programs: &Programs, faults: Faults, max_states: usize) -> Self {
        Self { search: Search::new(Locks::new(programs, faults), max_states) }
    }

    /// A search of a model that was made by hand.
    pub fn of(model: Locks, max_states: usize) -> Self {
        Self { search: Search::new(model, max_states) }
    }

    /// Deals with so many states; whether the search has ended. What it finds does not depend on the sizes of slices.
    pub fn step(&mut self, budget: usize) -> bool {
        self.search.step(budget)
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress {
            stage: self.search.stage(),
            states: self.search.states(),
            visited: self.search.visited(),
            transitions: self.search.transitions(),
            depth: self.search.depth(),
            bytes: self.search.bytes(),
        }
    }

    /// Whether all states were seen.
    pub fn finished(&self) -> bool {
        self.search.stage() == Stage::Finished
    }

    /// What is known of a property by now. That it holds is said when all states were seen, that the lock is stuck too.
    pub fn verdict(&self, property: Property) -> Verdict {
        match self.path(property) {
            Some(path) => Verdict::Broken { steps: path.len() - 1 },
            None if self.finished() => Verdict::Holds,
            None => Verdict::Unfinished,
        }
    }

    /// What never happened in a search that finished, so that what holds says little.
    pub fn never(&self) -> Vec<Sometimes> {
        let wanted = Sometimes::ALL.into_iter().filter(|sometimes| self.search.model.can(*sometimes));
        wanted.filter(|sometimes| self.finished() && self.search.path_to_mark(sometimes.mark()).is_none()).collect()
    }

    /// A shortest schedule that breaks a property, once it is known to be broken.
    pub fn counterexample(&mut self, property: Property) -> Option<Schedule> {
        let path: Vec<Vec<u8>> = self.path(property)?.into_iter().map(<[u8]>::to_vec).collect();
        Some(self.search.model.replay(&path, property))
    }

    fn path(&self, property: Property) -> Option<Vec<&[u8]>> {
        match property.mark() {
            Some(mark) => self.search.path_to_mark(mark),
            None => self.search.path_to_hopeless(),
        }
    }
}
