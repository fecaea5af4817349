//! The entry line of the console: what is typed, how it may go on, and who types it.

use super::lock::events;
use super::why::summary;
use super::{State, view};
use crate::console::{Kind, Known, complete, hint};
use crate::engine::{EventKind, sorted};
use crate::player::What;
use crate::transcript::Runner;

/// What stands in the entry line, and whether words to go on with are offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typing {
    /// Up to the caret.
    before: String,
    /// After it.
    after: String,
    /// Whether words are offered: from a typed character until the reader closes them, moves the caret or sends.
    offers: bool,
    /// Which of them is chosen.
    chosen: usize,
}

impl Typing {
    /// The line was typed into, or the caret moved.
    pub(super) fn change(&mut self, before: String, after: String) {
        if (&self.before, &self.after) == (&before, &after) {
            return;
        }
        // The same characters around another place: only the caret moved.
        let typed = self.before.len() + self.after.len() != before.len() + after.len()
            || !self.before.chars().chain(self.after.chars()).eq(before.chars().chain(after.chars()));
        *self = Self { before, after, offers: typed, chosen: 0 };
    }

    /// The line is another as a whole; nothing is offered.
    pub(super) fn replace(&mut self, line: &str) {
        *self = Self { before: line.to_owned(), ..Self::default() };
    }

    /// Offers nothing until something is typed again.
    pub(super) fn close(&mut self) {
        self.offers = false;
    }
}

/// The database that a client has selected.
fn database(runner: &Runner, client: &str) -> usize {
    runner.find(client).map_or(0, |client| runner.engine().client(client).db)
}

/// The keys of a client's database that begin so, in order.
pub(super) fn keys(runner: &Runner, client: &str, prefix: &str, most: usize) -> Vec<String> {
    let engine = runner.engine();
    let db = database(runner, client);
    let mut keys = sorted(
        engine
            .database(db)
            .unordered(engine.now())
            .filter(|(key, _)| key.starts_with(prefix.as_bytes()))
            .filter_map(|(key, _)| std::str::from_utf8(key).ok().map(str::to_owned)),
    );
    keys.truncate(most);
    keys
}

impl Known for State {
    /// The keys that are there; then locks that are gone, the last one first: they are taken again.
    fn keys(&self, prefix: &str, most: usize) -> Vec<String> {
        let mut found = keys(self.player().runner(), self.client(), prefix, most);
        let db = database(self.player().runner(), self.client());
        for event in events(self).rev().filter(|event| event.kind.is_lock() && event.db == db) {
            let key = String::from_utf8_lossy(&event.key);
            if found.len() < most && key.starts_with(prefix) && !found.iter().any(|known| *known == key) {
                found.push(key.into_owned());
            }
        }
        found
    }

    /// The tokens of locks, the newest first.
    fn tokens(&self, prefix: &str, most: usize) -> Vec<String> {
        let mut tokens: Vec<String> = Vec::new();
        for entry in self.player().log().iter().rev() {
            let What::Command(played) = &entry.what else { continue };
            for event in &played.events {
                let (EventKind::Granted { token, .. } | EventKind::Overwritten { token, .. }) = &event.kind else {
                    continue;
                };
                let token = String::from_utf8_lossy(token);
                if token.starts_with(prefix) && tokens.len() < most && !tokens.iter().any(|known| *known == token) {
                    tokens.push(token.into_owned());
                }
            }
        }
        tokens
    }
}

/// A word that the line may go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The part of it that is typed already.
    pub typed: String,
    /// The rest of it.
    pub rest: String,
    /// What it is, in a few words.
    pub note: String,
}

/// The entry line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLine {
    /// When a line would be sent.
    pub at: String,
    /// The prompt.
    pub prompt: String,
    /// The class of the client's colour.
    pub class: &'static str,
    /// The line's name for those who do not see the prompt.
    pub label: String,
    /// What stands before the caret.
    pub before: String,
    /// What may follow it, as the syntax line has it; nothing in the middle of a line.
    pub hint: String,
    /// Words to go on with.
    pub offers: Vec<Offer>,
    /// Which of them is chosen.
    pub chosen: usize,
    /// How many characters stand before the word that they go on with.
    pub column: usize,
}

/// Reads the entry line.
pub fn entry_line(state: &State) -> EntryLine {
    let Typing { before, after, chosen, .. } = &state.typing;
    let runner = state.player().runner();
    let in_transaction =
        runner.find(&state.client).is_some_and(|client| runner.engine().client(client).transaction.is_some());
    let word = word_at(before);
    let offers = candidates(state);
    let offers: Vec<Offer> = offers
        .into_iter()
        .map(|candidate| {
            let (typed, rest) = candidate.text.split_at(word.len());
            let note = match candidate.kind {
                Kind::Command(spec) => summary(&state.locale, spec).to_owned(),
                Kind::Option(spec) => argument_of(spec.syntax, &candidate.text).to_owned(),
                Kind::Value => String::new(),
            };
            Offer { typed: typed.to_owned(), rest: rest.to_owned(), note }
        })
        .collect();
    EntryLine {
        at: state.locale.seconds(state.player().now()),
        // As redis-cli shows it.
        prompt: format!("{}{}>", state.client, if in_transaction { "(TX)" } else { "" }),
        class: view::badge(state, &state.client).class,
        label: state.locale.fill("console.as", &[("name", &state.client)]),
        before: before.clone(),
        hint: if after.is_empty() { hint(before).unwrap_or_default() } else { String::new() },
        chosen: *chosen,
        column: before[..before.len() - word.len()].chars().count(),
        offers,
    }
}

/// What follows an option in a syntax line: `milliseconds` after PX; nothing after an option that stands alone.
fn argument_of<'a>(syntax: &'a str, option: &str) -> &'a str {
    let mut words = syntax.split([' ', '[', ']', '|']).filter(|word| !word.is_empty());
    words.find(|word| *word == option);
    words.next().filter(|word| word.starts_with(|first: char| first.is_ascii_lowercase())).unwrap_or_default()
}

/// The word before the caret.
fn word_at(before: &str) -> &str {
    before.rsplit(char::is_whitespace).next().unwrap_or_default()
}

/// What may take the place of the word before the caret; nothing while nothing is offered.
fn candidates(state: &State) -> Vec<crate::console::Candidate> {
    let Typing { before, after, offers, .. } = &state.typing;
    // In the middle of a word there is nothing to add.
    if !offers || !(after.is_empty() || after.starts_with(' ')) {
        return Vec::new();
    }
    let word = word_at(before);
    let mut found = complete(before, state);
    found.retain(|candidate| candidate.text.is_char_boundary(word.len()));
    found
}

/// Whether words are offered.
pub fn offers(state: &State) -> bool {
    !candidates(state).is_empty()
}

/// Chooses another of the words that are offered.
pub(super) fn choose(state: &mut State, forth: bool) {
    let count = candidates(state).len();
    if count > 0 {
        let step = if forth { 1 } else { count - 1 };
        state.typing.chosen = (state.typing.chosen + step) % count;
    }
}

/// Puts a word that is offered in place of the one before the caret: the one of that number, or the chosen one. What then
/// stands before the caret and after it; `None` when there is no such word.
pub(super) fn accept(state: &mut State, number: Option<usize>) -> Option<(String, String)> {
    let candidate = candidates(state).into_iter().nth(number.unwrap_or(state.typing.chosen))?;
    let typing = &mut state.typing;
    typing.before.truncate(typing.before.len() - word_at(&typing.before).len());
    typing.before.push_str(&candidate.text);
    if typing.after.is_empty() {
        typing.before.push(' ');
    }
    typing.close();
    typing.chosen = 0;
    Some((typing.before.clone(), typing.after.clone()))
}
