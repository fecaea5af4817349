//! Transcripts: one language for the gallery, the docs, the console and the tests.
//!
//! ```text
//! # Worker A takes the lock
//! NX takes it only when nobody holds it.
//! A> SET lock:billing-run tok-a81f NX PX 30000
//! OK
//! +12s
//! A: enter billing
//! ```
//!
//! **Invariants.** Parsing never fails, and printing is its inverse. Running a transcript twice gives the same bytes.

pub mod format;
pub mod line;
mod parse;
mod print;
mod record;
mod run;

pub use parse::{BAD_MOVE, parse};
pub use print::{print, print_located};
pub use record::{Act, Diagnostic, Located, PLAIN_CLIENT, Record, is_name, split_name};
pub use run::{Mismatch, Ran, Runner, check, compare, play, same_reply};
