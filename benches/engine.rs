//! How fast the engine is, beside a bare hash map that does the same work: `cargo bench`.
//!
//! Compare ratios from one run; times of two runs or machines do not compare.

mod workload;

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hotkv_playground::engine::{EPOCH, Engine, Options};
use hotkv_playground::player::{Player, Session};
use workload::{Bare, Lines, Words, Work};

fn lock_cycle(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lock cycle");
    for count in [1, 1_000, 100_000] {
        let work = Work::new(count);
        group.throughput(Throughput::Elements(5 * count as u64));
        if count > 1_000 {
            group.sample_size(10);
        }
        let mut bare = Bare::default();
        group.bench_function(BenchmarkId::new("bare map", count), |bencher| bencher.iter(|| work.cycle(&mut bare)));
        let mut words = Words::new();
        group.bench_function(BenchmarkId::new("words", count), |bencher| bencher.iter(|| work.cycle(&mut words)));
        let mut lines = Lines::new();
        group.bench_function(BenchmarkId::new("lines", count), |bencher| bencher.iter(|| work.cycle(&mut lines)));
    }
    group.finish();
}

/// An engine that holds so many locks, all with the deadline that `deadline` gives for the n-th.
fn held(count: usize, deadline: impl Fn(usize) -> usize) -> Words {
    let mut words = Words::new();
    for n in 0..count {
        let (key, token) = (format!("lock:{:08}", n * 7_919 % count), format!("a:{n:020}"));
        words.run(&["SET", &key, &token, "NX", "PX", &deadline(n).to_string()]);
    }
    words
}

fn expiry(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("expiry");
    group.sample_size(10);
    for count in [10_000, 100_000, 1_000_000] {
        group.throughput(Throughput::Elements(count as u64));
        let (burst, spread) = (held(count, |_| 30_000), held(count, |n| 1 + n % 30_000));
        for (name, full) in [("all at once", &burst), ("spread over 30 s", &spread)] {
            group.bench_function(BenchmarkId::new(name, count), |bencher| {
                let advance = |mut engine: Engine| {
                    assert_eq!(engine.advance(EPOCH + 30_001).len(), count);
                    engine
                };
                bencher.iter_batched(|| full.engine.clone(), advance, BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

fn keyframe(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("keyframe");
    for count in [1, 1_000, 100_000] {
        group.throughput(Throughput::Elements(count as u64));
        let full = held(count, |_| 30_000);
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter_with_large_drop(|| black_box(&full.engine).clone());
        });
    }
    group.finish();
}

/// Going anywhere in a session of a thousand steps.
fn seek(criterion: &mut Criterion) {
    let steps = (0..1_000).map(|n| format!("+10ms\n# Step {n}\nA> SET lock:{} t{n} NX PX 500\n", n % 50));
    let (session, _) = Session::parse(&steps.collect::<String>());
    let mut player = Player::new(session, Options::default());
    player.go_to_end();
    let mut at = 1;
    criterion.bench_function("seek in 1,000 steps", |bencher| {
        bencher.iter(|| {
            at = at * 48_271 % 0x7fff_ffff;
            player.seek(at % 10_000);
        });
    });
}

criterion_group!(benches, lock_cycle, expiry, keyframe, seek);
criterion_main!(benches);
