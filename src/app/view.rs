//! What the panels show: the readout, the steps, the console and the transport, as plain data.

use std::borrow::Cow;
use std::fmt::Write;

use super::lock::{Holding, Story};
use super::marks::{Outcome, outcome, victim};
use super::verdicts::replaying;
use super::why::why;
use super::{Locale, Note, State};
use crate::engine::{Event, EventKind, Millis};
use crate::player::{Entry, Item, Kind, Played, What, overlaps, since_start, stays};
use crate::transcript::{Act, Runner};

/// The longest text that a name of a mark or a spoken line carries.
const SHORT: usize = 80;
/// The longest command or reply that the console shows; what is longer is cut with its true length.
const LONG: usize = 4_000;

/// A worker's colour, shape and letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// The class of its colour.
    pub class: &'static str,
    /// The id of its shape.
    pub shape: &'static str,
    /// The letter in it.
    pub letter: String,
}

/// Colours and shapes in the order in which workers appear. The last two repeat shapes; letters tell them apart.
const BADGES: [(&str, &str); 6] =
    [("w-A", "#w-a"), ("w-B", "#w-b"), ("w-C", "#w-c"), ("w-D", "#w-d"), ("w-E", "#w-a"), ("w-F", "#w-b")];

/// The badge of a client.
pub(super) fn badge(state: &State, name: &str) -> Badge {
    let letter = name.chars().take(1).map(|first| first.to_ascii_uppercase()).collect();
    let index = state.workers().iter().position(|worker| *worker == name);
    // The plain client is no worker.
    let (class, shape) = index.map_or(("w-0", "#w-0"), |index| BADGES[index % BADGES.len()]);
    Badge { class, shape, letter }
}

/// A client's name as shown: a letter is a worker, anything longer is a name already.
pub(super) fn worker_name(state: &State, name: &str) -> String {
    if name.len() == 1 { state.locale.fill("worker.name", &[("name", name)]) } else { name.to_owned() }
}

/// A text from outside, so that what it holds can be seen: nothing as `""`, and characters without a width of their own
/// or with power over the direction of others as `\u{…}`. Tabs and line breaks stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
            || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    if text.is_empty() {
        return Cow::Borrowed("\"\"");
    }
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if hidden(c) {
            // Writing into a String cannot fail.
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
        shown
    });
    Cow::Owned(shown)
}

/// Bytes of a key or token, as text that can be seen.
pub(super) fn visible_bytes(bytes: &[u8]) -> String {
    visible(&String::from_utf8_lossy(bytes)).into_owned()
}

/// A text as HTML and XML take it. What XML forbids is left out.
pub(super) fn markup(text: &str) -> String {
    let mut markup = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => markup.push_str("&amp;"),
            '<' => markup.push_str("&lt;"),
            '>' => markup.push_str("&gt;"),
            '"' => markup.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() && !matches!(c, '\n' | '\t') => {}
            c => markup.push(c),
        }
    }
    markup
}

/// How wide a text is in a flag of the axis, in pixels.
pub(super) fn width_px(text: &str) -> f64 {
    const CHAR_PX: f64 = 6.7;
    const PADDING_PX: f64 = 12.0;
    text.chars().count() as f64 * CHAR_PX + PADDING_PX
}

/// Cuts a text to so many characters.
pub(super) fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A text for names and spoken lines: one line, cut short.
pub(super) fn shortened(text: &str) -> String {
    visible(&cut(text.lines().next().unwrap_or_default(), SHORT)).into_owned()
}

/// A text for the console, cut with its true length.
fn console_text(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // Cut first: what is not shown is not looked at, and this is done for every entry that is drawn.
    match text.char_indices().nth(LONG) {
        Some((at, _)) => format!("{}… ({} bytes)", visible(&text[..at]), text.len()),
        None => visible(text).into_owned(),
    }
}

/// The name of the lock that is shown.
pub(super) fn lock_name(state: &State, story: &Story) -> String {
    story.key.as_ref().map_or_else(|| state.locale.text("lock.none").to_owned(), |(_, key)| visible_bytes(key))
}

/// The lock at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct Readout {
    /// The key.
    pub name: String,
    /// The holder, while somebody holds it.
    pub badge: Option<Badge>,
    /// The holder's name, or that it is free.
    pub holder: String,
    /// The token.
    pub token: String,
    /// The time left in seconds, or words where there is none.
    pub left: String,
    /// Whether that is a time.
    pub timed: bool,
    /// The part of the time that is left, 0 to 1.
    pub part: f64,
    /// The whole of the time, in words.
    pub of: String,
}

/// Reads the lock.
pub fn readout(state: &State) -> Readout {
    let story = Story::of(state);
    let nothing = || state.locale.text("lock.nothing").to_owned();
    let name = lock_name(state, &story);
    let Some(holding) = story.live() else {
        let holder = if story.key.is_some() { state.locale.text("lock.free").to_owned() } else { nothing() };
        let (badge, part, of) = (None, 0.0, String::new());
        return Readout { name, badge, holder, token: nothing(), left: nothing(), timed: false, part, of };
    };
    let (left, part, of) = time_left(state, holding);
    let client = state.player().runner().name(holding.holder);
    Readout {
        name,
        badge: Some(badge(state, client)),
        holder: worker_name(state, client),
        token: visible_bytes(&holding.token),
        timed: holding.deadline.is_some(),
        left,
        part,
        of,
    }
}

fn time_left(state: &State, holding: &Holding) -> (String, f64, String) {
    let Some(deadline) = holding.deadline else {
        return (state.locale.text("lock.forever").to_owned(), 1.0, String::new());
    };
    let (left, whole) = (deadline - state.player().now(), deadline - holding.since);
    let of = state.locale.fill("lock.of", &[("seconds", &state.locale.short_seconds(whole))]);
    (state.locale.seconds(left), left as f64 / whole.max(1) as f64, of)
}

/// Minutes and seconds, with hours and days before them once there are some.
fn clock(seconds: Millis) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    let tail = format!("{:02}:{:02}", minutes % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => tail,
        (0, hours) => format!("{hours}:{tail}"),
        (days, hours) => format!("{days}d {:02}:{tail}", hours % 24),
    }
}

/// The transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transport {
    /// Minutes and seconds.
    pub min_sec: String,
    /// The thousandths, with their point.
    pub ms: String,
    /// Milliseconds since the start.
    pub now: Millis,
    /// The clock in words, for the slider.
    pub value_text: String,
    /// Whether the clock runs.
    pub playing: bool,
    /// What the play button does.
    pub play_label: String,
    /// Simulated milliseconds per real one.
    pub speed: u32,
    /// When the next key will be gone, as the button shows it.
    pub next: String,
    /// That key.
    pub next_key: String,
    /// The same in a sentence.
    pub next_label: String,
    /// Whether anything came before.
    pub can_go_back: bool,
    /// Whether anything comes after.
    pub can_go_on: bool,
}

/// Reads the transport.
pub fn transport(state: &State) -> Transport {
    let player = state.player();
    let now = player.now();
    let next = player.runner().engine().next_expiry().map(|(at, key)| {
        // The button names the deadline, as the axis does; it goes to the millisecond after it.
        (state.locale.seconds(since_start(at) - 1), visible_bytes(key))
    });
    let seconds = now / 1_000;
    Transport {
        min_sec: clock(seconds),
        ms: state.locale.thousandths(now),
        now,
        value_text: state.locale.fill("clock.seconds", &[("seconds", &state.locale.seconds(now))]),
        playing: state.playing,
        play_label: state
            .locale
            .text(if state.playing {
                "pause"
            } else if player.at_end() {
                "run"
            } else {
                "play"
            })
            .to_owned(),
        speed: state.speed,
        next_label: next.as_ref().map_or_else(
            || state.locale.text("expiry.none").to_owned(),
            |(seconds, key)| state.locale.fill("expiry.next", &[("seconds", seconds), ("key", &shortened(key))]),
        ),
        next_key: next.as_ref().map_or_else(String::new, |(_, key)| shortened(key)),
        next: next.map_or_else(String::new, |(seconds, _)| seconds),
        can_go_back: player.position() > crate::player::Position::default(),
        can_go_on: !player.at_end(),
    }
}

/// A command in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCommand {
    /// Who sends it.
    pub client: String,
    /// The class of the client's colour.
    pub class: &'static str,
    /// The command.
    pub line: String,
    /// The reply: the one that it got, or the one that the text tells.
    pub reply: String,
    /// That the text tells another reply, when it does.
    pub differs: String,
}

/// A step of the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    /// Its title.
    pub title: String,
    /// What it explains.
    pub prose: String,
    /// When its last command is sent.
    pub at: String,
    /// Whether all its commands were sent.
    pub done: bool,
    /// Its commands.
    pub commands: Vec<StepCommand>,
    /// How many more it has in the story, of workers that the reader stopped.
    pub gone: usize,
}

impl StepView {
    /// Whether it goes otherwise than the text tells.
    pub fn differs(&self) -> bool {
        self.gone > 0 || self.commands.iter().any(|command| !command.differs.is_empty())
    }
}

/// The steps panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The session's id; empty when it is in no gallery.
    pub scenario: &'static str,
    /// The session's title.
    pub title: String,
    /// Whether it is a schedule that plays instead of the session.
    pub replaying: bool,
    /// Which step of how many.
    pub count: String,
    /// What introduces the session.
    pub intro: String,
    /// The step begun last, counted from 0.
    pub current: Option<usize>,
    /// The steps.
    pub steps: Vec<StepView>,
    /// How much the reader added, in words; empty when nothing.
    pub edited: String,
    /// Whether an edit can be undone.
    pub can_undo: bool,
}

/// Reads the steps.
pub fn steps(state: &State) -> Steps {
    let player = state.player();
    let schedule = player.schedule();
    let session = player.session();
    let current = player.current_step();
    let replay = replaying(state);
    let scenario = state.scenario.filter(|_| replay.is_none());
    let sends = |item: &Item, step: usize| item.step == Some(step) && matches!(item.kind, Kind::Command { .. });
    let total = session.steps.len().to_string();
    let mut views: Vec<StepView> = session
        .steps
        .iter()
        .enumerate()
        .map(|(step, text)| {
            let told = scenario.and_then(|scenario| state.locale.step(scenario.id, step + 1));
            let (title, prose) = told.unwrap_or((&text.title, &text.prose));
            StepView {
                title: title.to_owned(),
                prose: prose.to_owned(),
                at: player.step_time(step, &schedule).map_or_else(String::new, |at| state.locale.seconds(at)),
                done: true,
                commands: Vec::new(),
                gone: session.items.iter().filter(|item| sends(item, step)).count(),
            }
        })
        .collect();
    let mut played = player.log().iter().filter_map(|entry| match &entry.what {
        What::Command(played) => Some(played),
        _ => None,
    });
    for (index, item) in player.items().iter().enumerate() {
        let Item { kind: Kind::Command { client, line, expected }, step, .. } = item else { continue };
        let done = index < player.position().index;
        let got = if done { played.next() } else { None };
        let Some(view) = step.and_then(|step| views.get_mut(step)) else { continue };
        view.done &= done;
        view.gone = view.gone.saturating_sub(1);
        view.commands.push(StepCommand {
            client: client.clone(),
            class: badge(state, client).class,
            line: line.clone(),
            reply: got.map_or_else(|| expected.clone().unwrap_or_default(), |got| console_text(&got.reply)),
            differs: got.map_or_else(String::new, |got| differs(state, got)),
        });
    }
    let typed = player.typed();
    let (title, intro) = if let Some(replay) = &replay {
        (replay.title.clone(), replay.why.clone())
    } else {
        let id = scenario.map_or("own", |scenario| scenario.id);
        let told = scenario.and_then(|scenario| state.locale.step(scenario.id, 0));
        let intro = told.map_or(&*session.intro, |(_, intro)| intro);
        (state.locale.text(&format!("scenario.{id}")).to_owned(), intro.to_owned())
    };
    Steps {
        scenario: state.scenario.map_or("", |scenario| scenario.id),
        title,
        replaying: replay.is_some(),
        count: match current {
            Some(step) => state.locale.fill("steps.count", &[("step", &(step + 1).to_string()), ("steps", &total)]),
            None => state.locale.fill("steps.none", &[("steps", &total)]),
        },
        intro,
        current,
        steps: views,
        edited: match typed {
            0 if state.can_return() => state.locale.text("edited.left").to_owned(),
            0 => String::new(),
            1 => state.locale.text("edited.one").to_owned(),
            many => state.locale.fill("edited.many", &[("count", &many.to_string())]),
        },
        can_undo: player.can_undo() || state.can_return(),
    }
}

/// One entry of the console's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleEntry {
    /// When.
    pub at: String,
    /// Who typed it; empty for what nobody typed.
    pub prompt: String,
    /// The class of the client's colour.
    pub class: &'static str,
    /// The command or line.
    pub command: String,
    /// The reply.
    pub reply: String,
    /// A remark.
    pub note: String,
    /// Whether it belongs to the step begun last.
    pub current: bool,
    /// Whether the reply is not the one that the text tells.
    pub differs: bool,
    /// That one may ask why the reply is what it is.
    pub why: Option<Why>,
}

/// The question why a reply is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The entry of the session's log.
    pub entry: usize,
    /// Whether it was asked, and is answered.
    pub answered: bool,
    /// The question in words that stand alone.
    pub label: String,
}

/// By how many entries the log's first shown one moves on. More than one, so that not every new line moves all others.
const SLIDE: usize = 250;

/// The first entry of the log that is shown.
fn first_shown(state: &State) -> usize {
    let hidden = state.player().log().len().saturating_sub(state.shown);
    state.cleared.0.max(hidden - hidden % SLIDE)
}

/// That there are earlier entries than those which are shown, in words; empty when there are none.
pub fn earlier(state: &State) -> String {
    match first_shown(state) - state.cleared.0 {
        0 => String::new(),
        count => state.locale.fill("console.earlier", &[("count", &count.to_string())]),
    }
}

/// Reads the log from the last clearing on; of a long one, the end.
pub fn console(state: &State) -> Vec<ConsoleEntry> {
    let player = state.player();
    let first = first_shown(state);
    let current = player.current_step();
    // What stands where a log was cleared came after the clearing.
    let early = |(number, note): &(usize, &Note)| *number < state.cleared.1 || note.after < first;
    let mut notes = state.notes.iter().enumerate().filter(|note| !early(note)).peekable();
    let mut entries = Vec::new();
    for index in first..=player.log().len() {
        while let Some((_, note)) = notes.next_if(|(_, note)| note.after <= index) {
            entries.push(note_entry(state, note));
        }
        if let Some(entry) = player.log().get(index) {
            let mut shown = log_entry(state, entry, current);
            if let Some(shown) = &mut shown {
                annotate(state, index, shown);
            }
            entries.extend(shown);
        }
    }
    entries
}

/// Puts below a reply what the coach says to it, or what was asked; else one may ask. Where the session tells another
/// reply, that comes first.
fn annotate(state: &State, index: usize, shown: &mut ConsoleEntry) {
    if !shown.note.is_empty() {
        return;
    }
    let remark = state.coach.remarks().get(index).and_then(Option::as_ref).filter(|_| state.coach_speaks);
    if let Some(remark) = remark {
        shown.note.clone_from(remark);
    } else if !shown.reply.is_empty() {
        let answered = state.asked.contains(&index);
        if answered {
            shown.note = why(state, index).unwrap_or_default();
        }
        let label = state.locale.fill("console.why.of", &[("command", &shortened(&shown.command))]);
        shown.why = Some(Why { entry: index, answered, label });
    }
}

fn note_entry(state: &State, note: &Note) -> ConsoleEntry {
    let remark = note.line.is_empty();
    let text = console_text(&note.said.words(&state.locale));
    ConsoleEntry {
        at: if remark { String::new() } else { state.locale.seconds(note.at) },
        prompt: if remark { String::new() } else { format!("{}>", note.client) },
        class: badge(state, &note.client).class,
        command: console_text(&note.line),
        reply: if remark && !note.is_error { String::new() } else { text.clone() },
        note: if remark && !note.is_error { text } else { String::new() },
        current: false,
        differs: false,
        why: None,
    }
}

/// Says that a session tells another reply, when it does.
fn differs(state: &State, played: &Played) -> String {
    played
        .instead_of
        .as_ref()
        .map_or_else(String::new, |expected| state.locale.fill("console.differs", &[("reply", &shortened(expected))]))
}

/// Says that a key, shown as given, expired; nothing of an event that is no expiry.
pub(super) fn expired(locale: &Locale, runner: &Runner, event: &Event, key: &str) -> Option<String> {
    let EventKind::Expired { holder, lock, .. } = event.kind else { return None };
    let form = if lock { "console.expired" } else { "console.expired.key" };
    Some(locale.fill(form, &[("key", key), ("holder", runner.name(holder))]))
}

fn log_entry(state: &State, entry: &Entry, current: Option<usize>) -> Option<ConsoleEntry> {
    let at = state.locale.seconds(entry.at);
    let bare = ConsoleEntry {
        at,
        prompt: String::new(),
        class: "w-0",
        command: String::new(),
        reply: String::new(),
        note: String::new(),
        current: false,
        differs: false,
        why: None,
    };
    Some(match &entry.what {
        What::Command(played) => ConsoleEntry {
            prompt: format!("{}>", played.client),
            class: badge(state, &played.client).class,
            command: console_text(&played.line),
            reply: console_text(&played.reply),
            note: differs(state, played),
            current: played.step.is_some() && played.step == current,
            differs: played.instead_of.is_some(),
            ..bare
        },
        What::Expired(event) => {
            let key = shortened(&String::from_utf8_lossy(&event.key));
            let note = expired(&state.locale, state.player().runner(), event, &key).unwrap_or_default();
            ConsoleEntry { note, ..bare }
        }
        What::Monitored(line) => ConsoleEntry { note: console_text(line), ..bare },
        // The session's own acts are seen on the stage; what the reader typed is echoed.
        What::Act { typed: false, .. } => return None,
        What::Act { client, act, .. } => ConsoleEntry {
            prompt: format!("{client}:"),
            class: badge(state, client).class,
            command: act.to_string(),
            ..bare
        },
    })
}

/// A client in the console's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientChoice {
    /// Its name.
    pub name: String,
    /// Its badge; the plain client shows its name instead.
    pub badge: Option<Badge>,
    /// Whether lines are sent as it.
    pub chosen: bool,
}

/// The clients that lines can be sent as.
pub fn clients(state: &State) -> Vec<ClientChoice> {
    let choice = |name: &str| ClientChoice {
        name: name.to_owned(),
        badge: (name.len() == 1).then(|| badge(state, name)),
        chosen: name == state.client,
    };
    state.clients().into_iter().map(choice).collect()
}

/// How many things there were to say so far: two that sound alike are told apart by it.
pub fn spoken_count(state: &State) -> usize {
    state.player().log().len() + state.notes.len()
}

/// What to say of the last thing that happened, for those who do not see the stage; empty before anything did.
pub fn spoken(state: &State) -> String {
    let story = Story::of(state);
    let held = match story.live() {
        Some(holding) => {
            let name = state.player().runner().name(holding.holder);
            state.locale.fill("say.held", &[("name", name)])
        }
        None => state.locale.text("say.is-free").to_owned(),
    };
    // A note that nothing came after is the newest thing there is to hear.
    if let Some(note) = state.notes.last().filter(|note| note.after == state.player().log().len()) {
        return shortened(&note.said.words(&state.locale));
    }
    let last = state.player().log().iter().rev().find(|entry| !matches!(entry.what, What::Monitored(_)));
    match last.map(|entry| (state.locale.seconds(entry.at), &entry.what)) {
        Some((seconds, What::Command(played))) => speak_command(state, &story, &seconds, played, &held),
        Some((seconds, What::Expired(event))) => {
            let key = String::from_utf8_lossy(&event.key);
            state.locale.fill("say.expired", &[("seconds", &seconds), ("key", &shortened(&key))])
        }
        Some((seconds, What::Act { client, act, .. })) => {
            if let (Act::Enter(_), Some(other)) = (act, joined(state, client)) {
                let values = [("seconds", seconds.as_str()), ("name", client), ("other", &other)];
                return state.locale.fill("say.overlaps", &values);
            }
            let key = match act {
                Act::Enter(_) => "say.enters",
                Act::Leave(_) => "say.leaves",
                Act::Pause => "say.pauses",
                Act::Resume => "say.resumes",
                Act::Crash => "say.crashes",
            };
            state.locale.fill(key, &[("seconds", &seconds), ("name", client), ("state", &held)])
        }
        _ => String::new(),
    }
}

/// Who is inside the critical section that a worker is in as well.
fn joined(state: &State, client: &str) -> Option<String> {
    let player = state.player();
    let now = player.now();
    let overlaps = overlaps(&stays(player.log(), now));
    let [there, _] = overlaps.into_iter().rfind(|overlap| overlap.to == now && overlap.clients[1] == client)?.clients;
    Some(there)
}

fn speak_command(state: &State, story: &Story, seconds: &str, played: &Played, held: &str) -> String {
    let outcome: Outcome = outcome(played, story);
    let holder = victim(played, story).map_or("", |holder| state.player().runner().name(holder));
    state.locale.fill(
        &format!("say.{}", outcome.name()),
        &[
            ("seconds", seconds),
            ("name", &played.client),
            ("reply", &shortened(&played.reply)),
            ("holder", holder),
            ("state", held),
        ],
    )
}
