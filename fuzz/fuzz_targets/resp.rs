//! Fuzzes `bodies::resp`: `mkdir -p fuzz/corpus/resp; cargo +nightly fuzz run -O resp fuzz/corpus/resp fuzz/seeds/resp`.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::resp(data));
