//! Transcripts on a real server, in real time.
//!
//! **What is never done.** Nothing is flushed, no setting is changed, and no key is touched that was there before, unless
//! that is asked for. What a session created is deleted when it ends, however it ends.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use redis::{Client, Connection, ConnectionLike, Value};

use super::check::Block;
use crate::command::{self, execute};
use crate::engine::{Engine, Options, Reply};
use crate::transcript::{Located, Record, format, line::split, same_reply};

/// How long a connection, and then each reply, may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The databases in which sessions run, one in each at a time. The first stays free of them.
const DATABASES: std::ops::RangeInclusive<u8> = 1..=15;
/// How much later than planned a real command may come, in milliseconds.
const LATE: i64 = 1_000;

/// Commands that reach further than the keys that they name, or that change what replies look like. What the engine does
/// not know is not sent either: nobody knows how far it reaches.
const TOO_FAR: [&str; 15] = [
    "AUTH", "CLIENT", "CLOCK", "CONFIG", "FLUSHALL", "FLUSHDB", "HELLO", "KEYS", "MONITOR", "MOVE", "QUIT", "RESET",
    "SELECT", "SWAPDB", "TOKEN",
];

/// How long a wait is blind to an interruption.
const TICK: Duration = Duration::from_millis(50);
/// Whether the program was asked to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A server that answers.
pub(super) struct Server {
    client: Client,
}

impl Server {
    /// Finds the server at a URL.
    pub(super) fn open(url: &str) -> Result<Self, String> {
        let client =
            Client::open(url).map_err(|error| format!("'{url}': {error}; a server is named as redis://HOST:PORT"))?;
        if client.get_connection_info().redis_settings().db() != 0 {
            return Err(format!("{url}: sessions run in databases 1 to 15; name none"));
        }
        let server = Self { client };
        let answers = server.connect(None).and_then(|mut connection| expect_ok(&mut connection, &["PING"]));
        answers.map_err(|error| format!("{url}: {error}"))?;
        Ok(server)
    }

    fn connect(&self, db: Option<u8>) -> Result<Connection, String> {
        let told = |error: redis::RedisError| error.to_string();
        let mut connection = self.client.get_connection_with_timeout(PATIENCE).map_err(told)?;
        connection.set_read_timeout(Some(PATIENCE)).map_err(told)?;
        connection.set_write_timeout(Some(PATIENCE)).map_err(told)?;
        if let Some(db) = db {
            expect_ok(&mut connection, &["SELECT", &db.to_string()])?;
        }
        Ok(connection)
    }

    /// Why a transcript is not for a server of somebody's, if it is not.
    #[allow(clippy::unused_self)] // what a server can run is a question to it
    pub(super) fn cannot_run(&self, records: &[Located]) -> Option<String> {
        let lines = records.iter().filter_map(|located| match &located.record {
            Record::Command { line, .. } => Some(line),
            _ => None,
        });
        let mut names = lines.filter_map(|line| {
            let words = split(line).ok()?;
            let name = String::from_utf8_lossy(words.first()?).to_ascii_uppercase();
            let elsewhere =
                name == "COPY" && words.iter().any(|word| command::until_nul(word).eq_ignore_ascii_case(b"DB"));
            if command::find(name.as_bytes()).is_none() {
                Some(format!("how far {name} would reach is not known here"))
            } else if elsewhere || TOO_FAR.contains(&name.as_str()) {
                Some(format!("{name} would reach further than its keys"))
            } else {
                None
            }
        });
        names.next()
    }

    /// Runs sessions side by side, each in a database that no other uses meanwhile; the replies of each block.
    pub(super) fn run_all(
        &self,
        sessions: &[(String, Vec<Block>)],
        overwrite: bool,
    ) -> Vec<Result<Vec<Vec<String>>, String>> {
        // Whoever ends the program early lets it delete what it made first.
        let handled = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        if let Err(error) = handled {
            return sessions.iter().map(|_| Err(format!("no handler for signals: {error}"))).collect();
        }
        let waiting: Mutex<VecDeque<usize>> = Mutex::new((0..sessions.len()).collect());
        let results: Vec<_> = sessions.iter().map(|_| Mutex::new(Err("it did not run".to_owned()))).collect();
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        thread::scope(|scope| {
            for db in DATABASES.take(sessions.len()) {
                let (next, results) = (&next, &results);
                scope.spawn(move || {
                    while let Some(index) = next() {
                        let result = self.run(&sessions[index].1, db, overwrite);
                        *results[index].lock().unwrap_or_else(PoisonError::into_inner) = result;
                    }
                });
            }
        });
        results.into_iter().map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    fn run(&self, session: &[Block], db: u8, overwrite: bool) -> Result<Vec<Vec<String>>, String> {
        let keys: BTreeSet<Vec<u8>> = session.iter().flat_map(|block| keys(&block.records)).collect();
        let mut control = self.connect(Some(db))?;
        for key in keys.iter().filter(|_| !overwrite) {
            let there = send(&mut control, &[b"EXISTS".as_slice(), key])?;
            if there != Reply::Integer(0) {
                let key = String::from_utf8_lossy(key);
                return Err(format!("the server has a key {key} in database {db}; --overwrite runs all the same"));
            }
        }
        let delete = |control: &mut Connection| {
            keys.iter().try_for_each(|key| send(control, &[b"DEL".as_slice(), key]).map(|_| ()))
        };
        delete(&mut control)?;
        let replies = self.play(session, db);
        // However it ended, what it made goes; a failure before that is the one to tell.
        let deleted = delete(&mut control);
        let replies = replies?;
        deleted.map(|()| replies)
    }

    #[allow(clippy::disallowed_methods)] // a real server has a real clock
    fn play(&self, session: &[Block], db: u8) -> Result<Vec<Vec<String>>, String> {
        let mut clients: Vec<(&str, Connection)> = Vec::new();
        for located in session.iter().flat_map(|block| &block.records) {
            // Connected before the clock runs, so that no command waits for it.
            if let Record::Command { client, .. } = &located.record
                && !clients.iter().any(|(name, _)| name == client)
            {
                clients.push((client, self.connect(Some(db))?));
            }
        }
        // Each wait counts from the last reply: what is told to come after a deadline then never comes before it.
        let mut due = Instant::now();
        let mut replies = Vec::new();
        for block in session {
            let mut told = Vec::new();
            for located in &block.records {
                match &located.record {
                    Record::Advance { ms, .. } => due += Duration::from_millis(ms.unsigned_abs()),
                    Record::Command { client, line, .. } => {
                        while !INTERRUPTED.load(Ordering::Relaxed) && due > Instant::now() {
                            thread::sleep(due.saturating_duration_since(Instant::now()).min(TICK));
                        }
                        if INTERRUPTED.load(Ordering::Relaxed) {
                            return Err("interrupted; what it made is deleted".to_owned());
                        }
                        let words = split(line).map_err(|error| error.to_string())?;
                        let Some((_, connection)) = clients.iter_mut().find(|(name, _)| name == client) else {
                            return Err(format!("{client} has no connection"));
                        };
                        let reply = send(connection, &words).map_err(|error| format!("{client}> {line}: {error}"))?;
                        told.push(format::reply(&reply).into_owned());
                        due = Instant::now();
                    }
                    _ => {}
                }
            }
            replies.push(told);
        }
        Ok(replies)
    }
}

/// Whether a reply of a real server is the one that is told: the time left is what it is when the command arrives.
pub(super) fn near(line: &str, told: &str, actual: &str) -> bool {
    let number = |reply: &str| reply.strip_prefix("(integer) ")?.parse::<i64>().ok();
    let unit = match split(line).ok().and_then(|words| words.first().map(|name| name.to_ascii_uppercase())).as_deref() {
        Some(b"PTTL") => 1,
        Some(b"TTL") => 1_000,
        _ => return same_reply(told, actual),
    };
    match (number(told), number(actual)) {
        (Some(told @ 0..), Some(actual @ 0..)) => (told - actual) * unit <= LATE && actual <= told,
        _ => same_reply(told, actual),
    }
}

/// The keys that a transcript names.
fn keys(records: &[Located]) -> Vec<Vec<u8>> {
    let mut engine = Engine::new(Options::default());
    let client = engine.open();
    let mut keys = Vec::new();
    for located in records {
        if let Record::Command { line, .. } = &located.record
            && let Ok(words) = split(line)
        {
            let asked: Vec<&[u8]> =
                [b"COMMAND".as_slice(), b"GETKEYS"].into_iter().chain(words.iter().map(AsRef::as_ref)).collect();
            let now = engine.now();
            if let Reply::Array(found) = execute(&mut engine, client, &asked, now).reply {
                keys.extend(
                    found
                        .into_iter()
                        .filter_map(|key| if let Reply::Bulk(key) = key { Some(key.to_vec()) } else { None }),
                );
            }
        }
    }
    keys
}

fn expect_ok(connection: &mut Connection, words: &[&str]) -> Result<(), String> {
    match send(connection, words)? {
        Reply::Error(error) => Err(error),
        _ => Ok(()),
    }
}

/// Sends a command; an error of the server is a reply, and one of the connection is none.
fn send(connection: &mut Connection, words: &[impl AsRef<[u8]>]) -> Result<Reply, String> {
    let mut command = redis::Cmd::new();
    for word in words {
        command.arg(word.as_ref());
    }
    match connection.req_packed_command(&command.get_packed_command()) {
        Ok(value) => Ok(reply(value)),
        Err(error) => match error.code() {
            Some(code) => Ok(Reply::Error([code, error.detail().unwrap_or_default()].join(" ").trim_end().to_owned())),
            None if error.is_timeout() => Err("no reply".to_owned()),
            None => Err(error.to_string().replace(['\r', '\n'], " ")),
        },
    }
}

fn reply(value: Value) -> Reply {
    match value {
        Value::Nil => Reply::Nil,
        Value::Int(number) => Reply::Integer(number),
        Value::BulkString(bytes) => Reply::bulk(bytes),
        Value::Array(items) | Value::Set(items) => Reply::Array(items.into_iter().map(reply).collect()),
        Value::SimpleString(text) => Reply::status(text),
        Value::Okay => Reply::ok(),
        Value::Map(pairs) => Reply::Map(pairs.into_iter().map(|(key, value)| (reply(key), reply(value))).collect()),
        Value::ServerError(error) => {
            Reply::Error([error.code(), error.details().unwrap_or_default()].join(" ").trim_end().to_owned())
        }
        Value::VerbatimString { text, .. } => Reply::Text(text),
        // None of the commands that run here answers anything else.
        other => Reply::Error(format!("a reply that is not known here: {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::parse;

    #[test]
    fn the_time_left_is_near_enough() {
        for (line, told, actual, same) in [
            ("PTTL k", "(integer) 18000", "(integer) 17990", true),
            ("pttl k", "(integer) 18000", "(integer) 17000", true),
            ("PTTL k", "(integer) 18000", "(integer) 16999", false),
            ("PTTL k", "(integer) 18000", "(integer) 18001", false),
            ("TTL k", "(integer) 18", "(integer) 17", true),
            ("TTL k", "(integer) 18", "(integer) 16", false),
            ("PTTL k", "(integer) -1", "(integer) -1", true),
            ("PTTL k", "(integer) 5", "(integer) -2", false),
            ("INCR k", "(integer) 18", "(integer) 17", false),
            ("GET k", "\"a\"", "\"a\"", true),
        ] {
            assert_eq!(near(line, told, actual), same, "{line}: {told} and {actual}");
        }
    }

    #[test]
    fn keys_that_a_transcript_names() {
        let (records, _) =
            parse("A> SET a 1\nA> MGET b c\nA> MSETEX 1 d v PX 5\nA> PING\nA> NOSUCH x\nA> GET \"\\xff\"\n");
        assert_eq!(keys(&records), [&b"a"[..], b"b", b"c", b"d", b"\xff"]);
    }
}
