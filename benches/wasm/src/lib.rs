//! The lock cycle inside WebAssembly: the bare map, words and lines, each run without leaving it.
//! `benches/lock-cycle.mjs` calls this.

#[path = "../../workload/mod.rs"]
mod workload;

use workload::{Bare, Lines, Locks, Words, Work};

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
