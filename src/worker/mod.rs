//! Worker programs: what a client that wants a lock does, as text that people read and a machine that takes one step
//! at a time.
//!
//! ```text
//! // Two workers that do the same.
//! lock lock:job
//! worker A B
//! acquire or retry within 5s
//!   ? SET lock:job {token} NX PX 30000
//! enter job
//! renew every 10s
//!   ? SET lock:job {token} IFEQ {token} PX 30000
//! work 12s
//! write
//! leave
//! release
//!   > DELEX lock:job IFEQ {token}
//! ```
//!
//! | line | what it says |
//! | --- | --- |
//! | `lock KEY` | the key that is the lock; the first line |
//! | `counter KEY` | the key whose INCR draws fencing numbers |
//! | `worker A B` | who runs the lines up to the next `worker`; several programs may stand in one file |
//! | `acquire or stop`, `acquire or retry within 5s` | takes the lock, and what becomes of a worker that is refused |
//! | `enter job`, `leave` | the work that the lock guards begins and ends |
//! | `renew every 10s` | what is sent at each such time after `enter`, until `leave`; a worker that is told no leaves at once |
//! | `work 12s` | time goes by |
//! | `write`, `write fenced` | the guarded resource gets a write; `fenced` sends the number along, and an old one is refused |
//! | `release` | gives the lock up |
//! | `again` | the last line: begins anew |
//! | `> COMMAND` | sends a command and does not look at the reply; indented it belongs to the block above it |
//! | `? COMMAND` | the block ends here when the reply is a no: nil, 0, an error, or an array with one of them in it |
//! | `= COMMAND` | the block ends here when the reply is not the worker's own token |
//! | `else > COMMAND` | is sent when the line above ended the block |
//!
//! `{token}` is the worker's own token, `{digest}` the digest of it. `//` begins a line that says nothing. A reply to
//! INCR of the counter is the worker's fencing number, also when it comes with EXEC.
//!
//! **Invariants.** Printing is the inverse of parsing. [`Programs`] come from [`Programs::parse`] alone, so that what
//! runs has been checked: every command is one that a search can try, and no block leaves a transaction open.

mod check;
mod code;
mod interp;
mod parse;
mod program;
mod recipe;

pub use check::{MAX_COMMANDS, MAX_DURATION, MAX_WORKERS};
pub use parse::Problem;
pub use program::{Expect, Line, Programs, Refusal, Statement, Team};
pub use recipe::{Acquire, Recipe, Release, Renew};

pub(crate) use code::{Act, Code, Shared, only_counts, token, treats_alike};
pub(crate) use interp::{Did, GONE, Worker, step};
