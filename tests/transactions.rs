//! Several clients, databases, transactions and watches against a naive model: lists, looked through at every turn.

use hotkv_playground::command::execute;
use hotkv_playground::engine::{ClientId, EPOCH, Engine, Options, Reply};
use proptest::prelude::*;

const CLIENTS: usize = 3;

/// One key of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    db: usize,
    key: u8,
    value: u8,
    deadline: Option<i64>,
}

#[derive(Clone, Debug, Default)]
struct Connection {
    db: usize,
    watched: Vec<(usize, u8)>,
    dirty: bool,
}

#[derive(Clone, Debug, Default)]
struct Model {
    rows: Vec<Row>,
    connections: Vec<Connection>,
    now: i64,
}

/// What a client does.
#[derive(Clone, Debug)]
enum Step {
    Set(u8, u8, Option<i64>),
    KeepTtl(u8, u8),
    Del(u8),
    Pexpire(u8, i64),
    Persist(u8),
    Rename(u8, u8, bool),
    Copy { from: u8, to: u8, db: usize, replace: bool },
    Move(u8, usize),
    Select(usize),
    Swap(usize, usize),
    Watch(u8),
    Unwatch,
    Transaction(Vec<Step>),
    Flushdb,
    Get(u8),
    Msetex(u8, u8, u8, i64),
}

impl Model {
    fn get(&self, db: usize, key: u8) -> Option<&Row> {
        self.rows.iter().find(|row| row.db == db && row.key == key)
    }

    fn touch(&mut self, db: usize, key: u8) {
        for connection in &mut self.connections {
            connection.dirty |= connection.watched.contains(&(db, key));
        }
    }

    fn remove(&mut self, db: usize, key: u8) -> bool {
        let there = self.get(db, key).is_some();
        if there {
            self.touch(db, key);
            self.rows.retain(|row| row.db != db || row.key != key);
        }
        there
    }

    fn put(&mut self, db: usize, key: u8, value: u8, deadline: Option<i64>) {
        self.touch(db, key);
        self.rows.retain(|row| row.db != db || row.key != key);
        self.rows.push(Row { db, key, value, deadline });
    }

    fn advance(&mut self, ms: i64) {
        self.now += ms;
        let due: Vec<Row> =
            self.rows.iter().filter(|row| row.deadline.is_some_and(|deadline| deadline < self.now)).cloned().collect();
        for row in due {
            self.remove(row.db, row.key);
        }
    }

    fn run(&mut self, client: usize, step: &Step) -> Reply {
        let db = self.connections[client].db;
        let integer = |yes: bool| Reply::Integer(i64::from(yes));
        let missing = || Reply::Error("ERR no such key".to_owned());
        match *step {
            Step::Set(key, value, ms) => {
                self.put(db, key, value, ms.map(|ms| self.now + ms));
                Reply::ok()
            }
            Step::KeepTtl(key, value) => {
                let deadline = self.get(db, key).and_then(|row| row.deadline);
                self.put(db, key, value, deadline);
                Reply::ok()
            }
            Step::Del(key) => integer(self.remove(db, key)),
            Step::Pexpire(key, ms) => {
                let Some(row) = self.get(db, key).cloned() else { return integer(false) };
                if ms <= 0 {
                    self.remove(db, key);
                } else {
                    self.put(db, key, row.value, Some(self.now + ms));
                }
                integer(true)
            }
            Step::Persist(key) => {
                let Some(row) = self.get(db, key).filter(|row| row.deadline.is_some()).cloned() else {
                    return integer(false);
                };
                self.put(db, key, row.value, None);
                integer(true)
            }
            Step::Rename(from, to, nx) => {
                let Some(row) = self.get(db, from).cloned() else { return missing() };
                if nx && self.get(db, to).is_some() {
                    return integer(false);
                }
                if from != to {
                    self.remove(db, from);
                    self.put(db, to, row.value, row.deadline);
                }
                if nx { integer(true) } else { Reply::ok() }
            }
            Step::Copy { from, to, db: other, replace } => {
                if db == other && from == to {
                    return Reply::Error("ERR source and destination objects are the same".to_owned());
                }
                let Some(row) = self.get(db, from).cloned() else { return integer(false) };
                let free = replace || self.get(other, to).is_none();
                if free {
                    self.put(other, to, row.value, row.deadline);
                }
                integer(free)
            }
            Step::Move(key, other) => {
                if db == other {
                    return Reply::Error("ERR source and destination objects are the same".to_owned());
                }
                let Some(row) = self.get(db, key).cloned() else { return integer(false) };
                let free = self.get(other, key).is_none();
                if free {
                    self.remove(db, key);
                    self.put(other, key, row.value, row.deadline);
                }
                integer(free)
            }
            Step::Select(other) => {
                self.connections[client].db = other;
                Reply::ok()
            }
            Step::Swap(a, b) => {
                let there: Vec<(usize, u8)> =
                    self.rows.iter().filter(|row| row.db == a || row.db == b).map(|row| (row.db, row.key)).collect();
                // The same database twice is no swap, and touches nothing.
                for (_, key) in there.into_iter().filter(|_| a != b) {
                    self.touch(a, key);
                    self.touch(b, key);
                }
                for row in &mut self.rows {
                    row.db = if row.db == a {
                        b
                    } else if row.db == b {
                        a
                    } else {
                        row.db
                    };
                }
                Reply::ok()
            }
            Step::Watch(key) => {
                self.connections[client].watched.push((db, key));
                Reply::ok()
            }
            Step::Unwatch => {
                let connection = &mut self.connections[client];
                (connection.watched, connection.dirty) = (Vec::new(), false);
                Reply::ok()
            }
            Step::Transaction(ref steps) => {
                let dirty = self.connections[client].dirty;
                self.run(client, &Step::Unwatch);
                if dirty {
                    return Reply::NilArray;
                }
                Reply::Array(steps.iter().map(|step| self.run(client, step)).collect())
            }
            Step::Flushdb => {
                let keys: Vec<u8> = self.rows.iter().filter(|row| row.db == db).map(|row| row.key).collect();
                for key in keys {
                    self.remove(db, key);
                }
                Reply::ok()
            }
            Step::Get(key) => self.get(db, key).map_or(Reply::Nil, |row| Reply::bulk(row.value.to_string())),
            Step::Msetex(a, b, value, ms) => {
                let free = self.get(db, a).is_none() && self.get(db, b).is_none();
                if free {
                    self.put(db, a, value, Some(self.now + ms));
                    self.put(db, b, value, Some(self.now + ms));
                }
                integer(free)
            }
        }
    }
}

fn name(key: u8) -> String {
    if key == 0 { "lock:0".to_owned() } else { format!("key:{key}") }
}

/// The lines that a client sends for a step.
fn lines(step: &Step) -> Vec<String> {
    vec![match step {
        Step::Set(key, value, None) => format!("SET {} {value}", name(*key)),
        Step::Set(key, value, Some(ms)) => format!("SET {} {value} PX {ms}", name(*key)),
        Step::KeepTtl(key, value) => format!("SET {} {value} KEEPTTL", name(*key)),
        Step::Del(key) => format!("DEL {}", name(*key)),
        Step::Pexpire(key, ms) => format!("PEXPIRE {} {ms}", name(*key)),
        Step::Persist(key) => format!("PERSIST {}", name(*key)),
        Step::Rename(from, to, nx) => format!("RENAME{} {} {}", if *nx { "NX" } else { "" }, name(*from), name(*to)),
        Step::Copy { from, to, db, replace } => {
            format!("COPY {} {} DB {db}{}", name(*from), name(*to), if *replace { " REPLACE" } else { "" })
        }
        Step::Move(key, db) => format!("MOVE {} {db}", name(*key)),
        Step::Select(db) => format!("SELECT {db}"),
        Step::Swap(a, b) => format!("SWAPDB {a} {b}"),
        Step::Watch(key) => format!("WATCH {}", name(*key)),
        Step::Unwatch => "UNWATCH".to_owned(),
        Step::Flushdb => "FLUSHDB".to_owned(),
        Step::Get(key) => format!("GET {}", name(*key)),
        Step::Msetex(a, b, value, ms) => format!("MSETEX 2 {} {value} {} {value} NX PX {ms}", name(*a), name(*b)),
        Step::Transaction(steps) => {
            let inner = steps.iter().flat_map(lines);
            return std::iter::once("MULTI".to_owned()).chain(inner).chain(["EXEC".to_owned()]).collect();
        }
    }]
}

fn step() -> impl Strategy<Value = Step> {
    let key = || 0..4_u8;
    let db = || 0..3_usize;
    let ms = || 1..40_i64;
    let simple = prop_oneof![
        4 => (key(), 0..9_u8, prop::option::of(ms())).prop_map(|(key, value, ms)| Step::Set(key, value, ms)),
        1 => (key(), 0..9_u8).prop_map(|(key, value)| Step::KeepTtl(key, value)),
        2 => key().prop_map(Step::Del),
        2 => (key(), -5..40_i64).prop_map(|(key, ms)| Step::Pexpire(key, ms)),
        1 => key().prop_map(Step::Persist),
        2 => (key(), key(), any::<bool>()).prop_map(|(from, to, nx)| Step::Rename(from, to, nx)),
        2 => (key(), key(), db(), any::<bool>()).prop_map(|(from, to, db, replace)| Step::Copy { from, to, db, replace }),
        1 => (key(), db()).prop_map(|(key, db)| Step::Move(key, db)),
        2 => db().prop_map(Step::Select),
        1 => (db(), db()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => Just(Step::Flushdb),
        2 => key().prop_map(Step::Get),
        1 => (key(), key(), 0..9_u8, ms()).prop_map(|(a, b, value, ms)| Step::Msetex(a, b, value, ms)),
    ];
    prop_oneof![
        12 => simple.clone(),
        3 => key().prop_map(Step::Watch),
        1 => Just(Step::Unwatch),
        4 => prop::collection::vec(simple, 0..4).prop_map(Step::Transaction),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn engine_equals_model(steps in prop::collection::vec((0..CLIENTS, 0..12_i64, step()), 1..60)) {
        let mut engine = Engine::new(Options::default());
        let clients: Vec<ClientId> = (0..CLIENTS).map(|_| engine.open()).collect();
        let mut model = Model { connections: vec![Connection::default(); CLIENTS], now: EPOCH, ..Model::default() };
        for (client, ms, step) in &steps {
            model.advance(*ms);
            let mut last = Reply::Nil;
            for line in lines(step) {
                let words: Vec<Vec<u8>> = line.split(' ').map(|word| word.as_bytes().to_vec()).collect();
                last = execute(&mut engine, clients[*client], &words, model.now).reply;
                engine.verify();
            }
            prop_assert_eq!(last, model.run(*client, step), "{:?}", step);
            let mut held: Vec<Row> = model.rows.clone();
            held.sort();
            let mut shown = Vec::new();
            for db in 0..3 {
                for key in 0..4 {
                    if let Some(entry) = engine.database(db).get(name(key).as_bytes(), engine.now()) {
                        let value = std::str::from_utf8(&entry.value).unwrap().parse().unwrap();
                        shown.push(Row { db, key, value, deadline: entry.deadline.get() });
                    }
                }
            }
            prop_assert_eq!(shown, held, "after {:?}", step);
        }
    }
}
