//! Tests of the lock on a server whose clock they move: `hotkv serve --clock simulated`, at `HOTKV_URL`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lock::{Lock, evict};
use redis::{Client, Commands, Connection, cmd};

const NAME: &str = "lock:report";
const TTL_MS: u64 = 30_000;

/// Tests run side by side, and the clock is everybody's: they take turns.
static TURN: Mutex<()> = Mutex::new(());

/// An empty server whose clock stands.
struct Server {
    connection: Connection,
    _turn: MutexGuard<'static, ()>,
}

impl Server {
    fn new() -> Self {
        // A test that failed in its turn leaves nothing behind.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let url = std::env::var("HOTKV_URL").unwrap_or_else(|_| "redis://127.0.0.1:6380".to_owned());
        let mut connection = Client::open(url).unwrap().get_connection().unwrap();
        // Only a server with a simulated clock knows this: no other one gets as far as FLUSHALL.
        cmd("CLOCK").arg("PAUSE").exec(&mut connection).unwrap();
        cmd("FLUSHALL").exec(&mut connection).unwrap();
        Self { connection, _turn: turn }
    }

    /// What `thread::sleep` would do, at once.
    fn pass_time(&mut self, ms: u64) {
        cmd("CLOCK").arg("ADVANCE").arg(ms).exec(&mut self.connection).unwrap();
    }

    fn holder(&mut self) -> Option<String> {
        self.connection.get(NAME).unwrap()
    }

    fn time_left(&mut self) -> u64 {
        self.connection.pttl(NAME).unwrap()
    }

    fn digest(&mut self) -> String {
        self.connection.digest::<_, Option<String>>(NAME).unwrap().expect("somebody holds the lock")
    }
}

fn lock() -> Lock {
    Lock::new(NAME, TTL_MS)
}

#[test]
fn a_free_lock_is_taken_for_its_time_to_live() {
    let mut server = Server::new();
    let lock = lock();
    assert!(lock.acquire(&mut server.connection).unwrap().is_some());
    assert_eq!(server.holder(), Some(lock.token));
    // The clock stands, so the time left is exact.
    assert_eq!(server.time_left(), TTL_MS);
}

#[test]
fn a_held_lock_is_refused() {
    let mut server = Server::new();
    let holder = lock();
    holder.acquire(&mut server.connection).unwrap();
    assert_eq!(lock().acquire(&mut server.connection), Ok(None));
    assert_eq!(server.holder(), Some(holder.token));
}

#[test]
fn renewing_keeps_the_lock() {
    let mut server = Server::new();
    let lock = lock();
    lock.acquire(&mut server.connection).unwrap();
    for _ in 0..5 {
        server.pass_time(TTL_MS - 1);
        assert_eq!(lock.renew(&mut server.connection), Ok(true));
    }
    assert_eq!(server.time_left(), TTL_MS);
}

#[test]
fn the_holder_releases() {
    let mut server = Server::new();
    let holder = lock();
    holder.acquire(&mut server.connection).unwrap();
    assert_eq!(holder.release(&mut server.connection), Ok(true));
    assert!(lock().acquire(&mut server.connection).unwrap().is_some());
}

#[test]
fn a_wrong_token_releases_nothing() {
    let mut server = Server::new();
    let holder = lock();
    holder.acquire(&mut server.connection).unwrap();
    assert_eq!(lock().release(&mut server.connection), Ok(false));
    assert_eq!(server.holder(), Some(holder.token));
}

#[test]
fn a_digest_evicts_the_holder_that_was_seen_and_no_later_one() {
    let mut server = Server::new();
    lock().acquire(&mut server.connection).unwrap();
    let seen = server.digest();
    server.pass_time(TTL_MS + 1);
    let later = lock();
    later.acquire(&mut server.connection).unwrap();
    assert_eq!(evict(&mut server.connection, NAME, &seen), Ok(false));
    assert_eq!(server.holder(), Some(later.token));
    let seen = server.digest();
    assert_eq!(evict(&mut server.connection, NAME, &seen), Ok(true));
    assert_eq!(server.holder(), None);
}

#[test]
fn fencing_numbers_grow() {
    let mut server = Server::new();
    let first = lock();
    let earlier = first.acquire(&mut server.connection).unwrap();
    assert_eq!(lock().acquire(&mut server.connection), Ok(None));
    first.release(&mut server.connection).unwrap();
    assert!(lock().acquire(&mut server.connection).unwrap() > earlier);
}

#[test]
fn a_lock_expires_right_after_its_time_to_live() {
    let mut server = Server::new();
    lock().acquire(&mut server.connection).unwrap();
    // At its deadline a key still lives; a millisecond later it is gone.
    server.pass_time(TTL_MS);
    assert_eq!(lock().acquire(&mut server.connection), Ok(None));
    server.pass_time(1);
    assert!(lock().acquire(&mut server.connection).unwrap().is_some());
}

#[test]
fn a_late_worker_takes_nothing_from_the_next_owner() {
    let mut server = Server::new();
    let (late, owner) = (lock(), lock());
    late.acquire(&mut server.connection).unwrap();
    // To the next expiry, which is that of the lock.
    cmd("CLOCK").arg("NEXT").exec(&mut server.connection).unwrap();
    owner.acquire(&mut server.connection).unwrap();
    // The late worker wakes up and goes on as if nothing had happened.
    assert_eq!(late.renew(&mut server.connection), Ok(false));
    assert_eq!(late.release(&mut server.connection), Ok(false));
    assert_eq!(server.holder(), Some(owner.token));
    assert_eq!(server.time_left(), TTL_MS);
}
