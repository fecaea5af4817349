//! What is no program, and programs at the ends of what there is.

use hotkv_playground::explore::{Explorer, Faults, Property, Sometimes, Stage, Verdict};
use hotkv_playground::worker::{Acquire, MAX_WORKERS, Programs, Recipe, Release, Renew};

use super::{explored, programs, steps};

/// What is wrong with a text, a line each.
fn problems(text: &str) -> Vec<String> {
    Programs::parse(text).expect_err(text).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let begun = "lock lock:job\nworker A\n";
    for (rest, line, words) in [
        ("", 2, "does nothing"),
        ("sleep 5s\n", 3, "no statement"),
        ("work\n", 3, "followed by a time"),
        ("work 5 s\n", 3, "followed by a time"),
        ("work 1.5s\n", 3, "1.5s is no time"),
        ("work -1s\n", 3, "no time"),
        ("work 366d\n", 3, "365d at most"),
        ("work 99999999999999999999s\n", 3, "no time"),
        ("acquire\n  ? GET a\n", 3, "or stop"),
        ("acquire or stop\nwork 1s\n", 3, "at least one command follows"),
        ("acquire or retry within 0s\n  ? SET lock:job {token} NX\n", 3, "1ms at least"),
        ("  > GET a\n", 3, "belongs to acquire, renew or release"),
        ("> GET a\nelse > GET b\n", 4, "else follows"),
        ("? GET a\nelse > MULTI\n", 4, "after else"),
        ("enter job\n", 3, "leave follows enter"),
        ("leave\n", 3, "enter comes before leave"),
        ("enter a\nenter b\nleave\n", 4, "leave comes before the next enter"),
        ("enter a\nrenew every 0s\n  > GET a\nleave\n", 4, "1ms apart"),
        ("renew every 1s\n  > GET a\n", 3, "counts from enter"),
        ("again\n> GET a\n", 3, "last line"),
        ("write fenced\n", 3, "needs a number"),
        ("> SET lock:job\n", 3, "wrong number of arguments"),
        ("> SET lock:job a NX XX\n", 3, "syntax error"),
        ("> SET lock:job a PX 0\n", 3, "invalid expire time"),
        ("> SET lock:job \"a\n", 3, "quote"),
        ("> NOSUCH\n", 3, "NOSUCH is no command"),
        ("> CLOCK NEXT\n", 3, "no part of a searched state"),
        ("> SELECT 1\n", 3, "no part of a searched state"),
        ("> SET lock:job a PXAT 1893456000000\n", 3, "names an instant"),
        ("> SET lock:job a \"PXAT\\x00\" 1893456000000\n", 3, "names an instant"),
        ("> SET lock:job {who}\n", 3, "in braces"),
        ("> SET lock:job a PX 1000000000000000\n", 3, "15 digits"),
        ("> MULTI\n> GET a\n", 3, "EXEC or DISCARD follows"),
        ("> EXEC\n", 3, "MULTI begins one"),
        ("> MULTI\n? GET a\n> EXEC\n", 4, "QUEUED"),
        ("worker a\n> GET a\n", 3, "there already"),
        ("worker 1\n> GET a\n", 3, "no name"),
        ("lock other\n", 3, "lock KEY comes first"),
        (">\n", 3, "a command follows the mark"),
    ] {
        let told = problems(&format!("{begun}{rest}"));
        let found = told.iter().any(|told| told.starts_with(&format!("line {line}: ")) && told.contains(words));
        assert!(found, "{rest:?}: {told:?}");
    }
    assert_eq!(problems("").len(), 1);
    assert!(problems("worker A\n> GET a\n")[0].starts_with("line 1: lock KEY comes first"));
    assert!(problems("lock a\n")[0].contains("no worker follows"));
    assert!(problems("lock a\ncounter a\nworker A\n> GET a\n")[0].starts_with("line 2: "));
    // All that is wrong is told, in order.
    let told = problems("lock lock:job\nworker A\nnap\nsleep\n> GET a\n");
    assert_eq!(told.iter().map(|told| &told[..6]).collect::<Vec<_>>(), ["line 3", "line 4"]);
}

#[test]
fn so_many_workers_and_no_more() {
    let most = Recipe { workers: MAX_WORKERS, ..Recipe::default() };
    assert_eq!(programs(&most.text()).workers().count(), MAX_WORKERS);
    let told = problems(&Recipe { workers: MAX_WORKERS + 1, ..most }.text());
    assert_eq!(told, ["line 2: 7 workers; at most 6 can be searched"]);
    let many = format!("lock lock:job\nworker A\n{}", "> GET a\n".repeat(41));
    assert!(problems(&many)[0].contains("40 statements and commands at most"));
}

#[test]
fn every_recipe_is_a_program_that_prints_as_it_reads() {
    let mut seen = 0;
    for acquire in Acquire::ALL {
        for renew in Renew::ALL {
            for release in Release::ALL {
                for (fencing, retry) in [(false, None), (true, Some(5_000))] {
                    let text = Recipe { acquire, renew, release, fencing, retry, ..Recipe::default() }.text();
                    let read = programs(&text);
                    assert_eq!(read.to_string(), text);
                    assert_eq!(programs(&read.to_string()), read);
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 144);
    // Comments, blank lines and spaces say nothing.
    let loose = "// two\n\nlock  lock:job \nworker A   B\nacquire or stop\n      ?   SET lock:job {token} NX\n\n  // x\nrelease\n > DEL lock:job\n";
    let tight = "lock lock:job\nworker A B\nacquire or stop\n  ? SET lock:job {token} NX\nrelease\n  > DEL lock:job\n";
    assert_eq!(programs(loose).to_string(), tight);
}

#[test]
fn programs_that_never_end_are_searched_as_far_as_states_go() {
    // All that repeats comes back to where it was.
    let ring = "lock lock:job\nworker A B\nacquire or retry within 5s\n  ? SET lock:job {token} NX PX 30000\nenter job\nwork 1s\n\
                write\nleave\nrelease\n  > DELEX lock:job IFEQ {token}\nwork 3s\nagain\n";
    let explorer = explored(&programs(ring), Faults::default());
    assert!(explorer.finished());
    assert_eq!(steps(&explorer), [0; 5]);
    // A counter that only grows never does.
    let count = "lock lock:job\nworker A\n> INCR runs\nagain\n";
    let mut explorer = Explorer::new(&programs(count), Faults::default(), 500);
    while !explorer.step(64) {}
    assert_eq!((explorer.progress().stage, explorer.progress().states), (Stage::Stopped, 500));
    assert_eq!(Property::ALL.map(|property| explorer.verdict(property)), [Verdict::Unfinished; 5]);
    // One that draws fencing numbers is told by rank, and ends.
    let draw = "lock lock:job\ncounter lock:job:fence\nworker A B\n> INCR lock:job:fence\nenter job\nwrite fenced\nleave\nagain\n";
    assert!(explored(&programs(draw), Faults::default()).finished());
}

#[test]
fn times_of_nothing_and_times_of_a_year() {
    let zero = Recipe { work: 0, ..Recipe::default() };
    let year = Recipe { work: 365 * 86_400_000, ttl: 365 * 86_400_000, retry: Some(1), ..Recipe::default() };
    let explorer = explored(&programs(&zero.text()), Faults { pauses: 1, pause: 0, crashes: 0 });
    // A pause of no length is none.
    assert_eq!((steps(&explorer), explorer.progress().states), ([0; 5], 17));
    let mut explorer = Explorer::new(&programs(&year.text()), Faults::default(), 10_000);
    while !explorer.step(1_000) {}
    assert_eq!(explorer.progress().stage, Stage::Stopped);
    let once = Recipe { retry: None, ..year };
    assert_eq!(steps(&explored(&programs(&once.text()), Faults::default())), [0; 5]);
    // A time to live of a millisecond is over as soon as time passes.
    let brief = Recipe { ttl: 1, work: 2, ..Recipe::default() };
    assert_eq!(steps(&explored(&programs(&brief.text()), Faults::default())), [5, 0, 0, 0, 0]);
    // More faults than there are is as many as there may be.
    let many = Faults { pauses: 200, pause: 1_000, crashes: 200 };
    assert!(explored(&programs(&once.text()), many).finished());
}

#[test]
fn a_model_in_which_nothing_happens_is_told() {
    let refused = "lock lock:job\nworker A\n> SET lock:job other\nacquire or stop\n  ? SET lock:job {token} NX PX 30000\nenter job\n\
                   work 12s\nwrite\nleave\n";
    let explorer = explored(&programs(refused), Faults::default());
    assert_eq!(explorer.never(), Sometimes::ALL);
    assert_eq!(explorer.verdict(Property::MutualExclusion), Verdict::Holds);
    // What no program can do is not missed.
    assert_eq!(explored(&programs("lock lock:job\nworker A\n> GET lock:job\n"), Faults::default()).never(), []);
}
