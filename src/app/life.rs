//! A worker's life beside its commands: when it was inside, paused or dead.

use super::State;
use super::lock::{Holding, Story};
use super::marks::{CHAR_PX, PADDING_PX};
use super::stage::seconds;
use super::window::Scale;
use crate::engine::{Millis, sorted};
use crate::player::{Item, Kind, Overlap, Stay, What, overlaps, stays};
use crate::transcript::Act;

/// What a stretch of a worker's life is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// It is inside the critical section.
    Inside,
    /// It will be.
    Planned,
    /// It is inside, and the lock that it took is not its own any more.
    Lost,
    /// Another is inside as well.
    Clash,
    /// It is paused.
    Paused,
}

/// A stretch of a worker's life.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// From when.
    pub t: f64,
    /// For how long.
    pub d: f64,
    /// What it is.
    pub kind: SectionKind,
    /// What stands in it; empty where there is no room.
    pub label: String,
    /// The whole in a sentence.
    pub said: String,
}

/// What a worker is doing outside the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Nothing,
    Working,
    Paused,
    Crashed,
}

/// A worker's life so far.
#[derive(Default)]
pub(super) struct Life {
    pub(super) sections: Vec<Section>,
    /// What it is said to be from when to when; several at once.
    stretches: Vec<(SectionKind, Millis, Millis)>,
    inside: bool,
    paused: Option<Millis>,
    /// When it crashed, while it has not come back since.
    pub(super) dead: Option<Millis>,
    pub(super) crashes: Vec<Millis>,
}

/// All lives of a session are drawn from this.
pub(super) struct Lives<'a> {
    state: &'a State,
    story: &'a Story,
    schedule: &'a [Millis],
    scale: &'a Scale,
    stays: Vec<Stay>,
    overlaps: Vec<Overlap>,
}

impl<'a> Lives<'a> {
    pub(super) fn new(state: &'a State, story: &'a Story, schedule: &'a [Millis], scale: &'a Scale) -> Self {
        let stays = stays(state.player().log(), state.player().now());
        let overlaps = overlaps(&stays);
        Self { state, story, schedule, scale, stays, overlaps }
    }

    /// The life of a worker.
    pub(super) fn of(&self, name: &str) -> Life {
        let player = self.state.player();
        let now = player.now();
        let mut life = Life::default();
        for stay in self.stays.iter().filter(|stay| stay.client == name) {
            life.stretches.push((SectionKind::Inside, stay.from, stay.to));
            let lost = self.without_lock(stay).into_iter().map(|(from, to)| (SectionKind::Lost, from, to));
            life.stretches.extend(lost);
            if stay.open {
                life.inside = true;
                self.plan(&mut life, name, now);
            }
        }
        for overlap in self.overlaps.iter().filter(|overlap| overlap.clients.iter().any(|client| client == name)) {
            life.stretches.push((SectionKind::Clash, overlap.from, overlap.to));
        }
        for entry in player.log() {
            match &entry.what {
                // A worker that sends a command after a crash was started anew.
                What::Command(played) if played.client == name => life.dead = None,
                What::Act { client, act, .. } if client == name => Self::act(&mut life, act, entry.at),
                _ => {}
            }
        }
        if let Some(from) = life.paused {
            life.stretches.push((SectionKind::Paused, from, now));
        }
        life.sections = self.sections(&life.stretches);
        life
    }

    /// Stretches side by side: of several at one time the one that says most, which stand last among the kinds.
    fn sections(&self, stretches: &[(SectionKind, Millis, Millis)]) -> Vec<Section> {
        let mut ends = sorted(stretches.iter().flat_map(|(_, from, to)| [*from, *to]));
        ends.dedup();
        let mut parts: Vec<(SectionKind, Millis, Millis)> = Vec::new();
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            let at_once = stretches.iter().filter(|(_, start, stop)| start <= from && to <= stop);
            let Some(kind) = at_once.map(|(kind, ..)| *kind).max() else { continue };
            match parts.last_mut() {
                Some((before, _, stop)) if *before == kind && stop == from => *stop = *to,
                _ => parts.push((kind, *from, *to)),
            }
        }
        parts.into_iter().filter_map(|(kind, from, to)| self.section(kind, from, to)).collect()
    }

    fn act(life: &mut Life, act: &Act, at: Millis) {
        match act {
            Act::Enter(_) | Act::Leave(_) => {}
            Act::Pause => life.paused = life.paused.or(Some(at)),
            Act::Resume | Act::Crash => {
                if let Some(from) = life.paused.take() {
                    life.stretches.push((SectionKind::Paused, from, at));
                }
                if *act == Act::Crash {
                    life.dead = Some(at);
                    life.crashes.push(at);
                }
            }
        }
    }

    /// The stretches of a stay in which the worker held no lock, after it had held one. One that never takes a lock
    /// loses none.
    fn without_lock(&self, stay: &Stay) -> Vec<(Millis, Millis)> {
        let name = |holding: &Holding| self.state.player().runner().name(holding.holder);
        let own = |holding: &&Holding| name(holding) == stay.client && holding.start <= stay.to;
        let mut held = self.story.holdings.iter().filter(own).peekable();
        let Some(first) = held.peek() else { return Vec::new() };
        let mut at = stay.from.max(first.start);
        let mut lost = Vec::new();
        for holding in held {
            if at < holding.start {
                lost.push((at, holding.start));
            }
            at = at.max(holding.stop.unwrap_or(stay.to));
        }
        if at < stay.to {
            lost.push((at, stay.to));
        }
        lost
    }

    /// A stretch of which something is seen.
    fn section(&self, kind: SectionKind, from: Millis, to: Millis) -> Option<Section> {
        let (seen_from, seen_to) = self.scale.window.clip(from, to)?;
        let locale = self.state.locale();
        let label = match kind {
            SectionKind::Inside => locale.text("section.inside"),
            SectionKind::Planned => "",
            SectionKind::Lost => locale.text("section.lost"),
            SectionKind::Clash => locale.text("section.clash"),
            SectionKind::Paused => locale.text("section.paused"),
        };
        let roomy = label.chars().count() as f64 * CHAR_PX + PADDING_PX <= self.scale.px(seen_to - seen_from);
        let label = if roomy { label.to_owned() } else { String::new() };
        let said = match kind {
            SectionKind::Inside => "section.inside.said",
            SectionKind::Planned => "section.planned.said",
            SectionKind::Lost => "section.lost.said",
            SectionKind::Clash => "section.clash.said",
            SectionKind::Paused => "section.paused.said",
        };
        let said = locale.fill(said, &[("from", &locale.seconds(from)), ("to", &locale.seconds(to))]);
        Some(Section { t: seconds(from), d: seconds(to - from), kind, label, said })
    }

    /// Draws what is still planned of the open critical section.
    fn plan(&self, life: &mut Life, name: &str, now: Millis) {
        let leaves =
            |item: &Item| matches!(&item.kind, Kind::Act { client, act: Act::Leave(_) | Act::Crash } if client == name);
        if let Some((_, to)) = self.state.player().planned(self.schedule).find(|(item, _)| leaves(item)) {
            life.stretches.push((SectionKind::Planned, now, to));
        }
    }
}

impl Life {
    pub(super) fn doing(&self) -> Doing {
        match (self.dead, self.paused, self.inside) {
            (Some(_), _, _) => Doing::Crashed,
            (_, Some(_), _) => Doing::Paused,
            (_, _, true) => Doing::Working,
            _ => Doing::Nothing,
        }
    }
}
