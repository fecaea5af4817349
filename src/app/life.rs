//! A worker's life beside its commands: when it was inside, paused or dead.

use super::State;
use super::marks::{CHAR_PX, PADDING_PX};
use super::stage::{Scale, seconds};
use crate::engine::Millis;
use crate::player::{Item, Kind, What};
use crate::transcript::Act;

/// A stretch of a worker's life.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// From when.
    pub t: f64,
    /// For how long.
    pub d: f64,
    /// Whether the worker is paused in it; else it is inside the critical section.
    pub paused: bool,
    /// Whether it is still to come.
    pub planned: bool,
    /// What stands in it; empty where there is no room.
    pub label: String,
}

/// What a worker is doing outside the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Nothing,
    Working,
    Paused,
    Crashed,
}

/// A worker's life so far, as the log tells it in order.
#[derive(Default)]
pub(super) struct Life {
    pub(super) sections: Vec<Section>,
    entered: Option<Millis>,
    paused: Option<Millis>,
    /// When it crashed, while it has not come back since.
    pub(super) dead: Option<Millis>,
    pub(super) crashes: Vec<f64>,
}

impl Life {
    pub(super) fn of(state: &State, name: &str, schedule: &[Millis], scale: &Scale) -> Self {
        let player = state.player();
        let mut life = Self::default();
        for entry in player.log() {
            match &entry.what {
                // A worker that sends a command after a crash was started anew.
                What::Command(played) if played.client == name => life.dead = None,
                What::Act { client, act, .. } if client == name => life.act(act, entry.at, state, scale),
                _ => {}
            }
        }
        let now = player.now();
        life.end_section(now, state, scale);
        if let Some(from) = life.paused {
            life.push(from, now, true, state, scale);
        }
        if life.entered.is_some() {
            life.plan(state, name, schedule, now);
        }
        life
    }

    fn act(&mut self, act: &Act, at: Millis, state: &State, scale: &Scale) {
        match act {
            Act::Enter(_) => self.entered = self.entered.or(Some(at)),
            Act::Leave(_) => {
                self.end_section(at, state, scale);
                self.entered = None;
            }
            Act::Pause => self.paused = self.paused.or(Some(at)),
            Act::Resume => {
                if let Some(from) = self.paused.take() {
                    self.push(from, at, true, state, scale);
                }
            }
            Act::Crash => {
                self.end_section(at, state, scale);
                if let Some(from) = self.paused.take() {
                    self.push(from, at, true, state, scale);
                }
                self.entered = None;
                self.dead = Some(at);
                self.crashes.push(seconds(at));
            }
        }
    }

    /// Draws the open critical section up to an instant.
    fn end_section(&mut self, at: Millis, state: &State, scale: &Scale) {
        if let Some(from) = self.entered {
            self.push(from, at, false, state, scale);
        }
    }

    fn push(&mut self, from: Millis, to: Millis, paused: bool, state: &State, scale: &Scale) {
        // What has only just begun has no width to draw.
        if to > from {
            let label = state.locale.text(if paused { "section.paused" } else { "section.inside" });
            let roomy = label.chars().count() as f64 * CHAR_PX + PADDING_PX <= scale.px(to - from);
            let label = if roomy { label.to_owned() } else { String::new() };
            self.sections.push(Section { t: seconds(from), d: seconds(to - from), paused, planned: false, label });
        }
    }

    /// Draws what is still planned of the open critical section.
    fn plan(&mut self, state: &State, name: &str, schedule: &[Millis], now: Millis) {
        let leaves =
            |item: &Item| matches!(&item.kind, Kind::Act { client, act: Act::Leave(_) | Act::Crash } if client == name);
        if let Some((_, to)) = state.player().planned(schedule).find(|(item, _)| leaves(item)) {
            let (t, d) = (seconds(now), seconds(to - now));
            self.sections.push(Section { t, d, paused: false, planned: true, label: String::new() });
        }
    }

    pub(super) fn doing(&self) -> Doing {
        match (self.dead, self.paused, self.entered) {
            (Some(_), _, _) => Doing::Crashed,
            (_, Some(_), _) => Doing::Paused,
            (_, _, Some(_)) => Doing::Working,
            _ => Doing::Nothing,
        }
    }
}
