//! The page without a page: state, messages, and what is to be shown, all plain data.
//!
//! **Invariant.** Nothing here names the browser. `web` turns events into [`Msg`]s and [`view`]s into a document.

mod locale;
mod lock;
mod shell;
mod stage;
mod state;
pub mod view;

pub use locale::Locale;
pub use lock::LeaseEnd;
pub use shell::{Answer, Shell};
pub use stage::{Fit, Lane, Lease, Mark, Outcome, Section, Stage, Tick, Was, stage};
pub use state::{Effect, Msg, Note, Panel, State, Theme, update};
