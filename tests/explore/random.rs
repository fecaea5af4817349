//! Programs put together at random: whatever they do, workers told apart or not say the same, schedules are found again,
//! and their transcripts are true.

use hotkv_playground::explore::{Explorer, Faults, Locks, Property, Schedule, Verdict, transcript};
use hotkv_playground::transcript::{check, parse};
use hotkv_playground::worker::Programs;

use super::naive::Naive;

/// The most states that are looked at of one program.
const STATES: usize = 3_000;

struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const TAKE: [&str; 9] = [
    "  ? SET lock:job {token} NX PX 3000\n",
    "  ? SET lock:job {token} NX\n",
    "  ? SETNX lock:job {token}\n  > PEXPIRE lock:job 3000\n",
    "  > MULTI\n  > SET lock:job {token} NX PX 3000\n  > INCR n\n  ? EXEC\n",
    "  > INCR n\n  ? SET lock:job {token} NX PX 2500\n",
    "  ? SET lock:job 1 NX PX 3000\n",
    "  > SET lock:job {token} PX 3000\n",
    "  > WATCH lock:job\n  ? EXISTS other\n  else > UNWATCH\n  > MULTI\n  > SET lock:job {token} PX 3000\n  ? EXEC\n",
    "  ? MSETNX lock:job {token} other 1\n  > PEXPIRE lock:job 3000\n  > PEXPIRE other 1500\n",
];
const KEEP: [&str; 6] = [
    "",
    "renew every 1s\n  ? PEXPIRE lock:job 3000\n",
    "renew every 1s\n  ? SET lock:job {token} IFEQ {token} PX 3000\n",
    "renew every 700ms\n  = GET lock:job\n  ? PEXPIRE lock:job 3000\n",
    "renew every 1s\n  > MULTI\n  > PEXPIRE lock:job 3000\n  > INCR n\n  ? EXEC\n",
    "renew every 2s\n  > GETEX lock:job PX 3000\n",
];
const GIVE: [&str; 9] = [
    "",
    "release\n  > DEL lock:job\n",
    "release\n  > DELEX lock:job IFEQ {token}\n",
    "release\n  > DELEX lock:job IFDEQ {digest}\n",
    "release\n  = GET lock:job\n  > DEL lock:job\n",
    "release\n  > WATCH lock:job\n  = GET lock:job\n  else > UNWATCH\n  > MULTI\n  > DEL lock:job\n  > EXEC\n",
    "release\n  > GETDEL lock:job\n  > DEL n\n",
    "release\n  > PEXPIRE lock:job 0\n",
    "release\n  > APPEND lock:job x\n  > PERSIST lock:job\n",
];

fn team(draw: &mut Draw, names: &str) -> String {
    let refused = draw.of(&["stop", "retry within 2s", "retry within 500ms"]);
    let begin = draw.of(&["", "", "work 1s\n", "> GET other\n"]);
    let work = draw.of(&["work 1200ms\n", "work 3001ms\n", "work 0\n"]);
    let write = draw.of(&["write\n", "write\n", "", "> SET other 1 PX 100\n"]);
    let end = draw.of(&["", "", "", "work 1s\nagain\n"]);
    let (take, keep, give) = (draw.of(&TAKE), draw.of(&KEEP), draw.of(&GIVE));
    let write = if write == "write\n" && take.contains("INCR") { "write fenced\n" } else { write };
    format!("worker {names}\n{begin}acquire or {refused}\n{take}enter job\n{keep}{work}{write}leave\n{give}{end}")
}

#[test]
fn programs_at_random() {
    let mut draw = Draw(1);
    let (mut finished, mut broken) = (0, [0; 5]);
    for _ in 0..150 {
        let teams = match draw.below(3) {
            0 => team(&mut draw, "A") + &team(&mut draw, "B"),
            1 => team(&mut draw, "A B C"),
            _ => team(&mut draw, "A B"),
        };
        let text = format!("lock lock:job\ncounter n\n{teams}");
        let programs = Programs::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        let faults = Faults {
            pauses: draw.below(2) as u8,
            pause: [1_000, 1_801, 5_000][draw.below(3)],
            crashes: draw.below(2) as u8,
        };
        let mut explorer = Explorer::new(&programs, faults, STATES);
        while !explorer.step(100) {}
        for (place, property) in Property::ALL.into_iter().enumerate() {
            let Some(schedule) = explorer.counterexample(property) else { continue };
            assert!(schedule.why(property).is_some(), "{text}");
            let told = transcript(&schedule, |_: &Schedule, _| None);
            let (records, diagnostics) = parse(&told);
            assert_eq!((diagnostics, check(&records)), (Vec::new(), Vec::new()), "{text}\n{told}");
            broken[place] += 1;
        }
        if explorer.finished() {
            finished += 1;
            let steps = Property::ALL.map(|property| match explorer.verdict(property) {
                Verdict::Broken { steps } => steps,
                _ => 0,
            });
            let apart = Naive::search(Locks::new(&programs, faults).without_symmetry());
            assert_eq!(steps, apart.steps(), "{faults:?}\n{text}");
            assert!(apart.states() >= explorer.progress().states, "{text}");
        }
    }
    // Enough of all kinds.
    assert!(finished > 50 && broken.iter().all(|broken| *broken > 5), "{finished} {broken:?}");
}

#[test]
fn texts_cut_up_are_told_to_be_wrong_or_run() {
    let mut draw = Draw(7);
    let words = [
        "lock",
        "counter",
        "worker",
        "A",
        "acquire or stop",
        "  ?",
        "  >",
        "  =",
        "else >",
        "{token}",
        "{digest}",
        "{",
        "MULTI",
        "EXEC",
        "SET lock:job {token} NX PX 30",
        "WATCH lock:job",
        "INCR n",
        "enter",
        "leave",
        "work 1s",
        "write fenced",
        "again",
        "renew every 1ms",
        "\"",
        "//",
        "9999999999999999",
        "PX",
        "0",
        "é",
        "-1s",
    ];
    let (mut ran, mut wrong) = (0, 0);
    for _ in 0..3_000 {
        let text = format!("lock lock:job\ncounter n\n{}", team(&mut draw, "A B"));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=draw.below(2) {
            let (at, other) = (draw.below(lines.len()), draw.below(lines.len()));
            match draw.below(5) {
                0 => drop(lines.remove(at)),
                1 => lines.swap(at, other),
                2 => lines.insert(at, lines[other].clone()),
                3 => lines[at] = format!("{} {}", lines[at], draw.of(&words)),
                _ => lines.insert(at, draw.of(&words).to_owned()),
            }
        }
        let text = lines.join("\n");
        match Programs::parse(&text) {
            Err(problems) => {
                assert!(
                    problems.iter().all(|problem| (1..=lines.len()).contains(&problem.line)),
                    "{problems:?}\n{text}"
                );
                wrong += 1;
            }
            Ok(programs) => {
                assert_eq!(Programs::parse(&programs.to_string()), Ok(programs.clone()), "{text}");
                let faults = Faults { pauses: 1, pause: 2_000, crashes: 1 };
                let mut explorer = Explorer::new(&programs, faults, 200);
                while !explorer.step(50) {}
                ran += 1;
            }
        }
    }
    assert!(ran > 200 && wrong > 500, "{ran} ran, {wrong} were wrong");
}
