//! The picture of time, as numbers and words: lanes, marks, the lock's bar and the window on them.
//!
//! Times are seconds since the start of the session. The document turns them into places; only what must be known to
//! keep labels apart is reckoned in pixels here.

use super::life::{Doing, Lives, Section};
use super::lock::{Holding, LeaseEnd, Story};
use super::marks::{CHAR_PX, MOST, Mark, Outcome, fit, marks, outcome};
use super::{State, view};
use crate::engine::Millis;
use crate::player::{What, beliefs};
use crate::transcript::PLAIN_CLIENT;

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
/// The space around the words in the part of a bar that is still to come, and a bar's badge with the space around it.
const CHIP_PX: f64 = 22.0;
const BADGE_PX: f64 = 44.0;
/// Room that the deadline's flag needs between the playhead's and the edge.
const DEADLINE_ROOM_PX: f64 = 2.0 * DEADLINE_FLAG_PX + NOW_FLAG_PX;
/// How near the playhead may come to an old deadline before the time left takes the room of the words there.
const WAS_PX: f64 = 110.0;

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
    /// What the reader may make it do; nothing for the plain client, which is no worker.
    pub acts: Option<Acts>,
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
    /// How many of them there is no room for, in words; empty when there is room for all.
    pub left_out: String,
}

/// What the reader may make a worker do outside the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Acts {
    /// The worker.
    pub client: String,
    /// Whether it is paused, so that it may go on.
    pub paused: bool,
    /// Pause or resume: the word, and the same with the worker's name.
    pub pause: (String, String),
    /// Crash: the same.
    pub crash: (String, String),
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
    /// The token; of another lock than the one that is shown, its name.
    pub token: String,
    /// Which of the locks that are held at the same time this is, and how many they are.
    pub slot: (usize, usize),
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
        format!("{}{}", state.locale.seconds(deadline), if deadline <= span_ms { "" } else { " ›" })
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
        now_text: state.locale.seconds(now),
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
        free: free(&story, now, &scale),
    }
}

/// How milliseconds become pixels.
pub(super) struct Scale {
    px_per_ms: f64,
    pub(super) plot_px: f64,
}

impl Scale {
    pub(super) fn px(&self, ms: Millis) -> f64 {
        ms as f64 * self.px_per_ms
    }
}

pub(super) fn seconds(ms: Millis) -> f64 {
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
    // In a crowd what is thinner than a line is not drawn; what goes on always is.
    let crowd = story.holdings.len() > MOST;
    let stop_of = |holding: &Holding| holding.stop.or(holding.deadline).unwrap_or(span.saturating_add(1));
    let drawn = |holding: &&Holding| {
        !crowd || holding.end == LeaseEnd::Live || scale.px(stop_of(holding) - holding.start) >= 1.0
    };
    story
        .holdings
        .iter()
        .filter(drawn)
        .map(|holding| {
            let name = state.player().runner().name(holding.holder);
            let stop = stop_of(holding);
            let left = holding.deadline.map(|deadline| deadline - now);
            // Badge and token reach into what is still to come while little time has passed.
            let shown = holding.slot.1 == 1 && Some(&holding.key) == story.key.as_ref();
            let token = view::visible_bytes(if shown { &holding.token } else { &holding.key.1 });
            let left_text = match left {
                _ if holding.end != LeaseEnd::Live => String::new(),
                Some(left) => format!("{} s", state.locale.seconds(left)),
                None => state.locale.text("lock.forever").to_owned(),
            };
            let words = if left.is_some() { state.locale.text("lock.left").chars().count() + 1 } else { 0 };
            let chip_px = CHIP_PX + (left_text.chars().count() + words) as f64 * CHAR_PX;
            let tag_px = BADGE_PX + token.chars().count() as f64 * (CHAR_PX + 0.7);
            Lease {
                t: seconds(holding.start),
                d: seconds(stop.min(span.saturating_add(1)) - holding.start),
                badge: view::badge(state, name),
                token,
                slot: holding.slot,
                end: holding.end,
                left: left_text,
                timed: left.is_some(),
                soon: left
                    .is_some_and(|left| holding.deadline.is_some_and(|deadline| left < (deadline - holding.since) / 5)),
                off: holding.end == LeaseEnd::Live && stop > span,
                roomy: scale.px(stop.min(span) - now) >= chip_px + (tag_px - scale.px(now - holding.start)).max(0.0),
                was: apart(&holding.moved, scale)
                    .into_iter()
                    // What lies past the bar's end was taken back by a shorter deadline, or by its end.
                    .filter(|(before, after)| before < after && *before < stop.min(span))
                    .map(|(before, after)| {
                        let roomy = scale.px(before - now) >= WAS_PX;
                        let by = if roomy {
                            format!("+{} s", state.locale.short_seconds(after - before))
                        } else {
                            String::new()
                        };
                        Was { t: seconds(*before), d: seconds(after.min(&stop) - before), by }
                    })
                    .collect(),
            }
        })
        .collect()
}

/// Deadlines that were moved on; of those that stood at one place in a crowd, the last.
fn apart<'a>(moved: &'a [(Millis, Millis)], scale: &Scale) -> Vec<&'a (Millis, Millis)> {
    let mut apart: Vec<&(Millis, Millis)> = moved.iter().collect();
    if apart.len() > MOST {
        apart.dedup_by(|next, kept| {
            let crowded = (scale.px(next.0) - scale.px(kept.0)).abs() < 2.0;
            if crowded {
                std::mem::swap(next, kept);
            }
            crowded
        });
    }
    apart
}

/// The stretches without a holder of any lock after the first one.
fn free(story: &Story, now: Millis, scale: &Scale) -> Vec<(f64, f64)> {
    let crowd = story.holdings.len() > MOST;
    let mut until = story.holdings.first().map_or(Millis::MAX, |holding| holding.start);
    let mut free = Vec::new();
    for (start, stop) in story.holdings.iter().map(|holding| (holding.start, holding.stop)).chain([(now, None)]) {
        if until < start && (!crowd || scale.px(start - until) >= 1.0) {
            free.push((seconds(until), seconds(start - until)));
        }
        until = until.max(stop.unwrap_or(Millis::MAX));
    }
    free
}

fn lanes(state: &State, story: &Story, schedule: &[Millis], scale: &Scale) -> Vec<Lane> {
    let player = state.player();
    let mut names = state.workers();
    let plain_acted = player.log().iter().any(|entry| match &entry.what {
        What::Command(played) => {
            played.client == PLAIN_CLIENT && !matches!(outcome(played, story), Outcome::Other | Outcome::Read)
        }
        _ => false,
    });
    if plain_acted {
        names.push(PLAIN_CLIENT);
    }
    let lives = Lives::new(state, story, schedule, scale);
    names
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let life = lives.of(name);
            let doing = life.doing();
            let (mut marks, left_out) = marks(state, story, name, schedule, scale);
            fit(&mut marks, scale);
            let shown = view::worker_name(state, name);
            Lane {
                badge: view::badge(state, name),
                left_out: match left_out {
                    0 => String::new(),
                    _ => state.locale.fill("lane.left-out", &[("count", &left_out.to_string())]),
                },
                label: state.locale.fill("worker.commands", &[("worker", &shown)]),
                name: shown,
                state: lane_state(state, story, name, doing),
                acts: (name != PLAIN_CLIENT).then(|| acts(state, name, doing == Doing::Paused)),
                reach: index / 2,
                life: life.dead.map(seconds),
                sections: life.sections,
                crashes: life.crashes,
                marks,
            }
        })
        .collect()
}

fn acts(state: &State, name: &str, paused: bool) -> Acts {
    let worker = view::worker_name(state, name);
    let words = |word: &str| {
        let label = state.locale.fill("act.of", &[("act", word), ("worker", &worker)]);
        (word.to_owned(), label)
    };
    let pause = if paused { state.locale.text("act.resume") } else { state.locale.text("act.pause") };
    Acts { client: name.to_owned(), paused, pause: words(pause), crash: words(state.locale.text("act.crash")) }
}

fn lane_state(state: &State, story: &Story, name: &str, doing: Doing) -> String {
    let player = state.player();
    let last = player.log().iter().rev().find_map(|entry| match &entry.what {
        What::Command(played) if played.client == name => Some(outcome(played, story)),
        _ => None,
    });
    let own = |holding: &&Holding| player.runner().name(holding.holder) == name;
    let took = story.holdings.iter().any(|holding| own(&holding));
    let live = story.holdings.iter().filter(own).filter(|holding| holding.end == LeaseEnd::Live);
    let held: Vec<_> = live.map(|holding| &holding.key).collect();
    let holds = !held.is_empty();
    // What it was told is not always so any more.
    let mut believed = beliefs(player.runner(), player.log(), player.now()).into_iter();
    let mistaken = believed.any(|belief| player.runner().name(belief.client) == name && !held.contains(&&belief.lock));
    let key = match doing {
        Doing::Crashed => "worker.crashed",
        Doing::Paused if mistaken => "worker.paused-late",
        Doing::Paused => "worker.paused",
        Doing::Working if mistaken || (took && !holds) => "worker.late",
        Doing::Working => "worker.working",
        Doing::Nothing if mistaken => "worker.believes",
        Doing::Nothing if holds => "worker.holds",
        Doing::Nothing if last == Some(Outcome::Refuse) => "worker.refused",
        Doing::Nothing => "worker.idle",
    };
    state.locale.text(key).to_owned()
}
