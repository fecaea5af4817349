//! The picture of time, as numbers and words: lanes, marks, the lock's bar and the window on them.
//!
//! Times are seconds since the start of the session. The document turns them into places; only what must be known to
//! keep labels apart is reckoned in pixels here.

use super::lock::{LeaseEnd, Story};
use super::{State, view};
use crate::engine::{ClientId, Event, EventKind, Millis, format_seconds};
use crate::player::{Item, Kind, Played, What};
use crate::transcript::{Act, PLAIN_CLIENT};

/// The least that the window spans, in milliseconds.
const MIN_SPAN: Millis = 10_000;
/// The most ticks on the axis.
const MAX_TICKS: Millis = 14;
/// Room for a label on the axis beside its digits, and for a digit, in pixels.
const TICK_PX: f64 = 20.0;
const DIGIT_PX: f64 = 7.0;
/// Half the width of the flag at now, and of the flag at the deadline, with room for half a tick's label.
const NOW_FLAG_PX: f64 = 36.0;
const DEADLINE_FLAG_PX: f64 = 64.0;
/// Width of one character of a mark's flag, of its number, and of the space around it.
const CHAR_PX: f64 = 7.3;
const NUMBER_PX: f64 = 18.0;
const PADDING_PX: f64 = 12.0;
/// Marks nearer to each other than this show one flag.
const CROWD_PX: f64 = 14.0;
/// Width of the words in the part of a bar that is still to come, and of a bar's badge with the space around it.
const CHIP_PX: f64 = 104.0;
const BADGE_PX: f64 = 44.0;
/// Room that the deadline's flag needs between the playhead's and the edge.
const DEADLINE_ROOM_PX: f64 = 2.0 * DEADLINE_FLAG_PX + NOW_FLAG_PX;
/// How much of a command is read for its flag, in bytes.
const MAX_HEAD: usize = 400;
/// How near the playhead may come to an old deadline before the time left takes the room of the words there.
const WAS_PX: f64 = 110.0;

/// What came of a command, as its cap shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The lock is taken.
    Grant,
    /// It was not, because somebody holds it or nobody does.
    Refuse,
    /// Its value or time left was read.
    Read,
    /// Its deadline moved.
    Renew,
    /// It was given up.
    Release,
    /// A wrong token: nothing changed.
    Wrong,
    /// There is no lock to release or renew.
    Missing,
    /// Another's lock was deleted.
    Foreign,
    /// Another's deadline was moved.
    ForeignRenew,
    /// Another's lock was overwritten.
    Overwrite,
    /// The command did nothing to the lock that is shown.
    Other,
    /// It is still to come.
    Planned,
}

impl Outcome {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grant => "grant",
            Self::Refuse => "refuse",
            Self::Read => "read",
            Self::Renew => "renew",
            Self::Release => "release",
            Self::Wrong => "wrong",
            Self::Missing => "missing",
            Self::Foreign => "foreign",
            Self::ForeignRenew => "foreign-renew",
            Self::Overwrite => "overwrite",
            Self::Other => "other",
            Self::Planned => "planned",
        }
    }

    fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::Granted { .. } => Self::Grant,
            EventKind::Overwritten { .. } => Self::Overwrite,
            EventKind::Refused { .. } => Self::Refuse,
            EventKind::WrongToken { .. } => Self::Wrong,
            EventKind::Missed { .. } => Self::Missing,
            EventKind::Read { .. } => Self::Read,
            EventKind::Renewed { client, holder, by_token, .. } if client != holder && !by_token => Self::ForeignRenew,
            EventKind::Renewed { .. } => Self::Renew,
            EventKind::Released { .. } => Self::Release,
            EventKind::DeletedByAnother { .. } => Self::Foreign,
            EventKind::Expired { .. } => Self::Other,
        }
    }
}

/// How much of a mark's flag there is room for; each drops one thing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All of it.
    Full,
    /// Without the word for the outcome.
    NoOutcome,
    /// Without the second option.
    NoSecondOption,
    /// Without options.
    NoOption,
    /// Without its number.
    NoNumber,
    /// The verb alone.
    Verb,
    /// Nothing: another command stands at nearly the same instant.
    None,
}

impl Fit {
    /// From most to least that shows anything.
    const SHOWING: [Self; 6] =
        [Self::Full, Self::NoOutcome, Self::NoSecondOption, Self::NoOption, Self::NoNumber, Self::Verb];

    /// Its name in the document.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::NoOutcome => "no-outcome",
            Self::NoSecondOption => "no-opt2",
            Self::NoOption => "no-opt",
            Self::NoNumber => "no-n",
            Self::Verb => "verb",
            Self::None => "none",
        }
    }
}

/// One command on a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// When.
    pub t: f64,
    /// The same in milliseconds, to go there.
    pub at: Millis,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether the reader added it.
    pub typed: bool,
    /// Whether it is the last thing that a client did.
    pub current: bool,
    /// The step's number, `›` when typed, else nothing.
    pub number: String,
    /// The command's name.
    pub verb: String,
    /// Its first option.
    pub option: String,
    /// Its other options.
    pub options: String,
    /// The reply, cut short.
    pub reply: String,
    /// The outcome in a word.
    pub word: String,
    /// The whole in one sentence.
    pub label: String,
    /// How much of it there is room for.
    pub fit: Fit,
    /// Whether the flag stands left of the stem.
    pub left: bool,
    /// Whether the flag stands a line nearer to the lock, out of the way of the one before.
    pub low: bool,
}

/// A stretch of a worker's life.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// From when.
    pub t: f64,
    /// For how long.
    pub d: f64,
    /// Whether the worker is paused in it; else it is inside the critical section.
    pub paused: bool,
    /// Whether it is still to come.
    pub planned: bool,
    /// What stands in it; empty where there is no room.
    pub label: String,
}

/// One worker's lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Its colour, shape and letter.
    pub badge: view::Badge,
    /// The worker's name as shown.
    pub name: String,
    /// What its list of commands is called.
    pub label: String,
    /// What it is doing.
    pub state: String,
    /// How many lanes lie between it and the lock.
    pub reach: usize,
    /// Critical sections and pauses.
    pub sections: Vec<Section>,
    /// When it crashed.
    pub crashes: Vec<f64>,
    /// Where its life ends: at a crash from which it has not come back.
    pub life: Option<f64>,
    /// Its commands, in order.
    pub marks: Vec<Mark>,
}

/// One bar of the lock.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// From when.
    pub t: f64,
    /// For how long: to its end, to its deadline, or to the end of the window.
    pub d: f64,
    /// The holder's colour, shape and letter.
    pub badge: view::Badge,
    /// The token.
    pub token: String,
    /// How it ended.
    pub end: LeaseEnd,
    /// The time left in words, while it goes on.
    pub left: String,
    /// Whether that is a time, rather than words.
    pub timed: bool,
    /// Whether under a fifth of its time is left.
    pub soon: bool,
    /// Whether its deadline lies outside the window.
    pub off: bool,
    /// Whether there is room for the time left.
    pub roomy: bool,
    /// Old deadlines that were moved on.
    pub was: Vec<Was>,
}

/// A deadline that was moved on.
#[derive(Clone, Debug, PartialEq)]
pub struct Was {
    /// When it was.
    pub t: f64,
    /// How far it moved, or how far of that the bar reaches.
    pub d: f64,
    /// The same in words; empty when there is no room for them.
    pub by: String,
}

/// A label on the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// When.
    pub t: f64,
    /// The label.
    pub text: String,
    /// Whether a flag covers it.
    pub quiet: bool,
}

/// The whole picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The window's length; it begins at 0.
    pub span: f64,
    /// The playhead.
    pub now: f64,
    /// The playhead's flag.
    pub now_text: String,
    /// The deadline of the lock that is held, and whether it lies in the window.
    pub due: Option<(f64, bool)>,
    /// The deadline's flag.
    pub due_text: String,
    /// Whether that flag stands left of the playhead's, for lack of room on the right.
    pub due_left: bool,
    /// Labels on the axis.
    pub ticks: Vec<Tick>,
    /// Lanes above the lock, the outermost first.
    pub above: Vec<Lane>,
    /// Lanes below the lock, the nearest first.
    pub below: Vec<Lane>,
    /// The lock's name.
    pub lock: String,
    /// Who holds it, in words.
    pub lock_state: String,
    /// Its bars.
    pub leases: Vec<Lease>,
    /// From when to when it was free after it was held once.
    pub free: Vec<(f64, f64)>,
}

/// Draws the picture for a plot so many pixels wide.
pub fn stage(state: &State, plot_px: f64) -> Stage {
    let story = Story::of(state);
    let player = state.player();
    let now = player.now();
    let span_ms = window(player.end().max(now));
    let scale = Scale { px_per_ms: plot_px.max(1.0) / span_ms as f64, plot_px };
    let live = story.live();
    let deadline = live.and_then(|holding| holding.deadline);
    let due = deadline.map(|deadline| (seconds(deadline), deadline <= span_ms));
    let due_text = deadline.map_or_else(String::new, |deadline| {
        format!("{}{}", format_seconds(deadline), if deadline <= span_ms { "" } else { " ›" })
    });

    let schedule = player.schedule();
    let lanes = lanes(state, &story, &schedule, &scale);
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (index, lane) in lanes.into_iter().enumerate() {
        if index % 2 == 0 { above.insert(0, lane) } else { below.push(lane) }
    }

    Stage {
        span: seconds(span_ms),
        now: seconds(now),
        now_text: format_seconds(now),
        due,
        due_text,
        due_left: deadline.is_some() && scale.px(span_ms - now) < DEADLINE_ROOM_PX,
        ticks: ticks(span_ms, now, deadline, &scale),
        above,
        below,
        lock: view::lock_name(state, &story),
        lock_state: match (live, &story.key) {
            (Some(holding), _) => {
                state.locale.fill("lock.held", &[("name", state.player().runner().name(holding.holder))])
            }
            (None, Some(_)) => state.locale.text("lock.free").to_owned(),
            (None, None) => String::new(),
        },
        leases: leases(state, &story, span_ms, &scale),
        free: free(&story, now),
    }
}

/// How milliseconds become pixels.
struct Scale {
    px_per_ms: f64,
    plot_px: f64,
}

impl Scale {
    fn px(&self, ms: Millis) -> f64 {
        ms as f64 * self.px_per_ms
    }
}

fn seconds(ms: Millis) -> f64 {
    ms as f64 / 1_000.0
}

/// The window that holds a session of that length: whole ticks, with room for the last flag at the end.
fn window(end: Millis) -> Millis {
    let wanted = end.saturating_add(end / 12).max(MIN_SPAN);
    let tick = tick_for(wanted, MAX_TICKS);
    wanted.checked_add(tick - 1).map_or(Millis::MAX, |wanted| wanted / tick * tick)
}

/// The smallest round distance that needs no more than so many ticks.
fn tick_for(span: Millis, ticks: Millis) -> Millis {
    const SECOND: Millis = 1_000;
    const ROUND: [Millis; 15] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
    let enough = |tick: &Millis| span / tick <= ticks;
    let round = ROUND.map(|round| round * SECOND);
    let last = round[round.len() - 1];
    // Past a day, days by powers of two: any 64-bit time needs a few dozen doublings at most.
    round
        .into_iter()
        .find(enough)
        .or_else(|| std::iter::successors(Some(last), |tick| tick.checked_mul(2)).find(enough))
        .unwrap_or(Millis::MAX)
}

fn ticks(span: Millis, now: Millis, deadline: Option<Millis>, scale: &Scale) -> Vec<Tick> {
    let label_px = TICK_PX + (span / 1_000).to_string().len() as f64 * DIGIT_PX;
    let room = ((scale.plot_px / label_px) as Millis).clamp(2, MAX_TICKS);
    let step = tick_for(span, room);
    let near = |at: Millis, flag: Millis, px: f64| (scale.px(at) - scale.px(flag)).abs() < px;
    // A deadline's flag keeps clear of the playhead's, on whichever side has room.
    let (clear, room) = (DEADLINE_FLAG_PX + NOW_FLAG_PX, DEADLINE_ROOM_PX);
    let (clear, room) = ((clear / scale.px_per_ms) as Millis, (room / scale.px_per_ms) as Millis);
    let due = deadline.map(|deadline| {
        let due = deadline.min(span);
        if span - now < room { due.min(now.saturating_sub(clear)) } else { due.max(now.saturating_add(clear)) }
    });
    (0..=span / step)
        .map(|n| n * step)
        .map(|at| Tick {
            t: seconds(at),
            text: (at / 1_000).to_string(),
            quiet: near(at, now, NOW_FLAG_PX) || due.is_some_and(|due| near(at, due, DEADLINE_FLAG_PX)),
        })
        .collect()
}

fn leases(state: &State, story: &Story, span: Millis, scale: &Scale) -> Vec<Lease> {
    let now = state.player().now();
    story
        .holdings
        .iter()
        .map(|holding| {
            let name = state.player().runner().name(holding.holder);
            let stop = holding.stop.or(holding.deadline).unwrap_or(span.saturating_add(1));
            let left = holding.deadline.map(|deadline| deadline - now);
            // Badge and token reach into what is still to come while little time has passed.
            let token = view::visible_bytes(&holding.token);
            let tag_px = BADGE_PX + token.chars().count() as f64 * (CHAR_PX + 0.7);
            Lease {
                t: seconds(holding.start),
                d: seconds(stop.min(span.saturating_add(1)) - holding.start),
                badge: view::badge(state, name),
                token,
                end: holding.end,
                left: match left {
                    _ if holding.end != LeaseEnd::Live => String::new(),
                    Some(left) => format!("{} s", format_seconds(left)),
                    None => state.locale.text("lock.forever").to_owned(),
                },
                timed: left.is_some(),
                soon: left
                    .is_some_and(|left| holding.deadline.is_some_and(|deadline| left < (deadline - holding.since) / 5)),
                off: holding.end == LeaseEnd::Live && stop > span,
                roomy: scale.px(stop.min(span) - now) >= CHIP_PX + (tag_px - scale.px(now - holding.start)).max(0.0),
                was: holding
                    .moved
                    .iter()
                    // What lies past the bar's end was taken back by a shorter deadline, or by its end.
                    .filter(|(before, after)| before < after && *before < stop.min(span))
                    .map(|(before, after)| {
                        let roomy = scale.px(before - now) >= WAS_PX;
                        let by =
                            if roomy { format!("+{} s", view::short_seconds(after - before)) } else { String::new() };
                        Was { t: seconds(*before), d: seconds(after.min(&stop) - before), by }
                    })
                    .collect(),
            }
        })
        .collect()
}

/// The stretches without a holder after the first one.
fn free(story: &Story, now: Millis) -> Vec<(f64, f64)> {
    let starts = story.holdings.iter().skip(1).map(|holding| holding.start).chain([now]);
    story
        .holdings
        .iter()
        .zip(starts)
        .filter_map(|(holding, next)| holding.stop.filter(|stop| *stop < next).map(|stop| (stop, next)))
        .map(|(from, to)| (seconds(from), seconds(to - from)))
        .collect()
}

fn lanes(state: &State, story: &Story, schedule: &[Millis], scale: &Scale) -> Vec<Lane> {
    let player = state.player();
    let mut names: Vec<&str> = player.workers().iter().map(String::as_str).collect();
    let plain_acted = player.log().iter().any(|entry| match &entry.what {
        What::Command(played) => {
            played.client == PLAIN_CLIENT && !matches!(outcome(played, story), Outcome::Other | Outcome::Read)
        }
        _ => false,
    });
    if plain_acted {
        names.push(PLAIN_CLIENT);
    }
    names
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let life = Life::of(state, name, schedule, scale);
            let doing = life.doing();
            let mut marks = marks(state, story, name, schedule);
            fit(&mut marks, scale);
            let shown = view::worker_name(state, name);
            Lane {
                badge: view::badge(state, name),
                label: state.locale.fill("worker.commands", &[("worker", &shown)]),
                name: shown,
                state: lane_state(state, story, name, doing),
                reach: index / 2,
                life: life.dead.map(seconds),
                sections: life.sections,
                crashes: life.crashes,
                marks,
            }
        })
        .collect()
}

/// What a worker is doing outside the store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    Working,
    Paused,
    Crashed,
}

fn lane_state(state: &State, story: &Story, name: &str, doing: Doing) -> String {
    let player = state.player();
    let last = player.log().iter().rev().find_map(|entry| match &entry.what {
        What::Command(played) if played.client == name => Some(outcome(played, story)),
        _ => None,
    });
    let holds = story.live().is_some_and(|holding| player.runner().name(holding.holder) == name);
    let key = match doing {
        Doing::Crashed => "worker.crashed",
        Doing::Paused => "worker.paused",
        Doing::Working => "worker.working",
        Doing::Nothing if holds => "worker.holds",
        Doing::Nothing if last == Some(Outcome::Refuse) => "worker.refused",
        Doing::Nothing => "worker.idle",
    };
    state.locale.text(key).to_owned()
}

/// A worker's life so far, as the log tells it in order.
#[derive(Default)]
struct Life {
    sections: Vec<Section>,
    entered: Option<Millis>,
    paused: Option<Millis>,
    /// When it crashed, while it has not come back since.
    dead: Option<Millis>,
    crashes: Vec<f64>,
}

impl Life {
    fn of(state: &State, name: &str, schedule: &[Millis], scale: &Scale) -> Self {
        let player = state.player();
        let mut life = Self::default();
        for entry in player.log() {
            match &entry.what {
                // A worker that sends a command after a crash was started anew.
                What::Command(played) if played.client == name => life.dead = None,
                What::Act { client, act, .. } if client == name => life.act(act, entry.at, state, scale),
                _ => {}
            }
        }
        let now = player.now();
        life.end_section(now, state, scale);
        if let Some(from) = life.paused {
            life.push(from, now, true, state, scale);
        }
        if life.entered.is_some() {
            life.plan(state, name, schedule, now);
        }
        life
    }

    fn act(&mut self, act: &Act, at: Millis, state: &State, scale: &Scale) {
        match act {
            Act::Enter(_) => self.entered = self.entered.or(Some(at)),
            Act::Leave(_) => {
                self.end_section(at, state, scale);
                self.entered = None;
            }
            Act::Pause => self.paused = self.paused.or(Some(at)),
            Act::Resume => {
                if let Some(from) = self.paused.take() {
                    self.push(from, at, true, state, scale);
                }
            }
            Act::Crash => {
                self.end_section(at, state, scale);
                if let Some(from) = self.paused.take() {
                    self.push(from, at, true, state, scale);
                }
                self.entered = None;
                self.dead = Some(at);
                self.crashes.push(seconds(at));
            }
        }
    }

    /// Draws the open critical section up to an instant.
    fn end_section(&mut self, at: Millis, state: &State, scale: &Scale) {
        if let Some(from) = self.entered {
            self.push(from, at, false, state, scale);
        }
    }

    fn push(&mut self, from: Millis, to: Millis, paused: bool, state: &State, scale: &Scale) {
        // What has only just begun has no width to draw.
        if to > from {
            let label = state.locale.text(if paused { "section.paused" } else { "section.inside" });
            let roomy = label.chars().count() as f64 * CHAR_PX + PADDING_PX <= scale.px(to - from);
            let label = if roomy { label.to_owned() } else { String::new() };
            self.sections.push(Section { t: seconds(from), d: seconds(to - from), paused, planned: false, label });
        }
    }

    /// Draws what is still planned of the open critical section.
    fn plan(&mut self, state: &State, name: &str, schedule: &[Millis], now: Millis) {
        let player = state.player();
        let leaves =
            |item: &Item| matches!(&item.kind, Kind::Act { client, act: Act::Leave(_) | Act::Crash } if client == name);
        let mut rest = player.items().iter().zip(schedule).skip(player.position().index);
        if let Some((_, &to)) = rest.find(|(item, _)| leaves(item)) {
            let (t, d) = (seconds(now), seconds(to - now));
            self.sections.push(Section { t, d, paused: false, planned: true, label: String::new() });
        }
    }

    fn doing(&self) -> Doing {
        match (self.dead, self.paused, self.entered) {
            (Some(_), _, _) => Doing::Crashed,
            (_, Some(_), _) => Doing::Paused,
            (_, _, Some(_)) => Doing::Working,
            _ => Doing::Nothing,
        }
    }
}

/// The event of a command that the lock shown is about: a change rather than a look.
fn telling<'a>(played: &'a Played, story: &Story) -> Option<&'a Event> {
    let about = |event: &&Event| story.key.as_ref().is_some_and(|(db, key)| event.db == *db && event.key == *key);
    let changed = |event: &&Event| !matches!(event.kind, EventKind::Read { .. });
    let mut events = played.events.iter().filter(about);
    events.clone().rev().find(changed).or_else(|| events.next_back())
}

/// What came of a command for the lock that is shown.
pub(super) fn outcome(played: &Played, story: &Story) -> Outcome {
    telling(played, story).map_or(Outcome::Other, |event| Outcome::of(&event.kind))
}

/// Whose lock a command hit, where it hit another's.
pub(super) fn victim(played: &Played, story: &Story) -> Option<ClientId> {
    match telling(played, story)?.kind {
        EventKind::DeletedByAnother { holder, .. }
        | EventKind::Overwritten { holder, .. }
        | EventKind::Renewed { holder, .. } => Some(holder),
        _ => None,
    }
}

fn marks(state: &State, story: &Story, name: &str, schedule: &[Millis]) -> Vec<Mark> {
    let player = state.player();
    let last = player.log().iter().rposition(|entry| matches!(entry.what, What::Command(_)));
    let mut marks = Vec::new();
    for (index, entry) in player.log().iter().enumerate() {
        if let What::Command(played) = &entry.what
            && played.client == name
        {
            marks.push(played_mark(state, story, entry.at, played, Some(index) == last));
        }
    }
    for (item, &at) in player.items().iter().zip(schedule).skip(player.position().index) {
        if let Kind::Command { client, line, .. } = &item.kind
            && client == name
        {
            marks.push(planned_mark(state, at, name, line, item));
        }
    }
    marks
}

fn played_mark(state: &State, story: &Story, at: Millis, played: &Played, current: bool) -> Mark {
    let outcome = outcome(played, story);
    let word = match outcome {
        Outcome::Refuse => "word.refused",
        Outcome::Release => "word.released",
        Outcome::Wrong => "word.wrong",
        Outcome::Missing => "word.missing",
        Outcome::Foreign | Outcome::ForeignRenew => "word.foreign",
        Outcome::Overwrite => "word.overwrite",
        _ => "",
    };
    let word = match (word, telling(played, story).map(|event| &event.kind)) {
        ("", Some(EventKind::Renewed { before: Some(before), after: Some(after), .. })) => {
            format!("{}{} s", if after >= before { "+" } else { "" }, view::short_seconds(after - before))
        }
        ("", _) => String::new(),
        (word, _) => state.locale.text(word).to_owned(),
    };
    let worker = view::worker_name(state, &played.client);
    let (seconds_text, step) = (format_seconds(at), played.step.map(|step| (step + 1).to_string()));
    let victim = victim(played, story).map_or("", |holder| state.player().runner().name(holder));
    let reply = view::shortened(&played.reply);
    let said = state.locale.fill(&format!("outcome.{}", outcome.name()), &[("reply", &reply), ("holder", victim)]);
    let form = match (&step, played.typed) {
        (Some(_), false) => "mark.step",
        (None, false) => "mark.plain",
        (_, true) => "mark.typed",
    };
    let label = state.locale.fill(
        form,
        &[
            ("step", step.as_deref().unwrap_or_default()),
            ("seconds", &seconds_text),
            ("worker", &worker),
            ("command", &view::shortened(&played.line)),
            ("outcome", &said),
        ],
    );
    let number = if played.typed { "›".to_owned() } else { step.unwrap_or_default() };
    Mark {
        current,
        typed: played.typed,
        reply: flag_reply(&played.reply),
        word,
        ..mark(at, outcome, number, &played.line, label)
    }
}

fn planned_mark(state: &State, at: Millis, name: &str, line: &str, item: &Item) -> Mark {
    let step = item.step.map_or_else(String::new, |step| (step + 1).to_string());
    let label = state.locale.fill(
        "mark.planned",
        &[
            ("step", &step),
            ("seconds", &format_seconds(at)),
            ("worker", &view::worker_name(state, name)),
            ("command", &view::shortened(line)),
        ],
    );
    Mark { typed: item.typed, ..mark(at, Outcome::Planned, step, line, label) }
}

fn mark(at: Millis, outcome: Outcome, number: String, command: &str, label: String) -> Mark {
    /// Words that say how a command is meant, as against keys, values and numbers.
    const OPTIONS: [&str; 14] =
        ["NX", "XX", "GET", "EX", "PX", "EXAT", "PXAT", "KEEPTTL", "IFEQ", "IFNE", "IFDEQ", "IFDNE", "GT", "LT"];
    // What follows a long value is not looked at: this is done for every mark that is drawn.
    let head = &command[..command.floor_char_boundary(MAX_HEAD)];
    let mut words = head.split_whitespace().map(str::to_ascii_uppercase);
    let verb = view::cut(&words.next().unwrap_or_default(), 12);
    // The word after the name is a key, whatever it looks like.
    let mut options = words.skip(1).filter(|word| OPTIONS.contains(&word.as_str()));
    let option = options.next().unwrap_or_default();
    Mark {
        t: seconds(at),
        at,
        outcome,
        typed: false,
        current: false,
        number,
        verb,
        option,
        options: options.collect::<Vec<_>>().join(" "),
        reply: String::new(),
        word: String::new(),
        label,
        fit: Fit::Full,
        left: false,
        low: false,
    }
}

/// A reply as a flag has it: the bare number, or the first line cut short.
fn flag_reply(reply: &str) -> String {
    let first = reply.lines().next().unwrap_or_default();
    let first = first.strip_prefix("(integer) ").unwrap_or(first);
    if first.starts_with("(error)") { "error".to_owned() } else { view::cut(first, 12) }
}

/// Chooses how much of each flag shows, so that none runs into the next.
fn fit(marks: &mut [Mark], scale: &Scale) {
    let xs: Vec<f64> = marks.iter().map(|mark| scale.px(mark.at)).collect();
    // Where the last flag that stands lower ends.
    let mut low_until = 0.0;
    for index in 0..marks.len() {
        let x = xs[index];
        let before = index.checked_sub(1).map_or(x, |before| {
            let neighbour = &marks[before];
            x - xs[before] - if neighbour.left { 0.0 } else { width(neighbour, neighbour.fit) }
        });
        let after = xs.get(index + 1).map_or(scale.plot_px - x + PADDING_PX, |next| next - x);
        let mark = &marks[index];
        let fits = |room: f64| Fit::SHOWING.into_iter().find(|fit| width(mark, *fit) <= room);
        let comfortable = width(mark, Fit::NoOutcome);
        let left = index + 1 == marks.len() && after < comfortable && (before >= comfortable || before > after);
        let chosen = fits(if left { before } else { after });
        let crowded = chosen.is_none() && index + 1 < marks.len();
        let low = crowded && after >= CROWD_PX && x >= low_until;
        if low {
            low_until = x + width(mark, Fit::Verb);
        }
        let mark = &mut marks[index];
        mark.left = left;
        mark.low = low;
        mark.fit = chosen.unwrap_or(if crowded && !mark.low { Fit::None } else { Fit::Verb });
    }
}

/// How wide a flag is with that much of it.
fn width(mark: &Mark, fit: Fit) -> f64 {
    let text = |text: &str| text.chars().count() as f64 * CHAR_PX;
    let after_space = |text: &str| if text.is_empty() { 0.0 } else { (text.chars().count() + 1) as f64 * CHAR_PX };
    let level = fit as usize;
    let shown = |least: Fit, width: f64| if level < least as usize { width } else { 0.0 };
    let number = if mark.number.is_empty() { 0.0 } else { NUMBER_PX };
    let first = text(&mark.verb)
        + shown(Fit::NoNumber, number)
        + shown(Fit::NoOption, after_space(&mark.option))
        + shown(Fit::NoSecondOption, after_space(&mark.options));
    let second = shown(Fit::Verb, text(&mark.reply)) + shown(Fit::NoOutcome, after_space(&mark.word));
    first.max(second) + PADDING_PX
}
