//! The workload of the benches, and the least that could do it.
//!
//! A lock cycle is five steps: take a lock, be refused, read the time left, release with a wrong token, release. All
//! names go through a step before the next one begins, in scattered order, so that all are held at once.

use hashbrown::HashMap;
use hotkv_playground::command::execute;
use hotkv_playground::engine::{ClientId, EPOCH, Engine, Options, Reply};
use hotkv_playground::transcript::Runner;

/// The five steps of a lock cycle.
pub(crate) trait Locks {
    /// Takes a lock for 30 s; whether it was free.
    fn acquire(&mut self, key: &str, token: &str) -> bool;
    /// Whether all of the 30 s are left.
    fn time_left(&mut self, key: &str) -> bool;
    /// Gives a lock up; whether the token was the holder's.
    fn release(&mut self, key: &str, token: &str) -> bool;
}

/// The least that a lock table can be: a hash map with deadlines.
#[derive(Default)]
pub(crate) struct Bare(HashMap<Box<[u8]>, Held>);

struct Held {
    token: Box<[u8]>,
    deadline: i64,
}

impl Bare {
    fn living(&self, key: &str) -> Option<&Held> {
        self.0.get(key.as_bytes()).filter(|held| held.deadline >= EPOCH)
    }
}

impl Locks for Bare {
    fn acquire(&mut self, key: &str, token: &str) -> bool {
        let free = self.living(key).is_none();
        if free {
            self.0.insert(key.as_bytes().into(), Held { token: token.as_bytes().into(), deadline: EPOCH + 30_000 });
        }
        free
    }

    fn time_left(&mut self, key: &str) -> bool {
        self.living(key).is_some_and(|held| held.deadline - EPOCH == 30_000)
    }

    fn release(&mut self, key: &str, token: &str) -> bool {
        let own = self.living(key).is_some_and(|held| *held.token == *token.as_bytes());
        own && self.0.remove(key.as_bytes()).is_some()
    }
}

/// The engine: words in, a reply out.
pub(crate) struct Words {
    /// The engine.
    pub(crate) engine: Engine,
    client: ClientId,
}

impl Words {
    /// An empty engine, without a limit of memory.
    pub(crate) fn new() -> Self {
        let mut engine = Engine::new(Options { max_memory: usize::MAX, ..Options::default() });
        let client = engine.open();
        Self { engine, client }
    }

    /// Runs a command.
    pub(crate) fn run(&mut self, words: &[&str]) -> Reply {
        execute(&mut self.engine, self.client, words, EPOCH).reply
    }
}

impl Locks for Words {
    fn acquire(&mut self, key: &str, token: &str) -> bool {
        self.run(&["SET", key, token, "NX", "PX", "30000"]) != Reply::Nil
    }

    fn time_left(&mut self, key: &str) -> bool {
        self.run(&["PTTL", key]) == Reply::Integer(30_000)
    }

    fn release(&mut self, key: &str, token: &str) -> bool {
        self.run(&["DELEX", key, "IFEQ", token]) == Reply::Integer(1)
    }
}

/// The engine as a console has it: a line in, the text of the reply out.
pub(crate) struct Lines(Runner);

impl Lines {
    /// An empty server, without a limit of memory.
    pub(crate) fn new() -> Self {
        Self(Runner::new(Options { max_memory: usize::MAX, ..Options::default() }))
    }

    fn run(&mut self, line: &str) -> String {
        self.0.command("A", line).expect("a line").reply.into_owned()
    }
}

impl Locks for Lines {
    fn acquire(&mut self, key: &str, token: &str) -> bool {
        self.run(&format!("SET {key} {token} NX PX 30000")) == "OK"
    }

    fn time_left(&mut self, key: &str) -> bool {
        self.run(&format!("PTTL {key}")) == "(integer) 30000"
    }

    fn release(&mut self, key: &str, token: &str) -> bool {
        self.run(&format!("DELEX {key} IFEQ {token}")) == "(integer) 1"
    }
}

/// Names and tokens, made once.
pub(crate) struct Work {
    /// Name, token of the holder, token of the other.
    names: Vec<(String, String, String)>,
}

impl Work {
    /// So many names.
    pub(crate) fn new(names: usize) -> Self {
        let scattered = (0..names).map(|n| n * 7_919 % names);
        Self {
            names: scattered.map(|n| (format!("lock:{n:08}"), format!("a:{n:020}"), format!("b:{n:020}"))).collect(),
        }
    }

    /// All names through the five steps. Every reply is checked.
    pub(crate) fn cycle(&self, locks: &mut impl Locks) {
        let names = &self.names;
        assert!(names.iter().all(|(key, a, _)| locks.acquire(key, a)));
        assert!(names.iter().all(|(key, _, b)| !locks.acquire(key, b)));
        assert!(names.iter().all(|(key, _, _)| locks.time_left(key)));
        assert!(names.iter().all(|(key, _, b)| !locks.release(key, b)));
        assert!(names.iter().all(|(key, a, _)| locks.release(key, a)));
    }
}
