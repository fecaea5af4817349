//! Ways to lock that people wrote, each with what is to be said of it.

use hotkv_playground::explore::{Faults, Lost, Property, Why};
use hotkv_playground::worker::Programs;

use super::{explored, programs, steps};

const NONE: Faults = Faults { pauses: 0, pause: 0, crashes: 0 };
const PAUSE: Faults = Faults { pauses: 1, pause: 60_000, crashes: 0 };
const CRASH: Faults = Faults { pauses: 0, pause: 0, crashes: 1 };

/// Whether each property is broken: mutual exclusion, foreign release, foreign renewal, stuck lock, fenced writes.
fn broken(text: &str, faults: Faults) -> [bool; 5] {
    steps(&explored(&programs(text), faults)).map(|steps| steps > 0)
}

/// Two workers that do the same between taking and giving up.
fn job(take: &str, renew: &str, give: &str) -> String {
    format!("lock lock:job\ncounter lock:job:fence\nworker A B\n{take}enter job\n{renew}work 12s\nwrite\nleave\n{give}")
}

const TAKE: &str = "acquire or retry within 5s\n  ? SET lock:job {token} NX PX 30000\n";
const GIVE: &str = "release\n  > DELEX lock:job IFEQ {token}\n";
const E: usize = 0;
const R: usize = 1;
const N: usize = 2;
const S: usize = 3;
const W: usize = 4;

/// What is broken, by place.
fn only(places: &[usize]) -> [bool; 5] {
    std::array::from_fn(|place| places.contains(&place))
}

#[test]
fn the_same_value_for_all_is_no_token() {
    let take = "acquire or retry within 5s\n  ? SET lock:job 1 NX PX 30000\n";
    let give = "release\n  > DELEX lock:job IFEQ 1\n";
    assert_eq!(broken(&job(take, "", give), NONE), only(&[]));
    assert_eq!(broken(&job(take, "", give), PAUSE), only(&[E, R, W]));
    let renew = "renew every 10s\n  ? SET lock:job 1 IFEQ 1 PX 30000\n";
    assert_eq!(broken(&job(take, renew, ""), PAUSE), only(&[E, N, W]));
}

#[test]
fn without_nx_everybody_takes_it() {
    let take = "acquire or stop\n  ? SET lock:job {token} PX 30000\n";
    // A lock that is written over is taken away from its holder, however it is given up.
    assert_eq!(broken(&job(take, "", GIVE), NONE), only(&[E, R, W]));
    assert_eq!(broken(&job(take, "", "release\n  > DEL lock:job\n"), NONE), only(&[E, R, W]));
}

#[test]
fn a_stray_set_takes_the_lock_away_whatever_it_is_meant_for() {
    let holder = job("acquire or stop\n  ? SET lock:job {token} NX PX 30000\n", "", GIVE);
    for stray in ["SET lock:job x PX 1000", "SET lock:job x XX PX 1000", "SET lock:job free", "GETSET lock:job x"] {
        assert!(broken(&format!("{holder}worker C\n> {stray}\n"), NONE)[R], "{stray}");
    }
    let renewal = "renew every 10s\n  ? SET lock:job {token} XX PX 30000\n";
    assert!(broken(&job("acquire or stop\n  ? SET lock:job {token} NX PX 30000\n", renewal, GIVE), PAUSE)[R]);
}

#[test]
fn a_time_has_a_unit() {
    let bare = Programs::parse("lock k\nworker A\nenter job\nwork 12\nleave\n").unwrap_err();
    assert_eq!((bare[0].line, bare[0].message.as_str()), (4, "12 is no time; write 500ms, 12s, 2m, 1h or 1d"));
}

#[test]
fn who_is_refused_and_goes_on_all_the_same() {
    let take = "> SET lock:job {token} NX PX 30000\n";
    assert_eq!(broken(&job(take, "", "> DEL lock:job\n"), NONE), only(&[E, R, W]));
    assert_eq!(broken(&job(take, "", GIVE), NONE), only(&[E, W]));
}

#[test]
fn watch_without_multi_watches_nothing() {
    let give = "release\n  > WATCH lock:job\n  = GET lock:job\n  > DEL lock:job\n";
    assert_eq!(broken(&job(TAKE, "", give), PAUSE), only(&[E, R, W]));
    // With MULTI, but before the value is read, a touch between GET and WATCH goes unseen.
    let late = "release\n  = GET lock:job\n  > WATCH lock:job\n  > MULTI\n  > DEL lock:job\n  > EXEC\n";
    assert_eq!(broken(&job(TAKE, "", late), PAUSE), only(&[E, R, W]));
}

#[test]
fn a_look_before_renewing_is_two_commands() {
    let renew = "renew every 10s\n  = GET lock:job\n  ? PEXPIRE lock:job 30000\n";
    assert_eq!(broken(&job(TAKE, renew, GIVE), PAUSE), only(&[E, N, W]));
}

#[test]
fn renewing_without_px_drops_the_deadline() {
    let renew = "renew every 10s\n  ? SET lock:job {token} IFEQ {token}\n";
    assert_eq!(broken(&job(TAKE, renew, GIVE), NONE), only(&[]));
    assert_eq!(broken(&job(TAKE, renew, GIVE), CRASH), only(&[S]));
    let kept = "renew every 10s\n  ? SET lock:job {token} IFEQ {token} KEEPTTL\n";
    assert_eq!(broken(&job(TAKE, kept, GIVE), CRASH), only(&[]));
}

#[test]
fn losers_prolong_the_lock_in_one_transaction() {
    let take =
        "acquire or retry within 5s\n  > MULTI\n  > SETNX lock:job {token}\n  > PEXPIRE lock:job 30000\n  ? EXEC\n";
    assert_eq!(broken(&job(take, "", GIVE), NONE), only(&[N]));
    // A crash then leaves the lock for as long as somebody tries: it can still go when they stop, which a try may.
    let nx = take.replace("30000\n", "30000 NX\n");
    assert_eq!(broken(&job(&nx, "", GIVE), CRASH), only(&[]));
}

#[test]
fn a_number_that_is_drawn_later_is_out_of_order() {
    let fenced = |take: &str| job(take, "", GIVE).replace("write\n", "write fenced\n");
    let two = "acquire or retry within 5s\n  ? SET lock:job {token} NX PX 30000\n  > INCR lock:job:fence\n";
    assert_eq!(broken(&fenced(two), NONE), only(&[]));
    assert_eq!(broken(&fenced(two), PAUSE), only(&[E, W]));
    let one = "acquire or retry within 5s\n  > MULTI\n  > SET lock:job {token} NX PX 30000\n  > INCR lock:job:fence\n  ? EXEC\n";
    assert_eq!(broken(&fenced(one), PAUSE), only(&[E]));
}

#[test]
fn a_counter_that_expires_counts_anew() {
    // Refused workers stop, since each try counts on and puts the expiry off.
    let take = "acquire or stop\n  > MULTI\n  > SET lock:job {token} NX PX 30000\n  > INCR lock:job:fence\n  \
                > PEXPIRE lock:job:fence 20000\n  ? EXEC\n";
    let text = job(take, "", GIVE).replace("write\n", "write fenced\n");
    assert_eq!(broken(&text, PAUSE), only(&[E, W]));
    let lasting = text.replace("20000", "90000");
    assert_eq!(broken(&lasting, PAUSE), only(&[E]));
}

#[test]
fn a_counter_that_is_looked_at_is_told_as_it_is() {
    // By rank it would stand at 0 as soon as nobody can write, and the lock would never be taken.
    let text = "lock lock:job\ncounter n\nworker A B\n> INCR n\nacquire or stop\n  ? INCRBY n 0\nenter job\nleave\n";
    let mut explorer = explored(&programs(text), NONE);
    assert_eq!(explorer.never(), []);
    let schedule = explorer.counterexample(Property::MutualExclusion).unwrap();
    assert_eq!(schedule.why(Property::MutualExclusion), Some(Why::TwoInside { inside: 0, came: 1, lost: Lost::Never }));
}

#[test]
fn a_slot_that_nobody_deletes_runs_once() {
    let take = "acquire or stop\n  ? SET lock:job {token} NX PX 90000\n";
    assert_eq!(broken(&job(take, "", ""), CRASH), only(&[]));
    // A pause of less than its life does no harm.
    assert_eq!(broken(&job(take, "", ""), PAUSE), only(&[]));
    let short = take.replace("90000", "60000");
    assert_eq!(broken(&job(&short, "", ""), PAUSE), only(&[E]));
}

#[test]
fn two_programs_in_one_file() {
    let cleaner = "worker cleaner\n> DEL lock:job\n";
    let text = format!("{}{cleaner}", job(TAKE, "", GIVE));
    let mut explorer = explored(&programs(&text), NONE);
    assert_eq!(steps(&explorer).map(|steps| steps > 0), only(&[E, R, W]));
    let schedule = explorer.counterexample(Property::MutualExclusion).unwrap();
    let why = schedule.why(Property::MutualExclusion).unwrap();
    assert_eq!(why, Why::TwoInside { inside: 0, came: 1, lost: Lost::Taken { by: 2 } });
}

#[test]
fn seconds_are_not_milliseconds() {
    // EX 30 lives as long as PX 30000, PX 30 does not.
    let seconds = TAKE.replace("PX 30000", "EX 30");
    assert_eq!(broken(&job(&seconds, "", GIVE), NONE), only(&[]));
    let millis = TAKE.replace("PX 30000", "PX 30");
    assert_eq!(broken(&job(&millis, "", GIVE), NONE), only(&[E]));
}
