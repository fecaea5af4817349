#!/usr/bin/env bash
# Measures the engine beside bare maps: natively with Criterion, inside WebAssembly, and through JavaScript in Node.
# Compare the ratios of one run; times of two runs or of two machines do not compare.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ $# -eq 0 ] || usage 'scripts/bench.sh'
[ -d pkg/node ] || bash scripts/build.sh

say 'native'
# Without the command line, which the benches have no use for.
cargo bench --locked --no-default-features --bench engine

say 'the explorer beside Stateright'
cargo run --locked --release --manifest-path benches/stateright/Cargo.toml -- speed

say 'in Node'
target=$(cargo metadata --no-deps --format-version 1 --locked | node -p 'JSON.parse(require("node:fs").readFileSync(0)).target_directory')
cargo build --locked --release --target wasm32-unknown-unknown --manifest-path benches/wasm/Cargo.toml --target-dir "$target"
node benches/lock-cycle.mjs "$target/wasm32-unknown-unknown/release/hotkv_playground_bench.wasm"
