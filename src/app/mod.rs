//! The page without a page: state, messages, and what is to be shown, all plain data.
//!
//! **Invariant.** Nothing here names the browser. `web` turns events into [`Msg`]s and [`view`]s into a document.

mod coach;
mod diagram;
mod entry;
mod explorer;
mod host;
mod left;
mod life;
mod locale;
mod lock;
mod marks;
mod msg;
mod schedule_words;
mod share;
mod shell;
mod stage;
mod state;
mod still;
mod usage;
mod verdicts;
pub mod view;
mod why;
mod window;

pub use diagram::diagram;
pub use entry::{EntryLine, Offer, entry_line, offers};
pub use explorer::ExploreMsg;
pub use host::MAX_MESSAGE;
pub use life::{Section, SectionKind};
pub use locale::Locale;
pub use lock::LeaseEnd;
pub use marks::{Fit, Mark, Outcome};
pub use msg::{Choice, Copied, Effect, Msg, Panel, Purpose, Theme, View};
pub use share::{Link, LinkError, MAX_ITEMS, MAX_LINK, MAX_TEXT, Opening, kept, place};
pub use shell::{Answer, Shell};
pub use stage::{Acts, Lane, LaneHead, Lease, Stage, Was, stage};
pub use state::{Note, Said, State, update};
pub use still::still;
pub use usage::{Wanted, wanted};
pub use verdicts::{Chip, Replaying, VerdictRow, Verdicts, replaying, verdicts};
pub use window::{Tick, Zoom};
