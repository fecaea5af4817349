//! The truth table: for each recipe and what may go wrong, how many states there are and how many steps the shortest
//! schedule has that breaks each property, 0 where it holds.

use hotkv_playground::engine::Millis;
use hotkv_playground::explore::Faults;
use hotkv_playground::worker::{Acquire, Recipe, Release, Renew};

/// A row of the table.
pub(crate) struct Row {
    /// What it is about.
    pub(crate) name: &'static str,
    /// The recipe.
    pub(crate) recipe: Recipe,
    /// What may go wrong.
    pub(crate) faults: Faults,
    /// How many states there are.
    pub(crate) states: usize,
    /// Mutual exclusion, no foreign release, no foreign renewal, no stuck lock, fenced writes.
    pub(crate) broken: [usize; 5],
}

/// A pause that outlasts everything, in milliseconds.
pub(crate) const PAUSE: Millis = 60_000;

/// All rows.
pub(crate) fn rows() -> Vec<Row> {
    let base = Recipe::default();
    let none = Faults::default();
    let pause = |pause| Faults { pauses: 1, pause, crashes: 0 };
    let long = pause(PAUSE);
    let crash = Faults { crashes: 1, ..none };
    let both = Faults { crashes: 1, ..long };
    let with = |release| Recipe { release, ..base };
    let row = |name, recipe, faults, states, broken| Row { name, recipe, faults, states, broken };
    vec![
        row("DEL", with(Release::Del), none, 28, [0; 5]),
        row("DEL, a pause of 18 s", with(Release::Del), pause(18_000), 252, [0; 5]),
        row("DEL, a pause of 18.001 s", with(Release::Del), pause(18_001), 275, [7, 10, 0, 0, 0]),
        row("DEL, a pause of 19 s", with(Release::Del), pause(19_000), 314, [7, 10, 0, 0, 0]),
        row("DEL, a pause", with(Release::Del), long, 512, [6, 10, 0, 0, 10]),
        row("GET, then DEL, no faults", with(Release::GetDel), none, 32, [0; 5]),
        row("GET, then DEL, a pause", with(Release::GetDel), long, 618, [6, 11, 0, 0, 10]),
        row("DELEX IFEQ, no faults", base, none, 28, [0; 5]),
        row("DELEX IFEQ, a pause", base, long, 512, [6, 0, 0, 0, 10]),
        row("DELEX IFEQ, a pause of 18 s", base, pause(18_000), 252, [0; 5]),
        row("DELEX IFDEQ, a pause", with(Release::DelexIfdeq), long, 512, [6, 0, 0, 0, 10]),
        row("WATCH, MULTI, DEL, a pause", with(Release::WatchMultiDel), long, 1044, [6, 0, 0, 0, 10]),
        row("DELEX IFEQ, fencing, a pause", Recipe { fencing: true, ..base }, long, 1063, [12, 0, 0, 0, 0]),
        row(
            "DELEX IFDEQ, fencing, a pause",
            Recipe { fencing: true, ..with(Release::DelexIfdeq) },
            long,
            1063,
            [12, 0, 0, 0, 0],
        ),
        row(
            "WATCH, MULTI, DEL, fencing, a pause",
            Recipe { fencing: true, ..with(Release::WatchMultiDel) },
            long,
            1928,
            [12, 0, 0, 0, 0],
        ),
        row("DELEX IFEQ, a crash", base, crash, 86, [0; 5]),
        row("DELEX IFEQ, a pause and a crash", base, both, 843, [6, 0, 0, 0, 10]),
        row("SET NX without PX, no faults", Recipe { acquire: Acquire::SetNx, ..base }, none, 28, [0; 5]),
        row("SET NX without PX, a crash", Recipe { acquire: Acquire::SetNx, ..base }, crash, 37, [0, 0, 0, 2, 0]),
        row("SET NX without PX, a pause", Recipe { acquire: Acquire::SetNx, ..base }, long, 334, [0; 5]),
        row("SETNX, then PEXPIRE, no faults", Recipe { acquire: Acquire::SetnxExpire, ..base }, none, 31, [0; 5]),
        row(
            "SETNX, then PEXPIRE, a crash",
            Recipe { acquire: Acquire::SetnxExpire, ..base },
            crash,
            95,
            [0, 0, 0, 2, 0],
        ),
        row(
            "SETNX, then PEXPIRE, fencing, a crash",
            Recipe { acquire: Acquire::SetnxExpire, fencing: true, ..base },
            crash,
            203,
            [0, 0, 0, 5, 0],
        ),
        row("no release", with(Release::None), none, 42, [0; 5]),
        row(
            "SET NX without PX, no release",
            Recipe { acquire: Acquire::SetNx, ..with(Release::None) },
            none,
            19,
            [0, 0, 0, 1, 0],
        ),
        row("no lock", Recipe { acquire: Acquire::None, ..base }, none, 24, [2, 0, 0, 0, 5]),
        row("no lock, fencing", Recipe { acquire: Acquire::None, fencing: true, ..base }, none, 32, [4, 0, 0, 0, 0]),
        row("PEXPIRE renews, a pause", Recipe { renew: Renew::Pexpire, ..base }, long, 1018, [6, 0, 7, 0, 13]),
        row("SET IFEQ renews, a pause", Recipe { renew: Renew::SetIfeqPx, ..base }, long, 843, [6, 0, 0, 0, 0]),
        row(
            "SET IFEQ renews, DEL, a pause",
            Recipe { renew: Renew::SetIfeqPx, ..with(Release::Del) },
            long,
            851,
            [6, 9, 0, 0, 0],
        ),
        row("work of 32 s, no renewal", Recipe { work: 32_000, ..base }, none, 47, [5, 0, 0, 0, 0]),
        row("work of 32 s, no renewal, DEL", Recipe { work: 32_000, ..with(Release::Del) }, none, 49, [5, 8, 0, 0, 0]),
        row("work of 30 s", Recipe { work: 30_000, ..base }, none, 33, [0; 5]),
        row("work of 30.001 s", Recipe { work: 30_001, ..base }, none, 38, [5, 0, 0, 0, 0]),
        row(
            "work of 95 s, SET IFEQ renews",
            Recipe { work: 95_000, renew: Renew::SetIfeqPx, ..base },
            none,
            113,
            [0; 5],
        ),
        row("work of 95 s, PEXPIRE renews", Recipe { work: 95_000, renew: Renew::Pexpire, ..base }, none, 113, [0; 5]),
        row("refused workers stop, a pause", Recipe { retry: None, ..base }, long, 145, [6, 0, 0, 0, 10]),
        row("three workers, no faults", Recipe { workers: 3, ..base }, none, 92, [0; 5]),
        row("three workers, a pause", Recipe { workers: 3, ..base }, long, 3321, [6, 0, 0, 0, 10]),
    ]
}
