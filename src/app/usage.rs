//! Use it: what a program is to be written for, read off the session.

use super::State;
use super::lock::{events, shown_key};
use crate::engine::EventKind;
use crate::snippets::{Client, Facts, Language, Server};

/// The lock of a session that has none yet.
const SOME_LOCK: &[u8] = b"lock:my-job";
const SOME_TTL: u64 = 30_000;

/// A program that is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The lock.
    pub facts: Facts,
    /// The client library.
    pub client: Client,
    /// The server.
    pub server: Server,
}

/// The program for the lock that was touched last, with the time to live that it was given last; with none where it was taken
/// for ever.
pub fn wanted(state: &State) -> Wanted {
    let key = shown_key(state);
    let given = |of: &(usize, _)| {
        events(state).rev().filter(|event| (event.db, &event.key) == (of.0, &of.1)).find_map(|event| {
            let deadline = match event.kind {
                EventKind::Granted { deadline, .. } | EventKind::Overwritten { deadline, .. } => deadline,
                EventKind::Renewed { after, .. } => after,
                _ => return None,
            };
            // A deadline of the past took the lock away, and is no time to live.
            deadline.map_or(Some(0), |deadline| u64::try_from(deadline - event.at).ok().filter(|ttl| *ttl > 0))
        })
    };
    let ttl = key.as_ref().and_then(given).unwrap_or(SOME_TTL);
    let lock = key.map_or_else(|| SOME_LOCK.to_vec(), |(_, key)| key.to_vec());
    let language = Language::tagged(state.locale().text("language")).unwrap_or_default();
    Wanted { facts: Facts { lock, ttl, language }, client: state.client_library, server: state.server }
}
