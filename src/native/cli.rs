//! `hotkv`: the console in a terminal, and transcripts checked from the command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use super::repl::repl;
use crate::transcript::{Mismatch, check, parse};

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
    // Clap answers bad usage itself, with status 2.
    match Cli::parse().command.unwrap_or(Command::Repl) {
        Command::Repl => finish(repl()),
        Command::Check { files } => finish(check_files(&files)),
    }
}

fn finish(result: Result<bool, String>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => {
            let _ = writeln!(io::stderr(), "hotkv: {error}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Prints to standard output; a reader that went away ends the program with a clear line.
pub(super) fn print(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| format!("standard output: {error}"))
}

/// Checks each file; whether all replies hold.
fn check_files(files: &[PathBuf]) -> Result<bool, String> {
    let mut all_well = true;
    for path in files {
        all_well &= check_file(path)?;
    }
    Ok(all_well)
}

fn check_file(path: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (records, diagnostics) = parse(&text);
    let mismatches = check(&records);
    let name = path.display();
    for diagnostic in &diagnostics {
        print(&format!("{name}:{}: {}\n", diagnostic.line, diagnostic.message))?;
    }
    for Mismatch { line, command, expected, actual } in &mismatches {
        let expected = expected.as_deref().unwrap_or("no reply told");
        print(&format!("{name}:{line}: {command}\n  expected {expected}\n  got      {actual}\n"))?;
    }
    let well = diagnostics.is_empty() && mismatches.is_empty();
    if well {
        print(&format!("{name}: ok\n"))?;
    }
    Ok(well)
}
