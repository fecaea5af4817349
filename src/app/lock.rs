//! The story of the locks: who held which from when to when, read off what happened.

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
    /// The database and the key.
    pub(super) key: (usize, Bytes),
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
    /// Which of the locks that are held at the same time this is, and how many they are.
    pub(super) slot: (usize, usize),
}

/// The most locks that are drawn; of more, only the one touched last: their strips would be too thin to tell apart.
const MOST_LOCKS: usize = 6;

/// The lock that was touched last, and all who held this one or another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Story {
    /// The database and the key; `None` while no key was touched or is planned to be.
    pub(super) key: Option<(usize, Bytes)>,
    /// In the order of their beginnings.
    pub(super) holdings: Vec<Holding>,
}

impl Story {
    pub(super) fn of(state: &State) -> Self {
        let mut story = Self { key: shown_key(state), holdings: Vec::new() };
        let mut locks = Vec::new();
        let all = events(state).filter(|event| event.kind.is_lock()).map(|event| (event.db, &event.key)).all(|lock| {
            if !locks.contains(&lock) {
                locks.push(lock);
            }
            locks.len() <= MOST_LOCKS
        });
        let shown =
            |event: &Event| all || story.key.as_ref().is_some_and(|(db, key)| event.db == *db && event.key == *key);
        let told: Vec<&Event> = events(state).filter(|event| event.kind.is_lock() && shown(event)).collect();
        for event in told {
            story.add(event);
        }
        story.part();
        story
    }

    /// The holding of the lock touched last, if it goes on.
    pub(super) fn live(&self) -> Option<&Holding> {
        let shown = |holding: &&Holding| Some(&holding.key) == self.key.as_ref();
        self.holdings.iter().rfind(shown).filter(|holding| holding.end == LeaseEnd::Live)
    }

    /// The holding of a key that goes on.
    fn live_of(&mut self, event: &Event) -> Option<&mut Holding> {
        let of = |holding: &&mut Holding| holding.key.0 == event.db && holding.key.1 == event.key;
        self.holdings.iter_mut().rfind(of).filter(|holding| holding.end == LeaseEnd::Live)
    }

    /// Gives locks that are held at the same time a place of their own each.
    fn part(&mut self) {
        let mut rest = self.holdings.as_mut_slice();
        while let Some(first) = rest.first() {
            // All that reach into one another, whichever way round.
            let mut end = first.stop.unwrap_or(Millis::MAX);
            let mut count = 1;
            while let Some(next) = rest.get(count).filter(|next| next.start < end) {
                end = end.max(next.stop.unwrap_or(Millis::MAX));
                count += 1;
            }
            let (together, after) = rest.split_at_mut(count);
            let mut keys: Vec<(usize, Bytes)> = Vec::new();
            for holding in together.iter() {
                if !keys.contains(&holding.key) {
                    keys.push(holding.key.clone());
                }
            }
            for holding in together {
                let place = keys.iter().position(|key| *key == holding.key).unwrap_or(0);
                holding.slot = (place, keys.len());
            }
            rest = after;
        }
    }

    fn add(&mut self, event: &Event) {
        let at = since_start(event.at);
        match &event.kind {
            EventKind::Granted { client, token, deadline, previous } => {
                self.close(event, at, if previous.is_some() { LeaseEnd::Released } else { LeaseEnd::Cut });
                self.begin(event, *client, token, *deadline);
            }
            EventKind::Overwritten { client, token, deadline, .. } => {
                self.close(event, at, LeaseEnd::Cut);
                self.begin(event, *client, token, *deadline);
            }
            EventKind::Renewed { client, before, after, by_token, .. } => {
                if let Some(holding) = self.live_of(event) {
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
            EventKind::Released { .. } => self.close(event, at, LeaseEnd::Released),
            EventKind::DeletedByAnother { .. } => self.close(event, at, LeaseEnd::Cut),
            EventKind::Expired { deadline, .. } => self.close(event, since_start(*deadline), LeaseEnd::Expired),
            EventKind::Refused { .. }
            | EventKind::WrongToken { .. }
            | EventKind::Missed { .. }
            | EventKind::Read { .. } => {}
        }
    }

    fn begin(&mut self, event: &Event, holder: ClientId, token: &Bytes, deadline: Option<Millis>) {
        let at = since_start(event.at);
        self.holdings.push(Holding {
            key: (event.db, event.key.clone()),
            start: at,
            stop: None,
            end: LeaseEnd::Live,
            holder,
            token: token.clone(),
            deadline: deadline.map(since_start),
            since: at,
            moved: Vec::new(),
            slot: (0, 1),
        });
    }

    fn close(&mut self, event: &Event, at: Millis, end: LeaseEnd) {
        if let Some(holding) = self.live_of(event) {
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

/// The lock that a client touched last; before any was, the first key that the session names. That another one expires
/// meanwhile is seen, and takes nobody's eyes off this one.
pub(super) fn shown_key(state: &State) -> Option<(usize, Bytes)> {
    let by_client = |event: &&Event| event.kind.is_lock() && !matches!(event.kind, EventKind::Expired { .. });
    let touched = events(state).rev().find(by_client).map(|event| (event.db, event.key.clone()));
    touched.or_else(|| {
        let key = Session::first_key(state.player().items())?;
        is_lock_name(&key).then_some((0, key))
    })
}
