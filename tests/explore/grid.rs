//! No verdict hangs on the instants that happen to be tried: more instants, longer pauses and other times to wait say the
//! same.

use hotkv_playground::explore::{Faults, Property, Verdict};
use hotkv_playground::worker::{Acquire, Recipe, Release, Renew};

use super::{explored, programs};

const RELEASES: [Release; 4] = [Release::Del, Release::GetDel, Release::DelexIfeq, Release::WatchMultiDel];
const RENEWALS: [Renew; 3] = [Renew::None, Renew::Pexpire, Renew::SetIfeqPx];

fn recipes() -> impl Iterator<Item = Recipe> {
    let acquires = [Acquire::SetNxPx, Acquire::SetnxExpire];
    let kinds = acquires.into_iter().flat_map(|acquire| RENEWALS.map(|renew| (acquire, renew)));
    kinds.flat_map(|(acquire, renew)| RELEASES.map(|release| Recipe { acquire, renew, release, ..Recipe::default() }))
}

/// Which properties are broken.
fn broken(text: &str, faults: Faults) -> [bool; 5] {
    let explorer = explored(&programs(text), faults);
    assert!(explorer.finished());
    Property::ALL.map(|property| matches!(explorer.verdict(property), Verdict::Broken { .. }))
}

fn pause(pause: i64) -> Faults {
    Faults { pauses: 1, pause, crashes: 0 }
}

#[test]
fn a_longer_pause_breaks_what_a_shorter_one_breaks() {
    for recipe in recipes() {
        let mut before = [false; 5];
        for bound in [1, 9_999, 18_000, 18_001, 19_000, 20_001, 28_123, 30_001, 31_000, 44_444, 60_000, 90_000] {
            let now = broken(&recipe.text(), pause(bound));
            for (place, property) in Property::ALL.into_iter().enumerate() {
                let name = property.name();
                assert!(now[place] || !before[place], "{name} holds with {bound} ms and not with less: {recipe:?}");
            }
            before = now;
        }
    }
}

#[test]
fn more_instants_say_the_same() {
    // A worker that does nothing but let something happen every so often.
    for (every, bound) in [(3_700, 18_000), (3_700, 18_001), (7_001, 60_000)] {
        for recipe in recipes() {
            let recipe = Recipe { retry: None, ..recipe };
            let metronome = format!("{}worker metronome\n> PING\nwork {every}ms\nagain\n", recipe.text());
            let (with, without) = (broken(&metronome, pause(bound)), broken(&recipe.text(), pause(bound)));
            assert_eq!(with, without, "{every} ms, {recipe:?}");
        }
    }
}

#[test]
fn other_times_to_wait_say_the_same() {
    for recipe in recipes() {
        let told = [Some(5_000), Some(1_300), Some(7_777), Some(40_000), None].map(|retry| {
            let text = Recipe { retry, ..recipe }.text();
            (broken(&text, pause(60_000)), broken(&text, Faults { crashes: 1, ..Faults::default() }))
        });
        assert!(told.iter().all(|other| *other == told[0]), "{recipe:?}: {told:?}");
    }
}

#[test]
fn more_workers_and_more_faults_break_no_less() {
    for recipe in recipes() {
        let of = |workers, pauses, crashes| {
            broken(&Recipe { workers, ..recipe }.text(), Faults { pauses, pause: 25_000, crashes })
        };
        let least = of(2, 1, 0);
        for more in [of(3, 1, 0), of(2, 2, 0), of(2, 1, 1)] {
            let kept = least.iter().zip(more).all(|(least, more)| more || !least);
            assert!(kept, "{recipe:?}: {least:?} and {more:?}");
        }
    }
}
