//! A session together with what the reader made of it, as one text, and back. That is what a link holds.
//!
//! The text is a transcript. What a transcript does not tell stands in comments of one word: after `//+` comes an item
//! that the reader added, after `//2` come items of the second step though they stand elsewhere (`//0`: of no step), and
//! after `//=` comes the story as its author wrote it, where that cannot be told from the rest.

use super::{Item, Kind, Player, Position, Session, prose_records, step_records};
use crate::engine::{Millis, Options, format_duration};
use crate::transcript::{Diagnostic, Record, parse, print};

const ADDED: &str = "+";
const STORY: &str = "=";

/// Where a session is to stand: at an instant, and what happens at it done; or before an item, and inside it as far as the
/// instant says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Milliseconds since the start of the session.
    pub at: Option<Millis>,
    /// The next item.
    pub index: Option<usize>,
}

/// Writes items under the headings that they belong to.
struct Writer<'a> {
    session: &'a Session,
    prose: bool,
    records: Vec<Record>,
    /// How many headings are written.
    headings: usize,
    /// The step that a reader takes the next item to belong to.
    step: Option<usize>,
}

impl Writer<'_> {
    fn item(&mut self, item: &Item) {
        if item.typed {
            self.mark(ADDED.to_owned());
        } else {
            self.headings_to(item.step.map_or(0, |step| step + 1));
            if item.step != self.step {
                self.mark(item.step.map_or(0, |step| step + 1).to_string());
                self.step = item.step;
            }
        }
        self.records.push(match &item.kind {
            Kind::Advance(ms) => Record::Advance { ms: *ms, text: format_duration(*ms) },
            Kind::Act { client, act } => Record::Act { client: client.clone(), act: act.clone() },
            Kind::Command { client, line, expected } => {
                let reply = expected.iter().flat_map(|reply| reply.split('\n').map(str::to_owned)).collect();
                Record::Command { client: client.clone(), line: line.clone(), reply }
            }
        });
    }

    fn headings_to(&mut self, count: usize) {
        while self.headings < count {
            let Some(step) = self.session.steps.get(self.headings) else { return };
            if self.prose {
                self.records.extend(step_records(step));
            } else {
                self.records.push(Record::Step(step.title.clone()));
            }
            self.step = Some(self.headings);
            self.headings += 1;
        }
    }

    fn mark(&mut self, word: String) {
        self.records.push(Record::Comment(word));
    }
}

/// What a text tells.
struct Read {
    session: Session,
    items: Vec<Item>,
}

fn read(text: &str) -> (Read, Vec<Diagnostic>) {
    let (records, diagnostics) = parse(text);
    let mut session = Session::default();
    let (mut items, mut story) = (Vec::new(), None);
    let (mut typed, mut elsewhere) = (false, None);
    for located in records {
        match located.record {
            Record::Comment(word) if word == ADDED => typed = true,
            Record::Comment(word) if word == STORY => story = Some(Vec::new()),
            Record::Comment(word) => elsewhere = word.parse::<usize>().ok().or(elsewhere),
            record => {
                if matches!(record, Record::Step(_)) {
                    elsewhere = None;
                }
                session.add(record);
                let Some(mut item) = session.items.pop() else { continue };
                if let Some(step) = elsewhere {
                    item.step = step.checked_sub(1).filter(|step| *step < session.steps.len());
                }
                if std::mem::take(&mut typed) {
                    item = Item { step: None, typed: true, ..item };
                }
                story.as_mut().unwrap_or(&mut items).push(item);
            }
        }
    }
    session.items = story.unwrap_or_else(|| items.iter().filter(|item| !item.typed).cloned().collect());
    (Read { session, items }, diagnostics)
}

impl Player {
    /// The session with the reader's edits as text. Where whoever reads it has the story too, its prose and its items are
    /// left out.
    pub fn to_edited_text(&self, story_is_known: bool) -> String {
        let prose = !story_is_known;
        let mut writer = Writer { session: &self.session, prose, records: Vec::new(), headings: 0, step: None };
        if prose && !self.session.intro.is_empty() {
            writer.records.extend(prose_records(&self.session.intro));
            writer.records.push(Record::Blank);
        }
        self.items.iter().for_each(|item| writer.item(item));
        writer.headings_to(self.session.steps.len());
        let untouched = self.items.iter().filter(|item| !item.typed);
        if prose && !untouched.eq(&self.session.items) {
            writer.mark(STORY.to_owned());
            self.session.items.iter().for_each(|item| writer.item(item));
        }
        print(&writer.records)
    }

    /// Reads such a text and stands at the start of the session. Of a story that is known the text needs to tell the titles
    /// only; when it tells others, it is a session of its own. Whether it is that story comes along, and what cannot be read.
    pub fn from_edited_text(text: &str, story: Option<Session>, options: Options) -> (Self, bool, Vec<Diagnostic>) {
        let (Read { session, items }, diagnostics) = read(text);
        let titles = |session: &Session| session.steps.iter().map(|step| step.title.clone()).collect::<Vec<_>>();
        let story = story.filter(|story| titles(story) == titles(&session));
        let known = story.is_some();
        let mut player = Self::new(story.unwrap_or(session), options);
        player.workers = player.session.workers(&items);
        player.items = items;
        (player, known, diagnostics)
    }

    /// Whether anything differs from what the author wrote.
    pub fn is_edited(&self) -> bool {
        self.items != self.session.items
    }

    /// Goes to a place.
    pub fn go_to_place(&mut self, place: Place) {
        let Place { at, index } = place;
        match (index, at) {
            (Some(index), at) => {
                self.go_to(Position { index: index.min(self.items.len()), offset: 0 });
                let inside = at.map_or(0, |at| at.saturating_sub(self.now()));
                if let Some(Item { kind: Kind::Advance(ms), .. }) = self.items.get(index)
                    && (1..*ms).contains(&inside)
                {
                    self.go_to(Position { index, offset: inside });
                }
            }
            (None, at) => self.seek(at.unwrap_or_default()),
        }
    }

    /// Goes a part of the way forward to a place, an item at most; `false` where nothing whole lies between.
    pub fn approach(&mut self, place: Place) -> bool {
        let Position { index, offset } = self.position;
        let Some(item) = self.items.get(index) else { return false };
        let ms = if let Kind::Advance(ms) = item.kind { ms - offset } else { 0 };
        let there = place.index.is_some_and(|stop| index >= stop)
            || place.index.is_none() && self.now().saturating_add(ms) > place.at.unwrap_or_default();
        if !there {
            self.go_to(Position { index: index + 1, offset: 0 });
        }
        !there
    }

    /// The place at which a step is done.
    pub fn end_of_step(&self, step: usize) -> Option<Place> {
        self.after_step(step).map(|index| Place { at: None, index: Some(index) })
    }

    /// The seed that tokens are drawn from.
    pub fn seed(&self) -> u64 {
        self.options.seed
    }

    /// The seed, where the session draws from it anywhere.
    pub fn drawn_seed(&self) -> Option<u64> {
        let mut whole = self.clone();
        whole.go_to_end();
        whole.runner.engine().has_drawn(self.options.seed).then_some(self.options.seed)
    }
}
