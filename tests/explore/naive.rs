//! A search that is simple and slow: trees, no slices, whole paths' lengths. It shares the steps of the model with the
//! real one and nothing else.

use std::collections::{BTreeMap, VecDeque};

use hotkv_playground::explore::{self, GOAL, Model, Property};

/// The steps out of a state: where they lead, and their marks.
type Steps = Vec<(Vec<u8>, u32)>;

/// What it found.
pub(crate) struct Naive {
    /// For each state its distance, its steps, and whether it has what all must reach.
    states: BTreeMap<Vec<u8>, (usize, Steps, bool)>,
}

impl Naive {
    /// Searches all states.
    pub(crate) fn search(mut model: impl Model) -> Self {
        let mut first = Vec::new();
        let goal = model.start(&mut first) & GOAL != 0;
        let mut states = BTreeMap::from([(first.clone(), (0, Vec::new(), goal))]);
        let mut queue = VecDeque::from([first]);
        while let Some(state) = queue.pop_front() {
            let mut steps = explore::Steps::default();
            model.expand(&state, &mut steps);
            let steps: Steps = steps.iter().map(|(to, marks)| (to.to_vec(), marks)).collect();
            let distance = states[&state].0;
            for (to, marks) in &steps {
                states.entry(to.clone()).or_insert_with(|| {
                    queue.push_back(to.clone());
                    (distance + 1, Vec::new(), marks & GOAL != 0)
                });
            }
            states.get_mut(&state).unwrap().1 = steps;
        }
        Self { states }
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.states.len()
    }

    /// The length of the shortest way to the end of a step that bears a mark; 0 when there is none.
    pub(crate) fn to_mark(&self, mark: u32) -> usize {
        let bears = |steps: &Steps| steps.iter().any(|(_, marks)| marks & mark != 0);
        let found = self.states.values().filter(|(_, steps, _)| bears(steps));
        found.map(|(distance, ..)| distance + 1).min().unwrap_or(0)
    }

    /// The length of the shortest way to a state from which none with a goal can be reached; `None` when there is none.
    pub(crate) fn to_hopeless(&self) -> Option<usize> {
        let mut hopeful: BTreeMap<&[u8], bool> =
            self.states.iter().map(|(state, (_, _, goal))| (state.as_slice(), *goal)).collect();
        loop {
            let found: Vec<&[u8]> = self
                .states
                .iter()
                .filter(|(state, (_, steps, _))| {
                    !hopeful[state.as_slice()] && steps.iter().any(|(to, _)| hopeful[to.as_slice()])
                })
                .map(|(state, _)| state.as_slice())
                .collect();
            if found.is_empty() {
                break;
            }
            for state in found {
                hopeful.insert(state, true);
            }
        }
        self.states.iter().filter(|(state, _)| !hopeful[state.as_slice()]).map(|(_, (distance, ..))| *distance).min()
    }

    /// The same for each property of a lock, as the table tells it.
    pub(crate) fn steps(&self) -> [usize; 5] {
        Property::ALL.map(|property| match property.mark() {
            Some(mark) => self.to_mark(mark),
            None => self.to_hopeless().unwrap_or(0),
        })
    }
}
