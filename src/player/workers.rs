//! What workers do outside the store: when they were inside a critical section, when two were at once, and what they
//! believe to hold.

use rustc_hash::FxHashSet;

use super::{Entry, What, since_start};
use crate::engine::{Bytes, ClientId, EventKind, Millis};
use crate::transcript::{Act, Runner};

/// A stretch that a worker spent inside a critical section. Times are milliseconds since the start of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// Who.
    pub client: String,
    /// What it worked on.
    pub resource: String,
    /// From when.
    pub from: Millis,
    /// Until when; while it goes on, until now.
    pub to: Millis,
    /// Whether it goes on.
    pub open: bool,
}

/// All stays up to now, in the order in which they began.
pub fn stays(log: &[Entry], now: Millis) -> Vec<Stay> {
    let mut stays: Vec<Stay> = Vec::new();
    for entry in log {
        let What::Act { client, act, .. } = &entry.what else { continue };
        let mut open = stays.iter_mut().filter(|stay| stay.open && stay.client == *client);
        match act {
            Act::Enter(resource) => {
                if open.all(|stay| stay.resource != *resource) {
                    let (client, resource) = (client.clone(), resource.clone());
                    stays.push(Stay { client, resource, from: entry.at, to: now, open: true });
                }
            }
            Act::Leave(resource) => {
                if let Some(stay) = open.find(|stay| stay.resource == *resource) {
                    (stay.to, stay.open) = (entry.at, false);
                }
            }
            Act::Crash => open.for_each(|stay| (stay.to, stay.open) = (entry.at, false)),
            Act::Pause | Act::Resume => {}
        }
    }
    stays
}

/// Two workers inside one critical section at once: what a lock is there to prevent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// What they worked on.
    pub resource: String,
    /// Who was there, and who came.
    pub clients: [String; 2],
    /// From when.
    pub from: Millis,
    /// Until when, or until now.
    pub to: Millis,
}

/// All overlaps of stays, in the order in which they began.
pub fn overlaps(stays: &[Stay]) -> Vec<Overlap> {
    let mut found = Vec::new();
    for (index, came) in stays.iter().enumerate() {
        for there in &stays[..index] {
            let (from, to) = (came.from.max(there.from), came.to.min(there.to));
            let same = there.resource == came.resource && there.client != came.client;
            // One that goes on has begun even when no time has passed.
            if same && (from < to || (came.open && there.open)) {
                let clients = [there.client.clone(), came.client.clone()];
                found.push(Overlap { resource: came.resource.clone(), clients, from, to });
            }
        }
    }
    found
}

/// What a client was told of a lock, and takes to be so: that it is its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belief {
    /// Who.
    pub client: ClientId,
    /// The database and the key.
    pub lock: (usize, Bytes),
    /// The deadline that it was told; `None`: for ever.
    pub until: Option<Millis>,
}

/// What each client believes to hold now. A reply makes a belief, and another ends it. By its own clock a client also
/// gives a lock up when the deadline has passed that it was told, unless it is paused or dead then and does not notice.
pub fn beliefs(runner: &Runner, log: &[Entry], now: Millis) -> Vec<Belief> {
    let mut beliefs: Vec<Belief> = Vec::new();
    // Who does not look at its clock.
    let mut asleep: FxHashSet<&str> = FxHashSet::default();
    let notice = |beliefs: &mut Vec<Belief>, asleep: &FxHashSet<&str>, at: Millis| {
        beliefs.retain(|belief| {
            asleep.contains(runner.name(belief.client)) || belief.until.is_none_or(|until| at <= until)
        });
    };
    for entry in log {
        notice(&mut beliefs, &asleep, entry.at);
        match &entry.what {
            What::Act { client, act: Act::Pause | Act::Crash, .. } => {
                asleep.insert(client);
            }
            What::Act { client, act: Act::Resume, .. } => {
                asleep.remove(client.as_str());
            }
            What::Command(played) => {
                asleep.remove(played.client.as_str());
                for event in played.events.iter().filter(|event| event.kind.is_lock()) {
                    let Some(client) = event.kind.client() else { continue };
                    let lock = (event.db, event.key.clone());
                    let told = match &event.kind {
                        EventKind::Granted { deadline, .. } | EventKind::Overwritten { deadline, .. } => {
                            Some(*deadline)
                        }
                        // Whoever moves a deadline is told that it worked, whosever the lock is.
                        EventKind::Renewed { after, .. } => Some(*after),
                        EventKind::Read { .. } => continue,
                        _ => None,
                    };
                    beliefs.retain(|belief| (belief.client, &belief.lock) != (client, &lock));
                    if let Some(until) = told {
                        beliefs.push(Belief { client, lock, until: until.map(since_start) });
                    }
                }
            }
            _ => {}
        }
    }
    notice(&mut beliefs, &asleep, now);
    beliefs
}

#[cfg(test)]
mod tests {
    use super::super::{Player, Session};
    use super::*;
    use crate::engine::Options;

    fn player(text: &str) -> Player {
        Player::new(Session::parse(text).0, Options::default())
    }

    #[test]
    fn stays_and_overlaps() {
        let text = "A: enter job\nA: enter job\n+5s\nB: enter other\n+1s\nC: enter job\n+2s\nA: leave other\n+1s\nA: leave job\n\
                    +1s\nC: crash\n+1s\nC: enter job\n+3s\n";
        let mut player = player(text);
        player.go_to_end();
        let stays = stays(player.log(), player.now());
        let told: Vec<_> = stays
            .iter()
            .map(|stay| (stay.client.as_str(), stay.resource.as_str(), stay.from, stay.to, stay.open))
            .collect();
        let expected = [
            ("A", "job", 0, 9_000, false),
            ("B", "other", 5_000, 14_000, true),
            ("C", "job", 6_000, 10_000, false),
            ("C", "job", 11_000, 14_000, true),
        ];
        assert_eq!(told, expected);
        let overlap = Overlap { resource: "job".into(), clients: ["A".into(), "C".into()], from: 6_000, to: 9_000 };
        assert_eq!(overlaps(&stays), [overlap]);
    }

    #[test]
    fn beliefs_and_what_ends_them() {
        let take = "A> SET lock:x a NX PX 10000\n";
        for (text, believed) in [
            ("", "A 10000"),
            ("+10s", "A 10000"),
            // It looks at its clock, unless it sleeps.
            ("+10001ms", ""),
            ("A: pause\n+20s", "A 10000"),
            ("A: pause\n+20s\nA: resume", ""),
            ("A: crash\n+20s", "A 10000"),
            // Somebody else's DEL says nothing to it.
            ("B> DEL lock:x", "A 10000"),
            ("A> DEL lock:x", ""),
            ("A> DELEX lock:x IFEQ a", ""),
            ("A> PERSIST lock:x", "A for ever"),
            ("A> PTTL lock:x", "A 10000"),
            ("B> SET lock:x b NX", "A 10000"),
            ("B> SET lock:x b PX 5000", "A 10000, B 5000"),
            // Its PEXPIRE moved the lock of another, and it takes that for its own.
            ("B> SET lock:x b PX 5000\n+1s\nA> PEXPIRE lock:x 9000", "A 10000, B 5000"),
            ("A: pause\n+11s\nB> SET lock:x b NX PX 5000\nA> SET lock:x a IFEQ a PX 5000", "B 16000"),
        ] {
            let mut player = player(&format!("{take}{text}\n"));
            player.go_to_end();
            let runner = player.runner();
            let mut told: Vec<String> = beliefs(runner, player.log(), player.now())
                .iter()
                .map(|belief| {
                    let until = belief.until.map_or("for ever".to_owned(), |until| until.to_string());
                    format!("{} {until}", runner.name(belief.client))
                })
                .collect();
            told.sort();
            assert_eq!(told.join(", "), believed, "{text}");
        }
    }
}
