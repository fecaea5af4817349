//! The explorer: every order in which workers can take their steps, with pauses and crashes wherever they may fall, on
//! the real engine.
//!
//! **Time.** A step takes no time. The clock moves when nobody must act, to the next instant at which something happens:
//! a worker falls due, a pause or a wait has reached its bound, a key is gone. A first try falls at any such instant, a
//! further one at any up to the bound after the refusal. A pause begins at any instant at which a worker is in the
//! middle of its program, and ends at any later one, its bound included; work stands still meanwhile, and a renewal that
//! fell due goes out first when the worker goes on. A crash falls where a pause may begin.
//!
//! **What is claimed.** A property *holds* when the search has seen all states. Schedules are those whose choices fall at
//! such instants; the times in them are those of the programs, not all times that there are.
//!
//! ```
//! use hotkv_playground::explore::{Explorer, Faults, Property, Verdict};
//! use hotkv_playground::worker::{Programs, Recipe, Release};
//!
//! let recipe = Recipe { release: Release::Del, ..Recipe::default() };
//! let programs = Programs::parse(&recipe.text()).unwrap();
//! let faults = Faults { pauses: 1, pause: 19_000, crashes: 0 };
//! let mut explorer = Explorer::new(&programs, faults, 1_000_000);
//! while !explorer.step(1_000) {}
//! assert!(matches!(explorer.verdict(Property::NoForeignRelease), Verdict::Broken { .. }));
//! assert_eq!(explorer.verdict(Property::NoStuckLock), Verdict::Holds);
//! ```

mod bytes;
mod model;
mod property;
mod ranks;
mod report;
mod schedule;
mod search;
mod state;
mod store;
mod transcript;
mod why;

pub use model::{Faults, Locks, MAX_FAULTS};
pub use property::{Property, Sometimes, Verdict};
pub use report::{Explorer, Progress};
pub use schedule::{Kind, Schedule, Step};
pub use search::{GOAL, Model, Search, Stage, Steps};
pub use transcript::transcript;
pub use why::{Lost, Why};
