//! A lock with a time to live, by redis-rs: the code under test, as it could stand in a project of yours.

use redis::{Commands, Connection, ExistenceCheck, RedisResult, SetExpiry, SetOptions, ValueComparison, pipe};

/// One attempt at a lock. Whoever holds it is told by a token that nobody else has.
pub struct Lock {
    pub name: String,
    pub token: String,
    ttl: SetExpiry,
}

impl Lock {
    pub fn new(name: &str, ttl_ms: u64) -> Self {
        let token = format!("{:032x}", rand::random::<u128>());
        Self { name: name.to_owned(), token, ttl: SetExpiry::PX(ttl_ms) }
    }

    /// Takes the lock, and answers a fencing number; `None` when somebody else holds it.
    ///
    /// Both happen in one transaction, so that whoever takes the lock later has a larger number.
    pub fn acquire(&self, connection: &mut Connection) -> RedisResult<Option<u64>> {
        let free = SetOptions::default().conditional_set(ExistenceCheck::NX).with_expiration(self.ttl);
        let (taken, fence): (Option<String>, u64) = pipe()
            .atomic()
            .set_options(&self.name, &self.token, free)
            // Whoever is refused takes a number too: they only have to grow.
            .incr(format!("{}:fence", self.name), 1)
            .query(connection)?;
        Ok(taken.map(|_| fence))
    }

    /// Lets the time to live begin again; `false` when the lock is no longer ours, and then the work must stop.
    pub fn renew(&self, connection: &mut Connection) -> RedisResult<bool> {
        let mine = SetOptions::default().value_comparison(ValueComparison::ifeq(&self.token)).with_expiration(self.ttl);
        let renewed: Option<String> = connection.set_options(&self.name, &self.token, mine)?;
        Ok(renewed.is_some())
    }

    /// Gives the lock back; `false` when it was no longer ours, and then nobody loses it.
    pub fn release(&self, connection: &mut Connection) -> RedisResult<bool> {
        let released: usize = connection.del_ex(&self.name, ValueComparison::ifeq(&self.token))?;
        Ok(released == 1)
    }
}

/// Takes the lock from the holder whose token has this digest, as DIGEST told it, and from nobody who came later.
pub fn evict(connection: &mut Connection, name: &str, digest: &str) -> RedisResult<bool> {
    let evicted: usize = connection.del_ex(name, ValueComparison::ifdeq(digest))?;
    Ok(evicted == 1)
}
