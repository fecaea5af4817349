#!/usr/bin/env bash
# Runs Redis's own test units against `hotkv serve`, by Redis's own suite. tests/redis-units.skip names the tests that are
# left out, each with the command that it needs.
#   scripts/units.sh [UNIT…]    all units that this server can be asked, or some
# REDIS_REFERENCE is a program that brings a Redis 8.6 and its suite: `tests PORT UNIT…` runs units of it against a port and
# leaves out what SKIPFILE names. Without it nothing is run, which is told and is no failure.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ -n "${REDIS_REFERENCE:-}" ] || { say 'skipped: REDIS_REFERENCE names no program that brings the real server'; exit 0; }
[ $# -gt 0 ] || set -- unit/type/string unit/type/incr unit/expire unit/keyspace unit/multi unit/scan unit/protocol

skip=$root/tests/redis-units.skip
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/units
mkdir -p "$work"

cargo build --locked --quiet
"$target/debug/hotkv" serve --port 0 --log off >"$work/server" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
tries=0
until grep -q 'listening on' "$work/server"; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || die 'hotkv serve did not start'
  sleep 0.1
done
port=$(sed -n 's/.*listening on 127\.0\.0\.1:\([0-9]*\);.*/\1/p' "$work/server")

failed=0 passed=0
for unit in "$@"; do
  log=$work/${unit//\//_}.log
  SKIPFILE=$skip "$REDIS_REFERENCE" tests "$port" "$unit" >"$log" 2>&1 || failed=1
  # The suite colours its words.
  sed -i 's/\x1b\[[0-9;]*m//g' "$log"
  right=$(grep -c '^\[ok\]' "$log" || true)
  wrong=$(grep -c '^\[err\]\|^\[exception\]' "$log" || true)
  say "$unit: $right passed, $wrong failed"
  passed=$((passed + right))
  if [ "$wrong" != 0 ] || [ "$right" = 0 ]; then failed=1; fi
done
kill "$server"
wait "$server" || die 'hotkv serve did not stop as it should'
trap - EXIT
say "$passed passed; $(grep -vc '^#\|^$' "$skip") are left out"
[ "$failed" = 0 ] || die "a unit failed: the logs in $work say why"
