//! Schedules in words, for the terminal. The page has its own, in its languages.

use crate::explore::{Kind, Lost, Property, Schedule, Why};

/// What a step of a schedule is about, where it is worth a title.
pub(super) fn title(schedule: &Schedule, index: usize) -> Option<String> {
    let step = &schedule.steps[index];
    let before = index.checked_sub(1).map(|before| &schedule.steps[before]);
    let held = before.and_then(|before| before.holder);
    let Some(worker) = step.worker else {
        let holder = &schedule.workers[held?];
        return step.holder.is_none().then(|| format!("The lock of {holder} expires"));
    };
    let name = &schedule.workers[worker];
    Some(match &step.kind {
        Kind::Sent { acquired: true, .. } => format!("{name} takes the lock"),
        Kind::Sent { .. } => match held.filter(|&held| held != worker) {
            Some(held) if step.holder != Some(held) => {
                format!("{name} takes the lock away from {}", schedule.workers[held])
            }
            _ if before.is_none_or(|before| before.worker != Some(worker)) => format!("{name} sends a command"),
            _ => return None,
        },
        Kind::Entered(resource) => format!("{name} enters {resource}"),
        Kind::Left(resource) => format!("{name} leaves {resource}"),
        Kind::Wrote { number, taken } => {
            let number = number.map(|number| format!(" with number {number}")).unwrap_or_default();
            let taken = if *taken { "takes it" } else { "refuses it" };
            format!("{name} writes{number}; the resource {taken}")
        }
        Kind::Paused => format!("{name} is paused"),
        Kind::Resumed => format!("{name} goes on"),
        Kind::Crashed => format!("{name} crashes"),
        Kind::Waited(_) => return None,
    })
}

/// Why a schedule breaks a property, in one sentence.
pub(super) fn reason(schedule: &Schedule, property: Property) -> Option<String> {
    let name = |worker: usize| &schedule.workers[worker];
    Some(match schedule.why(property)? {
        Why::TwoInside { inside, came, lost } => {
            let lost = match lost {
                Lost::Never => "which never had the lock".to_owned(),
                Lost::Expired { paused: true } => "whose lock expired while a pause held up its work".to_owned(),
                Lost::Expired { paused: false } => "whose lock expired while it worked".to_owned(),
                Lost::Taken { by } => format!("whose lock {} took away", name(by)),
                Lost::GivenUp => "which gave the lock up too early".to_owned(),
                Lost::Kept => "which has the lock".to_owned(),
            };
            format!("{} enters beside {}, {lost}", name(came), name(inside))
        }
        Why::ForeignRelease { by, of } => format!("{} takes the lock away from {}", name(by), name(of)),
        Why::ForeignRenewal { by, of } => format!("{} prolongs the lock of {}", name(by), name(of)),
        Why::StuckLock { holder, crashed: true } => {
            format!("{} crashed, and from here on nothing makes its lock go away", name(holder))
        }
        Why::StuckLock { holder, crashed: false } => {
            format!("from here on nothing makes the lock of {} go away", name(holder))
        }
        Why::StaleWrite { by, after, fenced } => {
            let fenced = if fenced { "; the number did not show it" } else { "" };
            format!("{} acquired before {} and writes after it{fenced}", name(by), name(after))
        }
    })
}
