//! The commands on a lane: what came of each, what its flag says, and how much of that there is room for.

use super::lock::Story;
use super::stage::seconds;
use super::window::Scale;
use super::{State, view};
use crate::engine::{ClientId, Event, EventKind, Millis};
use crate::player::{Item, Kind, Played, What};

/// Width of one character of a mark's flag, of its number, and of the space around it.
pub(super) const CHAR_PX: f64 = 7.3;
const NUMBER_PX: f64 = 18.0;
pub(super) const PADDING_PX: f64 = 12.0;
/// Marks nearer to each other than this show one flag.
const CROWD_PX: f64 = 14.0;
/// How much of a command is read for its flag, in bytes.
const MAX_HEAD: usize = 400;

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
    /// How much it tells, where there is no room for all.
    fn weight(self) -> u8 {
        match self {
            Self::Foreign | Self::ForeignRenew | Self::Overwrite => 5,
            Self::Wrong | Self::Missing => 4,
            Self::Grant | Self::Release | Self::Renew => 3,
            Self::Refuse => 2,
            Self::Read => 1,
            Self::Other | Self::Planned => 0,
        }
    }

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
    /// How many commands at nearly the same instant show no flag of their own: `+3`; empty for none.
    pub more: String,
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

/// The event that says most of a command: of the lock that is shown before any other, and a change before a look. The
/// last of them counts.
fn telling<'a>(played: &'a Played, story: &Story) -> Option<&'a Event> {
    let shown = |event: &Event| story.key.as_ref().is_some_and(|(db, key)| event.db == *db && event.key == *key);
    let changed = |event: &Event| !matches!(event.kind, EventKind::Read { .. });
    played.events.iter().filter(|event| event.kind.is_lock()).max_by_key(|event| (shown(event), changed(event)))
}

/// What came of a command for locks.
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

/// The most marks that a lane has room for, and the most bars and old deadlines that are all drawn.
pub(super) const MOST: usize = 120;

/// A command of a lane, before its mark is made.
struct Candidate<'a> {
    at: Millis,
    /// What is told first where not all can be told.
    weight: (bool, u8),
    what: Source<'a>,
}

enum Source<'a> {
    Played(&'a Played, bool),
    Planned(&'a Item, &'a str),
}

/// A worker's commands in the window, played and planned, in order. Of a crowd only the most telling one is kept in each place, and of
/// equals the last; how many are left out comes second.
pub(super) fn marks(
    state: &State,
    story: &Story,
    name: &str,
    schedule: &[Millis],
    scale: &Scale,
) -> (Vec<Mark>, usize) {
    let player = state.player();
    let last = player.log().iter().rposition(|entry| matches!(entry.what, What::Command(_)));
    let mut candidates = Vec::new();
    for (index, entry) in player.log().iter().enumerate() {
        if let What::Command(played) = &entry.what
            && played.client == name
            && scale.window.holds(entry.at)
        {
            let current = Some(index) == last;
            let weight = (current, outcome(played, story).weight());
            candidates.push(Candidate { at: entry.at, weight, what: Source::Played(played, current) });
        }
    }
    for (item, at) in player.planned(schedule) {
        if let Kind::Command { client, line, .. } = &item.kind
            && client == name
            && scale.window.holds(at)
        {
            let weight = (false, Outcome::Planned.weight());
            candidates.push(Candidate { at, weight, what: Source::Planned(item, line) });
        }
    }
    let all = candidates.len();
    if all > MOST {
        let place_px = scale.plot_px.max(1.0) / MOST as f64;
        let place = |candidate: &Candidate<'_>| (scale.x(candidate.at) / place_px) as i64;
        candidates.dedup_by(|next, kept| {
            let crowded = place(next) == place(kept);
            if crowded && next.weight >= kept.weight {
                std::mem::swap(next, kept);
            }
            crowded
        });
    }
    let left_out = all - candidates.len();
    let marks = candidates.into_iter().map(|Candidate { at, what, .. }| match what {
        Source::Played(played, current) => played_mark(state, story, at, played, current),
        Source::Planned(item, line) => planned_mark(state, at, name, line, item),
    });
    (marks.collect(), left_out)
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
            format!("{}{} s", if after >= before { "+" } else { "" }, state.locale.short_seconds(after - before))
        }
        ("", _) => String::new(),
        (word, _) => state.locale.text(word).to_owned(),
    };
    let worker = view::worker_name(state, &played.client);
    let (seconds_text, step) = (state.locale.seconds(at), played.step.map(|step| (step + 1).to_string()));
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
            ("seconds", &state.locale.seconds(at)),
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
        more: String::new(),
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
pub(super) fn fit(marks: &mut [Mark], scale: &Scale) {
    let xs: Vec<f64> = marks.iter().map(|mark| scale.x(mark.at)).collect();
    // Where the last flag that stands lower ends.
    let mut low_until = 0.0;
    // How many before this one show nothing.
    let mut hidden = 0;
    for index in 0..marks.len() {
        if hidden > 0 {
            marks[index].more = format!("+{hidden}");
        }
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
        hidden = if mark.fit == Fit::None { hidden + 1 } else { 0 };
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
        + shown(Fit::NoSecondOption, after_space(&mark.options))
        + shown(Fit::Verb, after_space(&mark.more));
    let second = shown(Fit::Verb, text(&mark.reply)) + shown(Fit::NoOutcome, after_space(&mark.word));
    first.max(second) + PADDING_PX
}
