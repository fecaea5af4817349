//! Schedules in words: titles for the steps of a session, a few words for a chip, and why a property is broken.

use super::Locale;
use super::view::{cut, shortened};
use crate::explore::{Kind, Lost, Property, Schedule, Step, Why};

/// The longest reply that a chip has room for.
const CHIP: usize = 12;

fn name(locale: &Locale, schedule: &Schedule, worker: usize) -> String {
    let name = &schedule.workers[worker];
    if name.len() == 1 { locale.fill("worker.name", &[("name", name)]) } else { name.clone() }
}

/// The steps before and at a place.
fn around(schedule: &Schedule, index: usize) -> (Option<&Step>, &Step) {
    (index.checked_sub(1).map(|before| &schedule.steps[before]), &schedule.steps[index])
}

/// What a step of a schedule is about, where that is worth a title.
pub(super) fn title(locale: &Locale, schedule: &Schedule, index: usize) -> Option<String> {
    let (before, step) = around(schedule, index);
    let held = before.and_then(|before| before.holder);
    let named = |worker: usize| name(locale, schedule, worker);
    let Some(worker) = step.worker else {
        return (held.is_some() && step.holder.is_none())
            .then(|| locale.fill("schedule.expires", &[("name", &held.map(named).unwrap_or_default())]));
    };
    let own = named(worker);
    let told = |key: &str, values: &[(&str, &str)]| {
        let values: Vec<(&str, &str)> = std::iter::once(("name", own.as_str())).chain(values.iter().copied()).collect();
        Some(locale.fill(key, &values))
    };
    match &step.kind {
        Kind::Sent { acquired: true, .. } => told("schedule.takes", &[]),
        Kind::Sent { .. } => match held.filter(|&held| held != worker) {
            Some(held) if step.holder != Some(held) => told("schedule.takes-away", &[("other", &named(held))]),
            _ if before.is_none_or(|before| before.worker != Some(worker)) => told("schedule.sends", &[]),
            _ => None,
        },
        Kind::Entered(_) => told("schedule.enters", &[]),
        Kind::Left(_) => told("schedule.leaves", &[]),
        Kind::Wrote { number, taken } => {
            let number = number.map(|number| number.to_string());
            let key = match (&number, taken) {
                (None, true) => "schedule.writes",
                (None, false) => "schedule.write-refused",
                (Some(_), true) => "schedule.writes-number",
                (Some(_), false) => "schedule.number-refused",
            };
            told(key, &[("number", number.as_deref().unwrap_or_default())])
        }
        Kind::Paused => told("schedule.paused", &[]),
        Kind::Resumed => told("schedule.resumed", &[]),
        Kind::Crashed => told("schedule.crashes", &[]),
        Kind::Waited(_) => None,
    }
}

/// A step in a few words, without the worker's name.
pub(super) fn chip(locale: &Locale, schedule: &Schedule, index: usize) -> String {
    let (before, step) = around(schedule, index);
    let expired = before.is_some_and(|before| before.holder.is_some()) && step.holder.is_none();
    let text = |key: &'static str| locale.text(key).to_owned();
    match &step.kind {
        Kind::Sent { line, reply, .. } => {
            let first = reply.lines().next().unwrap_or_default();
            let reply = first.strip_prefix("(integer) ").unwrap_or(first);
            let verb = line.split_whitespace().next().unwrap_or_default();
            shortened(&format!("{verb} {}", cut(reply, CHIP)))
        }
        Kind::Entered(_) => text("chip.enters"),
        Kind::Left(_) => text("chip.leaves"),
        Kind::Wrote { number, taken } => {
            let key = if *taken { "chip.writes" } else { "chip.write-refused" };
            let number = number.map(|number| format!(" {number}")).unwrap_or_default();
            format!("{}{number}", locale.text(key))
        }
        Kind::Paused => text("chip.pauses"),
        Kind::Resumed => text("chip.resumes"),
        Kind::Crashed => text("chip.crashes"),
        Kind::Waited(_) if expired => text("chip.expires"),
        Kind::Waited(ms) => format!("+{} s", locale.short_seconds(*ms)),
    }
}

/// Why a schedule breaks a property, in one sentence.
pub(super) fn reason(locale: &Locale, schedule: &Schedule, property: Property) -> Option<String> {
    let named = |worker: usize| name(locale, schedule, worker);
    let fill =
        |key: &str, one: usize, other: usize| Some(locale.fill(key, &[("one", &named(one)), ("other", &named(other))]));
    match schedule.why(property)? {
        Why::TwoInside { inside, came, lost } => {
            let key = match lost {
                Lost::Never => "reason.inside.never",
                Lost::Expired { paused: true } => "reason.inside.expired-paused",
                Lost::Expired { paused: false } => "reason.inside.expired",
                Lost::Taken { by } => {
                    let taker = named(by);
                    let (came, inside) = (named(came), named(inside));
                    let values = [("one", came.as_str()), ("other", &inside), ("taker", &taker)];
                    return Some(locale.fill("reason.inside.taken", &values));
                }
                Lost::GivenUp => "reason.inside.given-up",
                Lost::Kept => "reason.inside.kept",
            };
            fill(key, came, inside)
        }
        Why::ForeignRelease { by, of } => fill("reason.foreign-release", by, of),
        Why::ForeignRenewal { by, of } => fill("reason.foreign-renewal", by, of),
        Why::StuckLock { holder, crashed: true } => fill("reason.stuck.crashed", holder, holder),
        Why::StuckLock { holder, crashed: false } => fill("reason.stuck.done", holder, holder),
        Why::StaleWrite { by, after, fenced: false } => fill("reason.stale", by, after),
        Why::StaleWrite { by, after, fenced: true } => fill("reason.stale.fenced", by, after),
    }
}
