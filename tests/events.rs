//! What the engine tells of locks: one event for each thing that happens, to whom, and by whom.

use hotkv_playground::command::execute;
use hotkv_playground::engine::{ClientId, EPOCH, Engine, Event, EventKind, Options};

/// An engine with two clients, and what happened since it was looked at last.
struct Desk {
    engine: Engine,
    a: ClientId,
    b: ClientId,
}

impl Desk {
    fn new() -> Self {
        let mut engine = Engine::new(Options::default());
        let (a, b) = (engine.open(), engine.open());
        Self { engine, a, b }
    }

    fn run(&mut self, client: ClientId, line: &str) -> Vec<EventKind> {
        let argv: Vec<Vec<u8>> = line.split(' ').map(|word| word.as_bytes().to_vec()).collect();
        let now = self.engine.now();
        execute(&mut self.engine, client, &argv, now);
        self.engine.events().iter().map(|event| event.kind.clone()).collect()
    }
}

fn granted(client: ClientId, token: &str, ms: Option<i64>) -> EventKind {
    EventKind::Granted { client, token: token.as_bytes().into(), deadline: ms.map(|ms| EPOCH + ms), previous: None }
}

#[test]
fn a_lock_from_its_taking_to_its_end() {
    let mut desk = Desk::new();
    let (a, b) = (desk.a, desk.b);
    assert_eq!(desk.run(a, "SET lock:x tok-a NX PX 30000"), [granted(a, "tok-a", Some(30_000))]);
    assert_eq!(desk.run(b, "SET lock:x tok-b NX PX 30000"), [EventKind::Refused { client: b, holder: Some(a) }]);
    assert_eq!(desk.run(b, "PTTL lock:x"), [EventKind::Read { client: b }]);
    assert_eq!(
        desk.run(a, "SET lock:x tok-a IFEQ tok-a PX 40000"),
        [EventKind::Renewed {
            client: a,
            holder: a,
            before: Some(EPOCH + 30_000),
            after: Some(EPOCH + 40_000),
            by_token: true
        }]
    );
    assert_eq!(
        desk.run(b, "PEXPIRE lock:x 50000"),
        [EventKind::Renewed {
            client: b,
            holder: a,
            before: Some(EPOCH + 40_000),
            after: Some(EPOCH + 50_000),
            by_token: false
        }]
    );
    assert_eq!(desk.run(b, "DELEX lock:x IFEQ tok-b"), [EventKind::WrongToken { client: b, holder: a }]);
    assert_eq!(desk.run(b, "DELEX lock:x IFEQ tok-a"), [EventKind::Released { client: b, holder: a }], "by the token");
    assert_eq!(desk.run(a, "DELEX lock:x IFEQ tok-a"), [EventKind::Missed { client: a }]);
}

#[test]
fn deleted_and_overwritten_by_another() {
    let mut desk = Desk::new();
    let (a, b) = (desk.a, desk.b);
    desk.run(a, "SET lock:x tok-a NX");
    assert_eq!(desk.run(b, "DEL lock:x"), [EventKind::DeletedByAnother { client: b, holder: a }]);
    desk.run(a, "SET lock:x tok-a NX");
    let token = b"tok-b".as_slice().into();
    assert_eq!(
        desk.run(b, "SET lock:x tok-b"),
        [EventKind::Overwritten { client: b, holder: a, token, deadline: None }]
    );
    assert_eq!(desk.run(b, "DEL lock:x"), [EventKind::Released { client: b, holder: b }]);
}

#[test]
fn expiries_come_one_by_one_each_at_its_own_instant() {
    let mut desk = Desk::new();
    let (a, b) = (desk.a, desk.b);
    desk.run(a, "SET lock:late 1 PX 20");
    desk.run(b, "SET plain 1 PX 10");
    desk.run(b, "SET lock:early 1 PX 10");
    // At a deadline the key lives.
    assert!(desk.engine.advance(EPOCH + 10).is_empty());
    let told: Vec<_> = desk
        .engine
        .advance(EPOCH + 1_000)
        .iter()
        .map(|Event { at, key, kind, .. }| (at - EPOCH, String::from_utf8_lossy(key).into_owned(), kind.clone()))
        .collect();
    let expired = |holder, ms, lock| EventKind::Expired { holder, deadline: EPOCH + ms, lock };
    assert_eq!(
        told,
        [
            (11, "lock:early".to_owned(), expired(b, 10, true)),
            (11, "plain".to_owned(), expired(b, 10, false)),
            (21, "lock:late".to_owned(), expired(a, 20, true)),
        ]
    );
}

#[test]
fn other_keys_are_not_told_of() {
    let mut desk = Desk::new();
    let a = desk.a;
    for line in
        ["SET plain 1", "GET plain", "SET plain 2 XX", "DELEX plain IFEQ 3", "SETNX plain 1", "DEL plain", "DEL plain"]
    {
        assert_eq!(desk.run(a, line), [], "{line}");
    }
    // A key becomes a lock by being written as one.
    assert_eq!(desk.run(a, "SETNX plain tok"), [granted(a, "tok", None)]);
    assert_eq!(desk.run(a, "SET missing tok XX"), []);
    assert_eq!(desk.run(a, "SET lock:missing tok XX"), [EventKind::Refused { client: a, holder: None }]);
}
