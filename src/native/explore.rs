//! `hotkv explore`: all schedules of a recipe, or of the programs in a file.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::cli::{Failure, complain, print};
use super::words::{reason, title};
use crate::engine::{Millis, format_duration, parse_duration};
use crate::explore::{Explorer, Faults, MAX_FAULTS, Property, Verdict, transcript};
use crate::worker::{Acquire, MAX_DURATION, MAX_WORKERS, Programs, Recipe, Release, Renew};

/// The longest file of programs that is read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
/// The most that is said to be wrong with a file.
const MOST_PROBLEMS: usize = 20;
/// How many states are dealt with before anybody could ask how far it is.
const SLICE: usize = 10_000;

/// What `hotkv explore` takes.
#[derive(Args)]
pub(super) struct Explore {
    /// Programs of workers as text. Without a file the options say what workers do.
    #[arg(conflicts_with_all = ["acquire", "renew", "release", "workers", "ttl", "work", "on_refusal", "retry", "fencing"])]
    file: Option<PathBuf>,
    /// How the lock is taken.
    #[arg(long, value_name = "HOW", required_unless_present = "file")]
    acquire: Option<Acquire>,
    /// How it is kept.
    #[arg(long, value_name = "HOW", required_unless_present = "file")]
    renew: Option<Renew>,
    /// How it is given up.
    #[arg(long, value_name = "HOW", required_unless_present = "file")]
    release: Option<Release>,
    /// How many workers there are, at most 6.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = workers)]
    workers: usize,
    /// How long the lock lives.
    #[arg(long, default_value = "30s", value_name = "TIME", value_parser = some_time)]
    ttl: Millis,
    /// How long the work takes.
    #[arg(long, default_value = "12s", value_name = "TIME", value_parser = time)]
    work: Millis,
    /// How many pauses there may be, over all workers; at most 15.
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_FAULTS)))]
    pauses: u8,
    /// How long a pause may last.
    #[arg(long, default_value = "60s", value_name = "TIME", value_parser = time)]
    pause: Millis,
    /// How many workers may crash; at most 15.
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_FAULTS)))]
    crashes: u8,
    /// What a worker does that is refused.
    #[arg(long, default_value = "retry", value_name = "WHAT")]
    on_refusal: Refused,
    /// Within what time it tries again.
    #[arg(long, default_value = "5s", value_name = "TIME", value_parser = some_time)]
    retry: Millis,
    /// Draw a fencing number with the lock, and send it along with the write.
    #[arg(long)]
    fencing: bool,
    /// How many states are searched at most.
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_states: u32,
    /// Print one line of JSON.
    #[arg(long, conflicts_with = "program")]
    json: bool,
    /// Print the programs of these options instead of searching, to begin a file with.
    #[arg(long, conflicts_with = "file")]
    program: bool,
}

impl ValueEnum for Acquire {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Renew {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Release {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Refused {
    Retry,
    Stop,
}

fn time(text: &str) -> Result<Millis, String> {
    parse_duration(text)
        .filter(|time| *time <= MAX_DURATION)
        .ok_or_else(|| "a time is written 500ms, 12s, 2m, 1h or 1d, and is 365d at most".to_owned())
}

fn some_time(text: &str) -> Result<Millis, String> {
    time(text).and_then(|time| if time > 0 { Ok(time) } else { Err("the time is 1ms at least".to_owned()) })
}

fn workers(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_WORKERS).contains(number));
    number.ok_or_else(|| format!("1 to {MAX_WORKERS} workers can be searched"))
}

impl Explore {
    /// The recipe that the options say.
    fn recipe(&self) -> Recipe {
        let base = Recipe::default();
        Recipe {
            acquire: self.acquire.unwrap_or(base.acquire),
            renew: self.renew.unwrap_or(base.renew),
            release: self.release.unwrap_or(base.release),
            workers: self.workers,
            ttl: self.ttl,
            work: self.work,
            retry: (self.on_refusal == Refused::Retry).then_some(self.retry),
            fencing: self.fencing,
        }
    }

    /// What is searched, as text, and what it is called in messages.
    fn source(&self) -> Result<(String, String), Failure> {
        match &self.file {
            None => Ok((self.recipe().text(), "the recipe".to_owned())),
            Some(path) => Ok((read(path)?, path.display().to_string())),
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let told = |what: String| Failure::Told(format!("{}: {what}", path.display()));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| told(error.to_string()))?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| told(error.to_string()))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(told(format!("more than {MAX_FILE} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| told("no UTF-8 text".to_owned()))
}

/// Searches; whether every property holds in all states, and what should happen sometimes did.
pub(super) fn explore(wanted: &Explore) -> Result<bool, Failure> {
    let (text, name) = wanted.source()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if wanted.program {
        return print(text).map(|()| true);
    }
    let programs = Programs::parse(text).map_err(|problems| {
        // What comes first often causes the rest.
        let told = problems.len().min(MOST_PROBLEMS);
        let (last, before) = problems[..told].split_last().expect("what is no program has a problem");
        for problem in before {
            complain(&format!("{name}: {problem}"));
        }
        let rest = match problems.len() - told {
            0 => String::new(),
            more => format!(" ({more} more problems)"),
        };
        Failure::Told(format!("{name}: {last}{rest}"))
    })?;
    let faults = Faults { pauses: wanted.pauses, pause: wanted.pause, crashes: wanted.crashes };
    let mut explorer = Explorer::new(&programs, faults, wanted.max_states as usize);
    while !explorer.step(SLICE) {}
    let report = Report::of(&mut explorer);
    if wanted.json {
        let json = serde_json::to_string(&report).expect("a report is plain data");
        print(&format!("{json}\n"))?;
    } else {
        print(&report.told(faults))?;
    }
    Ok(report.finished && report.never.is_empty() && report.properties.iter().all(|told| told.verdict == "holds"))
}

/// What is printed, in the shape of the JSON.
#[derive(Serialize)]
struct Report {
    states: usize,
    finished: bool,
    properties: Vec<Told>,
    /// What should have happened in some schedule and did not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    never: Vec<&'static str>,
}

/// What is said to one property.
#[derive(Serialize)]
struct Told {
    name: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
    #[serde(skip)]
    why: Option<String>,
}

impl Report {
    fn of(explorer: &mut Explorer) -> Self {
        let properties = Property::ALL.map(|property| {
            let verdict = explorer.verdict(property);
            let schedule = explorer.counterexample(property);
            Told {
                name: property.name(),
                verdict: verdict.name(),
                steps: if let Verdict::Broken { steps } = verdict { Some(steps) } else { None },
                why: schedule.as_ref().and_then(|schedule| reason(schedule, property)),
                transcript: schedule.map(|schedule| transcript(&schedule, title)),
            }
        });
        Self {
            states: explorer.progress().states,
            finished: explorer.finished(),
            properties: properties.into(),
            never: explorer.never().into_iter().map(crate::explore::Sometimes::name).collect(),
        }
    }

    /// The same for people: a line for each property, then the schedules.
    fn told(&self, faults: Faults) -> String {
        let states = counted(self.states, "state");
        let mut text = if self.finished {
            format!("{states}, all searched; {}\n", bounds(faults))
        } else {
            format!("{states} searched, and there are more (--max-states); {}\n", bounds(faults))
        };
        // Writing into a String cannot fail.
        for told in &self.properties {
            let _ = match (told.verdict, told.steps) {
                ("holds", _) => writeln!(text, "  {:19} holds in all {states}", told.name),
                (_, Some(steps)) => writeln!(text, "  {:19} broken in {}", told.name, counted(steps, "step")),
                _ => writeln!(text, "  {:19} no violation in {states}, not finished", told.name),
            };
        }
        for never in &self.never {
            let _ = writeln!(text, "  {never}: never, so that what holds says little");
        }
        for told in &self.properties {
            if let Some(transcript) = &told.transcript {
                let why = told.why.as_deref().unwrap_or_default();
                let _ = writeln!(text, "\n// {}: {why}\n{}", told.name, transcript.trim_end());
            }
        }
        text
    }
}

/// What may go wrong, in words.
fn bounds(Faults { pauses, pause, crashes }: Faults) -> String {
    let length = if pauses > 0 { format!(" of {} at most", format_duration(pause)) } else { String::new() };
    format!("{}{length}, {}", counted(pauses.into(), "pause"), counted(crashes.into(), "crash"))
}

fn counted(count: usize, what: &str) -> String {
    let ending = match (count, what.ends_with("sh")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {what}{ending}")
}
