#!/usr/bin/env bash
# Sends random commands to the real server and to `hotkv serve`, and compares the replies; see tests/differential.rs.
#   REDIS_URL=redis://127.0.0.1:6379 scripts/differential.sh    a Redis 8.6 of yours, whose databases are emptied
#   REDIS_REFERENCE=PROGRAM scripts/differential.sh             one that `PROGRAM start PORT` and `PROGRAM stop PORT` bring
# COMMANDS says how many (200,000), SEED which ones. Without a server nothing is compared, which is told and is no failure.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

if [ -z "${REDIS_URL:-}" ]; then
  [ -n "${REDIS_REFERENCE:-}" ] || { say 'skipped: neither REDIS_URL nor REDIS_REFERENCE names a real server'; exit 0; }
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  "$REDIS_REFERENCE" start "$port"
  trap '"$REDIS_REFERENCE" stop "$port"' EXIT
  export REDIS_URL=redis://127.0.0.1:$port
fi
cargo test --locked --test differential -- --ignored --nocapture
