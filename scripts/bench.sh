#!/usr/bin/env bash
# Measures the engine beside bare maps: natively with Criterion, inside WebAssembly, and through JavaScript in Node.
# Compare the ratios of one run; times of two runs or of two machines do not compare.
#   scripts/bench.sh           all of it
#   scripts/bench.sh boundary  only what a program in JavaScript pays for a line and its reply, in a short run
#   REDIS_URL=redis://127.0.0.1:6379 scripts/bench.sh serve   hotkv serve beside a real server, whose databases are emptied
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

case $#:${1:-} in
  0: | 1:boundary) ;;
  1:serve)
    [ -n "${REDIS_URL:-}" ] || die 'no real server: REDIS_URL names one'
    exec cargo bench --locked --bench serve
    ;;
  *) usage 'scripts/bench.sh [boundary|serve]' ;;
esac
[ -d pkg/node ] || bash scripts/build.sh

if [ $# -eq 0 ]; then
  say 'native'
  # Without the command line, which the benches have no use for.
  cargo bench --locked --no-default-features --bench engine

  say 'the explorer beside Stateright'
  cargo run --locked --release --manifest-path benches/stateright/Cargo.toml -- speed
fi

say 'in Node'
target=$(cargo metadata --no-deps --format-version 1 --locked | node -p 'JSON.parse(require("node:fs").readFileSync(0)).target_directory')
cargo build --locked --release --target wasm32-unknown-unknown --manifest-path benches/wasm/Cargo.toml --target-dir "$target"
node benches/lock-cycle.mjs "$target/wasm32-unknown-unknown/release/hotkv_playground_bench.wasm" "$@"
