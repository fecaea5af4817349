//! `hotkv repl`: the console in a terminal, with line editing, history, completion and hints.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, BufRead, IsTerminal};
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Editor, Helper};

use super::cli::{Failure, print};
use crate::app::Shell;
use crate::console::{complete, hint};

/// The memory that keys may take, in bytes: a process of its own can spare more than a page.
const MAX_MEMORY: usize = 1024 * 1024 * 1024;

/// The most remarks on one line that are printed; thousands of keys may expire at once.
const MAX_REMARKS: usize = 20;

/// Runs the console until the input ends. Piped input is not echoed; its replies are printed.
pub(super) fn repl() -> Result<(), Failure> {
    let seed = getrandom::u64().map_err(|error| Failure::Told(format!("no seed: {error}")))?;
    let shell = Shell::new(seed, MAX_MEMORY);
    if io::stdin().is_terminal() { interactive(shell) } else { piped(shell) }
}

fn piped(mut shell: Shell) -> Result<(), Failure> {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::Told(format!("standard input: {error}")))? == 0 {
            return Ok(());
        }
        answer(&mut shell, line.trim_ascii_end())?;
    }
}

fn interactive(shell: Shell) -> Result<(), Failure> {
    let shell = Rc::new(RefCell::new(shell));
    let terminal = |error: ReadlineError| Failure::Told(format!("terminal: {error}"));
    let mut editor: Editor<Words, DefaultHistory> = Editor::new().map_err(terminal)?;
    editor.set_helper(Some(Words { shell: Rc::clone(&shell) }));
    print("help tells what there is; exit leaves\n")?;
    loop {
        let prompt = format!("{}> ", shell.borrow().client());
        match editor.readline(&prompt) {
            Ok(line) if ["exit", "quit"].iter().any(|word| line.trim().eq_ignore_ascii_case(word)) => return Ok(()),
            Ok(line) => {
                if !line.trim().is_empty() {
                    editor.add_history_entry(&line).map_err(terminal)?;
                }
                answer(&mut shell.borrow_mut(), line.as_bytes())?;
            }
            // As in a shell: one key drops the line, the other ends.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(terminal(error)),
        }
    }
}

/// Runs a line and prints what there is to say.
fn answer(shell: &mut Shell, line: &[u8]) -> Result<(), Failure> {
    let answer = shell.exec_bytes(line);
    let more = answer.remarks.len().saturating_sub(MAX_REMARKS);
    let remarks = answer.remarks.into_iter().take(MAX_REMARKS);
    let texts = std::iter::once(answer.text.into_owned()).chain(remarks).filter(|text| !text.is_empty());
    for text in texts {
        print(&format!("{text}\n"))?;
    }
    if more > 0 {
        print(&format!("… and {more} more like these\n"))?;
    }
    Ok(())
}

/// What the line editor asks for while a line is typed.
struct Words {
    shell: Rc<RefCell<Shell>>,
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        caret: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Self::Candidate>)> {
        let before = &line[..caret];
        let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let start = caret - last.len();
        let found = complete(before, &*self.shell.borrow());
        let pairs =
            found.into_iter().map(|candidate| Pair { display: candidate.text.clone(), replacement: candidate.text });
        Ok((start, pairs.collect()))
    }
}

impl Hinter for Words {
    type Hint = String;

    fn hint(&self, line: &str, caret: usize, _: &rustyline::Context<'_>) -> Option<String> {
        // In the middle of a line the rest stands there already.
        if caret < line.len() { None } else { hint(line) }
    }
}

impl Highlighter for Words {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }
}

impl Validator for Words {}

impl Helper for Words {}
