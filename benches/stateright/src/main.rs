//! A second opinion on the explorer, and its speed: `check`, `speed [ROUNDS]`, `growth`.

mod bare;
mod second;
#[path = "../../../tests/explore/table.rs"]
mod table;

use std::process::ExitCode;
use std::time::Instant;

use bare::{Bare, Bytes};
use hotkv_playground::explore::{Explorer, Faults, Locks, Model, Property, Search, Verdict};
use hotkv_playground::worker::{Programs, Recipe};
use second::{Found, INVARIANTS, Second, stuck};
use stateright::{Checker, Model as _};
use table::{Row, rows};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["check"] => check(),
        ["speed"] => speed(5),
        ["speed", rounds] => speed(rounds.parse().unwrap_or(5)),
        ["growth"] => growth(),
        _ => {
            eprintln!("check, speed [ROUNDS], or growth");
            ExitCode::from(2)
        }
    }
}

fn programs(recipe: &Recipe) -> Programs {
    Programs::parse(&recipe.text()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn explored(model: Locks) -> Explorer {
    let mut explorer = Explorer::of(model, usize::MAX);
    while !explorer.step(usize::MAX) {}
    explorer
}

fn steps(explorer: &Explorer, property: Property) -> usize {
    if let Verdict::Broken { steps } = explorer.verdict(property) { steps } else { 0 }
}

/// Holds the explorer to what others find, row by row of the truth table.
fn check() -> ExitCode {
    let mut wrong = 0;
    for (turns, transitions, unique) in [(3, 289, 133), (250, 1_753_001, 752_001)] {
        let bare = Bare { workers: 2, turns };
        let search = searched(Bytes(bare));
        let theirs = bare.checker().threads(1).spawn_bfs().join();
        let both =
            [(search.transitions() as usize, search.states()), (theirs.state_count() - 1, theirs.unique_state_count())];
        println!("bare model, 2 workers, {turns} turns: {both:?}");
        wrong += both.iter().filter(|found| **found != (transitions - 1, unique)).count();
    }
    for Row { name, recipe, faults, states, broken } in rows() {
        let programs = programs(&recipe);
        let model = || Locks::new(&programs, faults);
        let ours = explored(model());
        let found = Found { states: ours.progress().states, broken: INVARIANTS.map(|property| steps(&ours, property)) };
        let theirs = Second::search(model);
        let stuck = [steps(&ours, Property::NoStuckLock), stuck(model())];
        let told = Property::ALL.map(|property| steps(&ours, property));
        let same = found == theirs && stuck[0] == stuck[1] && (found.states, told) == (states, broken);
        println!("{} {name}: {} states, {told:?}", if same { "same" } else { "DIFFERS" }, found.states);
        if !same {
            println!("  theirs: {theirs:?}, stuck lock {}", stuck[1]);
            wrong += 1;
        }
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn searched<M: Model>(model: M) -> Search<M> {
    let mut search = Search::new(model, usize::MAX);
    while !search.step(usize::MAX) {}
    search
}

/// States a second: all that are reached, known or new, as Stateright counts them.
fn speed(rounds: usize) -> ExitCode {
    let bare = Bare { workers: 3, turns: 30 };
    let recipe = |fencing| Recipe { workers: 4, fencing, ..Recipe::default() };
    let plain = programs(&recipe(false));
    let fenced = programs(&recipe(true));
    let faults = Faults { pauses: 2, pause: 60_000, crashes: 2 };
    let few = Faults { crashes: 0, ..faults };
    let mut rates: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        rates[0].push(rate(|| bare.checker().threads(1).spawn_bfs().join().state_count() as u64));
        rates[1].push(rate(|| searched(Bytes(bare)).transitions()));
        rates[2].push(rate(|| explored(Locks::new(&plain, faults)).progress().transitions));
        rates[3].push(rate(|| explored(Locks::new(&fenced, few)).progress().transitions));
    }
    let names = [
        "Stateright, bare model",
        "our search, bare model",
        "explorer, DELEX IFEQ, 4 workers",
        "explorer, the same with fencing",
    ];
    let medians = rates.each_mut().map(|rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    });
    for (name, median) in names.iter().zip(medians) {
        println!("{name:36} {:6.2} M states/s  {:5.2} x", median / 1e6, median / medians[0]);
    }
    ExitCode::SUCCESS
}

fn rate(run: impl FnOnce() -> u64) -> f64 {
    let begun = Instant::now();
    let states = run();
    states as f64 / begun.elapsed().as_secs_f64()
}

/// How states grow, what they take, and what taking like workers as one saves.
fn growth() -> ExitCode {
    println!("workers pauses crashes | states transitions seconds bytes/state | told apart, gain");
    for workers in 2..=4 {
        for (pauses, crashes) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 2)] {
            let programs = programs(&Recipe { workers, ..Recipe::default() });
            let faults = Faults { pauses, pause: 60_000, crashes };
            let begun = Instant::now();
            let progress = explored(Locks::new(&programs, faults)).progress();
            let seconds = begun.elapsed().as_secs_f64();
            let apart = explored(Locks::new(&programs, faults).without_symmetry()).progress().states;
            println!(
                "{workers} {pauses} {crashes} | {} {} {seconds:.3} {:.0} | {apart} {:.1}",
                progress.states,
                progress.transitions,
                progress.bytes as f64 / progress.states as f64,
                apart as f64 / progress.states as f64
            );
        }
    }
    ExitCode::SUCCESS
}
