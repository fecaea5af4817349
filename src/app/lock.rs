//! The story of the lock that is shown: who held it from when to when, read off what happened.

use super::State;
use crate::engine::{Bytes, ClientId, Event, EventKind, Millis, is_lock_name};
use crate::player::{Session, What, since_start};

/// How a lease ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseEnd {
    /// It goes on.
    Live,
    /// Its holder, or whoever named its token, gave it up.
    Released,
    /// Its deadline passed.
    Expired,
    /// Another client deleted or overwrote it.
    Cut,
}

/// One holder's time with the lock. Times are milliseconds since the start of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holding {
    pub(super) start: Millis,
    /// The end, when it has ended.
    pub(super) stop: Option<Millis>,
    pub(super) end: LeaseEnd,
    pub(super) holder: ClientId,
    pub(super) token: Bytes,
    pub(super) deadline: Option<Millis>,
    /// When the deadline was set last, from which the whole of the time left counts.
    pub(super) since: Millis,
    /// Deadlines that were moved, and where to.
    pub(super) moved: Vec<(Millis, Millis)>,
}

/// The lock that was touched last, and all who held it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Story {
    /// The database and the key; `None` while no key was touched or is planned to be.
    pub(super) key: Option<(usize, Bytes)>,
    pub(super) holdings: Vec<Holding>,
}

impl Story {
    pub(super) fn of(state: &State) -> Self {
        let key = shown_key(state);
        let mut story = Self { key, holdings: Vec::new() };
        if let Some((db, key)) = story.key.clone() {
            for event in events(state).filter(|event| event.db == db && event.key == key) {
                story.add(event);
            }
        }
        story
    }

    /// The holding that goes on.
    pub(super) fn live(&self) -> Option<&Holding> {
        self.holdings.last().filter(|holding| holding.end == LeaseEnd::Live)
    }

    fn add(&mut self, event: &Event) {
        let at = since_start(event.at);
        match &event.kind {
            EventKind::Granted { client, token, deadline, previous } => {
                self.close(at, if previous.is_some() { LeaseEnd::Released } else { LeaseEnd::Cut });
                self.begin(at, *client, token, *deadline);
            }
            EventKind::Overwritten { client, token, deadline, .. } => {
                self.close(at, LeaseEnd::Cut);
                self.begin(at, *client, token, *deadline);
            }
            EventKind::Renewed { client, before, after, by_token, .. } => {
                if let Some(holding) = self.holdings.last_mut().filter(|holding| holding.end == LeaseEnd::Live) {
                    holding.deadline = after.map(since_start);
                    holding.since = at;
                    if *by_token {
                        holding.holder = *client;
                    }
                    if let (Some(before), Some(after)) = (before.map(since_start), after.map(since_start)) {
                        holding.moved.push((before, after));
                    }
                }
            }
            EventKind::Released { .. } => self.close(at, LeaseEnd::Released),
            EventKind::DeletedByAnother { .. } => self.close(at, LeaseEnd::Cut),
            EventKind::Expired { deadline, .. } => self.close(since_start(*deadline), LeaseEnd::Expired),
            EventKind::Refused { .. }
            | EventKind::WrongToken { .. }
            | EventKind::Missed { .. }
            | EventKind::Read { .. } => {}
        }
    }

    fn begin(&mut self, at: Millis, holder: ClientId, token: &Bytes, deadline: Option<Millis>) {
        self.holdings.push(Holding {
            start: at,
            stop: None,
            end: LeaseEnd::Live,
            holder,
            token: token.clone(),
            deadline: deadline.map(since_start),
            since: at,
            moved: Vec::new(),
        });
    }

    fn close(&mut self, at: Millis, end: LeaseEnd) {
        if let Some(holding) = self.holdings.last_mut().filter(|holding| holding.end == LeaseEnd::Live) {
            holding.end = end;
            holding.stop = Some(at);
        }
    }
}

/// What happened to keys so far, in order.
pub(super) fn events(state: &State) -> impl DoubleEndedIterator<Item = &Event> {
    state.player().log().iter().flat_map(|entry| match &entry.what {
        What::Command(played) => played.events.as_slice(),
        What::Expired(event) => std::slice::from_ref(event),
        What::Monitored(_) | What::Act { .. } => &[],
    })
}

/// The lock touched last; before any was, the first key that the session names.
fn shown_key(state: &State) -> Option<(usize, Bytes)> {
    let touched = events(state).rev().find(|event| event.kind.is_lock()).map(|event| (event.db, event.key.clone()));
    touched.or_else(|| {
        let key = Session::first_key(state.player().items())?;
        is_lock_name(&key).then_some((0, key))
    })
}
