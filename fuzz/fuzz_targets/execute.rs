//! Fuzzes `bodies::execute`: `mkdir -p fuzz/corpus/execute; cargo +nightly fuzz run -O execute fuzz/corpus/execute fuzz/seeds/execute`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::execute(data));
