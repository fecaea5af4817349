//! What the explorer's panel shows, as plain data.

use super::schedule_words::{chip, reason};
use super::{Locale, State};
use crate::explore::{Property, Schedule, Sometimes, Stage, Verdict};

/// The most that is said to be wrong with a program at once: what comes first often causes the rest.
const MOST_PROBLEMS: usize = 8;

/// A step of a schedule, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// The class of the worker's colour.
    pub class: &'static str,
    /// The worker; empty where time passes.
    pub name: String,
    /// What happens.
    pub text: String,
}

/// A property, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictRow {
    /// Which.
    pub property: Property,
    /// `holds`, `broken`, `unfinished`, or `none` before anything was searched.
    pub verdict: &'static str,
    /// The same in words, with how much was searched.
    pub words: String,
    /// The shortest schedule that breaks it.
    pub chips: Vec<Chip>,
    /// Why it does.
    pub why: String,
    /// What the button is called that plays it.
    pub play: String,
}

/// The panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// How much was searched.
    pub count: String,
    /// The properties.
    pub rows: Vec<VerdictRow>,
    /// Whether the verdicts are those of an earlier search.
    pub stale: bool,
    /// How far the search is; empty when none goes on.
    pub progress: String,
    /// What is told when a search has ended.
    pub summary: String,
    /// The program.
    pub program: String,
    /// What is wrong with it, a line each.
    pub problems: String,
    /// What is chosen, by the name of the choice.
    pub choices: Vec<(&'static str, String)>,
}

/// Whole numbers as a language groups them: `41,208`.
fn grouped(locale: &Locale, number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(locale.text("number.group"));
        }
        text.push(digit);
    }
    text
}

/// Reads the panel.
pub fn verdicts(state: &State) -> Verdicts {
    let (locale, explore) = (&state.locale, &state.explore);
    let count = explore.report.as_ref().map_or_else(String::new, |report| {
        let (states, workers) = (grouped(locale, report.states), report.workers.to_string());
        locale.fill("explorer.count", &[("states", &states), ("workers", &workers)])
    });
    let running = explore.running();
    let progress = running.map_or_else(String::new, |(states, stage)| {
        let key = if stage == Stage::LookingBack { "explorer.looking-back" } else { "explorer.searching" };
        locale.fill(key, &[("states", &grouped(locale, states))])
    });
    let problems: Vec<String> = explore
        .problems
        .iter()
        .take(MOST_PROBLEMS)
        .map(|problem| {
            let line = problem.line.to_string();
            locale.fill("explorer.problem", &[("line", &line), ("problem", &problem.message)])
        })
        .collect();
    Verdicts {
        count,
        rows: Property::ALL.into_iter().enumerate().map(|(place, property)| row(state, place, property)).collect(),
        stale: running.is_some(),
        progress,
        summary: if running.is_some() { String::new() } else { summary(state) },
        program: explore.program.clone(),
        problems: problems.join("\n"),
        choices: choices(state),
    }
}

fn row(state: &State, place: usize, property: Property) -> VerdictRow {
    let locale = &state.locale;
    let name = locale.text(&format!("property.{}", property.name())).to_owned();
    let play = locale.fill("explorer.play.of", &[("property", &name)]);
    let Some(report) = &state.explore.report else {
        let words = locale.text("verdict.none").to_owned();
        return VerdictRow { property, verdict: "none", words, chips: Vec::new(), why: String::new(), play };
    };
    let (verdict, schedule) = &report.findings[place];
    let states = grouped(locale, report.states);
    let pause = locale.short_seconds(report.faults.pause);
    let words = match verdict {
        Verdict::Holds if report.faults.pauses > 0 => {
            locale.fill("verdict.holds.pause", &[("states", &states), ("pause", &pause)])
        }
        Verdict::Holds => locale.fill("verdict.holds", &[("states", &states)]),
        Verdict::Broken { steps } => locale.fill("verdict.broken", &[("steps", &steps.to_string())]),
        Verdict::Unfinished => locale.fill("verdict.unfinished", &[("states", &states)]),
    };
    let chips = schedule.iter().flat_map(|schedule| chips(locale, schedule)).collect();
    let why = schedule.as_ref().and_then(|schedule| reason(locale, schedule, property)).unwrap_or_default();
    VerdictRow { property, verdict: verdict.name(), words, chips, why, play }
}

fn chips<'a>(locale: &'a Locale, schedule: &'a Schedule) -> impl Iterator<Item = Chip> + 'a {
    // The colours of the stage, where workers come in the order of the program too.
    const CLASSES: [&str; 6] = ["w-A", "w-B", "w-C", "w-D", "w-E", "w-F"];
    schedule.steps.iter().enumerate().map(move |(index, step)| Chip {
        class: step.worker.map_or("w-0", |worker| CLASSES[worker % CLASSES.len()]),
        name: step.worker.map_or_else(String::new, |worker| schedule.workers[worker].clone()),
        text: chip(locale, schedule, index),
    })
}

/// What is told of a search that has ended, in a sentence or two.
fn summary(state: &State) -> String {
    let Some(report) = &state.explore.report else { return String::new() };
    let broken = report.findings.iter().filter(|(verdict, _)| matches!(verdict, Verdict::Broken { .. })).count();
    let unfinished = report.findings.iter().any(|(verdict, _)| *verdict == Verdict::Unfinished);
    let key = match (broken, unfinished) {
        (_, true) => "explorer.stopped",
        (0, false) => "explorer.all-hold",
        (1, false) => "explorer.one-broken",
        _ => "explorer.some-broken",
    };
    let writes = Property::ALL.iter().position(|property| *property == Property::FencedWrites);
    let hold = writes.and_then(|at| report.findings.get(at)).is_some_and(|(verdict, _)| *verdict == Verdict::Holds);
    let mut told = state.locale.fill(key, &[("count", &broken.to_string())]);
    if hold && report.renews && !report.fenced && report.faults.pauses > 0 {
        told.push(' ');
        told.push_str(state.locale.text("explorer.renews-first"));
    }
    for never in &report.never {
        let key = match never {
            Sometimes::Acquired => "explorer.never-acquired",
            Sometimes::Worked => "explorer.never-worked",
        };
        told.push(' ');
        told.push_str(state.locale.text(key));
    }
    told
}

fn choices(state: &State) -> Vec<(&'static str, String)> {
    let (recipe, faults) = (&state.explore.recipe, &state.explore.faults);
    vec![
        ("acquire", recipe.acquire.name().to_owned()),
        ("renew", recipe.renew.name().to_owned()),
        ("release", recipe.release.name().to_owned()),
        ("workers", recipe.workers.to_string()),
        ("work", recipe.work.to_string()),
        ("retry", recipe.retry.map_or_else(|| "stop".to_owned(), |ms| ms.to_string())),
        ("fencing", recipe.fencing.to_string()),
        ("pause", if faults.pauses > 0 { faults.pause } else { 0 }.to_string()),
        ("crashes", faults.crashes.to_string()),
    ]
}

/// A schedule that plays on the stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaying {
    /// The property that it breaks.
    pub title: String,
    /// Why it does.
    pub why: String,
}

/// What plays on the stage instead of the session.
pub fn replaying(state: &State) -> Option<Replaying> {
    let replay = state.replay.as_ref()?;
    let title = state.locale.text(&format!("property.{}", replay.property.name())).to_owned();
    Some(Replaying { title, why: reason(&state.locale, &replay.schedule, replay.property).unwrap_or_default() })
}
