//! The page without a page: everything it knows, and what each message makes of it.

use super::coach::Coach;
use super::entry::{self, Typing};
use super::explorer::{self, Explore, Replay};
use super::host::{self, Heard};
use super::left::Left;
use super::msg::{Choice, Copied, Effect, Msg, Panel, Theme, View};
use super::share::{self, Opening};
use super::{Locale, Zoom, diagram, still};
use crate::command::{self, ClockRequest};
use crate::console::{self, History, Input};
use crate::engine::{Clock, Millis, Options};
use crate::player::{Kind, Place, Player, Session, What};
use crate::scenarios::{self, Scenario};
use crate::snippets::{Client, Server};
use crate::transcript::{Diagnostic, PLAIN_CLIENT, Record, line, parse};

/// The longest time that one frame may stand for, and how long nothing came where the tab or the computer slept: then the
/// clock goes on from where it was.
const MAX_FRAME_MS: f64 = 500.0;
const ASLEEP_MS: f64 = 2_000.0;

/// How many entries of the log are shown at least, and how many more when earlier ones are asked for.
const SHOWN: usize = 500;

/// The most lines that are pasted at once: many more than a session has, and few enough to play at once.
const MAX_PASTE: usize = 2_000;

/// The answer to a move past the end of the clock.
pub(super) const CLOCK_FULL: &str = "(error) the clock cannot hold that time";

/// Lines of the console that are not part of the session: help, and what went wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// After how many entries of the session's log it stands.
    pub after: usize,
    /// When it was written, since the start of the session.
    pub at: Millis,
    /// Who was typing.
    pub client: String,
    /// The line as typed; empty for a remark on the entry above.
    pub line: String,
    /// What the console says to it.
    pub said: Said,
    /// Whether it tells of an error.
    pub is_error: bool,
}

/// What a note says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A line as it is, in English, as replies are.
    Line(String),
    /// A text of the locale: its name, and what fills it.
    Text(&'static str, Vec<(&'static str, String)>),
}

impl Said {
    /// The words in a language.
    pub fn words(&self, locale: &Locale) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Text(key, values) => {
                let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
                locale.fill(key, &values)
            }
        }
    }
}

/// Everything that the page knows.
#[derive(Debug)]
pub struct State {
    pub(super) locale: Locale,
    /// The session of the gallery; none when it came from a link or a host page as a text of its own.
    pub(super) scenario: Option<Scenario>,
    pub(super) player: Player,
    pub(super) playing: bool,
    pub(super) speed: u32,
    /// Simulated time that frames have earned and the clock, which counts whole milliseconds, has not taken yet.
    spare_ms: f64,
    pub(super) client: String,
    /// Workers that were added and may have sent nothing yet.
    added: Vec<&'static str>,
    pub(super) history: History,
    pub(super) typing: Typing,
    pub(super) notes: Vec<Note>,
    /// The entries of the log of whose replies the reader asked why.
    pub(super) asked: Vec<usize>,
    /// Up to which entries and notes the log was cleared.
    pub(super) cleared: (usize, usize),
    pub(super) theme: Theme,
    panel: Panel,
    /// Whether the reader chose it.
    chosen: bool,
    /// Whether no panel is shown.
    bare: bool,
    zoom: Zoom,
    /// How many entries of the log are shown at least.
    pub(super) shown: usize,
    pub(super) coach: Coach,
    /// Whether the coach speaks.
    pub(super) coach_speaks: bool,
    pub(super) explore: Explore,
    /// The schedule that plays on the stage.
    pub(super) replay: Option<Replay>,
    /// What the program that uses the lock is written for.
    pub(super) client_library: Client,
    pub(super) server: Server,
    /// Edited sessions that the reader left, the last one last.
    pub(super) left: Vec<Left>,
    /// Whether playing rests at the end of each step.
    pause_at_steps: bool,
    seed: u64,
    /// Whether the page stands in a frame, and its host is told what happens.
    pub(super) hosted: bool,
    /// Where a session from outside stood, while it is played up to there.
    arriving: Option<Place>,
}

impl State {
    /// Opens the default session, paused with its first step done. The seed is for the tokens that the reader draws.
    pub fn new(seed: u64) -> Self {
        let mut state = Self {
            locale: Locale::english(),
            scenario: Some(scenarios::DEFAULT),
            player: open(scenarios::DEFAULT, seed),
            playing: false,
            speed: 1,
            spare_ms: 0.0,
            client: String::new(),
            added: Vec::new(),
            history: History::default(),
            typing: Typing::default(),
            notes: Vec::new(),
            asked: Vec::new(),
            cleared: (0, 0),
            theme: Theme::default(),
            panel: Panel::default(),
            chosen: false,
            bare: false,
            zoom: Zoom::default(),
            shown: SHOWN,
            coach: Coach::default(),
            coach_speaks: true,
            explore: Explore::default(),
            replay: None,
            client_library: Client::default(),
            server: Server::default(),
            left: Vec::new(),
            pause_at_steps: false,
            seed,
            hosted: false,
            arriving: None,
        };
        state.client = state.first_client();
        state.coach.follow(&state.locale, &state.player);
        state
    }

    /// The same with the choices that the reader made before.
    #[must_use]
    pub fn with_choices(mut self, theme: Theme, history: History) -> Self {
        self.theme = theme;
        self.history = history;
        self
    }

    /// The same with what the reader chose to write programs for.
    #[must_use]
    pub fn for_programs(mut self, client: Client, server: Server) -> Self {
        (self.client_library, self.server) = (client, server);
        self
    }

    /// The same in a frame: its host is told what happens.
    #[must_use]
    pub fn in_a_frame(mut self) -> Self {
        self.hosted = true;
        self
    }

    /// Whether a session from outside is still being played up to where it stood.
    pub fn arriving(&self) -> bool {
        self.arriving.is_some()
    }

    /// Whether the explorer searches.
    pub fn exploring(&self) -> bool {
        self.explore.running().is_some()
    }

    /// The player, to look at.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Whether the clock runs.
    pub fn playing(&self) -> bool {
        self.playing
    }

    /// The theme.
    pub fn theme(&self) -> Theme {
        self.theme
    }

    /// What programs are written for.
    pub fn programs(&self) -> (Client, Server) {
        (self.client_library, self.server)
    }

    /// What a narrow page shows: in place of steps that a session has not, its console, until the reader wants to see that.
    pub fn view(&self) -> View {
        let nothing = self.panel == Panel::Steps && !self.chosen && self.player.session().steps.is_empty();
        View { panel: if nothing { Panel::Console } else { self.panel }, bare: self.bare }
    }

    /// Shows a panel on a narrow page.
    pub(super) fn choose(&mut self, panel: Panel, by_reader: bool) {
        (self.panel, self.chosen) = (panel, by_reader);
    }

    /// How much of the session is seen.
    pub fn zoom(&self) -> Zoom {
        self.zoom
    }

    /// The client that lines are sent as.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// The lines typed before.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The texts of the interface.
    pub fn locale(&self) -> &Locale {
        &self.locale
    }

    /// The workers in the order of their appearance; those that were added, and have sent nothing yet, come last.
    pub fn workers(&self) -> Vec<&str> {
        let mut workers: Vec<&str> = self.player.workers().iter().map(String::as_str).collect();
        for added in self.added.iter().copied().chain([self.client.as_str()]) {
            if added != PLAIN_CLIENT && !workers.contains(&added) {
                workers.push(added);
            }
        }
        workers
    }

    /// The clients that a line can be sent as: the plain one and the workers.
    pub fn clients(&self) -> Vec<&str> {
        std::iter::once(PLAIN_CLIENT).chain(self.workers()).collect()
    }

    /// The name of a worker that is not there yet; none where there are six, as many as the picture has colours for.
    pub fn new_worker(&self) -> Option<&'static str> {
        const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
        let clients = self.clients();
        NAMES.into_iter().find(|name| !clients.contains(name)).filter(|_| clients.len() <= NAMES.len())
    }

    pub(super) fn first_client(&self) -> String {
        self.player.workers().first().map_or(PLAIN_CLIENT, String::as_str).to_owned()
    }

    /// Begins anew with what was said and shown of a session, since another is on the stage.
    pub(super) fn fresh(&mut self) {
        (self.coach, self.shown, self.zoom) = (Coach::default(), SHOWN, Zoom::default());
        self.notes.clear();
        self.asked.clear();
        self.added.clear();
        self.cleared = (0, 0);
    }

    /// Takes a line as the console does, and gives what it says to it.
    pub(super) fn exec(&mut self, text: &str) -> (String, Vec<Effect>) {
        let (entries, notes) = (self.player.log().len(), self.notes.len());
        let mut effects = Vec::new();
        let heard = Heard::of(self);
        self.playing = false;
        submit(self, text, &mut effects);
        effects.extend(heard.told(self));
        let replies = self.player.log().iter().skip(entries).filter_map(|entry| match &entry.what {
            What::Command(played) => Some(played.reply.clone()),
            _ => None,
        });
        let notes = self.notes.iter().skip(notes).map(|note| note.said.words(&self.locale));
        (replies.chain(notes).collect::<Vec<_>>().join("\n"), effects)
    }

    /// Drops notes that stood after entries which are gone, and a clearing that reached past them.
    fn settle(&mut self) {
        let length = self.player.log().len();
        self.notes.retain(|note| note.after <= length);
        self.asked.retain(|entry| *entry < length);
        self.cleared = (self.cleared.0.min(length), self.cleared.1.min(self.notes.len()));
    }

    /// Notes a line that is no part of the session, and what the console says to it.
    fn note(&mut self, line: &str, text: String, is_error: bool) {
        self.say(line, Said::Line(text), is_error);
    }

    /// Says what could not be read in a text.
    fn note_diagnostics(&mut self, diagnostics: Vec<Diagnostic>) {
        for Diagnostic { line, message } in diagnostics {
            self.note("", format!("(error) Line {line}: {message}"), true);
        }
    }

    /// Remarks on what happened.
    pub(super) fn remark(&mut self, text: &'static str, values: Vec<(&'static str, String)>) {
        self.say("", Said::Text(text, values), false);
    }

    fn say(&mut self, line: &str, said: Said, is_error: bool) {
        let note = Note {
            after: self.player.log().len(),
            at: self.player.now(),
            client: self.client.clone(),
            line: line.to_owned(),
            said,
            is_error,
        };
        self.notes.push(note);
    }
}

/// A session, played to the end of its first step.
fn open(scenario: Scenario, seed: u64) -> Player {
    let (session, _) = Session::parse(scenario.text());
    let mut player = Player::new(session, Options { seed, clock: Clock::Ticking, ..Options::default() });
    player.go_to_step(0);
    player
}

/// Opens a session from outside, on its way to where it stood, and gives the one that stood there. What cannot be read in it
/// is told in the console.
pub(super) fn open_from_outside(state: &mut State, opening: &Opening) -> Option<Left> {
    // One that cannot be opened is told of where it is read.
    let opened = opening.player(state.seed).ok()?;
    state.playing = false;
    let left = state.show(opened.player, opened.scenario);
    let said = opening.place != Place::default();
    state.arriving = if said { Some(opening.place) } else { state.player.end_of_step(0) };
    state.note_diagnostics(opened.diagnostics);
    Some(left)
}

/// Goes on to where a session from outside stood, so many items at most: nobody knows how long they take.
fn arrive(state: &mut State, items: usize) {
    let Some(place) = state.arriving else { return };
    for _ in 0..items {
        if !state.player.approach(place) {
            state.player.go_to_place(place);
            state.arriving = None;
            return;
        }
    }
}

/// Handles one message.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    let entries = (state.player.log().len(), state.notes.len());
    let before = state.player.now();
    let heard = Heard::of(state);
    let mut effects = Vec::new();
    let by_host = matches!(msg, Msg::Host(_));
    // Whoever moves the playhead by hand has stopped the clock.
    state.playing &= !msg.moves();
    if msg.moves() || msg.edits() {
        // Nor does he wait for where a link leads.
        state.arriving = None;
    }
    match msg {
        Msg::TogglePlay => {
            state.playing = !state.playing;
            state.spare_ms = 0.0;
        }
        Msg::StepBack => state.player.step_back(),
        Msg::StepForward => state.player.step_forward(),
        Msg::Step(step) => state.player.go_to_step(step),
        Msg::Seek(at) => state.player.seek(at),
        Msg::Nudge(ms) => state.player.seek(state.player.now().saturating_add(ms)),
        Msg::Start => state.player.seek(0),
        Msg::End => state.player.go_to_end(),
        Msg::FastForward(ms) => advance(state, "", ms),
        Msg::Act { client, act } => state.player.type_act(&client, act),
        Msg::NextExpiry => next_expiry(state),
        Msg::Speed(speed) => state.speed = speed.max(1),
        Msg::Frame(elapsed_ms) => frame(state, elapsed_ms),
        Msg::Submit(text) => {
            if !console::is_transcript(&text) && line::check(text.as_bytes()).is_ok() {
                state.history.push(text.trim());
                effects.push(Effect::Store(Choice::Line));
            }
            submit(state, &text, &mut effects);
            set_input(state, &mut effects, Some(String::new()));
            effects.push(Effect::ScrollLog);
        }
        Msg::HistoryBack(current) => {
            let line = state.history.back(&current).map(str::to_owned);
            set_input(state, &mut effects, line);
        }
        Msg::HistoryForth => {
            let line = state.history.forth().map(str::to_owned);
            set_input(state, &mut effects, line);
        }
        Msg::HistorySearch(current) => {
            let line = state.history.search(&current).map(str::to_owned);
            set_input(state, &mut effects, line);
        }
        Msg::Typing { before, after } => state.typing.change(before, after),
        Msg::ChooseWord { forth } => entry::choose(state, forth),
        Msg::AcceptWord(number) => {
            let line = entry::accept(state, number);
            effects.extend(line.map(|(before, after)| Effect::SetInput { before, after }));
        }
        Msg::CloseWords => state.typing.close(),
        Msg::ClientNumber(number) => {
            let name = state.clients().get(number).map(|name| (*name).to_owned());
            if let Some(name) = name {
                state.client = name;
            }
        }
        Msg::Client(name) => state.client = name,
        Msg::AddWorker => {
            if let Some(name) = state.new_worker() {
                state.added.push(name);
                name.clone_into(&mut state.client);
            }
        }
        Msg::ClearLog => state.cleared = (state.player.log().len(), state.notes.len()),
        Msg::Copy(form) => effects.push(Effect::Copy(copied(state, form))),
        Msg::CopyDone => state.remark("copy.done", Vec::new()),
        Msg::Undo => state.undo(&mut effects),
        Msg::Reset => {
            state.player.reset();
            state.player.go_to_step(0);
            state.notes.clear();
            state.asked.clear();
            state.cleared = (0, 0);
            state.speed = 1;
        }
        Msg::Scenario(id) => {
            let scenario = scenarios::find(&id).unwrap_or(scenarios::DEFAULT);
            let left = state.show(open(scenario, state.seed), Some(scenario));
            state.keep(left);
            effects.push(Effect::Address(share::address(scenario)));
        }
        Msg::Open(opening) => {
            if let Some(left) = open_from_outside(state, &opening) {
                state.keep(left);
            }
        }
        Msg::Arrive(items) => arrive(state, items),
        Msg::Host(json) => effects.extend(host::update_by_host(state, &json)),
        Msg::Share(purpose) => effects.push(Effect::Share(share::link(state), purpose)),
        Msg::Explore(msg) => effects.extend(explorer::update(state, msg)),
        Msg::Theme(theme) => {
            state.theme = theme;
            effects.push(Effect::Store(Choice::Theme));
        }
        Msg::ClientLibrary(client) => {
            state.client_library = client;
            effects.push(Effect::Store(Choice::Program));
        }
        Msg::Server(server) => {
            state.server = server;
            effects.push(Effect::Store(Choice::Program));
        }
        Msg::Language(locale) => {
            (state.locale, state.coach) = (locale, Coach::default());
            explorer::retell(state);
        }
        Msg::Panel(panel) => state.choose(panel, true),
        Msg::View(View { panel, bare }) => {
            state.choose(panel, false);
            state.bare = bare;
        }
        Msg::Zoom(zoom) => state.zoom = zoom,
        Msg::Coach(speaks) => state.coach_speaks = speaks,
        Msg::Why(entry) => match state.asked.iter().position(|asked| *asked == entry) {
            Some(at) => {
                state.asked.swap_remove(at);
            }
            None => state.asked.push(entry),
        },
        Msg::EarlierLog => state.shown += SHOWN,
        Msg::PauseAtSteps(rests) => state.pause_at_steps = rests,
    }
    state.settle();
    if state.player.now() != before {
        state.zoom = state.zoom.at(state.player.now());
    }
    state.coach.follow(&state.locale, &state.player);
    if (state.player.log().len(), state.notes.len()) != entries && !effects.contains(&Effect::ScrollLog) {
        effects.push(Effect::ScrollLog);
    }
    // What a host page says is told of by the messages that it stands for.
    if !by_host && state.hosted {
        effects.extend(heard.told(state));
    }
    effects
}

/// Puts a line into the entry line, if there is one.
fn set_input(state: &mut State, effects: &mut Vec<Effect>, line: Option<String>) {
    let Some(before) = line else { return };
    state.typing.replace(&before);
    effects.push(Effect::SetInput { before, after: String::new() });
}

/// The session as text.
fn copied(state: &State, form: Copied) -> String {
    match form {
        Copied::Transcript => state.player.to_transcript(),
        Copied::Mermaid => diagram(state),
        Copied::Still => still(state),
        Copied::Commands => {
            let lines = state.player.items().iter().filter_map(|item| match &item.kind {
                Kind::Command { line, .. } => Some(format!("{line}\n")),
                Kind::Advance(_) | Kind::Act { .. } => None,
            });
            lines.collect()
        }
    }
}

fn next_expiry(state: &mut State) {
    let engine = state.player.runner().engine();
    match engine.next_expiry().map(|(at, _)| at - engine.now()) {
        Some(ms) => state.player.type_advance(ms),
        None => state.remark("console.nothing-left", Vec::new()),
    }
}

/// Lets the clock follow real time. It stops at the end of the session; played from there, it runs on.
fn frame(state: &mut State, elapsed_ms: f64) {
    if !state.playing {
        return;
    }
    let awake_ms = if elapsed_ms < ASLEEP_MS { elapsed_ms.clamp(0.0, MAX_FRAME_MS) } else { 0.0 };
    state.spare_ms += awake_ms * f64::from(state.speed);
    let ms = state.spare_ms.floor();
    state.spare_ms -= ms;
    let ms = ms as Millis;
    if state.player.at_end() {
        let before = state.player.now();
        state.player.run_on(ms);
        // At the end of 64 bits there is no later instant to run to.
        state.playing = ms == 0 || state.player.now() > before;
        return;
    }
    match state.player.next_step_end().filter(|_| state.pause_at_steps) {
        Some((step, at)) if at <= state.player.now().saturating_add(ms) => {
            state.player.go_to_step(step);
            state.playing = false;
        }
        _ => {
            state.player.tick(ms);
            state.playing = !state.player.at_end();
        }
    }
}

fn submit(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    if console::is_transcript(text) {
        return paste(state, text);
    }
    let typed = text.trim();
    if let Err(error) = line::check(text.as_bytes()) {
        // What cannot be shown is not echoed; the error says what it was.
        return state.note("", format!("(error) {error}"), true);
    }
    match console::parse(typed) {
        Input::Nothing => {}
        Input::Switch(name) => name.clone_into(&mut state.client),
        Input::Command { client, line } => {
            let client = client.unwrap_or(&state.client).to_owned();
            send_command(state, &client, typed, line, None);
        }
        Input::Advance(ms) => advance(state, typed, ms),
        Input::Act { client, act } => state.player.type_act(client, act),
        Input::Help(topic) => state.note(typed, console::help(topic), false),
        Input::Clear => effects.extend(update(state, Msg::ClearLog)),
        Input::Bad(why) => state.note(typed, format!("(error) {why}"), true),
    }
}

fn advance(state: &mut State, typed: &str, ms: Millis) {
    if state.player.runner().engine().now().checked_add(ms).is_none() {
        return state.note(typed, CLOCK_FULL.to_owned(), true);
    }
    state.player.type_advance(ms);
}

fn send_command(state: &mut State, client: &str, typed: &str, line: &str, expected: Option<String>) {
    match state.player.type_command(client, line, expected) {
        Ok(request) => {
            match request {
                Some(ClockRequest::Run(speed)) => (state.playing, state.speed) = (true, speed),
                Some(ClockRequest::Pause) => state.playing = false,
                None => {}
            }
            remark_on_unknown(state, line);
        }
        Err(error) => state.note(typed, format!("(error) {error}"), true),
    }
}

/// Says what the playground is for when a command is not in its table.
fn remark_on_unknown(state: &mut State, typed: &str) {
    if let Some(said) = unknown_command(typed) {
        state.say("", said, false);
    }
}

/// A remark on a line whose command is not in the table.
pub(super) fn unknown_command(typed: &str) -> Option<Said> {
    let name = line::split(typed).ok()?.into_iter().next()?;
    if command::find(&name).is_some() {
        return None;
    }
    Some(match console::nearest(&String::from_utf8_lossy(&name)) {
        Some(near) => Said::Text("console.nearest", vec![("command", near.to_owned())]),
        None => Said::Text("console.unknown", Vec::new()),
    })
}

/// Plays a pasted text at the playhead: of a transcript its commands, moves and acts, with the replies that it tells to
/// compare with; of a list of commands each line. Undone as one edit.
fn paste(state: &mut State, text: &str) {
    if text.len() > line::MAX_LINE || text.lines().count() > MAX_PASTE {
        let text = Said::Text("console.long-paste", vec![("lines", MAX_PASTE.to_string())]);
        return state.say("", text, true);
    }
    let (records, diagnostics) = parse(&console::from_terminal(text));
    // A text without a prompt has no prose either: all its lines are commands.
    let is_list = !records.iter().any(|located| matches!(located.record, Record::Command { .. }));
    let mark = state.player.mark_edit();
    for located in records {
        match located.record {
            Record::Command { client, line, reply } => {
                let expected = (!reply.is_empty()).then(|| reply.join("\n"));
                send_command(state, &client, &line, &line, expected);
            }
            Record::Advance { ms, text } => advance(state, &format!("+{text}"), ms),
            Record::Act { client, act } => state.player.type_act(&client, act),
            Record::Prose(line) if is_list => {
                let client = state.client.clone();
                send_command(state, &client, &line, &line, None);
            }
            _ => {}
        }
    }
    state.player.join_edits(mark);
    state.note_diagnostics(diagnostics);
}
