//! The engine against a naive model: a list of entries, looked through from front to back at every turn.
//!
//! Random commands and clock moves run on both. After each, replies and the whole keyspace must agree and the engine's
//! own invariants hold. The same commands twice give the same bytes, and a clone goes its own way.

use hotkv_playground::command::{execute, execute_within};
use hotkv_playground::engine::{ClientId, Engine, Event, EventKind, Options, Reply};
use proptest::prelude::*;

/// One key of the model.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    key: u8,
    value: String,
    deadline: Option<i64>,
}

/// The naive model.
#[derive(Clone, Debug, Default)]
struct Model {
    rows: Vec<Row>,
    now: i64,
}

/// What is done to both.
#[derive(Clone, Debug)]
enum Step {
    Set {
        key: u8,
        value: u8,
        form: SetForm,
    },
    DelexIfeq(u8, u8),
    Del(u8),
    Get(u8),
    Pttl(u8),
    Pexpire(u8, i64, ExpireForm),
    Persist(u8),
    Incrby(u8, i64),
    Keys,
    /// A line that the model does not know.
    Line(&'static str),
    Move(i64),
}

#[derive(Clone, Copy, Debug)]
enum SetForm {
    Plain,
    Px(i64),
    NxPx(i64),
    Xx,
    KeepTtl,
    IfEqPx(u8, i64),
    IfNe(u8),
    GetPxat(i64),
}

#[derive(Clone, Copy, Debug)]
enum ExpireForm {
    Any,
    Nx,
    Xx,
    Gt,
    Lt,
}

impl Model {
    fn sweep(&mut self) {
        let now = self.now;
        self.rows.retain(|row| row.deadline.is_none_or(|deadline| now <= deadline));
    }

    fn find(&mut self, key: u8) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.key == key)
    }

    fn remove(&mut self, key: u8) -> i64 {
        let before = self.rows.len();
        self.rows.retain(|row| row.key != key);
        (before - self.rows.len()) as i64
    }

    fn set(&mut self, key: u8, value: String, form: SetForm) -> Reply {
        let now = self.now;
        let old = self.find(key).cloned();
        let deadline = match form {
            SetForm::Px(ms) | SetForm::NxPx(ms) | SetForm::IfEqPx(_, ms) => Some(now + ms),
            SetForm::GetPxat(at) => Some(at),
            SetForm::KeepTtl => old.as_ref().and_then(|old| old.deadline),
            SetForm::Plain | SetForm::Xx | SetForm::IfNe(_) => None,
        };
        let writes = match form {
            SetForm::NxPx(_) => old.is_none(),
            SetForm::Xx => old.is_some(),
            SetForm::IfEqPx(expected, _) => old.as_ref().is_some_and(|old| old.value == text(expected)),
            SetForm::IfNe(unwanted) => old.as_ref().is_none_or(|old| old.value != text(unwanted)),
            _ => true,
        };
        if writes {
            self.remove(key);
            // A time that is past leaves nothing; KEEPTTL keeps a deadline that is just now.
            if matches!(form, SetForm::KeepTtl) || deadline.is_none_or(|deadline| deadline > now) {
                self.rows.push(Row { key, value, deadline });
            }
        }
        match form {
            SetForm::GetPxat(_) => old.map_or(Reply::Nil, |old| Reply::bulk(old.value)),
            _ if writes => Reply::ok(),
            _ => Reply::Nil,
        }
    }

    fn pexpire(&mut self, key: u8, ms: i64, form: ExpireForm) -> Reply {
        let (now, new) = (self.now, self.now + ms);
        let Some(row) = self.find(key) else { return Reply::Integer(0) };
        let allowed = match (form, row.deadline) {
            (ExpireForm::Any, _) => true,
            (ExpireForm::Nx, old) => old.is_none(),
            (ExpireForm::Xx, old) => old.is_some(),
            (ExpireForm::Gt, old) => old.is_some_and(|old| new > old),
            (ExpireForm::Lt, old) => old.is_none_or(|old| new < old),
        };
        if allowed {
            row.deadline = Some(new);
            if new <= now {
                self.remove(key);
            }
        }
        Reply::Integer(i64::from(allowed))
    }

    fn run(&mut self, step: &Step) -> Reply {
        self.sweep();
        match *step {
            Step::Set { key, value, form } => self.set(key, text(value), form),
            Step::DelexIfeq(key, value) => {
                let holds = self.find(key).is_some_and(|row| row.value == text(value));
                Reply::Integer(if holds { self.remove(key) } else { 0 })
            }
            Step::Del(key) => Reply::Integer(self.remove(key)),
            Step::Get(key) => self.find(key).map_or(Reply::Nil, |row| Reply::bulk(&row.value)),
            Step::Pttl(key) => {
                let now = self.now;
                Reply::Integer(self.find(key).map_or(-2, |row| row.deadline.map_or(-1, |deadline| deadline - now)))
            }
            Step::Pexpire(key, ms, form) => self.pexpire(key, ms, form),
            Step::Persist(key) => {
                let dropped = self.find(key).and_then(|row| row.deadline.take());
                Reply::Integer(i64::from(dropped.is_some()))
            }
            Step::Incrby(key, amount) => {
                let current = self.find(key).map_or(Some(0), |row| row.value.parse::<i64>().ok());
                let Some(current) = current else {
                    return Reply::Error("ERR value is not an integer or out of range".to_owned());
                };
                let Some(sum) = current.checked_add(amount) else {
                    return Reply::Error("ERR increment or decrement would overflow".to_owned());
                };
                match self.find(key) {
                    Some(row) => row.value = sum.to_string(),
                    None => self.rows.push(Row { key, value: sum.to_string(), deadline: None }),
                }
                Reply::Integer(sum)
            }
            Step::Keys => {
                let mut keys: Vec<String> = self.rows.iter().map(|row| name(row.key)).collect();
                keys.sort();
                Reply::Array(keys.iter().map(Reply::bulk).collect())
            }
            Step::Line(_) => unreachable!("the model is not given what it does not know"),
            Step::Move(ms) => {
                self.now += ms;
                self.sweep();
                Reply::Integer(self.now)
            }
        }
    }
}

/// Half of the keys are locks by name.
fn name(key: u8) -> String {
    if key.is_multiple_of(2) { format!("lock:{key}") } else { format!("key:{key}") }
}

/// Some values are numbers near the ends of 64 bits, others are tokens.
fn text(value: u8) -> String {
    match value {
        0 => i64::MAX.to_string(),
        1 => i64::MIN.to_string(),
        2 => "5".to_owned(),
        token => format!("tok-{token}"),
    }
}

fn argv(step: &Step) -> Vec<Vec<u8>> {
    let line = match *step {
        Step::Set { key, value, form } => {
            let options = match form {
                SetForm::Plain => String::new(),
                SetForm::Px(ms) => format!(" PX {ms}"),
                SetForm::NxPx(ms) => format!(" NX PX {ms}"),
                SetForm::Xx => " XX".to_owned(),
                SetForm::KeepTtl => " KEEPTTL".to_owned(),
                SetForm::IfEqPx(expected, ms) => format!(" IFEQ {} PX {ms}", text(expected)),
                SetForm::IfNe(unwanted) => format!(" IFNE {}", text(unwanted)),
                SetForm::GetPxat(at) => format!(" GET PXAT {at}"),
            };
            format!("SET {} {}{options}", name(key), text(value))
        }
        Step::DelexIfeq(key, value) => format!("DELEX {} IFEQ {}", name(key), text(value)),
        Step::Del(key) => format!("DEL {}", name(key)),
        Step::Get(key) => format!("GET {}", name(key)),
        Step::Pttl(key) => format!("PTTL {}", name(key)),
        Step::Pexpire(key, ms, form) => {
            let flag = match form {
                ExpireForm::Any => "",
                ExpireForm::Nx => " NX",
                ExpireForm::Xx => " XX",
                ExpireForm::Gt => " GT",
                ExpireForm::Lt => " LT",
            };
            format!("PEXPIRE {} {ms}{flag}", name(key))
        }
        Step::Persist(key) => format!("PERSIST {}", name(key)),
        Step::Incrby(key, amount) => format!("INCRBY {} {amount}", name(key)),
        Step::Keys => "KEYS *".to_owned(),
        Step::Line(line) => line.to_owned(),
        Step::Move(ms) => format!("CLOCK ADVANCE {ms}"),
    };
    line.split(' ').map(|word| word.as_bytes().to_vec()).collect()
}

fn set_form(start: i64) -> impl Strategy<Value = SetForm> {
    let ms = 1..50_i64;
    prop_oneof![
        Just(SetForm::Plain),
        ms.clone().prop_map(SetForm::Px),
        ms.clone().prop_map(SetForm::NxPx),
        Just(SetForm::Xx),
        Just(SetForm::KeepTtl),
        (0..6_u8, ms).prop_map(|(value, ms)| SetForm::IfEqPx(value, ms)),
        (0..6_u8).prop_map(SetForm::IfNe),
        (start - 20..start + 200).prop_map(SetForm::GetPxat),
    ]
}

fn step(start: i64) -> impl Strategy<Value = Step> {
    let key = || 0..5_u8;
    let value = || 0..6_u8;
    let form = prop_oneof![
        Just(ExpireForm::Any),
        Just(ExpireForm::Nx),
        Just(ExpireForm::Xx),
        Just(ExpireForm::Gt),
        Just(ExpireForm::Lt)
    ];
    prop_oneof![
        4 => (key(), value(), set_form(start)).prop_map(|(key, value, form)| Step::Set { key, value, form }),
        2 => (key(), value()).prop_map(|(key, value)| Step::DelexIfeq(key, value)),
        1 => key().prop_map(Step::Del),
        1 => key().prop_map(Step::Get),
        2 => key().prop_map(Step::Pttl),
        2 => (key(), -20..50_i64, form).prop_map(|(key, ms, form)| Step::Pexpire(key, ms, form)),
        1 => key().prop_map(Step::Persist),
        1 => (key(), prop_oneof![Just(1), Just(-1), Just(i64::MAX), Just(i64::MIN)]).prop_map(|(key, n)| Step::Incrby(key, n)),
        1 => Just(Step::Keys),
        3 => (0..30_i64).prop_map(Step::Move),
    ]
}

/// What the model knows, and what looks at many keys or waits for them.
fn any_step(start: i64) -> impl Strategy<Value = Step> {
    let lines = [
        "DBSIZE",
        "SCAN 0",
        "RANDOMKEY",
        "FLUSHDB",
        "SWAPDB 0 1",
        "SELECT 1",
        "SELECT 0",
        "WATCH lock:0 key:1",
        "MULTI",
        "EXEC",
        "UNWATCH",
        "RENAME lock:0 lock:2",
        "COPY lock:0 key:3 REPLACE",
        "MSETNX lock:0 a key:1 b",
        "INFO keyspace",
        "GETDEL lock:2",
        "APPEND key:1 x",
        "EXISTS lock:0 lock:2 lock:4 key:1 key:3",
        "MOVE lock:0 1",
        "CLOCK NEXT",
    ];
    prop_oneof![2 => step(start), 1 => prop::sample::select(lines.to_vec()).prop_map(Step::Line)]
}

fn fresh() -> (Engine, [ClientId; 2]) {
    let mut engine = Engine::new(Options::default());
    let clients = [engine.open(), engine.open()];
    (engine, clients)
}

/// The engine's living keys, as the model writes them.
fn rows(engine: &Engine) -> Vec<(Vec<u8>, Vec<u8>, Option<i64>)> {
    let living = engine.keyspace().iter(engine.now());
    living.map(|(key, entry)| (key.to_vec(), entry.value.to_vec(), entry.deadline.get())).collect()
}

/// Expiries come one by one, each a millisecond after its deadline, and never out of order.
fn check_expiries(events: &[Event], from: i64, to: i64) {
    let mut last = from;
    for event in events {
        if let EventKind::Expired { deadline, .. } = event.kind {
            assert_eq!(event.at, deadline + 1);
            assert!(last <= event.at && event.at <= to, "{event:?} between {last} and {to}");
            last = event.at;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn engine_equals_model(steps in prop::collection::vec((0..2_usize, step(hotkv_playground::engine::EPOCH)), 1..60)) {
        let (mut engine, clients) = fresh();
        let mut model = Model { now: engine.now(), ..Model::default() };
        for (client, step) in &steps {
            let before = engine.now();
            let outcome = execute(&mut engine, clients[*client], &argv(step), before);
            engine.verify();
            check_expiries(engine.events(), before, engine.now());
            prop_assert_eq!(&outcome.reply, &model.run(step), "{:?}", step);
            let mut expected: Vec<_> = model
                .rows
                .iter()
                .map(|row| (name(row.key).into_bytes(), row.value.clone().into_bytes(), row.deadline))
                .collect();
            expected.sort();
            prop_assert_eq!(rows(&engine), expected, "after {:?}", step);
            prop_assert_eq!(engine.keyspace().len(engine.now()), model.rows.len());
        }
    }

    #[test]
    fn the_same_twice_gives_the_same(steps in prop::collection::vec((0..2_usize, step(hotkv_playground::engine::EPOCH)), 1..40), cut in 0..40_usize) {
        let run = |engine: &mut Engine, clients: &[ClientId; 2], steps: &[(usize, Step)]| -> Vec<_> {
            steps
                .iter()
                .map(|(client, step)| {
                    let now = engine.now();
                    execute(engine, clients[*client], &argv(step), now)
                })
                .collect()
        };
        let (mut whole, clients) = fresh();
        let outcomes = run(&mut whole, &clients, &steps);
        // A keyframe: stop, keep a clone, go on with it, and be where the whole run is.
        let cut = cut.min(steps.len());
        let (mut first, _) = fresh();
        run(&mut first, &clients, &steps[..cut]);
        let kept = first.clone();
        let mut again = first.clone();
        let rest = run(&mut again, &clients, &steps[cut..]);
        prop_assert_eq!(&again, &whole);
        prop_assert_eq!(rest.as_slice(), &outcomes[cut..]);
        prop_assert_eq!(first, kept);
    }

    #[test]
    fn in_slices_or_in_one_go_the_end_is_the_same(
        steps in prop::collection::vec((0..2_usize, any_step(hotkv_playground::engine::EPOCH)), 1..60),
        sweep in 0..3_usize,
    ) {
        let (mut whole, clients) = fresh();
        let mut sliced = whole.clone();
        let (mut told, mut told_in_slices) = (Vec::new(), Vec::new());
        for (client, step) in &steps {
            if let Step::Move(ms) = step {
                // Moved from outside: CLOCK ADVANCE itself takes all that is due.
                told.extend_from_slice(whole.advance(whole.now() + ms));
                told_in_slices.extend_from_slice(sliced.advance_some(sliced.now() + ms, sweep));
                continue;
            }
            let now = whole.now();
            let outcome = execute_within(&mut whole, clients[*client], &argv(step), now, usize::MAX);
            let other = execute_within(&mut sliced, clients[*client], &argv(step), now, sweep);
            sliced.verify();
            prop_assert_eq!(outcome.reply, other.reply, "{:?}", step);
            told.extend_from_slice(whole.events());
            told_in_slices.extend_from_slice(sliced.events());
        }
        let now = sliced.now();
        while !sliced.is_swept() {
            told_in_slices.extend_from_slice(sliced.advance_some(now, 1));
        }
        prop_assert_eq!(&sliced, &whole);
        // The same is told, and of each key in the same order.
        for events in [&mut told, &mut told_in_slices] {
            events.sort_by(|a, b| (a.db, &a.key).cmp(&(b.db, &b.key)));
        }
        prop_assert_eq!(told, told_in_slices);
    }

    #[test]
    fn any_words_get_a_reply(argv in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..6)) {
        let (mut engine, clients) = fresh();
        let now = engine.now();
        let outcome = execute(&mut engine, clients[0], &argv, now);
        engine.verify();
        prop_assert!(matches!(outcome.reply, Reply::Error(text) if text.starts_with("ERR ") && !text.contains('\n')));
    }

    #[test]
    fn known_commands_with_any_arguments_leave_a_sound_engine(
        name in prop::sample::select(hotkv_playground::command::all().map(hotkv_playground::command::Spec::name).collect::<Vec<_>>()),
        args in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec!["lock:a", "NX", "XX", "GET", "PX", "EX", "PXAT", "KEEPTTL", "IFEQ", "IFDNE", "GT", "ADVANCE", "0", "-1",
                    "9223372036854775807", "-9223372036854775808", "1e4931", "inf", "b6acb9d84a38ff74", ""]).prop_map(str::to_owned),
                "[ -~]{0,8}",
            ],
            0..7,
        ),
        at in prop_oneof![Just(0), Just(i64::MAX), Just(i64::MAX - 1)],
    ) {
        let (mut engine, clients) = fresh();
        for line in ["SET lock:a 1 NX PX 5", "SET b 2"] {
            let words: Vec<_> = line.split(' ').map(|word| word.as_bytes().to_vec()).collect();
            execute(&mut engine, clients[1], &words, 0);
        }
        let mut argv = vec![name.as_bytes().to_vec()];
        argv.extend(args.iter().map(|arg| arg.as_bytes().to_vec()));
        let mut twin = engine.clone();
        let outcome = execute(&mut engine, clients[0], &argv, at);
        engine.verify();
        if outcome.reply.is_error() {
            // An error changes nothing but the clock.
            twin.advance(at);
            prop_assert_eq!(engine, twin);
        }
    }
}
