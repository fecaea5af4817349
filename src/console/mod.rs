//! The console: typed lines in, what they mean out. Knows no page and no terminal.

mod complete;
mod help;
mod history;
mod input;

pub use complete::{Candidate, Kind, Known, complete, hint};
pub use help::{help, nearest};
pub use history::History;
pub use input::{Input, from_terminal, is_transcript, parse};
