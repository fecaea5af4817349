//! The explorer: what is true of each recipe, with exact counts; shortest schedules against a naive search; transcripts
//! that are true; slices, limits, and what is no program.

#[path = "explore/cases.rs"]
mod cases;
#[path = "explore/grid.rs"]
mod grid;
#[path = "explore/input.rs"]
mod input;
#[path = "explore/naive.rs"]
mod naive;
#[path = "explore/random.rs"]
mod random;
#[path = "explore/table.rs"]
mod table;
#[path = "explore/toys.rs"]
mod toys;

use hotkv_playground::engine::Options;
use hotkv_playground::explore::{Explorer, Faults, Locks, Property, Schedule, Stage, Verdict, Why, transcript};
use hotkv_playground::player::{Player, Session, overlaps, stays};
use hotkv_playground::transcript::{check, parse};
use hotkv_playground::worker::{Programs, Recipe, Release};
use naive::Naive;
use table::{PAUSE, Row, rows};

fn programs(text: &str) -> Programs {
    Programs::parse(text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

fn explored(programs: &Programs, faults: Faults) -> Explorer {
    let mut explorer = Explorer::new(programs, faults, 1_000_000);
    while !explorer.step(1_000) {}
    explorer
}

/// The lengths of the shortest schedules that break the properties; 0: none does.
fn steps(explorer: &Explorer) -> [usize; 5] {
    Property::ALL.map(|property| match explorer.verdict(property) {
        Verdict::Broken { steps } => steps,
        Verdict::Holds => 0,
        Verdict::Unfinished => panic!("{} is not known", property.name()),
    })
}

#[test]
fn the_truth_table() {
    let mut wrong = Vec::new();
    for Row { name, recipe, faults, states, broken } in rows() {
        let explorer = explored(&programs(&recipe.text()), faults);
        assert_eq!(explorer.never(), [], "{name}");
        let found = (explorer.progress().states, steps(&explorer));
        if found != (states, broken) {
            wrong.push(format!("{name}: {found:?} instead of {:?}", (states, broken)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn schedules_are_shortest_and_states_are_all() {
    for Row { name, recipe, faults, states, broken } in rows() {
        let programs = programs(&recipe.text());
        let naive = Naive::search(Locks::new(&programs, faults));
        assert_eq!((naive.states(), naive.steps()), (states, broken), "{name}");
        // Telling workers apart that are alike finds more states and nothing else.
        let apart = Naive::search(Locks::new(&programs, faults).without_symmetry());
        assert!(apart.states() > states, "{name}");
        assert_eq!(apart.steps(), broken, "{name}");
    }
}

/// A word or two, as a title of each step.
fn title(schedule: &Schedule, index: usize) -> Option<String> {
    Some(format!("{index}: {:?}", schedule.steps[index].kind))
}

#[test]
fn transcripts_of_counterexamples_are_true() {
    let mut checked = 0;
    for Row { name, recipe, faults, .. } in rows() {
        let mut explorer = explored(&programs(&recipe.text()), faults);
        for property in Property::ALL {
            let Some(schedule) = explorer.counterexample(property) else { continue };
            let Verdict::Broken { steps } = explorer.verdict(property) else { panic!("{name}") };
            assert_eq!(schedule.steps.len(), steps, "{name}");
            let why = schedule.why(property).unwrap_or_else(|| panic!("{name}: {} has no reason", property.name()));
            let text = transcript(&schedule, title);
            let (records, diagnostics) = parse(&text);
            assert_eq!((diagnostics, check(&records)), (Vec::new(), Vec::new()), "{name}\n{text}");
            assert_eq!(transcript(&schedule, |_, _| None).matches("# ").count(), 0);
            let mut player = Player::new(Session::parse(&text).0, Options::default());
            player.go_to_end();
            let overlaps = overlaps(&stays(player.log(), player.now()));
            if let Why::TwoInside { inside, came, .. } = why {
                let clients = [&schedule.workers[inside], &schedule.workers[came]];
                assert!(overlaps.iter().any(|overlap| overlap.clients.each_ref() == clients), "{name}\n{text}");
            }
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn slices_of_any_size_end_alike() {
    let recipe = Recipe { release: Release::GetDel, ..Recipe::default() };
    let programs = programs(&recipe.text());
    let faults = Faults { pauses: 1, pause: PAUSE, crashes: 1 };
    let end = |budget: usize| {
        let mut explorer = Explorer::new(&programs, faults, 1_000_000);
        let mut last = explorer.progress();
        while !explorer.step(budget) {
            let now = explorer.progress();
            assert!(now.states >= last.states && (now.visited > last.visited || now.stage == Stage::LookingBack));
            last = now;
        }
        let schedules = Property::ALL.map(|property| explorer.counterexample(property));
        (explorer.progress().states, explorer.progress().transitions, steps(&explorer), schedules)
    };
    let whole = end(usize::MAX);
    for budget in [1, 7, 1_000] {
        assert_eq!(end(budget), whole, "{budget}");
    }
}

#[test]
fn a_limit_leaves_open_what_is_not_broken() {
    let programs = programs(&Recipe::default().text());
    let faults = Faults { pauses: 1, pause: PAUSE, crashes: 0 };
    for limit in [1, 2, 100, 400] {
        let mut explorer = Explorer::new(&programs, faults, limit);
        while !explorer.step(10) {}
        assert_eq!((explorer.progress().states, explorer.progress().stage), (limit, Stage::Stopped));
        assert!(!explorer.finished());
        assert_eq!(explorer.verdict(Property::NoForeignRelease), Verdict::Unfinished);
        assert_eq!(explorer.verdict(Property::NoStuckLock), Verdict::Unfinished);
        // What was broken stays so.
        let exclusion = if limit < 100 { Verdict::Unfinished } else { Verdict::Broken { steps: 6 } };
        assert_eq!(explorer.verdict(Property::MutualExclusion), exclusion, "{limit}");
    }
}
