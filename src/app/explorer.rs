//! Break it: the choices, the search over all schedules of them, and a schedule that plays on the stage.

use std::fmt;

use super::State;
use super::coach::Coach;
use super::msg::{Effect, Panel};
use super::schedule_words::title;
use crate::engine::{Clock, Options};
use crate::explore::{Explorer, Faults, Property, Schedule, Sometimes, Stage, Verdict, transcript};
use crate::player::{Player, Session};
use crate::worker::{Acquire, Problem, Programs, Recipe, Release, Renew, Statement};

/// The most states that a page keeps: some 30 MB.
const MAX_STATES: usize = 300_000;
/// What may go wrong as long as nothing else is chosen.
const DEFAULT_FAULTS: Faults = Faults { pauses: 1, pause: 60_000, crashes: 0 };

/// How fast a schedule plays.
const REPLAY_SPEED: u32 = 10;

/// What can happen to the explorer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExploreMsg {
    /// Something else is chosen: which choice, and what. The search begins anew.
    Choose(String, String),
    /// The program is edited.
    Program(String),
    /// The search begins.
    Run,
    /// It goes on by so many states.
    Slice(usize),
    /// It ends before it has seen all.
    Cancel,
    /// The schedule that breaks a property plays on the stage.
    Play(Property),
    /// The session that was there before comes back.
    Back,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// For each property, in the order of [`Property::ALL`], the verdict and the shortest schedule that breaks it.
    pub(super) findings: Vec<(Verdict, Option<Schedule>)>,
    pub(super) states: usize,
    pub(super) workers: usize,
    pub(super) faults: Faults,
    pub(super) never: Vec<Sometimes>,
    /// Whether a program renews its lock.
    pub(super) renews: bool,
    /// Whether one sends fencing numbers along.
    pub(super) fenced: bool,
}

/// A schedule on the stage, and the session that it took the place of.
#[derive(Debug)]
pub(super) struct Replay {
    pub(super) property: Property,
    pub(super) schedule: Schedule,
    /// The session, and who was typing in it.
    pub(super) before: (Player, String),
}

/// The explorer of the page.
#[derive(Debug)]
pub(super) struct Explore {
    pub(super) recipe: Recipe,
    pub(super) faults: Faults,
    /// The program as it stands in the page.
    pub(super) program: String,
    /// What is wrong with it.
    pub(super) problems: Vec<Problem>,
    /// The search that goes on.
    search: Option<Running>,
    /// What the last one found.
    pub(super) report: Option<Report>,
}

/// A search that goes on.
struct Running {
    explorer: Explorer,
    programs: Programs,
    faults: Faults,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("progress", &self.explorer.progress()).finish_non_exhaustive()
    }
}

impl Default for Explore {
    fn default() -> Self {
        let recipe = Recipe { release: Release::Del, ..Recipe::default() };
        let program = recipe.text();
        Self { recipe, faults: DEFAULT_FAULTS, program, problems: Vec::new(), search: None, report: None }
    }
}

impl Explore {
    /// How many states are known to the search that goes on.
    pub(super) fn running(&self) -> Option<(usize, Stage)> {
        let progress = self.search.as_ref()?.explorer.progress();
        Some((progress.states, progress.stage))
    }

    /// Takes a choice by the words that the page has for it; one that it does not have changes nothing.
    fn choose(&mut self, choice: &str, value: &str) -> Option<()> {
        let number = || value.parse().ok();
        let Self { recipe, faults, .. } = self;
        match choice {
            "acquire" => recipe.acquire = Acquire::ALL.into_iter().find(|way| way.name() == value)?,
            "renew" => recipe.renew = Renew::ALL.into_iter().find(|way| way.name() == value)?,
            "release" => recipe.release = Release::ALL.into_iter().find(|way| way.name() == value)?,
            "workers" => recipe.workers = value.parse().ok()?,
            "work" => recipe.work = number()?,
            "retry" => recipe.retry = if value == "stop" { None } else { Some(number()?) },
            "fencing" => recipe.fencing = value == "true",
            "pause" => {
                faults.pause = number()?;
                faults.pauses = u8::from(faults.pause > 0);
                return Some(());
            }
            "crashes" => {
                faults.crashes = value.parse().ok()?;
                return Some(());
            }
            _ => return None,
        }
        self.program = recipe.text();
        Some(())
    }

    fn run(&mut self) {
        (self.search, self.problems) = (None, Vec::new());
        match Programs::parse(&self.program) {
            Err(problems) => (self.problems, self.report) = (problems, None),
            Ok(programs) => {
                let explorer = Explorer::new(&programs, self.faults, MAX_STATES);
                self.search = Some(Running { explorer, programs, faults: self.faults });
            }
        }
    }

    fn slice(&mut self, states: usize) {
        if self.search.as_mut().is_some_and(|running| running.explorer.step(states)) {
            self.end();
        }
    }

    /// Ends the search with what it knows.
    fn end(&mut self) {
        let Some(Running { mut explorer, programs, faults }) = self.search.take() else { return };
        let findings = Property::ALL.map(|property| (explorer.verdict(property), explorer.counterexample(property)));
        let (states, never) = (explorer.progress().states, explorer.never());
        let statements = || programs.teams().iter().flat_map(|team| &team.statements);
        self.report = Some(Report {
            findings: findings.into(),
            states,
            workers: programs.workers().count(),
            faults,
            never,
            renews: statements().any(|statement| matches!(statement, Statement::Renew { .. })),
            fenced: statements().any(|statement| matches!(statement, Statement::Write { fenced: true })),
        });
    }

    /// The schedule that breaks a property.
    pub(super) fn schedule(&self, property: Property) -> Option<&Schedule> {
        let place = Property::ALL.iter().position(|other| *other == property)?;
        self.report.as_ref()?.findings.get(place)?.1.as_ref()
    }
}

/// Handles what happens to the explorer.
pub(super) fn update(state: &mut State, msg: ExploreMsg) -> Option<Effect> {
    match msg {
        ExploreMsg::Choose(choice, value) => {
            if state.explore.choose(&choice, &value).is_some() {
                state.explore.run();
            }
        }
        ExploreMsg::Program(text) => {
            state.explore.program = text;
            state.explore.problems.clear();
        }
        ExploreMsg::Run => state.explore.run(),
        ExploreMsg::Slice(states) => state.explore.slice(states),
        ExploreMsg::Cancel => state.explore.end(),
        ExploreMsg::Play(property) => {
            play(state, property);
            return Some(Effect::ShowStage);
        }
        ExploreMsg::Back => back(state),
    }
    None
}

/// Puts a schedule on the stage, as a session like any other.
fn play(state: &mut State, property: Property) {
    let Some(schedule) = state.explore.schedule(property).cloned() else { return };
    let player = player_of(state, &schedule, property);
    let shown = std::mem::replace(&mut state.player, player);
    let before = match state.replay.take() {
        Some(replay) => replay.before,
        None => (shown, state.client.clone()),
    };
    state.replay = Some(Replay { property, schedule, before });
    state.fresh();
    state.client = state.first_client();
    // It is watched at once; most of its time nothing happens.
    (state.playing, state.speed) = (true, REPLAY_SPEED);
    state.choose(Panel::Steps, true);
}

/// Brings back the session that was there before.
fn back(state: &mut State) {
    let Some(Replay { before: (player, client), .. }) = state.replay.take() else { return };
    state.fresh();
    (state.player, state.client, state.speed) = (player, client, 1);
}

/// The schedule as a session, with its first step done.
fn player_of(state: &State, schedule: &Schedule, property: Property) -> Player {
    let mut text = transcript(schedule, |schedule, step| title(&state.locale, schedule, step));
    if property == Property::MutualExclusion {
        // Two are inside from the last step on; a moment later it can be seen.
        text.push_str("+2s\n");
    }
    let (session, _) = Session::parse(&text);
    let mut player = Player::new(session, Options { clock: Clock::Ticking, ..Options::default() });
    player.go_to_step(0);
    player
}

/// Tells a schedule on the stage in the language that is spoken now. One that was edited stays as it is.
pub(super) fn retell(state: &mut State) {
    let Some(replay) = state.replay.as_ref().filter(|_| state.player.typed() == 0) else { return };
    let at = state.player.now();
    let mut player = player_of(state, &replay.schedule, replay.property);
    player.seek(at);
    state.player = player;
    state.coach = Coach::default();
}
