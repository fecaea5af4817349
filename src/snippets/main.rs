//! Does work that only one may do at a time, under a lock.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{env, error::Error, thread};

// only: redis valkey
use redis::{Client, Commands, Connection, ExistenceCheck, SetExpiry, SetOptions, ValueComparison};
// end
// only: older
use redis::{Client, Commands, Connection, ExistenceCheck, Script, SetExpiry, SetOptions};
// end

const LOCK: &str = "lock:name";
const FENCE: &str = "lock:name:fence";
const TTL: Duration = Duration::from_millis(30000);
// only: older

const RENEW: &str =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
const RELEASE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
// end

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Lock {
    client: Client,
    token: String,
    /// Until then the lock is ours, by our own clock.
    deadline: Mutex<Instant>,
    // only: redis
    digest: String,
    // end
}

impl Lock {
    /// Takes the lock and a fencing number; `None` when somebody else holds it.
    fn acquire(client: Client) -> Outcome<Option<(Self, i64)>> {
        let token = format!("{:032x}", rand::random::<u128>()); // 128 random bits: nobody else has the same
        let free = SetOptions::default()
            .conditional_set(ExistenceCheck::NX)
            .with_expiration(SetExpiry::PX(TTL.as_millis() as u64));
        let asked = Instant::now();
        // Whoever is refused takes a number too: they only have to grow.
        // only: redis
        let (taken, fence, digest): (Option<String>, i64, String) = redis::pipe()
            .atomic()
            .set_options(LOCK, &token, free)
            .incr(FENCE, 1)
            .digest(LOCK)
            .query(&mut connect(&client)?)?;
        let deadline = Mutex::new(asked + TTL);
        Ok(taken.map(|_| (Self { client, token, deadline, digest }, fence)))
        // end
        // only: valkey older
        let (taken, fence): (Option<String>, i64) = redis::pipe()
            .atomic()
            .set_options(LOCK, &token, free)
            .incr(FENCE, 1)
            .query(&mut connect(&client)?)?;
        let deadline = Mutex::new(asked + TTL);
        Ok(taken.map(|_| (Self { client, token, deadline }, fence)))
        // end
    }

    fn renew(&self) -> Outcome<bool> {
        let mut con = connect(&self.client)?;
        // only: redis valkey
        let mine = SetOptions::default()
            .value_comparison(ValueComparison::ifeq(&self.token))
            .with_expiration(SetExpiry::PX(TTL.as_millis() as u64));
        let renewed: Option<String> = con.set_options(LOCK, &self.token, mine)?;
        Ok(renewed.is_some())
        // end
        // only: older
        let ttl = TTL.as_millis() as u64;
        Ok(Script::new(RENEW).key(LOCK).arg(&self.token).arg(ttl).invoke::<i64>(&mut con)? == 1)
        // end
    }

    fn release(&self) -> Outcome<bool> {
        let mut con = connect(&self.client)?;
        // only: redis
        let deleted: usize = con.del_ex(LOCK, ValueComparison::ifeq(&self.token))?;
        // end
        // only: valkey
        let deleted: usize = redis::cmd("DELIFEQ").arg(LOCK).arg(&self.token).query(&mut con)?;
        // end
        // only: older
        let deleted: usize = Script::new(RELEASE).key(LOCK).arg(&self.token).invoke(&mut con)?;
        // end
        Ok(deleted == 1)
    }

    /// Asks the server, which costs a round trip; the deadline has to hold as well.
    fn is_mine(&self) -> Outcome<bool> {
        // only: redis
        let found: Option<String> = connect(&self.client)?.digest(LOCK)?;
        let same = found.as_ref() == Some(&self.digest);
        // end
        // only: valkey older
        let found: Option<String> = connect(&self.client)?.get(LOCK)?;
        let same = found.as_ref() == Some(&self.token);
        // end
        Ok(same && Instant::now() < *self.deadline.lock().unwrap())
    }

    /// Renews until the work is done. Without a reply it tries again: the deadline stops the work in time.
    fn keep(&self, done: Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(TTL / 3) {
            let asked = Instant::now();
            match self.renew() {
                Ok(true) => *self.deadline.lock().unwrap() = asked + TTL,
                Ok(false) => *self.deadline.lock().unwrap() = asked,
                Err(error) => eprintln!("not renewed yet: {error}"),
            }
        }
    }
}

/// A connection for one call: one that broke does not come back by itself.
fn connect(client: &Client) -> redis::RedisResult<Connection> {
    let con = client.get_connection_with_timeout(TTL / 3)?;
    con.set_read_timeout(Some(TTL / 3))?;
    Ok(con)
}

/// Your work, in parts. Every write takes the fencing number along, and its target refuses a smaller one.
fn work(lock: &Lock, fence: i64) -> Outcome<()> {
    for part in 1..=5 {
        if !lock.is_mine()? {
            return Err("the lock is lost: the work stops".into());
        }
        println!("part {part}, fencing number {fence}");
        thread::sleep(TTL * 2 / 5);
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let url = env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".into());
    let Some((lock, fence)) = Lock::acquire(Client::open(url)?)? else {
        return Err("somebody else holds the lock".into());
    };
    let (working, done) = channel();
    let worked = thread::scope(|scope| {
        scope.spawn(|| lock.keep(done));
        let worked = work(&lock, fence);
        drop(working);
        worked
    });
    println!("{}", if lock.release()? { "released" } else { "the lock was no longer ours" });
    worked
}
