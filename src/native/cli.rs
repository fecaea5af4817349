//! `hotkv`: the console in a terminal, transcripts checked and schedules explored from the command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use super::check::{Check, check};
use super::explore::{Explore, explore};
use super::repl::repl;
use super::serve::{Serve, serve};
use super::snippet::{Wanted, print_snippet};

/// Something checked does not hold.
const FAILED: u8 = 1;
/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;

/// Distributed locks with a clock you move.
#[derive(Parser)]
#[command(
    name = "hotkv",
    version,
    after_help = "Examples:\n  hotkv                                   the console; piped input runs like a script\n  \
                  hotkv check src/scenarios/*.hotkv       check every reply that the transcripts tell\n  \
                  hotkv check --update README.md          write the replies that the engine gives\n  \
                  hotkv check --server redis://127.0.0.1 src/scenarios/*.hotkv\n                                          \
                  run the same texts on a real server\n  hotkv explore --acquire set-nx-px --renew none --release del \
                  --pauses 1\n                                          try every schedule of a recipe\n  \
                  hotkv explore lock.workers --crashes 1  try every schedule of your own programs\n  hotkv snippet \
                  --client redis-py --lock lock:report --ttl 30000\n                                          \
                  print a program that uses the lock\n  hotkv serve --clock simulated           a server whose clock \
                  your tests move"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Type commands against an engine of your own; this is what `hotkv` alone does.
    Repl,
    /// Run transcripts and compare each reply with the one that the text tells.
    Check(Check),
    /// Try every schedule of workers that share a lock, and tell which properties it has.
    ///
    /// Exit status: 0 when all properties hold in all states, 1 when one is broken or not all states were searched, 2 for
    /// bad usage or input.
    Explore(Explore),
    Serve(Serve),
    /// Print a program that takes a lock by a client library, for a server.
    Snippet(Wanted),
}

/// Runs the command line; the exit status: 0 all well, 1 something checked does not hold, 2 bad usage or input.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return finish(usage(&error)),
    };
    finish(match cli.command.unwrap_or(Command::Repl) {
        Command::Repl => repl().map(|()| true),
        Command::Check(wanted) => check(&wanted),
        Command::Explore(wanted) => explore(&wanted),
        Command::Serve(wanted) => serve(&wanted).map(|()| true),
        Command::Snippet(wanted) => print_snippet(&wanted).map(|()| true),
    })
}

/// Help and version are printed; what is wrong with a command line is told in one line.
fn usage(error: &clap::Error) -> Result<bool, Failure> {
    let text = error.to_string();
    if !error.use_stderr() {
        return print(&text).map(|()| true);
    }
    // What is missing stands on the lines after the first.
    let first: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let first = first.join(" ");
    let what = first.strip_prefix("error: ").unwrap_or(&first);
    Err(Failure::Told(format!("usage: {what} (hotkv --help tells more)")))
}

/// Why the program ends early.
#[derive(Debug)]
pub(super) enum Failure {
    /// What is wrong, and why, in one line.
    Told(String),
    /// Whoever read the output went away, as `head` does. Nobody is left to tell.
    Unread,
}

fn finish(result: Result<bool, Failure>) -> ExitCode {
    match result {
        Ok(true) | Err(Failure::Unread) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(Failure::Told(error)) => {
            complain(&error);
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Writes one line to standard error; when even that is gone there is nobody to tell.
pub(super) fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "hotkv: {what}");
}

/// Prints to standard output.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::Told(format!("standard output: {error}")),
    })
}
