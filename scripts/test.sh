#!/usr/bin/env bash
# Runs every check of the project in order, from a fresh clone too, and stops at the first that fails.
#   scripts/test.sh      format, lints, Rust tests, release build, browser tests
#   scripts/test.sh all  the same, and each suite that is too slow for every change
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

case $#:${1:-} in
  0: | 1:all) ;;
  *) usage 'scripts/test.sh [all]' ;;
esac

# section TITLE COMMAND…
passed=0
section() {
  local title=$1 began=$SECONDS
  shift
  printf '\n==== %s\n' "$title"
  "$@" || die "$title failed after $((SECONDS - began)) s: the lines above say why"
  passed=$((passed + 1))
  say "$title passed in $((SECONDS - began)) s"
}

browser_tests() {
  local suites=(e2e/*.test.mjs)
  [ -f "${suites[0]}" ] || die "no browser tests: e2e/ has no file named *.test.mjs"
  CHROMIUM=$(find_chromium) node --test --test-reporter=spec "${suites[@]}"
}

smoke_tests() {
  CHROMIUM=$(find_chromium) FIREFOX=$(find_firefox) node --test --test-reporter=spec e2e/audit/smoke.mjs
}

audit_tests() { CHROMIUM=$(find_chromium) node --test --test-reporter=spec e2e/audit/lighthouse.mjs; }

docs_tests() { CHROMIUM=$(find_chromium) node --test --test-reporter=spec e2e/docs.mjs; }

section 'set-up' bash scripts/setup.sh "${1:-test}"
section 'format' cargo fmt --check
section 'lints, native' cargo clippy --locked --all-targets -- -D warnings
section 'lints, page' cargo clippy --locked --lib --target wasm32-unknown-unknown --no-default-features -- -D warnings
section 'Rust tests' cargo test --locked
section 'release build' bash scripts/build.sh
section 'browser tests' browser_tests
if [ "${1:-}" = all ]; then
  section 'Firefox and Chromium' smoke_tests
  section 'in sites of documentation' docs_tests
  section 'client libraries' bash scripts/clients.sh
  section "Redis's own units" bash scripts/units.sh
  section 'random commands here and there' bash scripts/differential.sh
  section 'dependencies' bash scripts/deny.sh
  section 'what JavaScript pays, which judges nothing' bash scripts/bench.sh boundary
  # The last one: what it measures hangs on the machine too.
  section 'Lighthouse' audit_tests
fi

printf '\n'
say "all $passed sections passed in $((SECONDS / 60)) min $((SECONDS % 60)) s"
