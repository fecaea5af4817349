//! What workers do outside the store: when they were inside a critical section, and when two were at once.

use super::{Entry, What};
use crate::engine::Millis;
use crate::transcript::Act;

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
}
