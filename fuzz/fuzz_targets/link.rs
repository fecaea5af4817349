//! Fuzzes `bodies::link`: `mkdir -p fuzz/corpus/link; cargo +nightly fuzz run -O link fuzz/corpus/link fuzz/seeds/link`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::link(data));
