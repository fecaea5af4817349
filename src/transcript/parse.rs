//! Text to records. Parsing never fails: a line that says nothing becomes [`Record::Stray`] and a diagnostic.

use rustc_hash::FxHashSet;

use super::{Act, Diagnostic, Located, Record, line, record::split_name};
use crate::engine::parse_duration;

/// What is said to a clock move that is none.
pub const BAD_MOVE: &str = "a clock move is written +500ms, +12s, +2m, +1h or +1d, and its milliseconds fit in 64 bits";

/// Reads a transcript.
pub fn parse(text: &str) -> (Vec<Located>, Vec<Diagnostic>) {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        parser.line(index + 1, line.trim_end());
    }
    (parser.records, parser.diagnostics)
}

#[derive(Default)]
struct Parser {
    records: Vec<Located>,
    diagnostics: Vec<Diagnostic>,
    /// Who has acted so far.
    clients: FxHashSet<String>,
}

impl Parser {
    fn line(&mut self, number: usize, text: &str) {
        let record = if text.is_empty() {
            Record::Blank
        } else if let Some(comment) = text.strip_prefix("//") {
            Record::Comment(comment.to_owned())
        } else if let Some(title) = text.strip_prefix("# ") {
            Record::Step(title.trim_start().to_owned())
        } else if let Some(moved) =
            text.strip_prefix('+').filter(|moved| moved.starts_with(|c: char| c.is_ascii_digit()))
        {
            match parse_duration(moved) {
                Some(ms) => Record::Advance { ms, text: moved.to_owned() },
                None => self.stray(number, text, BAD_MOVE),
            }
        } else if let Some((client, command)) = prompt(text) {
            match line::split(command) {
                Ok(words) if words.is_empty() => self.stray(
                    number,
                    text,
                    &format!("a command follows {client}>, as in {client}> GET lock:billing-run"),
                ),
                Ok(_) => Record::Command { client: client.to_owned(), line: command.to_owned(), reply: Vec::new() },
                Err(error) => self.stray(number, text, &error.to_string()),
            }
        } else if let Some((client, _)) = split_name(text, '>').filter(|(client, _)| self.clients.contains(*client)) {
            self.stray(number, text, &format!("a space stands between {client}> and its command"))
        } else if let Some((client, act)) = self.act(text) {
            match Act::parse(act) {
                Some(act) => Record::Act { client: client.to_owned(), act },
                None => self.stray(
                    number,
                    text,
                    &format!("{client}: is followed by enter NAME, leave NAME, pause, resume or crash"),
                ),
            }
        } else if let Some(Located { record: Record::Command { reply, .. }, .. }) = self.records.last_mut() {
            reply.push(text.to_owned());
            return;
        } else {
            Record::Prose(text.to_owned())
        };
        if let Record::Command { client, .. } | Record::Act { client, .. } = &record
            && !self.clients.contains(client)
        {
            self.clients.insert(client.clone());
        }
        self.records.push(Located { line: number, record });
    }

    /// `NAME: word`, where the word is one of the acts or close to one, or stands alone after somebody who has acted: prose
    /// has colons too.
    fn act<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str)> {
        let (client, rest) = split_name(text, ':')?;
        let rest = rest.strip_prefix(' ')?.trim_start();
        let verb = rest.split(' ').next()?;
        let near = |known: &&str| verb.len() > 2 && known.starts_with(&verb[..verb.floor_char_boundary(3)]);
        let alone = verb == rest && self.clients.contains(client);
        (alone || ["enter", "leave", "pause", "resume", "crash"].iter().any(near)).then_some((client, rest))
    }

    fn stray(&mut self, line: usize, text: &str, message: &str) -> Record {
        self.diagnostics.push(Diagnostic { line, message: message.to_owned() });
        Record::Stray(text.to_owned())
    }
}

/// `NAME>`, alone or before a space.
fn prompt(text: &str) -> Option<(&str, &str)> {
    let (client, rest) = split_name(text, '>')?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| (client, rest.trim_start()))
}
