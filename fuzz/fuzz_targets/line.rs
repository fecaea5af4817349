//! Fuzzes `bodies::line`: `mkdir -p fuzz/corpus/line; cargo +nightly fuzz run -O line fuzz/corpus/line fuzz/seeds/line`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::line(data));
