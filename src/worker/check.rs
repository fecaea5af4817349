//! What makes a program one that can be searched, beyond its form.
//!
//! A state of a search is told relative to its instant, and holds keys, transactions and watches. So a program may send
//! what changes these and nothing else, may not name an instant, and may not leave a transaction open.

use rustc_hash::FxHashSet;

use super::code::{render, token};
use super::parse::{Places, Problem, StatementPlace, TeamPlace, lines};
use super::program::{Expect, Line, Programs, Refusal, Statement, Team};
use crate::command::execute;
use crate::engine::{Engine, Millis, Options, Reply, digest, sorted};
use crate::transcript::{is_name, line::split};

/// The most workers that a search takes: with six of them even small programs have millions of states.
pub const MAX_WORKERS: usize = 6;
/// The most commands of one program.
pub const MAX_COMMANDS: usize = 40;
/// The longest time in a program, in milliseconds: a year.
pub const MAX_DURATION: Millis = 365 * 86_400_000;
/// The most commands that wait for one EXEC.
pub(crate) const MAX_QUEUED: usize = 15;
/// The most different words in all commands, and so the most keys of a state.
const MAX_WORDS: usize = 64;
/// The most keys that are watched.
const MAX_WATCHED: usize = 16;
/// The most digits of a number, so that no instant comes near the end of 64 bits.
const MAX_DIGITS: usize = 15;

/// What may be sent: strings, deadlines, transactions.
const ALLOWED: [&str; 39] = [
    "SET", "GET", "GETDEL", "GETEX", "GETSET", "SETNX", "SETEX", "PSETEX", "MGET", "MSET", "MSETNX", "MSETEX",
    "APPEND", "STRLEN", "GETRANGE", "SETRANGE", "INCR", "DECR", "INCRBY", "DECRBY", "DIGEST", "DELEX", "DEL", "UNLINK",
    "EXISTS", "TYPE", "TOUCH", "EXPIRE", "PEXPIRE", "TTL", "PTTL", "PERSIST", "MULTI", "EXEC", "DISCARD", "WATCH",
    "UNWATCH", "PING", "ECHO",
];

/// All that is wrong with programs whose form is right, in the order of lines.
pub(super) fn check(programs: &Programs, places: &Places) -> Vec<Problem> {
    let mut checker =
        Checker { programs, words: FxHashSet::default(), watched: FxHashSet::default(), problems: Vec::new() };
    checker.names(places);
    for (team, place) in programs.teams.iter().zip(&places.teams) {
        checker.team(team, place);
    }
    if checker.words.len() > MAX_WORDS {
        checker.tell(places.lock, format!("all commands together have more than {MAX_WORDS} different words"));
    }
    if checker.watched.len() > MAX_WATCHED {
        checker.tell(places.lock, format!("all commands together watch more than {MAX_WATCHED} keys"));
    }
    // In the order of lines; what is told of one line stays in the order in which it was found.
    let told =
        checker.problems.into_iter().enumerate().map(|(found, Problem { line, message })| (line, found, message));
    sorted(told).into_iter().map(|(line, _, message)| Problem { line, message }).collect()
}

struct Checker<'a> {
    programs: &'a Programs,
    words: FxHashSet<String>,
    watched: FxHashSet<Vec<u8>>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn tell(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(Problem { line, message: message.into() });
    }

    fn names(&mut self, places: &Places) {
        let programs = self.programs;
        for (key, line) in [(Some(&programs.lock), places.lock), (programs.counter.as_ref(), places.counter)] {
            if key.is_some_and(|key| key.contains(['{', '}', '"', '\''])) {
                self.tell(line, "a key is one word without quotes and braces");
            }
        }
        if programs.counter.as_ref() == Some(&programs.lock) {
            self.tell(places.counter, "the counter is another key than the lock");
        }
        if programs.teams.is_empty() {
            self.tell(places.lock, "no worker follows: worker A B, then what they do");
        }
        let mut known = FxHashSet::default();
        for (team, TeamPlace { line, .. }) in programs.teams.iter().zip(&places.teams) {
            for name in &team.workers {
                if !is_name(name) {
                    self.tell(*line, format!("{name} is no name: a letter, then at most 15 letters, digits, - or _"));
                } else if !known.insert(name.to_ascii_lowercase()) {
                    self.tell(*line, format!("{name} is there already; case does not tell names apart"));
                }
            }
            if known.len() > MAX_WORKERS {
                self.tell(*line, format!("{} workers; at most {MAX_WORKERS} can be searched", known.len()));
            }
        }
    }

    fn team(&mut self, team: &Team, place: &TeamPlace) {
        if team.statements.is_empty() {
            self.tell(place.line, "this worker does nothing");
        }
        let has = |wanted: fn(&Statement) -> bool| team.statements.iter().any(wanted);
        let mut inside = None;
        let mut renewals = 0;
        for (statement, &StatementPlace { line, .. }) in team.statements.iter().zip(&place.statements) {
            match statement {
                Statement::Enter(_) if inside.is_some() => self.tell(line, "leave comes before the next enter"),
                Statement::Enter(_) => inside = Some(line),
                Statement::Leave if inside.is_none() => self.tell(line, "enter comes before leave"),
                Statement::Leave => inside = None,
                Statement::Acquire { .. } if inside.is_some() => {
                    self.tell(line, "acquire does not stand between enter and leave");
                }
                Statement::Acquire { refused: Refusal::Retry(0), .. } => {
                    self.tell(line, "a further try needs 1ms at least, or time would stand still");
                }
                Statement::Acquire { refused: Refusal::Retry(time), .. } | Statement::Work(time) => {
                    self.duration(line, *time);
                }
                Statement::Renew { every, .. } => {
                    renewals += 1;
                    self.duration(line, *every);
                    if *every == 0 {
                        self.tell(line, "renewals are 1ms apart at least");
                    }
                    if renewals > 1 {
                        self.tell(line, "there is one renew a worker");
                    }
                    if !has(|statement| matches!(statement, Statement::Enter(_))) {
                        self.tell(line, "renew counts from enter, which is not there");
                    }
                }
                Statement::Write { fenced: true } if !self.draws(team) => {
                    self.tell(line, "write fenced needs a number: counter KEY at the top, and INCR KEY before it");
                }
                Statement::Again if place.statements.last().is_some_and(|last| line != last.line) => {
                    self.tell(line, "again is the last line of a worker");
                }
                _ => {}
            }
        }
        if let Some(line) = inside {
            self.tell(line, "leave follows enter, or the worker stays inside for ever");
        }
        self.commands(team, place);
    }

    fn duration(&mut self, line: usize, time: Millis) {
        if time > MAX_DURATION {
            self.tell(line, "a time is 365d at most");
        }
    }

    /// Whether a worker draws fencing numbers.
    fn draws(&self, team: &Team) -> bool {
        let commands = team.statements.iter().filter_map(lines).flatten();
        commands.into_iter().any(|line| is_draw(&line.command, self.programs.counter()))
    }

    fn commands(&mut self, team: &Team, place: &TeamPlace) {
        let worker = team.workers.first().map_or("", String::as_str);
        let renews = team.statements.iter().any(|statement| matches!(statement, Statement::Renew { .. }));
        let (mut count, mut inside) = (0, false);
        for (statement, StatementPlace { line: at, commands }) in team.statements.iter().zip(&place.statements) {
            inside = matches!(statement, Statement::Enter(_)) || inside && *statement != Statement::Leave;
            let Some(block) = lines(statement) else { continue };
            let begins = |line: &Line| name(&line.command) == "MULTI";
            if renews
                && inside
                && matches!(statement, Statement::Send(_) | Statement::Release(_))
                && block.iter().any(begins)
            {
                self.tell(
                    *at,
                    "beside renew no transaction stands between enter and leave: renewals would fall into it",
                );
            }
            if block.is_empty() {
                self.tell(*at, "at least one command follows, indented, after > ? or =");
            }
            for (line, [line_at, otherwise_at]) in block.iter().zip(commands) {
                count += 1 + usize::from(line.otherwise.is_some());
                self.command(*line_at, &line.command, worker);
                if let Some(otherwise) = &line.otherwise {
                    self.command(*otherwise_at, otherwise, worker);
                    if ["MULTI", "EXEC", "DISCARD"].contains(&name(otherwise).as_str()) {
                        self.tell(*otherwise_at, "no transaction begins or ends after else");
                    }
                }
            }
            self.transactions(block, commands);
        }
        if count > MAX_COMMANDS || team.statements.len() > MAX_COMMANDS {
            self.tell(place.line, format!("a worker has {MAX_COMMANDS} statements and commands at most"));
        }
    }

    fn command(&mut self, at: usize, command: &str, worker: &str) {
        let words = match split(command) {
            Ok(words) if words.is_empty() => return self.tell(at, "a command follows the mark"),
            Ok(words) => words,
            Err(error) => return self.tell(at, error.to_string()),
        };
        let name = name(command);
        if !ALLOWED.contains(&name.as_str()) {
            return match crate::command::find(name.as_bytes()) {
                Some(_) => self.tell(at, format!("{name} changes or tells what is no part of a searched state")),
                None => self.tell(at, format!("{name} is no command")),
            };
        }
        let texts: Vec<String> = words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        for word in &texts {
            let plain = word.replace("{token}", "").replace("{digest}", "");
            if plain.contains(['{', '}']) {
                self.tell(at, format!("{word}: in braces stand token or digest"));
            }
            if word.len() > MAX_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit()) {
                self.tell(at, format!("a number has {MAX_DIGITS} digits at most"));
            }
            let option = word.split('\0').next().unwrap_or_default().to_ascii_uppercase();
            if ["EXAT", "PXAT"].contains(&option.as_str()) && name != "ECHO" {
                self.tell(at, format!("{word} names an instant; a search knows only how far off things are"));
            }
        }
        if name == "WATCH" {
            self.watched.extend(words.iter().skip(1).map(|word| word.to_vec()));
        }
        self.words.extend(texts);
        self.dry_run(at, &name, command, worker);
    }

    /// Runs a command on an empty server: what is wrong with its words shows.
    fn dry_run(&mut self, at: usize, name: &str, command: &str, worker: &str) {
        if ["EXEC", "DISCARD"].contains(&name) {
            return;
        }
        let mut engine = Engine::new(Options::default());
        let client = engine.open();
        let now = engine.now();
        let token = token(worker);
        let argv = render(command, &token, &digest::xxh3(token.as_bytes()));
        if let Reply::Error(error) = execute(&mut engine, client, &argv, now).reply {
            self.tell(at, error);
        }
    }

    /// Whether each transaction of a block ends in it.
    fn transactions(&mut self, block: &[Line], places: &[[usize; 2]]) {
        let mut open: Option<(usize, usize)> = None;
        for (line, [at, _]) in block.iter().zip(places) {
            match (name(&line.command).as_str(), &mut open) {
                ("MULTI", None) => open = Some((*at, 0)),
                ("MULTI", Some(_)) => self.tell(*at, "a transaction is open already"),
                ("EXEC" | "DISCARD", None) => self.tell(*at, "no transaction is open; MULTI begins one"),
                ("EXEC" | "DISCARD", Some(_)) => open = None,
                ("WATCH", Some(_)) => self.tell(*at, "WATCH comes before MULTI"),
                (_, Some((_, queued))) => {
                    *queued += 1;
                    if *queued > MAX_QUEUED {
                        self.tell(*at, format!("at most {MAX_QUEUED} commands wait for one EXEC"));
                    }
                    if line.expect != Expect::Anything {
                        self.tell(*at, "what waits for EXEC answers QUEUED; the mark belongs before EXEC");
                    }
                }
                _ => {}
            }
        }
        if let Some((at, _)) = open {
            self.tell(at, "EXEC or DISCARD follows MULTI in the same block");
        }
    }
}

/// The name of a command in capitals.
pub(super) fn name(command: &str) -> String {
    command.split_whitespace().next().unwrap_or_default().to_ascii_uppercase()
}

/// Whether a command draws a fencing number.
pub(super) fn is_draw(command: &str, counter: Option<&str>) -> bool {
    let mut words = command.split_whitespace();
    words.next().is_some_and(|name| name.eq_ignore_ascii_case("INCR")) && counter.is_some() && words.next() == counter
}
