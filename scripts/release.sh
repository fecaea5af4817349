#!/usr/bin/env bash
# Says whether a tag may be released, and prints what the changelog tells of it: `scripts/release.sh v0.1.0`.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ $# -eq 1 ] || usage 'scripts/release.sh TAG'
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
[ "$1" = "v$version" ] || die "the tag is $1, and Cargo.toml says $version: tag v$version, or change the version first"

# From the version's heading to the next one.
heading=$(grep -m 1 -E "^## ${version//./\\.}([ ,].*)?$" CHANGELOG.md || true)
[ -n "$heading" ] || die "CHANGELOG.md has no section '## $version': write what is new"
[[ $heading =~ ^'## '[^,]+', '[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
  die "CHANGELOG.md says '$heading': write the day of the release, '## $version, $(date -u +%F)'"
notes=$(awk -v heading="$heading" '$0 == heading { inside = 1; next } /^## / { inside = 0 } inside' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || die "the section of $version in CHANGELOG.md is empty: write what is new"
printf '%s\n' "$notes"
