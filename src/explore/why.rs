//! Why a schedule breaks a property, as data. The page has a sentence for each.

use super::property::Property;
use super::schedule::{Kind, Schedule};

/// Why a property is broken. Workers are told by place in [`Schedule::workers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A worker enters while another is inside.
    TwoInside {
        /// Who was inside.
        inside: usize,
        /// Who came.
        came: usize,
        /// How the first one's lock went.
        lost: Lost,
    },
    /// A worker deletes another's lock.
    ForeignRelease {
        /// Who deletes it or writes over it.
        by: usize,
        /// Whose lock it is.
        of: usize,
    },
    /// A worker moves the deadline of another's lock.
    ForeignRenewal {
        /// Who moves it.
        by: usize,
        /// Whose lock it is.
        of: usize,
    },
    /// The key stays for ever: nobody will delete it, and it has no deadline or one that is always moved on.
    StuckLock {
        /// Who wrote it.
        holder: usize,
        /// Whether that worker crashed.
        crashed: bool,
    },
    /// The resource takes a write although it has taken one by a worker that acquired later.
    StaleWrite {
        /// Who writes.
        by: usize,
        /// Who wrote before, having acquired later.
        after: usize,
        /// Whether a fencing number was sent along, which did not help.
        fenced: bool,
    },
}

/// How a lock went from a worker that believed to have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It never had one.
    Never,
    /// Its deadline passed.
    Expired {
        /// Whether the worker had been paused by then.
        paused: bool,
    },
    /// Another worker deleted it, or wrote over it.
    Taken {
        /// Who.
        by: usize,
    },
    /// The worker gave it up itself.
    GivenUp,
    /// It has it still: the other came in without.
    Kept,
}

impl Schedule {
    /// Why this schedule breaks a property that its last step breaks.
    pub fn why(&self, property: Property) -> Option<Why> {
        let last = self.steps.last()?;
        let before = self.steps.len().checked_sub(2).and_then(|at| self.steps[at].holder);
        Some(match property {
            Property::MutualExclusion => {
                let came = last.worker?;
                let inside = self.others_inside(came)?;
                Why::TwoInside { inside, came, lost: self.lost(inside) }
            }
            Property::NoForeignRelease => Why::ForeignRelease { by: last.worker?, of: before? },
            Property::NoForeignRenewal => Why::ForeignRenewal { by: last.worker?, of: before? },
            Property::NoStuckLock => {
                let holder = last.holder?;
                let crash = |step: &super::Step| step.worker == Some(holder) && step.kind == Kind::Crashed;
                Why::StuckLock { holder, crashed: self.steps.iter().any(crash) }
            }
            Property::FencedWrites => {
                let by = last.worker?;
                let taken = |step: &&super::Step| {
                    step.worker != Some(by) && matches!(step.kind, Kind::Wrote { taken: true, .. })
                };
                let after = self.steps.iter().rev().find(taken)?.worker?;
                let fenced = matches!(last.kind, Kind::Wrote { number: Some(_), .. });
                Why::StaleWrite { by, after, fenced }
            }
        })
    }

    /// Who is inside of what a worker has just entered.
    fn others_inside(&self, came: usize) -> Option<usize> {
        let Kind::Entered(room) = &self.steps.last()?.kind else { return None };
        (0..self.workers.len()).filter(|&worker| worker != came).find(|&worker| {
            let mut own = self.steps.iter().rev().filter(|step| step.worker == Some(worker));
            let ends = |kind: &Kind| matches!(kind, Kind::Entered(_) | Kind::Left(_) | Kind::Crashed);
            own.find(|step| ends(&step.kind)).is_some_and(|step| step.kind == Kind::Entered(room.clone()))
        })
    }

    /// How the lock went from a worker.
    fn lost(&self, worker: usize) -> Lost {
        let mut lost = Lost::Never;
        let (mut holder, mut paused) = (None, false);
        for step in &self.steps {
            paused |= step.worker == Some(worker) && step.kind == Kind::Paused;
            if step.holder == Some(worker) {
                lost = Lost::Kept;
            } else if holder == Some(worker) {
                lost = match step.worker {
                    None => Lost::Expired { paused },
                    Some(by) if by == worker => Lost::GivenUp,
                    Some(by) => Lost::Taken { by },
                };
            }
            holder = step.holder;
        }
        lost
    }
}
