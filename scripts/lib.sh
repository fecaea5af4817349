# shellcheck shell=bash
# What the scripts beside this file share: where the project is, how they speak, and where they find their tools.
# It is sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
me=$(basename "$0" .sh)

# Programs that `cargo install` lays down are found even where its folder is not on PATH; what a person put first stays first.
export PATH="$PATH:${CARGO_INSTALL_ROOT:-${CARGO_HOME:-$HOME/.cargo}}/bin:${CARGO_HOME:-$HOME/.cargo}/bin"

# trunk reads NO_COLOR as a boolean and refuses the usual NO_COLOR=1.
if [ -n "${NO_COLOR:-}" ]; then export NO_COLOR=true; else unset NO_COLOR; fi

say() { printf '%s: %s\n' "$me" "$*"; }

# One line, `script: what is wrong: the way out`.
die() {
  printf '%s: %s\n' "$me" "$*" >&2
  exit 1
}

usage() {
  printf 'usage: %s\n' "$*" >&2
  exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

# at_least 1.95.0 1.95: true when the first version is the second or newer, by major and minor number.
at_least() {
  local major minor want_major want_minor
  IFS=. read -r major minor _ <<<"$1."
  IFS=. read -r want_major want_minor _ <<<"$2."
  [ "$major" -gt "$want_major" ] || { [ "$major" -eq "$want_major" ] && [ "${minor:-0}" -ge "${want_minor:-0}" ]; }
}

# The folder of the WebAssembly standard library in this compiler's installation, and whether the library is there.
wasm32_libs() { printf '%s\n' "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib"; }
has_wasm32() { compgen -G "$(wasm32_libs)/libcore-*.rlib" >/dev/null; }

# The version of wasm-bindgen that the page is compiled with. The command line tool must be of exactly this one.
bindgen_version() {
  local version
  version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/[^0-9.]/, ""); print; exit }' "$root/Cargo.lock" 2>/dev/null) || true
  [ -n "$version" ] || die "Cargo.lock names no wasm-bindgen: run 'cargo generate-lockfile'"
  printf '%s\n' "$version"
}

# The folder where trunk looks for a wasm-bindgen when the one on PATH is of another version.
trunk_cache() {
  if [ "$(uname -s)" = Darwin ]; then
    printf '%s\n' "$HOME/Library/Caches/dev.trunkrs.trunk"
  else
    case ${XDG_CACHE_HOME:-} in
      /*) printf '%s\n' "$XDG_CACHE_HOME/trunk" ;;
      *) printf '%s\n' "$HOME/.cache/trunk" ;;
    esac
  fi
}

# find_bindgen 0.2.100: where the wasm-bindgen of this version is, looked for as trunk does: on PATH, then in trunk's cache.
find_bindgen() {
  local candidate
  for candidate in "$(command -v wasm-bindgen || true)" "$(trunk_cache)/wasm-bindgen-$1/wasm-bindgen"; do
    if [ -x "$candidate" ] && [ "$("$candidate" --version 2>/dev/null | cut -d' ' -f2)" = "$1" ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# find_browser PATH NAME…: the program that somebody named, else the first of these names that is there.
find_browser() {
  local named=$1 candidate
  shift
  [ -z "$named" ] || set -- "$named"
  for candidate in "$@"; do
    if has "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# Where a Chromium is: $CHROMIUM, then the names that it goes by.
find_chromium() {
  find_browser "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    '/Applications/Chromium.app/Contents/MacOS/Chromium' \
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
}

# Where a Firefox is: $FIREFOX, then the names that it goes by.
find_firefox() { find_browser "${FIREFOX:-}" firefox-esr firefox '/Applications/Firefox.app/Contents/MacOS/firefox'; }

# ---- What the scripts share that try client libraries: they name the program in $hotkv, and a file in $log ----

rows=() skipped=0 hotkv='' log=''

# skip CLIENT REASON
skip() {
  rows+=("$(printf '%-11s skipped: %s' "$1" "$2")")
  skipped=$((skipped + 1))
}

# try WHAT COMMAND…: what a tool has to say is shown when it fails.
try() {
  local what=$1
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    die "$what does not hold: the lines above say why"
  }
}

# The oldest version of a client that the playground says will do.
oldest() { "$hotkv" snippet --client "$1" --json | sed -n 's/.*"needs":"[^"]* \([0-9][0-9.]*\) or newer\.".*/\1/p'; }
