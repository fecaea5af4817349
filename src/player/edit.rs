//! What the reader changes in a session: lines, moves and acts at the playhead, workers that are stopped and go on, and
//! undoing all that.

use super::{Item, Kind, Player, Position, Until};
use crate::command::ClockRequest;
use crate::engine::Millis;
use crate::transcript::{Act, line::LineError, line::split};

/// How many items all edits that can be undone may hold together; the oldest edits go first.
const MAX_UNDO_ITEMS: usize = 200_000;

/// Where edits begin that are to be undone as one.
#[derive(Clone, Debug)]
pub struct EditMark {
    items: Vec<Item>,
    position: Position,
}

impl Player {
    /// Sends a command at the playhead. It becomes part of the session; what the reader had added later is dropped.
    ///
    /// A line that is no command changes nothing.
    ///
    /// With a reply that is expected, the entry says when the reply is another.
    pub fn type_command(
        &mut self,
        client: &str,
        line: &str,
        expected: Option<String>,
    ) -> Result<Option<ClockRequest>, LineError> {
        if split(line)?.is_empty() {
            return Ok(None);
        }
        let kind = Kind::Command { client: client.to_owned(), line: line.trim().to_owned(), expected };
        self.insert(kind);
        let index = self.position.index;
        Ok(self.run_item(index))
    }

    /// Lets time pass at the playhead while nobody acts; later items move back by as much.
    pub fn type_advance(&mut self, ms: Millis) {
        // A clock at the end of 64 bits stands: there is no later instant.
        let ms = ms.clamp(0, Millis::MAX - self.runner.engine().now());
        self.insert(Kind::Advance(ms));
        self.forward(Until::Position(Position { index: self.position.index + 1, offset: 0 }));
    }

    /// Puts something that a worker does at the playhead. What the story has for a worker that is paused or crashes does
    /// not happen; when it is resumed it goes on with that, as much later as it was paused.
    pub fn type_act(&mut self, client: &str, act: Act) {
        let (since, paused) = self.worker_time(client, self.position.index);
        self.insert(Kind::Act { client: client.to_owned(), act: act.clone() });
        let index = self.position.index;
        self.run_item(index);
        match (act, paused) {
            (Act::Pause | Act::Crash, _) => {
                let mut later = self.items.split_off(index + 1);
                later.retain(|item| !item.is_of(client));
                self.items.append(&mut later);
            }
            (Act::Resume, true) => self.put_back(client, since),
            _ => {}
        }
    }

    /// Lets the clock run on past the end: one typed move that grows.
    pub fn run_on(&mut self, ms: Millis) {
        if ms == 0 {
            return;
        }
        let length = self.items.len();
        // Only a move that grew out of running grows on; one that the reader made stays what it is.
        if let Some(Item { kind: Kind::Advance(moved), typed: true, .. }) = self.items.last_mut()
            && self.position.index == length
            && self.running
        {
            let offset = *moved;
            *moved = moved.saturating_add(ms);
            self.position = Position { index: length - 1, offset };
            self.forward(Until::Position(Position { index: length, offset: 0 }));
        } else {
            self.type_advance(ms);
            self.running = true;
        }
    }

    /// How many commands and moves the reader added.
    pub fn typed(&self) -> usize {
        self.items.iter().filter(|item| item.typed).count()
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Takes back the last edit, and stands where it was made.
    pub fn undo(&mut self) {
        if let Some((items, position)) = self.undo.pop() {
            self.items = items;
            self.workers = self.session.workers(&self.items);
            self.running = false;
            self.restart();
            self.go_to(position);
        }
    }

    /// Puts the session back as its author wrote it, at its start. Can be undone.
    pub fn reset(&mut self) {
        if self.typed() > 0 {
            self.save();
        }
        self.items = self.session.items.clone();
        self.workers = self.session.workers(&self.items);
        self.running = false;
        self.restart();
    }

    /// Marks where several edits begin that are to be undone as one.
    pub fn mark_edit(&self) -> EditMark {
        EditMark { items: self.items.clone(), position: self.position }
    }

    /// Makes all edits since a mark one.
    pub fn join_edits(&mut self, mark: EditMark) {
        let EditMark { items, position } = mark;
        if self.items == items {
            return;
        }
        // The edit that began from the marked state, and what came after it. A long paste may have pushed it out.
        let since = self.undo.iter().rposition(|(known, at)| *known == items && *at == position);
        self.undo.truncate(since.unwrap_or(self.undo.len()));
        self.undo.push((items, position));
    }

    fn save(&mut self) {
        self.undo.push((self.items.clone(), self.position));
        let mut held: usize = self.undo.iter().map(|(items, _)| items.len()).sum();
        while held > MAX_UNDO_ITEMS && self.undo.len() > 1 {
            held -= self.undo.remove(0).0.len();
        }
    }

    /// Puts an item of the reader's at the playhead and stands before it.
    fn insert(&mut self, kind: Kind) {
        self.save();
        let Position { index, offset } = self.position;
        self.keyframes.cut(index);
        let mut at = index;
        if offset > 0
            && let Kind::Advance(ms) = self.items[index].kind
        {
            let rest = Item { kind: Kind::Advance(ms - offset), ..self.items[index].clone() };
            self.items[index].kind = Kind::Advance(offset);
            at += 1;
            self.items.insert(at, rest);
        }
        let mut later = self.items.split_off(at);
        // Whom a dropped line had stopped goes on as the story has it.
        let freed: Vec<String> = later.iter().filter(|item| item.typed).filter_map(Item::stops).collect();
        later.retain(|item| !item.typed);
        self.items.push(Item { kind, step: None, typed: true });
        self.items.append(&mut later);
        self.running = false;
        self.position = Position { index: at, offset: 0 };
        for client in freed {
            let (since, paused) = self.worker_time(&client, at);
            if !paused {
                self.put_back(&client, since);
            }
        }
        self.workers = self.session.workers(&self.items);
    }

    /// How far the story has come before an item, by its own clock, on which nobody forwarded.
    fn own_time(&self, index: usize) -> Millis {
        let own = self.items[..index].iter().filter(|item| !item.typed);
        own.map(|item| if let Kind::Advance(ms) = item.kind { ms } else { 0 }).fold(0, Millis::saturating_add)
    }

    /// How far a worker has come in the story before an item, by the same clock, on which its pauses do not count; and
    /// whether the reader has paused it.
    fn worker_time(&self, client: &str, index: usize) -> (Millis, bool) {
        let (mut lag, mut paused) = (0, None);
        for (at, item) in self.items[..index].iter().enumerate().filter(|(_, item)| item.typed && item.is_of(client)) {
            match &item.kind {
                Kind::Act { act: Act::Pause, .. } => paused = paused.or(Some(self.own_time(at))),
                Kind::Act { act: Act::Resume, .. } => lag += paused.take().map_or(0, |since| self.own_time(at) - since),
                Kind::Act { act: Act::Crash, .. } => paused = None,
                _ => {}
            }
        }
        (paused.unwrap_or_else(|| self.own_time(index)) - lag, paused.is_some())
    }

    /// Puts what the story still has for a worker behind the playhead, as far off as it was at an instant of the story.
    fn put_back(&mut self, client: &str, since: Millis) {
        let there = self.items.iter().filter(|item| !item.typed && item.is_of(client)).count();
        let mut at = 0;
        let mut rest = Vec::new();
        for item in &self.session.items {
            match item.kind {
                Kind::Advance(ms) => at = ms.saturating_add(at),
                _ if item.is_of(client) => rest.push((at, item.clone())),
                _ => {}
            }
        }
        for (at, item) in rest.into_iter().skip(there) {
            self.place(at.saturating_sub(since).max(0), item);
        }
    }

    /// Puts an item so far behind the playhead, after what else happens at that instant.
    fn place(&mut self, mut left: Millis, item: Item) {
        let mut index = self.position.index;
        while let Some(Item { kind, .. }) = self.items.get_mut(index) {
            if let Kind::Advance(ms) = kind {
                if left < *ms {
                    if left > 0 {
                        let rest = *ms - left;
                        *ms = left;
                        let rest = Item { kind: Kind::Advance(rest), ..self.items[index].clone() };
                        index += 1;
                        self.items.insert(index, rest);
                    }
                    self.items.insert(index, item);
                    return;
                }
                left -= *ms;
            }
            index += 1;
        }
        if left > 0 {
            self.items.push(Item { kind: Kind::Advance(left), step: item.step, typed: false });
        }
        self.items.push(item);
    }
}
