//! Breadth-first search over the states of a model, in slices, and the look back from goals.
//!
//! States are kept whole, as bytes in one row of memory: nothing is told from a fingerprint, so that no state is taken
//! for another. Beside its bytes a state costs its end (4), its parent (4), its first edge (4), a place in the table of
//! what is known (8, at most 70 % full), and 4 for each step out of it. Paths are parents; which steps they are is for
//! the model to find again.

use xxhash_rust::xxh3::xxh3_64;

/// What is searched. States are bytes in canonical form: two that mean the same are the same bytes.
pub trait Model {
    /// Writes the state to begin with; what comes back are its marks.
    fn start(&mut self, state: &mut Vec<u8>) -> u32;

    /// Gives all steps out of a state, in an order that the state alone decides.
    fn expand(&mut self, state: &[u8], steps: &mut Steps);

    /// Whether [`GOAL`] means something, so that the search looks back from goals when it has seen all.
    fn has_goals(&self) -> bool {
        true
    }
}

/// The mark of a state that has what some continuation of every state must reach. The bits below it are the model's:
/// each is remembered with the first, and so one of the shortest, of the steps that bear it.
pub const GOAL: u32 = 1 << MARKS;
/// How many marks a model has for itself.
const MARKS: u32 = 16;

/// The steps out of one state.
#[derive(Debug, Default)]
pub struct Steps {
    bytes: Vec<u8>,
    /// For each step, where its state ends, and its marks.
    ends: Vec<(usize, u32)>,
}

impl Steps {
    /// Adds a step. `write` appends the state that it leads to, and gives the marks of step and state.
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>) -> u32) {
        let marks = write(&mut self.bytes);
        self.ends.push((self.bytes.len(), marks));
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// All steps: the states that they lead to, and their marks.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&(end, _)| end));
        starts.zip(&self.ends).map(|(start, &(end, marks))| (&self.bytes[start..end], marks))
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// States are being found.
    Searching,
    /// All states are known; which of them can reach a goal is being found.
    LookingBack,
    /// It is known.
    Finished,
    /// There were more states than allowed.
    Stopped,
}

/// A search, which goes on when it is told to.
pub struct Search<M> {
    /// What is searched.
    pub model: M,
    states: Vec<u8>,
    ends: Vec<u32>,
    parents: Vec<u32>,
    /// Where the steps of each expanded state begin in `edges`.
    first_edges: Vec<u32>,
    edges: Vec<u32>,
    table: Table,
    /// Whether a state has a goal, or is known to reach one: a bit each.
    reaches: Vec<u64>,
    /// The first step that bears each mark: the state that it leaves and the one that it leads to.
    found: [Option<(u32, u32)>; MARKS as usize],
    /// The first state that reaches no goal.
    hopeless: Option<u32>,
    limit: usize,
    /// The state to expand next; when looking back, how many are still to be looked at in this round.
    next: usize,
    /// Whether this round of looking back found anything.
    changed: bool,
    steps: Steps,
    /// The hashes of the states that they lead to, and what stands in the places where the table has them.
    glances: Vec<(u32, u64)>,
    transitions: u64,
    /// The depth of what is being expanded, and the first state past it.
    depth: usize,
    layer_end: usize,
    stage: Stage,
}

impl<M: Model> Search<M> {
    /// Begins a search that keeps so many states at most.
    pub fn new(mut model: M, limit: usize) -> Self {
        let mut states = Vec::new();
        let marks = model.start(&mut states);
        let mut search = Self {
            model,
            ends: Vec::new(),
            parents: Vec::new(),
            first_edges: Vec::new(),
            edges: Vec::new(),
            table: Table::new(),
            reaches: Vec::new(),
            found: [None; MARKS as usize],
            hopeless: None,
            limit: limit.clamp(1, u32::MAX as usize - 1),
            next: 0,
            changed: false,
            steps: Steps::default(),
            glances: Vec::new(),
            transitions: 0,
            depth: 0,
            layer_end: 1,
            stage: Stage::Searching,
            states: Vec::new(),
        };
        let tag = tag(&states);
        let slot = search.table.find(tag, |_| false).unwrap_or_default();
        search.keep(&states, tag, slot, 0, marks);
        search
    }

    /// Goes on by so many states at most; whether it has ended.
    pub fn step(&mut self, budget: usize) -> bool {
        for _ in 0..budget {
            match self.stage {
                Stage::Searching => self.expand(),
                Stage::LookingBack => self.look_back(),
                Stage::Finished | Stage::Stopped => return true,
            }
        }
        matches!(self.stage, Stage::Finished | Stage::Stopped)
    }

    /// Expands the next state.
    fn expand(&mut self) {
        if self.next == self.ends.len() {
            self.end_search();
            return;
        }
        if self.next == self.layer_end {
            self.depth += 1;
            self.layer_end = self.ends.len();
        }
        let from = self.next as u32;
        let (start, end) = self.range(from);
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.model.expand(&self.states[start..end], &mut steps);
        self.first_edges.push(self.edges.len() as u32);
        // Memory is far away: a glance at all places first, so that one wait does for all.
        self.glances.clear();
        self.glances.extend(steps.iter().map(|(state, _)| tag(state)).map(|tag| (tag, self.table.glance(tag))));
        for (at, (state, marks)) in steps.iter().enumerate() {
            self.transitions += 1;
            let Some(to) = self.reach(state, self.glances[at], from, marks) else {
                self.stage = Stage::Stopped;
                break;
            };
            if self.model.has_goals() && to != from {
                self.edges.push(to);
            }
            self.remember(marks, from, to);
        }
        self.steps = steps;
        self.next += 1;
    }

    /// The number of a state, which is kept when it is new; `None` when there is no room for it.
    fn reach(&mut self, state: &[u8], (tag, seen): (u32, u64), parent: u32, marks: u32) -> Option<u32> {
        let (states, ends) = (&self.states, &self.ends);
        let same = |index: u32| {
            let start = if index == 0 { 0 } else { ends[index as usize - 1] as usize };
            &states[start..ends[index as usize] as usize] == state
        };
        // A number that was seen is that state's for good, wherever the table has it now.
        if seen != 0 && (seen >> 32) as u32 == tag && same(seen as u32 - 1) {
            return Some(seen as u32 - 1);
        }
        match self.table.find(tag, same) {
            Err(known) => Some(known),
            Ok(slot) => {
                let fits = u32::try_from(self.states.len() + state.len()).is_ok()
                    && u32::try_from(self.edges.len() + 1).is_ok();
                (self.ends.len() < self.limit && fits).then(|| self.keep(state, tag, slot, parent, marks))
            }
        }
    }

    fn keep(&mut self, state: &[u8], tag: u32, slot: usize, parent: u32, marks: u32) -> u32 {
        let index = self.ends.len() as u32;
        self.states.extend_from_slice(state);
        self.ends.push(self.states.len() as u32);
        self.parents.push(parent);
        if index.is_multiple_of(64) {
            self.reaches.push(0);
        }
        if marks & GOAL != 0 {
            self.set_reaches(index);
        }
        self.table.put(tag, slot, index);
        index
    }

    /// Remembers the first step that bears a mark.
    fn remember(&mut self, marks: u32, from: u32, to: u32) {
        let mut rest = marks & (GOAL - 1);
        while rest != 0 {
            self.found[rest.trailing_zeros() as usize].get_or_insert((from, to));
            rest &= rest - 1;
        }
    }

    fn end_search(&mut self) {
        self.first_edges.push(self.edges.len() as u32);
        self.next = self.ends.len();
        self.stage = if self.model.has_goals() { Stage::LookingBack } else { Stage::Finished };
    }

    /// Looks whether a step out of one state leads to where a goal can be reached. States are taken from the last to
    /// the first, round after round, until a round finds nothing: most steps lead to later states, so that rounds are few.
    fn look_back(&mut self) {
        if self.next == 0 {
            if self.changed {
                (self.next, self.changed) = (self.ends.len(), false);
            } else {
                self.hopeless = (0..self.ends.len() as u32).find(|&state| !self.reaches(state));
                self.stage = Stage::Finished;
            }
            return;
        }
        self.next -= 1;
        let state = self.next;
        if self.reaches(state as u32) {
            return;
        }
        let (start, end) = (self.first_edges[state] as usize, self.first_edges[state + 1] as usize);
        if self.edges[start..end].iter().any(|&to| self.reaches(to)) {
            self.set_reaches(state as u32);
            self.changed = true;
        }
    }

    fn reaches(&self, state: u32) -> bool {
        self.reaches[state as usize / 64] >> (state % 64) & 1 != 0
    }

    fn set_reaches(&mut self, state: u32) {
        self.reaches[state as usize / 64] |= 1 << (state % 64);
    }

    fn range(&self, index: u32) -> (usize, usize) {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        (start, self.ends[index] as usize)
    }

    /// How far the search is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// How many different states are known.
    pub fn states(&self) -> usize {
        self.ends.len()
    }

    /// How many of them have been expanded, or looked at in this round of looking back.
    pub fn visited(&self) -> usize {
        if self.stage == Stage::LookingBack { self.ends.len() - self.next } else { self.next }
    }

    /// How many steps were tried; those that lead to known states count too.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// How many steps the states that are being expanded are away from the start.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let words =
            self.ends.capacity() + self.parents.capacity() + self.first_edges.capacity() + self.edges.capacity();
        self.states.capacity() + 4 * words + 8 * (self.table.slots.len() + self.reaches.capacity())
    }

    /// The states from the start to the end of the first step that bears a mark, which is one of the shortest.
    pub fn path_to_mark(&self, mark: u32) -> Option<Vec<&[u8]>> {
        let (from, to) = (*self.found.get(mark.trailing_zeros() as usize)?)?;
        let mut path = self.path(from);
        path.push(self.state(to));
        Some(path)
    }

    /// The states from the start to the first from which no goal can be reached. Only a search that finished knows.
    pub fn path_to_hopeless(&self) -> Option<Vec<&[u8]>> {
        self.hopeless.map(|state| self.path(state))
    }

    /// The states from the start to that state.
    fn path(&self, mut state: u32) -> Vec<&[u8]> {
        let mut path = vec![self.state(state)];
        while state != 0 {
            state = self.parents[state as usize];
            path.push(self.state(state));
        }
        path.reverse();
        path
    }

    fn state(&self, index: u32) -> &[u8] {
        let (start, end) = self.range(index);
        &self.states[start..end]
    }
}

/// Half the hash of a state.
fn tag(state: &[u8]) -> u32 {
    (xxh3_64(state) >> 32) as u32
}

/// What states are known: half a hash each, to tell most apart at a glance, and its number. Open addressing; the half
/// hash says the place, so that growing reads no state.
struct Table {
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    fn new() -> Self {
        Self { slots: vec![0; 1 << 10], used: 0 }
    }

    /// What stands where a state with that hash comes first.
    fn glance(&self, tag: u32) -> u64 {
        self.slots[tag as usize & (self.slots.len() - 1)]
    }

    /// The number of a state that is known, or the slot where it would go.
    fn find(&self, tag: u32, same: impl Fn(u32) -> bool) -> Result<usize, u32> {
        let mask = self.slots.len() - 1;
        let mut slot = tag as usize & mask;
        loop {
            let held = self.slots[slot];
            if held == 0 {
                return Ok(slot);
            }
            let index = held as u32 - 1;
            if (held >> 32) as u32 == tag && same(index) {
                return Err(index);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn put(&mut self, tag: u32, slot: usize, index: u32) {
        self.slots[slot] = u64::from(tag) << 32 | u64::from(index + 1);
        self.used += 1;
        if self.used * 10 > self.slots.len() * 7 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for held in std::mem::replace(&mut self.slots, slots) {
            if held == 0 {
                continue;
            }
            let mut slot = (held >> 32) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = held;
        }
    }
}
