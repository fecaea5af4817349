#!/usr/bin/env bash
# Holds the dependencies to deny.toml: licences, doubles, sources, and known faults. The list of faults stands on GitHub.
# Where that is out of reach, a person is told so, and continuous integration fails.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ $# -eq 0 ] || usage 'scripts/deny.sh'
has cargo-deny || die "no cargo-deny: scripts/setup.sh all"
cargo deny --locked check licenses bans sources || die "deny.toml does not allow a dependency: the lines above say which"
if cargo deny --locked fetch db; then
  cargo deny --locked check --disable-fetch advisories || die "a dependency has a known fault: the lines above say which"
else
  [ -z "${CI:-}" ] || die "the list of known faults did not come, so nothing is known of them: run it again"
  say "NOT CHECKED: known faults of dependencies. Their list did not come from GitHub; continuous integration checks it"
fi
