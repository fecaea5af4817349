//! Fuzzes `bodies::host`: `mkdir -p fuzz/corpus/host; cargo +nightly fuzz run -O host fuzz/corpus/host fuzz/seeds/host`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::host(data));
