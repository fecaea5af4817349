#!/usr/bin/env bash
# Installs what the other scripts need and says what it does. What is there already is skipped, so it can be run at any time.
#   serve  the wasm32 standard library, trunk, and the wasm-bindgen tool of the version in Cargo.lock
#   build  serve, and wasm-opt for the release build
#   test   build, Chromium with the node packages that drive it, and mdBook
#   all    test, and what the other suites need: Firefox, Lighthouse, VitePress, MkDocs Material, and cargo-deny
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

# trunk of this version is installed where there is none; from this minor version on, one that is there does.
trunk_version=0.21.14
trunk_minimum=0.21
# The element is tried in a book by this version, or by any that is there.
mdbook_version=0.5.4
deny_version=0.20.2
node_minimum=20

[ $# -eq 1 ] || usage 'scripts/setup.sh serve|build|test|all'
case $1 in
  serve) needs_node=no needs_browser=no needs_docs=no ;;
  build) needs_node=yes needs_browser=no needs_docs=no ;;
  test) needs_node=yes needs_browser=yes needs_docs=no ;;
  all) needs_node=yes needs_browser=yes needs_docs=yes ;;
  *) usage 'scripts/setup.sh serve|build|test|all' ;;
esac

# ---- What this script does not install ----

if ! has cargo || ! has rustc; then die "no cargo: install Rust from https://rustup.rs"; fi
rust_minimum=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
rust_version=$(rustc --version 2>/dev/null | cut -d' ' -f2) || true
[ -n "$rust_version" ] || die "the Rust toolchain that rust-toolchain.toml names is not there: rustup toolchain install stable"
at_least "$rust_version" "${rust_minimum:-1.0}" || die "Rust $rust_version is older than $rust_minimum: rustup update stable"
has cc || has clang || has gcc ||
  die "no C compiler, which Rust links with: install build-essential on Debian, the Xcode command line tools on macOS"
if [ "$needs_node" = yes ]; then
  if ! has node || ! has npm; then die "no node with npm: install Node.js $node_minimum or newer"; fi
  node_version=$(node --version)
  at_least "${node_version#v}" "$node_minimum" || die "Node.js $node_version is older than $node_minimum: install a newer one"
fi
if [ "$1" = test ] || [ "$1" = all ]; then
  cargo fmt --version >/dev/null 2>&1 || die "no rustfmt: rustup component add rustfmt"
  cargo clippy --version >/dev/null 2>&1 || die "no clippy: rustup component add clippy"
fi

# ---- Jobs that run side by side: compiling fills the processors while downloads wait ----

work=$root/target/setup # kept when a job fails, so that the next run goes on where it stopped
job_names=() job_pids=() job_fixes=()

# start NAME FIX COMMAND…: runs COMMAND in the background with its output in a log. FIX is the way out when it fails;
# it is empty for a command that ends with a line of its own that says it.
start() {
  local name=$1 fix=$2
  shift 2
  mkdir -p "$work"
  set -m # a process group for each job, so that an interrupted set-up leaves nothing running
  ( "$@" ) >"$work/$name.log" 2>&1 </dev/null &
  set +m
  job_names+=("$name")
  job_pids+=("$!")
  job_fixes+=("$fix")
}

stop_jobs() {
  local pid
  for pid in ${job_pids[@]+"${job_pids[@]}"}; do kill -- "-$pid" 2>/dev/null || true; done
}
trap 'stop_jobs; exit 130' INT
trap 'stop_jobs; exit 143' TERM

# The last line of a job's log, short enough for a terminal and without the job's own name in front.
last_line() { tr '\r' '\n' <"$work/$1.log" | grep -v '^ *$' | tail -n 1 | sed "s/^ *//; s/^$1: //" | cut -c1-90 || true; }

finish_jobs() {
  local running=${#job_pids[@]} next=$((SECONDS + 20)) i name log
  while [ "$running" -gt 0 ]; do
    sleep 0.5
    for i in "${!job_pids[@]}"; do
      name=${job_names[$i]} log=$work/${job_names[$i]}.log
      if kill -0 "${job_pids[$i]}" 2>/dev/null; then
        [ "$SECONDS" -lt "$next" ] || say "  $SECONDS s, $name: $(last_line "$name")"
        continue
      fi
      if ! wait "${job_pids[$i]}"; then
        unset "job_pids[$i]"
        stop_jobs
        [ -n "${job_fixes[$i]}" ] || die "$(tail -n 1 "$log")"
        die "$name failed, $(grep -m 1 -E '^(error|npm error|E:)' "$log" || last_line "$name"): ${job_fixes[$i]} (the log: $log)"
      fi
      unset "job_pids[$i]"
      running=$((running - 1))
      rm -f "$log"
      say "$name is ready ($SECONDS s)"
    done
    [ "$SECONDS" -lt "$next" ] || next=$((SECONDS + 20))
  done
}

# cargo install of a program that runs seldom and for short: built for a short compile, not for speed.
install_crate() {
  export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
  export CARGO_PROFILE_RELEASE_PANIC=abort CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=true
  export CARGO_INCREMENTAL=0
  # A registry that lags behind may lack a version that the program's own lock file names; a free choice does then.
  cargo install --locked "$@" || cargo install "$@"
}

install_trunk() {
  # Without the check for updates; with rustls, by which trunk fetches tools for other projects.
  install_crate "trunk@$trunk_version" --no-default-features --features rustls --target-dir "$work/trunk"
  rm -rf "$work/trunk"
}

# The tool goes to trunk's own cache: a wasm-bindgen of another version that a person has on PATH stays, and both these
# scripts and a plain `trunk serve` find the right one.
install_bindgen() {
  local folder
  folder=$(trunk_cache)/wasm-bindgen-$bindgen
  install_crate "wasm-bindgen-cli@$bindgen" --no-default-features --bin wasm-bindgen \
    --target-dir "$work/wasm-bindgen" --root "$work/wasm-bindgen-root" --no-track --force
  mkdir -p "$folder"
  mv "$work/wasm-bindgen-root/bin/wasm-bindgen" "$folder/wasm-bindgen"
  rm -rf "$work/wasm-bindgen" "$work/wasm-bindgen-root"
}

# A copy of the lock file inside node_modules tells which one the packages were installed from.
packages_are_there() { cmp -s e2e/package-lock.json e2e/node_modules/.installed-lock.json; }

install_packages() {
  (cd e2e && npm ci --no-audit --no-fund --loglevel=error)
  cp e2e/package-lock.json e2e/node_modules/.installed-lock.json
}

install_mdbook() {
  install_crate "mdbook@$mdbook_version" --no-default-features --target-dir "$work/mdbook"
  rm -rf "$work/mdbook"
}

install_deny() {
  install_crate "cargo-deny@$deny_version" --target-dir "$work/cargo-deny"
  rm -rf "$work/cargo-deny"
}

vitepress_is_there() { cmp -s e2e/docs/vitepress/package-lock.json e2e/docs/vitepress/node_modules/.installed-lock.json; }

install_vitepress() {
  (cd e2e/docs/vitepress && npm ci --no-audit --no-fund --loglevel=error)
  cp e2e/docs/vitepress/package-lock.json e2e/docs/vitepress/node_modules/.installed-lock.json
}

audit_is_there() { cmp -s e2e/audit/package-lock.json e2e/audit/node_modules/.installed-lock.json; }

install_audit() {
  (cd e2e/audit && npm ci --no-audit --no-fund --loglevel=error)
  cp e2e/audit/package-lock.json e2e/audit/node_modules/.installed-lock.json
}

mkdocs_is_there() { cmp -s e2e/docs/mkdocs/requirements.txt e2e/docs/mkdocs/.venv/.installed-requirements.txt; }

install_mkdocs() {
  python3 -m venv e2e/docs/mkdocs/.venv
  e2e/docs/mkdocs/.venv/bin/pip install --quiet --disable-pip-version-check -r e2e/docs/mkdocs/requirements.txt
  cp e2e/docs/mkdocs/requirements.txt e2e/docs/mkdocs/.venv/.installed-requirements.txt
}

install_browsers() {
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update -qq
  $as_root apt-get install -y -qq --no-install-recommends "$@" fonts-liberation fonts-dejavu-core
}

# ---- What is missing ----

bindgen=$(bindgen_version)
if has trunk; then
  found=$(trunk --version 2>/dev/null | cut -d' ' -f2) || true
  at_least "${found:-0.0}" "$trunk_minimum" ||
    die "the trunk on PATH is ${found:-broken}, older than $trunk_minimum: cargo install --locked trunk@$trunk_version"
else
  say "building trunk $trunk_version, once (the longest step, about 4 minutes on 2 cores)"
  start trunk "try 'cargo install --locked trunk@$trunk_version'" install_trunk
fi
if ! has_wasm32; then
  say "adding the standard library for wasm32-unknown-unknown"
  start wasm32-std '' bash scripts/wasm32-std.sh
fi
if ! find_bindgen "$bindgen" >/dev/null; then
  say "building wasm-bindgen-cli $bindgen, once for this version"
  # trunk is the longer one and goes first; this one takes what it leaves of the processors.
  start wasm-bindgen "try 'cargo install --locked wasm-bindgen-cli@$bindgen'" install_bindgen
  renice -n 10 -g "$!" >/dev/null 2>&1 || true
fi
if [ "$needs_node" = yes ] && ! packages_are_there; then
  say "installing the node packages of e2e/"
  start node-packages "see that npm reaches its registry" install_packages
fi
browsers=() # Debian's packages of the browsers that are not there
by_hand='install the browser yourself, and set CHROMIUM or FIREFOX to its path if its name is an unusual one'
if [ "$needs_browser" = yes ] && ! find_chromium >/dev/null; then
  [ -z "${CHROMIUM:-}" ] || die "CHROMIUM is $CHROMIUM, which is no program: set it to a Chromium's path"
  browsers+=(chromium)
fi
if [ "$1" = all ] && ! find_firefox >/dev/null; then
  [ -z "${FIREFOX:-}" ] || die "FIREFOX is $FIREFOX, which is no program: set it to a Firefox's path"
  browsers+=(firefox-esr)
fi
if [ "${#browsers[@]}" -gt 0 ]; then
  has apt-get || die "no ${browsers[*]}: $by_hand"
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! has sudo || ! sudo -n true 2>/dev/null; then die "no ${browsers[*]}, and no right to install it: $by_hand"; fi
    as_root='sudo -n'
  fi
  say "installing ${browsers[*]} by apt-get"
  start browsers "$by_hand" install_browsers "${browsers[@]}"
fi

if [ "$needs_browser" = yes ] && ! has mdbook; then
  say "building mdBook $mdbook_version, once"
  start mdbook "try 'cargo install --locked mdbook@$mdbook_version'" install_mdbook
  renice -n 5 -g "$!" >/dev/null 2>&1 || true
fi
if [ "$1" = all ] && ! has cargo-deny; then
  say "building cargo-deny $deny_version, once"
  start cargo-deny "try 'cargo install --locked cargo-deny@$deny_version'" install_deny
  renice -n 5 -g "$!" >/dev/null 2>&1 || true
fi
if [ "$needs_docs" = yes ] && ! vitepress_is_there; then
  say "installing VitePress"
  start vitepress "see that npm reaches its registry" install_vitepress
fi
if [ "$1" = all ] && ! audit_is_there; then
  say "installing Lighthouse and the driver of Firefox"
  start audit-packages "see that npm reaches its registry" install_audit
fi
if [ "$needs_docs" = yes ] && ! mkdocs_is_there; then
  has python3 || die "no python3, which MkDocs needs: install Python 3 with venv"
  say "installing MkDocs Material"
  start mkdocs "see that python3 has venv (python3-venv on Debian) and pip reaches its index" install_mkdocs
fi

finish_jobs
rmdir "$work" 2>/dev/null || true
say "$1: all is there ($SECONDS s)"
