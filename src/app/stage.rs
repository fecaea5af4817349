//! The picture of time, as numbers and words: lanes, marks, the lock's bar and the window on them.
//!
//! Times are seconds since the start of the session. The document turns them into places; only what must be known to
//! keep labels apart is reckoned in pixels here.

use super::life::{Doing, Lives, Section};
use super::lock::{Holding, LeaseEnd, Story};
use super::marks::{CHAR_PX, MOST, Mark, Outcome, fit, marks, outcome};
use super::window::{DEADLINE_ROOM_PX, Scale, Tick, Window, ticks};
use super::{State, view};
use crate::engine::{Millis, sorted};
use crate::player::{What, beliefs, overlaps, stays};
use crate::transcript::PLAIN_CLIENT;

/// The space around the words in the part of a bar that is still to come, and a bar's badge with the space around it.
const CHIP_PX: f64 = 22.0;
const BADGE_PX: f64 = 44.0;
/// A bar narrower than this has no room for its badge, the least that it shows.
const BARE_PX: f64 = 20.0;
/// How near the playhead may come to an old deadline before the time left takes the room of the words there.
const WAS_PX: f64 = 110.0;

/// What stands at the head of a worker's lane, and what its parts are called.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneHead {
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
    /// How many commands there is no room for, in words; empty when there is room for all.
    pub left_out: String,
}

/// One worker's lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Its head.
    pub head: LaneHead,
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
    /// The whole in a sentence.
    pub said: String,
    /// Up to when it was held so far.
    pub spent: f64,
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
    /// Whether it began before the window does.
    pub begun: bool,
    /// Whether its end lies past the window's.
    pub off: bool,
    /// Whether there is room for nothing but its colour.
    pub bare: bool,
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

/// The whole picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Where the window begins.
    pub from: f64,
    /// Its length.
    pub span: f64,
    /// What the whole session spans.
    pub whole: f64,
    /// The playhead.
    pub now: f64,
    /// Whether it lies in the window.
    pub now_inside: bool,
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
    /// From when it was free after it was held once, and for how long.
    pub free: Vec<(f64, f64)>,
    /// From when two were inside at once, and for how long.
    pub clashes: Vec<(f64, f64)>,
    /// Where the flag stands that says so of the last of them, if there is room.
    pub clash_flag: Option<f64>,
}

/// Draws the picture for a plot so many pixels wide.
pub fn stage(state: &State, plot_px: f64) -> Stage {
    let story = Story::of(state);
    let player = state.player();
    let now = player.now();
    let window = Window::of(state, plot_px);
    let scale = Scale::new(window, plot_px);
    let live = story.live();
    // One flag at an edge is enough; what is left behind needs none.
    let shown = |deadline: &Millis| *deadline >= window.from && (window.holds(now) || window.holds(*deadline));
    let deadline = live.and_then(|holding| holding.deadline).filter(shown);
    let flag = |at: Millis| {
        let (before, after) = (if at < window.from { "‹ " } else { "" }, if at > window.to() { " ›" } else { "" });
        format!("{before}{}{after}", state.locale.seconds(at))
    };

    let due_left = deadline.is_some() && scale.px(window.to() - now) < DEADLINE_ROOM_PX;
    let clashes = clashes(state, &window);
    // Left of the band, unless the deadline's flag stands there.
    let flag_px = view::width_px(state.locale.text("section.clash"));
    let flagged = clashes.last().map(|(from, _)| *from).filter(|from| !due_left && scale.x(*from) >= flag_px);

    let schedule = player.schedule();
    let lanes = lanes(state, &story, &schedule, &scale);
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (index, lane) in lanes.into_iter().enumerate() {
        if index % 2 == 0 { above.insert(0, lane) } else { below.push(lane) }
    }

    Stage {
        from: seconds(window.from),
        span: seconds(window.span),
        whole: seconds(window.whole),
        now: seconds(now),
        now_inside: window.holds(now),
        now_text: flag(now),
        due: deadline.map(|deadline| (seconds(deadline), window.holds(deadline))),
        due_text: deadline.map_or_else(String::new, flag),
        due_left,
        ticks: ticks(state, &scale, deadline, flagged.map(|at| (at, flag_px))),
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
        leases: leases(state, &story, &scale),
        free: free(&story, now, &scale),
        clashes: clashes.iter().map(|(from, to)| (seconds(*from), seconds(to - from))).collect(),
        clash_flag: flagged.map(seconds),
    }
}

pub(super) fn seconds(ms: Millis) -> f64 {
    ms as f64 / 1_000.0
}

fn leases(state: &State, story: &Story, scale: &Scale) -> Vec<Lease> {
    let (now, window) = (state.player().now(), &scale.window);
    let (from, to) = (window.from, window.to());
    // In a crowd what is thinner than a line is not drawn; what goes on always is.
    let crowd = story.holdings.len() > MOST;
    let stop_of = |holding: &Holding| holding.stop.or(holding.deadline).unwrap_or(to.saturating_add(1));
    let drawn = |holding: &&Holding| {
        let stop = stop_of(holding);
        let wide = !crowd || holding.end == LeaseEnd::Live || scale.px(stop - holding.start) >= 1.0;
        wide && stop >= from && holding.start <= to
    };
    story
        .holdings
        .iter()
        .filter(drawn)
        .map(|holding| {
            let name = state.player().runner().name(holding.holder);
            let (begin, stop) = (holding.start.max(from), stop_of(holding));
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
                d: seconds(stop.min(to.saturating_add(1)) - holding.start),
                badge: view::badge(state, name),
                token,
                said: said(state, holding, name),
                spent: seconds(stop.min(now)),
                slot: holding.slot,
                end: holding.end,
                left: left_text,
                timed: left.is_some(),
                soon: holding.end == LeaseEnd::Live
                    && left.is_some_and(|left| {
                        holding.deadline.is_some_and(|deadline| left < (deadline - holding.since) / 5)
                    }),
                begun: holding.start < from,
                off: stop > to,
                bare: scale.px(stop.min(to) - begin) < BARE_PX,
                roomy: scale.px(stop.min(to) - begin.max(now)) >= chip_px + (tag_px - scale.px(now - begin)).max(0.0),
                was: apart(&holding.moved, scale)
                    .into_iter()
                    // What lies past the bar's end was taken back by a shorter deadline, or by its end.
                    .filter(|(before, after)| before < after && *before < stop.min(to) && *before >= from)
                    .map(|(before, after)| {
                        let roomy = scale.px(before - now) >= WAS_PX;
                        let by = if roomy {
                            format!("+{} s", state.locale.short_seconds(after - before))
                        } else {
                            String::new()
                        };
                        Was { t: seconds(*before), d: seconds(*after.min(&stop).min(&to) - before), by }
                    })
                    .collect(),
            }
        })
        .collect()
}

/// A bar in a sentence, for those who do not see it.
fn said(state: &State, holding: &Holding, name: &str) -> String {
    let form = match (holding.end, holding.deadline) {
        (LeaseEnd::Live, Some(_)) => "lease.live",
        (LeaseEnd::Live, None) => "lease.for-ever",
        (LeaseEnd::Released, _) => "lease.released",
        (LeaseEnd::Expired, _) => "lease.expired",
        (LeaseEnd::Cut, _) => "lease.cut",
    };
    let seconds = |at: Option<Millis>| at.map_or_else(String::new, |at| state.locale.seconds(at));
    let to = seconds(holding.stop.or(holding.deadline));
    let key = view::shortened(&String::from_utf8_lossy(&holding.key.1));
    state.locale.fill(form, &[("name", name), ("key", &key), ("from", &seconds(Some(holding.start))), ("to", &to)])
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

/// The stretches in which two were inside; those that touch are one.
fn clashes(state: &State, window: &Window) -> Vec<(Millis, Millis)> {
    let player = state.player();
    let overlaps = overlaps(&stays(player.log(), player.now()));
    // One that has just begun has no length yet, and is seen all the same.
    let seen = |from: Millis, to: Millis| (from.max(window.from), to.min(window.to()));
    let mut found = sorted(
        overlaps
            .iter()
            .map(|overlap| seen(overlap.from, overlap.to))
            .filter(|(from, to)| from <= to && window.holds(*from)),
    );
    found.dedup_by(|next, kept| {
        let joined = next.0 <= kept.1;
        if joined {
            kept.1 = kept.1.max(next.1);
        }
        joined
    });
    found
}

/// The stretches without a holder of any lock after the first one.
fn free(story: &Story, now: Millis, scale: &Scale) -> Vec<(f64, f64)> {
    let crowd = story.holdings.len() > MOST;
    let mut until = story.holdings.first().map_or(Millis::MAX, |holding| holding.start);
    let mut free = Vec::new();
    for (start, stop) in story.holdings.iter().map(|holding| (holding.start, holding.stop)).chain([(now, None)]) {
        if until < start && (!crowd || scale.px(start - until) >= 1.0) {
            let seen = scale.window.clip(until, start);
            free.extend(seen.map(|(from, to)| (seconds(from), seconds(to - from))));
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
            let head = LaneHead {
                badge: view::badge(state, name),
                left_out: match left_out {
                    0 => String::new(),
                    _ => state.locale.fill("lane.left-out", &[("count", &left_out.to_string())]),
                },
                label: state.locale.fill("worker.commands", &[("worker", &shown)]),
                name: shown,
                state: lane_state(state, story, name, doing),
                // Who has crashed is back when it sends a command.
                acts: (name != PLAIN_CLIENT && doing != Doing::Crashed)
                    .then(|| acts(state, name, doing == Doing::Paused)),
            };
            Lane {
                head,
                reach: index / 2,
                life: life.dead.map(seconds),
                sections: life.sections,
                crashes: life.crashes.into_iter().filter(|at| scale.window.holds(*at)).map(seconds).collect(),
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
