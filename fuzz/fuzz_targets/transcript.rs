//! Fuzzes `bodies::transcript`: `mkdir -p fuzz/corpus/transcript; cargo +nightly fuzz run -O transcript fuzz/corpus/transcript fuzz/seeds/transcript`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::transcript(data));
