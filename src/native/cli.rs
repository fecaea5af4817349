//! `hotkv`: the console in a terminal, and transcripts checked from the command line.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use super::repl::repl;
use crate::transcript::{Mismatch, Record, check, parse};

/// Something checked does not hold.
const FAILED: u8 = 1;
/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;
/// The longest transcript that is read.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Distributed locks with a clock you move.
#[derive(Parser)]
#[command(
    name = "hotkv",
    version,
    after_help = "Examples:\n  hotkv                                   the console; piped input runs like a script\n  \
                  hotkv check src/scenarios/*.hotkv       check every reply that the transcripts tell"
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
    Check {
        /// Transcripts, as in src/scenarios.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Runs the command line; the exit status: 0 all well, 1 something checked does not hold, 2 bad usage or input.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return finish(usage(&error)),
    };
    finish(match cli.command.unwrap_or(Command::Repl) {
        Command::Repl => repl().map(|()| true),
        Command::Check { files } => check_files(&files),
    })
}

/// Help and version are printed; what is wrong with a command line is told in one line.
fn usage(error: &clap::Error) -> Result<bool, Failure> {
    let text = error.to_string();
    if !error.use_stderr() {
        return print(&text).map(|()| true);
    }
    let first = text.lines().next().unwrap_or_default();
    let what = first.strip_prefix("error: ").unwrap_or(first);
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
fn complain(what: &str) {
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

/// Checks each file; whether all replies hold. A file that cannot be read is told, and the others are checked all the
/// same; the first such is the failure in the end.
fn check_files(files: &[PathBuf]) -> Result<bool, Failure> {
    let (mut all_well, mut unreadable) = (true, None);
    for path in files {
        match read(path) {
            Ok(text) => all_well &= check_text(&path.display().to_string(), &text)?,
            Err(error) => {
                if let Some(earlier) = unreadable.replace(format!("{}: {error}", path.display())) {
                    complain(&earlier);
                }
            }
        }
    }
    unreadable.map_or(Ok(all_well), |error| Err(Failure::Told(error)))
}

/// Reads a transcript, of a length that one can have.
fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("longer than {MAX_FILE} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|_| "no UTF-8 text".to_owned())?;
    // Some editors begin a file with a mark that is no part of the text.
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

fn check_text(name: &str, text: &str) -> Result<bool, Failure> {
    let (records, diagnostics) = parse(text);
    let mismatches = check(&records);
    for diagnostic in &diagnostics {
        print(&format!("{name}:{}: {}\n", diagnostic.line, diagnostic.message))?;
    }
    for Mismatch { line, command, expected, actual } in &mismatches {
        let expected = expected.as_deref().unwrap_or("no reply told");
        print(&format!("{name}:{line}: {command}\n  expected {expected}\n  got      {actual}\n"))?;
    }
    let well = diagnostics.is_empty() && mismatches.is_empty();
    if well {
        match records.iter().filter(|located| matches!(located.record, Record::Command { .. })).count() {
            0 => print(&format!("{name}: no command in it, nothing to check\n"))?,
            1 => print(&format!("{name}: ok, 1 reply\n"))?,
            replies => print(&format!("{name}: ok, {replies} replies\n"))?,
        }
    }
    Ok(well)
}
