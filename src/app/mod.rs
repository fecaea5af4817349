//! The page without a page: state, messages, and what is to be shown, all plain data.
//!
//! **Invariant.** Nothing here names the browser. `web` turns events into [`Msg`]s and [`view`]s into a document.

mod coach;
mod entry;
mod explorer;
mod life;
mod locale;
mod lock;
mod marks;
mod msg;
mod schedule_words;
mod shell;
mod stage;
mod state;
mod verdicts;
pub mod view;
mod why;
mod window;

pub use entry::{EntryLine, Offer, entry_line, offers};
pub use explorer::ExploreMsg;
pub use life::{Section, SectionKind};
pub use locale::Locale;
pub use lock::LeaseEnd;
pub use marks::{Fit, Mark, Outcome};
pub use msg::{Copied, Effect, Msg, Panel, Theme};
pub use shell::{Answer, Shell};
pub use stage::{Acts, Lane, LaneHead, Lease, Stage, Was, stage};
pub use state::{Note, Said, State, update};
pub use verdicts::{Chip, Replaying, VerdictRow, Verdicts, replaying, verdicts};
pub use window::{Tick, Zoom};
