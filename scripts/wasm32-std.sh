#!/usr/bin/env bash
# Makes `cargo build --target wasm32-unknown-unknown` work with this project's compiler. Does nothing when it works already.
# First by rustup; where rustup does not reach its server, the standard library is built from Debian's rust-src of exactly
# this compiler's version (Debian and its kin only).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root" # so that rustup picks the toolchain that the project names

target=wasm32-unknown-unknown
has rustc || die "no rustc: install Rust from https://rustup.rs"
if has_wasm32; then exit 0; fi
version=$(rustc --version | cut -d' ' -f2)
libs=$(wasm32_libs)

# A build that an older std took part in does not link with this one, though cargo takes it for fresh.
drop_old_builds() { rm -rf "${CARGO_TARGET_DIR:-$root/target}/$target"; }

limited() { if has timeout; then timeout 120 "$@"; else "$@"; fi; }

if has rustup; then
  say "adding $target by rustup"
  if limited rustup target add "$target" >/dev/null 2>&1; then
    drop_old_builds
    say "$target is added ($SECONDS s)"
    exit 0
  fi
fi

by_hand="run 'rustup target add $target' where rustup reaches its server"
for tool in apt-get apt-cache dpkg-deb cargo; do
  has "$tool" || die "no $target library for rustc $version: $by_hand"
done
sysroot=$(rustc --print sysroot)
[ -w "$sysroot/lib" ] || die "no $target library and no right to write to $sysroot/lib: run scripts/wasm32-std.sh as its owner"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say "rustup does not reach its server: building $target from Debian's rust-src $version, about a minute"

# Only the address is asked for, and nothing updated: another apt may be at work.
mirror=$(apt-get update --print-uris 2>/dev/null | sed -n "s|^'\(.*/debian/\)dists/.*|\1|p" | sort -u | head -n 1) || true
[ -n "$mirror" ] || die "apt has no Debian mirror set up: $by_hand"

# apt with lists of its own: the machine's own set-up stays as it is.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
key=/usr/share/keyrings/debian-archive-keyring.gpg
for suite in trixie-backports sid forky trixie; do
  echo "deb [signed-by=$key] $mirror $suite main"
done >"$work/sources.list"
apt_here() {
  local command=$1
  shift
  "$command" -oDir::State::Lists="$work/lists" -oDir::Cache="$work/cache" -oDir::Etc::SourceList="$work/sources.list" \
    -oDir::Etc::SourceParts=/nonexistent -oAPT::Sandbox::User=root "$@"
}
apt_here apt-get update -qq >"$work/log" 2>&1 || die "apt-get update fails ($(tail -n 1 "$work/log")): $by_hand"
deb=$(apt_here apt-cache madison rust-src | awk '{ print $3 }' | grep "^$version+" | head -n 1) || true
[ -n "$deb" ] || die "Debian has no rust-src $version, the version of this rustc: $by_hand"
(cd "$work" && apt_here apt-get download -qq "rust-src=$deb" >log 2>&1 && dpkg-deb -x rust-src_*.deb source) ||
  die "rust-src $deb does not download ($(tail -n 1 "$work/log")): $by_hand"

# The flags that Rust's own build gives to its standard library.
RUSTC_BOOTSTRAP=1 __CARGO_DEFAULT_LIB_METADATA=stablestd \
  RUSTFLAGS='-Cembed-bitcode=yes -Zforce-unstable-if-unmarked' CARGO_PROFILE_RELEASE_DEBUG=0 \
  cargo build --quiet --release --target "$target" --features 'panic-unwind compiler-builtins-mem' \
  --manifest-path "$work/source/usr/src/rustc-$version/library/sysroot/Cargo.toml" --target-dir "$work/target" \
  >"$work/log" 2>&1 || die "$target does not build ($(grep -m 1 '^error' "$work/log" || tail -n 1 "$work/log")): $by_hand"
# Moved in whole: a folder with half a library would pass for an installed one.
mkdir -p "$work/libs" "$(dirname "$libs")"
cp "$work/target/$target/release/deps/"*.rlib "$work/libs/"
rm -rf "$libs"
mv "$work/libs" "$libs"
drop_old_builds
say "$target is built and added to $sysroot ($SECONDS s)"
