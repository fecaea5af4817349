//! The one engine of a search: a state is put into it, a command runs, and what it holds then is taken out again.

use super::state::{Kept, State, Words};
use crate::engine::{Bytes, ClientId, EPOCH, Engine, Entry, Form, Options, Transaction, is_lock_name};
use crate::worker::{Act, Code, Programs, Shared, Worker, only_counts, token};

/// The engine, and the names that states have for what it holds.
pub(super) struct Store {
    pub(super) engine: Engine,
    /// The connections of the workers.
    pub(super) clients: Vec<ClientId>,
    /// The key that is the lock.
    pub(super) name: Bytes,
    lock: u32,
    counter: Option<Bytes>,
    words: Words,
}

impl Store {
    pub(super) fn new(programs: &Programs) -> Self {
        let mut words = Words::default();
        for name in programs.workers() {
            words.number(&token(name).as_str().into());
        }
        let name = Bytes::from(programs.lock());
        let lock = words.number(&name);
        let mut engine = Engine::new(Options::default());
        let clients = programs.workers().map(|_| engine.open()).collect();
        // One whose value is told is a key like any other.
        let counter = programs.counter().filter(|_| only_counts(programs)).map(Bytes::from);
        Self { engine, clients, name, lock, counter, words }
    }

    /// The number of the lock's name.
    pub(super) fn lock(&self) -> u32 {
        self.lock
    }

    /// Puts a state into the engine, whose clock then stands at the epoch.
    pub(super) fn load(&mut self, state: &State, codes: &[Code], shared: &Shared) {
        self.engine.restart(EPOCH);
        for kept in &state.keys {
            let key = self.words.word(kept.key);
            let entry = Entry {
                value: self.words.word(kept.value).clone(),
                deadline: kept.left.map(|left| EPOCH + left).into(),
                // What the programs call their lock is one, however it was written.
                lock: kept.key == self.lock || is_lock_name(key),
                holder: self.clients[usize::from(kept.holder)],
                // No command of a program tells the form.
                form: Form::Raw,
            };
            self.engine.insert(0, key.clone(), entry);
        }
        if let (Some(key), Some(number)) = (&self.counter, state.counter) {
            let (value, lock) = (Bytes::from(number.to_string().as_str()), is_lock_name(key));
            let entry = Entry { value, deadline: None.into(), lock, holder: self.clients[0], form: Form::Int };
            self.engine.insert(0, key.clone(), entry);
        }
        for ((worker, code), client) in state.workers.iter().zip(codes).zip(&self.clients) {
            if worker.open || worker.watched != 0 {
                connect(&mut self.engine, *client, worker, code, shared);
            }
        }
    }

    /// Takes what the engine holds into a state.
    pub(super) fn save(&mut self, to: &mut State) {
        let now = self.engine.now();
        to.counter = None;
        to.keys.clear();
        for (key, entry) in self.engine.keyspace().unordered(now) {
            if let Some(number) = plain_number(entry).filter(|_| Some(key) == self.counter.as_ref()) {
                to.counter = Some(number);
                continue;
            }
            let lock = *key == self.name;
            let holder = if lock { entry.holder.index() as u8 } else { 0 };
            let own = entry.holder.index() as u32;
            // Most keys are the lock, and most values the token of who wrote it.
            let value = if *self.words.word(own) == entry.value { own } else { self.words.number(&entry.value) };
            let key = if lock { self.lock } else { self.words.number(key) };
            let place = to.keys.partition_point(|kept| kept.key < key);
            to.keys
                .insert(place, Kept { key, value, left: entry.deadline.get().map(|deadline| deadline - now), holder });
        }
        for (worker, client) in to.workers.iter_mut().zip(&self.clients).filter(|(worker, _)| worker.watched != 0) {
            worker.dirty = self.engine.client(*client).dirty;
        }
    }
}

/// Gives a connection its watches and its transaction.
fn connect(engine: &mut Engine, client: ClientId, worker: &Worker, code: &Code, shared: &Shared) {
    let client = engine.client_mut(client);
    for (_, key) in shared.watched.iter().enumerate().filter(|(bit, _)| worker.watched >> bit & 1 != 0) {
        client.watch(0, key);
    }
    client.dirty = worker.dirty;
    if worker.open {
        let transaction = client.transaction.insert(Transaction::default());
        for &at in &worker.queued[..usize::from(worker.queue)] {
            if let Act::Send(send) = &code.ops[usize::from(at)].act {
                transaction.push(&send.argv.iter().map(Vec::as_slice).collect::<Vec<_>>());
            }
        }
    }
}

/// The value of a counter that is a number and never expires.
fn plain_number(entry: &Entry) -> Option<i64> {
    if entry.deadline.get().is_some() {
        return None;
    }
    std::str::from_utf8(&entry.value).ok()?.parse().ok()
}
