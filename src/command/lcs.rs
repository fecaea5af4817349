//! LCS: the longest common subsequence of two strings, and where it lies.

use super::args::{integer, option};
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context};
use crate::engine::{Bytes, CommandError, Reply};
use crate::later::later;

/// The most that the table of lengths may take, in bytes. The real server's bound is its longest string; a page has
/// less to give.
const MAX_TABLE: usize = 64 * 1024 * 1024;

/// A stretch that both strings have: where it begins in each, and how long it is.
struct Match {
    a: usize,
    b: usize,
    length: usize,
}

fn lcs(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (key_a, key_b) = (args.word()?, args.word()?);
    let (mut want_length, mut want_matches, mut with_length, mut least) = (false, false, false, 0);
    while let Some(name) = args.option() {
        match name {
            option::LEN => want_length = true,
            option::IDX => want_matches = true,
            option::WITHMATCHLEN => with_length = true,
            option::MINMATCHLEN => least = integer(args.value()?)?.max(0),
            _ => return Err(CommandError::Syntax),
        }
    }
    if want_length && want_matches {
        return Err(CommandError::other("If you want both the length and indexes, please just use IDX."));
    }
    let mut value = |key| context.read(key).map_or_else(Bytes::default, |entry| entry.value);
    let (a, b) = (value(key_a), value(key_b));
    let (text, matches) = longest(&a, &b)?;
    if want_length {
        return Ok(text.len().into());
    }
    if !want_matches {
        return Ok(Reply::bulk(text));
    }
    let range = |start: usize, length: usize| Reply::Array(vec![start.into(), (start + length - 1).into()]);
    let shown = matches.iter().filter(|found| found.length as i64 >= least).map(|found| {
        let mut parts = vec![range(found.a, found.length), range(found.b, found.length)];
        parts.extend(with_length.then(|| Reply::from(found.length)));
        Reply::Array(parts)
    });
    let pairs =
        vec![(Reply::bulk("matches"), Reply::Array(shown.collect())), (Reply::bulk("len"), Reply::from(text.len()))];
    Ok(Reply::pairs(context.protocol(), pairs))
}

/// The subsequence and the stretches that make it, from the last to the first, as the server walks back.
fn longest(a: &[u8], b: &[u8]) -> Result<(Vec<u8>, Vec<Match>), CommandError> {
    let width = b.len() + 1;
    let cells = (a.len() + 1).checked_mul(width).filter(|cells| cells.saturating_mul(4) <= MAX_TABLE);
    let cells = cells.ok_or_else(|| {
        CommandError::other("Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
    })?;
    let mut lengths = vec![0_u32; cells];
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            lengths[i * width + j] = if a[i - 1] == b[j - 1] {
                lengths[(i - 1) * width + j - 1] + 1
            } else {
                lengths[(i - 1) * width + j].max(lengths[i * width + j - 1])
            };
        }
    }
    let (mut i, mut j) = (a.len(), b.len());
    let (mut text, mut matches) = (Vec::new(), Vec::<Match>::new());
    while i > 0 && j > 0 {
        if a[i - 1] == b[j - 1] {
            text.push(a[i - 1]);
            (i, j) = (i - 1, j - 1);
            match matches.last_mut().filter(|last| last.a == i + 1 && last.b == j + 1) {
                Some(last) => *last = Match { a: i, b: j, length: last.length + 1 },
                None => matches.push(Match { a: i, b: j, length: 1 }),
            }
        } else if lengths[(i - 1) * width + j] > lengths[i * width + j - 1] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    text.reverse();
    Ok((text, matches))
}

pub(super) const COMMANDS: &[Spec] = &[Spec {
    syntax: "LCS key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]",
    summary: "Find the longest common subsequence of two values",
    since: "7.0.0",
    flags: &[Flag::Readonly],
    keys: Keys::Range(1, 2, 1),
    examples: later!(&[
        ("MSET a ohmytext b mynewtext", "OK"),
        ("LCS a b", "\"mytext\""),
        ("LCS a b LEN", "(integer) 6"),
        (
            "LCS a b IDX MINMATCHLEN 4",
            "1) \"matches\"\n2) 1) 1) 1) (integer) 4\n         2) (integer) 7\n      2) 1) (integer) 5\n         2) (integer) 8\n3) \"len\"\n4) (integer) 6",
        ),
    ]),
    run: Run::Handler(lcs),
}];
