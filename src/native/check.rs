//! `hotkv check`: the transcripts of files, on an engine or on a real server.

use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;

use super::cli::{Failure, complain, print};
use super::server::Server;
use crate::engine::{Millis, Options};
use crate::transcript::{Located, Mismatch, Record, Runner, compare, parse, play, print_located, same_reply};

/// The longest file that is read, in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// The longest session that runs on a server when nothing else is said.
const LONG: Millis = 120_000;
/// What marks a transcript that only this playground can run.
const PLAYGROUND_ONLY: &str = "playground-only";

/// What `hotkv check` takes.
#[derive(Args)]
pub(super) struct Check {
    /// Transcripts, or Markdown files with fenced blocks that are named `hotkv`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write the replies that the engine gives into the files.
    #[arg(long, conflicts_with = "server")]
    update: bool,
    /// Run on this server, in real time. Nothing that is there is changed.
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// Run on the server although keys that are named are there already, and delete them in the end.
    #[arg(long, requires = "server")]
    overwrite: bool,
    /// Run sessions of more than two minutes on the server too.
    #[arg(long, requires = "server")]
    slow: bool,
}

/// One transcript of a file.
#[derive(Debug)]
pub(super) struct Block {
    /// Its lines in the file, counted from 0.
    lines: Range<usize>,
    /// What stands before each line of a fenced block.
    indent: String,
    /// What it says.
    pub(super) records: Vec<Located>,
    /// What is wrong with it, by line.
    diagnostics: Vec<(usize, String)>,
    /// Whether it goes on where the one before it ended.
    goes_on: bool,
    /// Whether only this playground can run it.
    playground_only: bool,
}

impl Block {
    fn new(lines: Range<usize>, indent: &str, text: &str, words: &[&str]) -> Self {
        let (records, diagnostics) = parse(text);
        let marked =
            |located: &Located| matches!(&located.record, Record::Comment(text) if text.trim() == PLAYGROUND_ONLY);
        Self {
            indent: indent.to_owned(),
            goes_on: words.contains(&"continue"),
            playground_only: words.contains(&PLAYGROUND_ONLY) || records.iter().any(marked),
            diagnostics: diagnostics.into_iter().map(|told| (lines.start + told.line, told.message)).collect(),
            lines,
            records,
        }
    }

    /// How long it takes in simulated time.
    fn duration(&self) -> Millis {
        let moves =
            self.records.iter().map(|located| if let Record::Advance { ms, .. } = located.record { ms } else { 0 });
        moves.fold(0, Millis::saturating_add)
    }

    /// Where its records stand in the file.
    fn place(&self, mut mismatch: Mismatch) -> Mismatch {
        mismatch.line += self.lines.start;
        mismatch
    }
}

/// The transcripts of a file: all of it, or the fenced blocks of Markdown that are named `hotkv`.
fn blocks(path: &Path, text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let markdown = path
        .extension()
        .is_some_and(|extension| ["md", "markdown", "mdx"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    if !markdown {
        return vec![Block::new(0..lines.len(), "", text, &[])];
    }
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some((indent, fence, info)) = fence(line) else { continue };
        let closes = |line: &&str| {
            let line = line.trim();
            line.len() >= fence.len() && line.starts_with(fence) && line.chars().all(|mark| fence.starts_with(mark))
        };
        let length = lines[at..].iter().position(closes).unwrap_or(lines.len() - at);
        let words: Vec<&str> = info.split_whitespace().collect();
        if words.first() == Some(&"hotkv") {
            let inside =
                lines[at..at + length].iter().map(|line| line.strip_prefix(indent).unwrap_or(line.trim_start()));
            let text: String = inside.flat_map(|line| [line, "\n"]).collect();
            let mut block = Block::new(at..at + length, indent, &text, &words[1..]);
            if block.goes_on && blocks.is_empty() {
                block.diagnostics.push((at, "no block stands before this one that it could continue".to_owned()));
            }
            blocks.push(block);
        }
        at += length + 1;
    }
    blocks
}

/// The indent, the marks and the words of a line that opens a fenced block.
fn fence(line: &str) -> Option<(&str, &str, &str)> {
    let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let (fence, info) = rest.split_at(rest.len() - rest.trim_start_matches(mark).len());
    // Backticks after the marks are code in a line.
    (fence.len() >= 3 && !info.contains('`')).then_some((indent, fence, info))
}

/// What came of the files.
#[derive(Default)]
struct Count {
    /// Sessions that were skipped, and why.
    skipped: Vec<String>,
    /// Whether all that was checked holds.
    broken: bool,
    /// What could not be read, written or run.
    wrong: Vec<String>,
}

/// Checks each file; whether all replies hold. What cannot be read is told, and the others are checked all the same.
pub(super) fn check(wanted: &Check) -> Result<bool, Failure> {
    let server = wanted.server.as_deref().map(Server::open).transpose().map_err(Failure::Told)?;
    let mut count = Count::default();
    let mut sessions = Vec::new();
    for path in &wanted.files {
        let name = path.display().to_string();
        let text = match read(path) {
            Ok(text) => text,
            Err(error) => {
                count.wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let blocks = blocks(path, &text);
        if server.is_some() {
            for block in blocks {
                match sessions.last_mut() {
                    Some((of, session)) if block.goes_on && *of == name => Vec::push(session, block),
                    _ => sessions.push((name.clone(), vec![block])),
                }
            }
        } else {
            check_file(wanted, path, &name, &text, &blocks, &mut count)?;
        }
    }
    if let Some(server) = server {
        check_on(&server, wanted, sessions, &mut count)?;
    }
    let wrong = count.wrong.pop();
    for earlier in &count.wrong {
        complain(earlier);
    }
    wrong.map_or(Ok(!count.broken), |last| Err(Failure::Told(last)))
}

/// Checks a file on the engine, and updates it where that is wanted.
fn check_file(
    wanted: &Check,
    path: &Path,
    name: &str,
    text: &str,
    blocks: &[Block],
    count: &mut Count,
) -> Result<(), Failure> {
    let mut runner = Runner::new(Options::default());
    let (mut well, mut total, mut changed) = (true, 0, 0);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut updates = Vec::new();
    for block in blocks {
        if !block.goes_on {
            runner = Runner::new(Options::default());
        }
        let replies = play(&mut runner, &block.records);
        let mismatches = compare(&block.records, &replies, |_, told, actual| same_reply(told, actual));
        total += replies.len();
        // What ran after a line that cannot be read is not what its author meant.
        if wanted.update && !mismatches.is_empty() && block.diagnostics.is_empty() {
            changed += mismatches.len();
            updates.push((block, updated(&block.records, &replies)));
        } else {
            well &= tell(name, block, mismatches)?;
        }
        well &= block.diagnostics.is_empty();
        for (line, message) in &block.diagnostics {
            print(&format!("{name}:{line}: {message}\n"))?;
        }
    }
    // From the last to the first, so that the places of the others stay what they are.
    for (block, text) in updates.iter().rev() {
        let new =
            text.lines().map(|line| if line.is_empty() { String::new() } else { format!("{}{line}", block.indent) });
        lines.splice(block.lines.clone(), new);
    }
    count.broken |= !well;
    if !updates.is_empty()
        && let Err(error) = write(path, text, &lines)
    {
        count.wrong.push(format!("{name}: {error}"));
        return Ok(());
    }
    match (well, total, changed) {
        (false, _, 0) => Ok(()),
        (_, _, 1..) => print(&format!("{name}: {} updated\n", replies_in_words(changed))),
        (true, 0, _) => print(&format!("{name}: no command in it, nothing to check\n")),
        (true, ..) => print(&format!("{name}: ok, {}\n", replies_in_words(total))),
    }
}

fn replies_in_words(count: usize) -> String {
    if count == 1 { "1 reply".to_owned() } else { format!("{count} replies") }
}

/// Tells what differs; whether nothing does.
fn tell(name: &str, block: &Block, mismatches: Vec<Mismatch>) -> Result<bool, Failure> {
    let well = mismatches.is_empty();
    for mismatch in mismatches {
        let Mismatch { line, command, expected, actual } = block.place(mismatch);
        let expected = expected.as_deref().unwrap_or("no reply told");
        print(&format!("{name}:{line}: {command}\n  expected {expected}\n  got      {actual}\n"))?;
    }
    Ok(well)
}

/// A transcript with other replies.
fn updated(records: &[Located], replies: &[String]) -> String {
    let mut replies = replies.iter();
    let mut records = records.to_vec();
    for located in &mut records {
        if let Record::Command { reply, .. } = &mut located.record
            && let Some(actual) = replies.next()
            && !same_reply(&reply.join("\n"), actual)
        {
            *reply = actual.lines().map(str::to_owned).collect();
        }
    }
    print_located(&records)
}

/// Runs sessions on a server, side by side, and tells what came of each in order.
fn check_on(
    server: &Server,
    wanted: &Check,
    sessions: Vec<(String, Vec<Block>)>,
    count: &mut Count,
) -> Result<(), Failure> {
    let mut run = Vec::new();
    for (name, session) in sessions {
        let place = |block: &Block| format!("{name}:{}", block.lines.start + 1);
        let duration = session.iter().map(Block::duration).fold(0, Millis::saturating_add);
        let first = &session[0];
        let why = if session.iter().any(|block| block.playground_only) {
            Some("only this playground can run it".to_owned())
        } else if let Some(why) = session.iter().find_map(|block| server.cannot_run(&block.records)) {
            Some(why)
        } else if duration > LONG && !wanted.slow {
            Some(format!("it takes {} s; --slow runs it", duration / 1_000))
        } else {
            None
        };
        match why {
            Some(why) => count.skipped.push(format!("{}: skipped: {why}", place(first))),
            None => run.push((name, session)),
        }
    }
    let results = server.run_all(&run, wanted.overwrite);
    let ran = results.iter().filter(|result| result.is_ok()).count();
    for ((name, session), result) in run.iter().zip(results) {
        let replies = match result {
            Ok(replies) => replies,
            Err(why) => {
                count.wrong.push(format!("{name}:{}: {why}", session[0].lines.start + 1));
                continue;
            }
        };
        let mut well = true;
        for (block, replies) in session.iter().zip(&replies) {
            for (line, message) in &block.diagnostics {
                print(&format!("{name}:{line}: {message}\n"))?;
            }
            well &= block.diagnostics.is_empty();
            well &= tell(name, block, compare(&block.records, replies, super::server::near))?;
        }
        count.broken |= !well;
        if well {
            let total: usize = replies.iter().map(Vec::len).sum();
            print(&format!("{name}:{}: ok, {}\n", session[0].lines.start + 1, replies_in_words(total)))?;
        }
    }
    for skipped in &count.skipped {
        print(&format!("{skipped}\n"))?;
    }
    let sessions = if ran == 1 { "session" } else { "sessions" };
    print(&format!("{ran} {sessions} ran, {} skipped\n", count.skipped.len()))
}

/// Reads a file, of a length that a transcript can have.
fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("longer than {MAX_FILE} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|_| "no UTF-8 text".to_owned())?;
    // Some editors begin a file with a mark that is no part of the text.
    Ok(text.strip_prefix(MARK).map_or_else(|| text.clone(), str::to_owned))
}

/// What some editors put before a text.
const MARK: char = '\u{feff}';

/// Writes a file anew, with the ends of lines that it had. It is whole at every moment: another takes its place.
fn write(path: &Path, before: &str, lines: &[String]) -> Result<(), String> {
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text: String = lines.iter().flat_map(|line| [line.as_str(), end]).collect();
    if fs::read(path).is_ok_and(|bytes| bytes.starts_with(MARK.to_string().as_bytes())) {
        text.insert(0, MARK);
    }
    // A link stays a link, and what it points to is written.
    let path = fs::canonicalize(path).map_err(|error| error.to_string())?;
    if fs::metadata(&path).map_err(|error| error.to_string())?.permissions().readonly() {
        return Err("the file is read-only".to_owned());
    }
    let mut beside = path.clone().into_os_string();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    if beside.exists() {
        return Err(format!("{} is in the way", beside.display()));
    }
    fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&beside, &path))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_markdown() {
        let text = "a\n```hotkv\nA> GET k\n```\n~~~~ hotkv continue playground-only\n```\nA> PING\n~~~~\n\
                    - b\n  ```hotkv\n  A> PING\n  PONG\n  ```\n```sh\n```hotkv\n```\n``` hotkv `\n```hotkv\nA> PING";
        let found: Vec<_> = blocks(Path::new("a.MD"), text)
            .iter()
            .map(|block| (block.lines.clone(), block.indent.clone(), block.goes_on, block.playground_only))
            .collect();
        let plain = String::new;
        let told = [
            (2..3, plain(), false, false),
            (5..7, plain(), true, true),
            (10..12, "  ".to_owned(), false, false),
            (18..19, plain(), false, false),
        ];
        assert_eq!(found, told);
        assert_eq!(blocks(Path::new("a.hotkv"), "// playground-only\nA> CLOCK NOW\n").len(), 1);
        assert!(blocks(Path::new("a.hotkv"), "// playground-only\nA> CLOCK NOW\n")[0].playground_only);
        assert!(blocks(Path::new("a.md"), "no blocks").is_empty());
    }
}
