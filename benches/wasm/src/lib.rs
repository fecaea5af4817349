//! The lock cycle inside WebAssembly: the bare map, words and lines, each run without leaving it; and the bare map one step
//! at a time, handed key and token from outside. `benches/lock-cycle.mjs` calls this.

#[path = "../../workload/mod.rs"]
mod workload;

use std::cell::RefCell;

use workload::{Bare, Lines, Locks, Words, Work};

/// How long a key and its token may be together.
const ROOM: usize = 1024;

thread_local! {
    static HANDED: RefCell<(Bare, Vec<u8>)> = RefCell::new((Bare::default(), vec![0; ROOM]));
}

/// Runs a step with the key and the token that lie in `room`, one after the other.
fn handed(key: usize, token: usize, step: impl FnOnce(&mut Bare, &str, &str) -> bool) -> bool {
    HANDED.with_borrow_mut(|(bare, room)| {
        let text = |range| str::from_utf8(&room[range]).expect("a text");
        step(bare, text(0..key), text(key..key + token))
    })
}

/// Where key and token are to be written, 1,024 bytes at most.
#[unsafe(no_mangle)]
pub extern "C" fn room() -> *const u8 {
    HANDED.with_borrow(|(_, room)| room.as_ptr())
}

/// Takes a lock; what is given are the lengths of its key and token in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn acquire(key: usize, token: usize) -> bool {
    handed(key, token, |bare, key, token| bare.acquire(key, token))
}

/// Whether all of a lock's time is left.
#[unsafe(no_mangle)]
pub extern "C" fn time_left(key: usize) -> bool {
    handed(key, 0, |bare, key, _| bare.time_left(key))
}

/// Gives a lock up.
#[unsafe(no_mangle)]
pub extern "C" fn release(key: usize, token: usize) -> bool {
    handed(key, token, |bare, key, token| bare.release(key, token))
}

fn cycles(mut locks: impl Locks, names: usize, batches: usize) {
    let work = Work::new(names);
    for _ in 0..batches {
        work.cycle(&mut locks);
    }
}

/// Batches over so many names with the bare map.
#[unsafe(no_mangle)]
pub extern "C" fn bare(names: usize, batches: usize) {
    cycles(Bare::default(), names, batches);
}

/// The same with the engine: words in, a reply out.
#[unsafe(no_mangle)]
pub extern "C" fn words(names: usize, batches: usize) {
    cycles(Words::new(), names, batches);
}

/// The same with the console: a line in, the text of the reply out.
#[unsafe(no_mangle)]
pub extern "C" fn lines(names: usize, batches: usize) {
    cycles(Lines::new(), names, batches);
}
