//! One state of a search: what the workers do, what the server holds, what may still go wrong. Times are milliseconds
//! from its instant, so that states that differ in the time of day alone are one.
//!
//! As bytes a state is canonical: who took the lock earlier and who drew the smaller number is told by rank, what can no
//! longer matter is left out, and workers that run one program stand in the order of their own bytes, with what the
//! server holds of each beside it, so that renaming them changes nothing.

use rustc_hash::FxHashMap;

use super::bytes::{Cursor, Short, signed, unsigned};
use super::ranks::{Numbers, Ranks};
use crate::engine::{Bytes, Millis};
use crate::worker::{Code, GONE, MAX_WORKERS, Worker};

/// A key that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Its name.
    pub(super) key: u32,
    /// Its value; tokens come first, in the order of workers.
    pub(super) value: u32,
    /// The time to its deadline.
    pub(super) left: Option<Millis>,
    /// Who wrote it, of the lock.
    pub(super) holder: u8,
}

/// A state in the form that steps are taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// How many pauses may still begin.
    pub(super) pauses: u8,
    /// How many workers may still crash.
    pub(super) crashes: u8,
    /// The age of the newest write that the resource took; 0: none.
    pub(super) seen_age: u32,
    /// The greatest number that came with one.
    pub(super) seen_number: Option<i64>,
    /// The counter, when it is there and a plain number.
    pub(super) counter: Option<i64>,
    /// The other keys, by name.
    pub(super) keys: Vec<Kept>,
    /// The workers.
    pub(super) workers: Vec<Worker>,
}

impl State {
    /// Makes this a copy of another, in the memory that is there.
    pub(super) fn copy(&mut self, other: &Self) {
        let Self { pauses, crashes, seen_age, seen_number, counter, keys, workers } = other;
        (self.pauses, self.crashes, self.seen_age) = (*pauses, *crashes, *seen_age);
        (self.seen_number, self.counter) = (*seen_number, *counter);
        self.keys.clone_from(keys);
        self.workers.clone_from(workers);
    }

    /// The age of whoever acquires next.
    pub(super) fn next_age(&self) -> u32 {
        self.workers.iter().map(|worker| worker.age).max().unwrap_or_default().max(self.seen_age) + 1
    }
}

/// Strings by number. The first ones are the tokens of the workers.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<Bytes>,
    numbers: FxHashMap<Bytes, u32>,
}

impl Words {
    pub(super) fn number(&mut self, word: &Bytes) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.clone());
        self.numbers.insert(word.clone(), number);
        number
    }

    pub(super) fn word(&self, number: u32) -> &Bytes {
        &self.words[number as usize]
    }
}

/// What is told of a worker beside its place: a bit each, the frequent ones first.
mod told {
    pub(super) const BUSY: u64 = 1;
    pub(super) const HELD: u64 = 1 << 1;
    pub(super) const AGE: u64 = 1 << 2;
    pub(super) const RETRY: u64 = 1 << 3;
    pub(super) const PAUSED: u64 = 1 << 4;
    pub(super) const BEAT: u64 = 1 << 5;
    pub(super) const DUE: u64 = 1 << 6;
    pub(super) const NUMBER: u64 = 1 << 7;
    pub(super) const RENEWING: u64 = 1 << 8;
    pub(super) const QUEUED: u64 = 1 << 9;
    pub(super) const WATCHED: u64 = 1 << 10;
    pub(super) const DIRTY: u64 = 1 << 11;
    pub(super) const OPEN: u64 = 1 << 12;
}

/// What a key's head says: whether it has a deadline, and whether its value is a worker's token.
const DATED: u64 = 1;
const TOKEN: u64 = 1 << 1;

/// Turns states into canonical bytes and back.
#[derive(Clone, Debug, Default)]
pub(super) struct Codec {
    /// Workers of equal numbers may be renamed; they stand side by side.
    pub(super) groups: Vec<u8>,
    /// The name of the lock.
    pub(super) lock: u32,
    /// The records of the workers.
    records: [Short; MAX_WORKERS],
    /// Those of the state that was read last: most steps change one worker, and the others' records stay as they are.
    read: [Short; MAX_WORKERS],
    /// What stands in them beside the worker: what the server holds of each.
    read_held: [u64; MAX_WORKERS],
}

impl Codec {
    pub(super) fn new(groups: Vec<u8>, lock: u32) -> Self {
        Self { groups, lock, ..Self::default() }
    }

    /// Appends the canonical bytes of a state. `before` is the state that was read last, if it is one step before.
    pub(super) fn encode(&mut self, state: &State, before: Option<&State>, codes: &[Code], out: &mut Vec<u8>) {
        let workers = &state.workers;
        let mut writes = [false; MAX_WORKERS];
        for (writes, (worker, code)) in writes.iter_mut().zip(workers.iter().zip(codes)) {
            *writes = worker.op(code).is_some_and(|op| op.writes);
        }
        let any_write = writes.contains(&true);
        let writers = || workers.iter().zip(writes).filter(|(_, writes)| *writes).map(|(worker, _)| worker);
        let seen_age = if any_write { state.seen_age } else { 0 };
        let mut ages = Ranks::of(writers().map(|worker| i64::from(worker.age)));
        ages.add(i64::from(seen_age));
        let seen_number = state.seen_number.filter(|_| any_write);
        let held = writers().filter_map(|worker| worker.number);
        let numbers = Numbers::of(Ranks::of(held.chain(seen_number)), state.counter);

        let mut head = Short::EMPTY;
        let gone = workers.iter().all(Worker::gone);
        head.push(if gone { 0 } else { state.pauses | state.crashes << 4 });
        let counter = state.counter.map(|counter| numbers.told(counter));
        head.put(
            u64::from(seen_age != 0)
                | u64::from(seen_number.is_some()) << 1
                | u64::from(counter.is_some()) << 2
                | (state.keys.len() as u64) << 3,
        );
        if seen_age != 0 {
            head.put(u64::from(ages.rank(i64::from(seen_age))));
        }
        for number in [seen_number.map(|number| numbers.told(number)), counter].into_iter().flatten() {
            head.put(signed(number));
        }
        out.extend_from_slice(head.bytes());
        for kept in &state.keys {
            out.extend_from_slice(key(kept, workers.len()).bytes());
        }
        for (at, worker) in workers.iter().enumerate() {
            let held = self.held(state, at);
            let age = if writes[at] { ages.rank(i64::from(worker.age)) } else { 0 };
            let number = worker.number.filter(|_| writes[at]).map(|number| numbers.told(number));
            // What was read has ranks already.
            let same = |before: &Worker| before.age == age && before.number == number && before.stands_as(worker);
            if self.read_held[at] == held && before.is_some_and(|before| same(&before.workers[at])) {
                self.records[at].copy(&self.read[at]);
            } else {
                record(&mut self.records[at], worker, held, age, number);
            }
        }
        self.sorted(workers.len(), out);
    }

    /// What the server holds of a worker: whether it wrote the lock, and the keys that hold its token.
    fn held(&self, state: &State, at: usize) -> u64 {
        let mut held = 0;
        for (bit, kept) in state.keys.iter().enumerate() {
            held |= u64::from(kept.value as usize == at) << (bit + 1);
            held |= u64::from(kept.key == self.lock && usize::from(kept.holder) == at);
        }
        held
    }

    /// Appends the records, those of one group in order.
    fn sorted(&self, count: usize, out: &mut Vec<u8>) {
        let slice = |at: usize| self.records[at].bytes();
        let mut order: [usize; MAX_WORKERS] = std::array::from_fn(|at| at);
        for right in 1..count {
            let mut at = right;
            while at > 0
                && self.groups[order[at - 1]] == self.groups[order[at]]
                && slice(order[at]) < slice(order[at - 1])
            {
                order.swap(at - 1, at);
                at -= 1;
            }
        }
        for &at in &order[..count] {
            out.extend_from_slice(slice(at));
        }
    }

    /// Reads a state. What comes back has a bit for each worker that stands as the one before it does.
    pub(super) fn decode(&mut self, bytes: &[u8], state: &mut State) -> u32 {
        let mut bytes = Cursor(bytes);
        let faults = bytes.byte();
        (state.pauses, state.crashes) = (faults & 15, faults >> 4);
        let head = bytes.take();
        state.seen_age = if head & 1 != 0 { bytes.take() as u32 } else { 0 };
        state.seen_number = (head & 2 != 0).then(|| unsigned(bytes.take()));
        state.counter = (head & 4 != 0).then(|| unsigned(bytes.take()));
        state.keys.clear();
        for _ in 0..head >> 3 {
            let head = bytes.take();
            let left = (head & DATED != 0).then(|| bytes.take() as Millis);
            let value = if head & TOKEN != 0 { 0 } else { bytes.take() as u32 };
            state.keys.push(Kept { key: (head >> 2) as u32, value, left, holder: 0 });
        }
        state.workers.clear();
        let (mut twins, mut before) = (0, &[][..]);
        for at in 0..self.groups.len() {
            let start = bytes.0;
            let (worker, held) = read_record(&mut bytes);
            state.workers.push(worker);
            for (bit, kept) in state.keys.iter_mut().enumerate() {
                if held >> (bit + 1) & 1 != 0 {
                    kept.value = at as u32;
                }
                if held & 1 != 0 && kept.key == self.lock {
                    kept.holder = at as u8;
                }
            }
            let bytes = &start[..start.len() - bytes.0.len()];
            if at > 0 && self.groups[at] == self.groups[at - 1] && bytes == before {
                twins |= 1 << at;
            }
            before = bytes;
            self.read[at].set(bytes);
            self.read_held[at] = held;
        }
        twins
    }
}

/// What is told of a key.
fn key(kept: &Kept, workers: usize) -> Short {
    let mut out = Short::EMPTY;
    let token = (kept.value as usize) < workers;
    out.put(u64::from(kept.key) << 2 | if token { TOKEN } else { 0 } | u64::from(kept.left.is_some()));
    if let Some(left) = kept.left {
        out.put(left as u64);
    }
    if !token {
        out.put(u64::from(kept.value));
    }
    out
}

/// Writes the record of a worker.
fn record(out: &mut Short, worker: &Worker, held: u64, age: u32, number: Option<i64>) {
    out.clear();
    out.push(worker.at);
    let flag = |on: bool, flag: u64| if on { flag } else { 0 };
    let flags = flag(worker.busy != 0, told::BUSY)
        | flag(held != 0, told::HELD)
        | flag(age != 0, told::AGE)
        | flag(worker.retry.is_some(), told::RETRY)
        | flag(worker.paused.is_some(), told::PAUSED)
        | flag(worker.beat.is_some(), told::BEAT)
        | flag(worker.due, told::DUE)
        | flag(number.is_some(), told::NUMBER)
        | flag(worker.renewing.is_some(), told::RENEWING)
        | flag(worker.queue != 0, told::QUEUED)
        | flag(worker.watched != 0, told::WATCHED)
        | flag(worker.dirty, told::DIRTY)
        | flag(worker.open, told::OPEN);
    out.put(flags);
    if worker.busy != 0 {
        out.put(worker.busy as u64);
    }
    if held != 0 {
        out.put(held);
    }
    if age != 0 {
        out.put(u64::from(age));
    }
    for time in [worker.retry, worker.paused, worker.beat].into_iter().flatten() {
        out.put(time as u64);
    }
    if let Some(number) = number {
        out.put(signed(number));
    }
    if let Some(at) = worker.renewing {
        out.push(at);
    }
    if worker.queue != 0 {
        out.push(worker.queue);
        for &at in &worker.queued[..usize::from(worker.queue)] {
            out.push(at);
        }
    }
    if worker.watched != 0 {
        out.put(u64::from(worker.watched));
    }
}

fn read_record(bytes: &mut Cursor<'_>) -> (Worker, u64) {
    let mut worker = Worker { at: bytes.byte(), ..Worker::DONE };
    let flags = bytes.take();
    let has = |flag: u64| flags & flag != 0;
    let mut held = 0;
    if has(told::BUSY) {
        worker.busy = bytes.take() as Millis;
    }
    if has(told::HELD) {
        held = bytes.take();
    }
    if has(told::AGE) {
        worker.age = bytes.take() as u32;
    }
    worker.retry = has(told::RETRY).then(|| bytes.take() as Millis);
    worker.paused = has(told::PAUSED).then(|| bytes.take() as Millis);
    worker.beat = has(told::BEAT).then(|| bytes.take() as Millis);
    worker.due = has(told::DUE);
    worker.number = has(told::NUMBER).then(|| unsigned(bytes.take()));
    worker.renewing = has(told::RENEWING).then(|| bytes.byte());
    if has(told::QUEUED) {
        worker.queue = bytes.byte();
        for slot in &mut worker.queued[..usize::from(worker.queue)] {
            *slot = bytes.byte();
        }
    }
    if has(told::WATCHED) {
        worker.watched = bytes.take() as u16;
    }
    worker.dirty = has(told::DIRTY);
    worker.open = has(told::OPEN);
    debug_assert!(worker.at != GONE || worker == Worker::DONE, "a worker that is gone has nothing to do");
    (worker, held)
}
