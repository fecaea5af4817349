//! Text to programs. Everything that is wrong is told, each with its line.

use std::fmt;

use super::check::check;
use super::program::{Expect, Line, Programs, Refusal, Statement, Team};
use crate::engine::{Millis, parse_duration};

/// What is wrong with a line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Where the parts of a program stand in its text, for what is found wrong once all of it is read.
#[derive(Default)]
pub(super) struct Places {
    /// The line of `lock`, or the last one of a text without.
    pub(super) lock: usize,
    /// The line of `counter`.
    pub(super) counter: usize,
    /// Those of each team.
    pub(super) teams: Vec<TeamPlace>,
}

/// Where the parts of a team stand.
#[derive(Default)]
pub(super) struct TeamPlace {
    /// The line of `worker`.
    pub(super) line: usize,
    /// Those of the statements.
    pub(super) statements: Vec<StatementPlace>,
}

/// Where a statement stands.
#[derive(Default)]
pub(super) struct StatementPlace {
    /// Its line.
    pub(super) line: usize,
    /// The lines of its commands, each beside that of what is sent else.
    pub(super) commands: Vec<[usize; 2]>,
}

impl Programs {
    /// Reads programs; see the module's documentation for their form.
    ///
    /// # Errors
    /// All that is wrong, in the order of lines.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let mut parser = Parser::default();
        for (index, line) in text.lines().enumerate() {
            parser.number = index + 1;
            let line = line.trim_end();
            let says = !line.is_empty() && !line.trim_start().starts_with("//");
            if let Some(message) = says.then(|| parser.line(line).err()).flatten() {
                parser.problems.push(Problem { line: parser.number, message });
            }
        }
        parser.finish()
    }
}

#[derive(Default)]
struct Parser {
    number: usize,
    lock: Option<String>,
    counter: Option<String>,
    teams: Vec<Team>,
    places: Places,
    problems: Vec<Problem>,
    /// Whether the last statement is a block that takes indented commands, or one that takes others.
    open: Option<bool>,
}

/// What stands before the first `worker`.
const ORDER: &str = "lock KEY comes first, then counter KEY if there is one, then worker NAME";

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let text = line.trim_start();
        if let Some(command) = text.strip_prefix("else > ") {
            return self.otherwise(command.trim());
        }
        if let Some((expect, command)) = marked(text) {
            return self.command(expect, command, line.len() > text.len());
        }
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        self.open = None;
        match (word, words.as_slice()) {
            ("lock", [key]) if self.lock.is_none() && self.teams.is_empty() => {
                self.lock = Some((*key).to_owned());
                self.places.lock = self.number;
                Ok(())
            }
            ("counter", [key]) if self.counter.is_none() && self.teams.is_empty() => {
                self.counter = Some((*key).to_owned());
                self.places.counter = self.number;
                Ok(())
            }
            ("lock" | "counter", _) => Err(ORDER.to_owned()),
            ("worker", [_, ..]) => {
                let workers = words.iter().map(|&name| name.to_owned()).collect();
                self.teams.push(Team { workers, statements: Vec::new() });
                self.places.teams.push(TeamPlace { line: self.number, statements: Vec::new() });
                Ok(())
            }
            _ => self.statement(word, &words, text),
        }
    }

    fn statement(&mut self, word: &str, words: &[&str], text: &str) -> Result<(), String> {
        let statement = match (word, words) {
            ("acquire", ["or", "stop"]) => Statement::Acquire { refused: Refusal::Stop, lines: Vec::new() },
            ("acquire", ["or", "retry", "within", time]) => {
                Statement::Acquire { refused: Refusal::Retry(duration(time)?), lines: Vec::new() }
            }
            ("acquire", _) => return Err("acquire is followed by or stop, or by or retry within TIME".to_owned()),
            ("renew", ["every", time]) => Statement::Renew { every: duration(time)?, lines: Vec::new() },
            ("renew", _) => return Err("renew is followed by every TIME".to_owned()),
            ("release", []) => Statement::Release(Vec::new()),
            ("enter", [resource]) => Statement::Enter((*resource).to_owned()),
            ("enter", _) => return Err("enter is followed by the name of what is entered".to_owned()),
            ("work", [time]) => Statement::Work(duration(time)?),
            ("work", _) => return Err("work is followed by a time, such as 12s".to_owned()),
            ("write", []) => Statement::Write { fenced: false },
            ("write", ["fenced"]) => Statement::Write { fenced: true },
            ("leave", []) => Statement::Leave,
            ("again", []) => Statement::Again,
            _ => {
                return Err(format!(
                    "{text} is no statement: worker, acquire, enter, renew, work, write, leave, release, again, or a \
                     command after > ? or ="
                ));
            }
        };
        if lines(&statement).is_some() {
            self.open = Some(true);
        }
        self.push(statement)
    }

    fn push(&mut self, statement: Statement) -> Result<(), String> {
        let (team, place) = self.teams.last_mut().zip(self.places.teams.last_mut()).ok_or_else(|| ORDER.to_owned())?;
        team.statements.push(statement);
        place.statements.push(StatementPlace { line: self.number, commands: Vec::new() });
        Ok(())
    }

    fn command(&mut self, expect: Expect, command: &str, indented: bool) -> Result<(), String> {
        match (self.open, indented) {
            (Some(true), true) | (Some(false), false) => {}
            (_, true) => return Err("an indented command belongs to acquire, renew or release above it".to_owned()),
            (_, false) => {
                self.push(Statement::Send(Vec::new()))?;
                self.open = Some(false);
            }
        }
        let number = self.number;
        let (block, places) = self.block().ok_or_else(|| ORDER.to_owned())?;
        block.push(Line { expect, command: command.to_owned(), otherwise: None });
        places.push([number; 2]);
        Ok(())
    }

    fn otherwise(&mut self, command: &str) -> Result<(), String> {
        let number = self.number;
        let last = self.block().and_then(|(block, places)| block.last_mut().zip(places.last_mut()));
        match last {
            Some((line, place)) if line.expect != Expect::Anything && line.otherwise.is_none() => {
                line.otherwise = Some(command.to_owned());
                place[1] = number;
                Ok(())
            }
            _ => Err("else follows a command after ? or =, once".to_owned()),
        }
    }

    /// The commands of the block that is open, and their lines.
    fn block(&mut self) -> Option<(&mut Vec<Line>, &mut Vec<[usize; 2]>)> {
        self.open?;
        let place = self.places.teams.last_mut()?.statements.last_mut()?;
        Some((lines_mut(self.teams.last_mut()?.statements.last_mut()?)?, &mut place.commands))
    }

    fn finish(mut self) -> Result<Programs, Vec<Problem>> {
        let Some(lock) = self.lock else {
            self.problems.insert(0, Problem { line: 1, message: ORDER.to_owned() });
            return Err(self.problems);
        };
        let programs = Programs { lock, counter: self.counter, teams: self.teams };
        if self.problems.is_empty() {
            self.problems = check(&programs, &self.places);
        }
        if self.problems.is_empty() { Ok(programs) } else { Err(self.problems) }
    }
}

/// A command with its mark.
fn marked(text: &str) -> Option<(Expect, &str)> {
    let mut chars = text.chars();
    let expect = Expect::marked(chars.next()?)?;
    Some((expect, chars.as_str().trim()))
}

fn duration(text: &str) -> Result<Millis, String> {
    // A bare number would be milliseconds, which is what people take for seconds most often.
    let with_unit = text == "0" || text.ends_with(|last: char| last.is_ascii_alphabetic());
    parse_duration(text)
        .filter(|_| with_unit)
        .ok_or_else(|| format!("{text} is no time; write 500ms, 12s, 2m, 1h or 1d"))
}

/// The commands of a block.
pub(super) fn lines(statement: &Statement) -> Option<&[Line]> {
    match statement {
        Statement::Acquire { lines, .. }
        | Statement::Renew { lines, .. }
        | Statement::Release(lines)
        | Statement::Send(lines) => Some(lines),
        _ => None,
    }
}

fn lines_mut(statement: &mut Statement) -> Option<&mut Vec<Line>> {
    match statement {
        Statement::Acquire { lines, .. }
        | Statement::Renew { lines, .. }
        | Statement::Release(lines)
        | Statement::Send(lines) => Some(lines),
        _ => None,
    }
}
