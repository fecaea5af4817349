#!/usr/bin/env bash
# Runs the examples of tests for lock code (examples/testing/) with the real client libraries: each in the oldest version
# that will do and in that of its manifest, in both protocols where the library can choose, on a `hotkv serve` whose clock the
# tests move. Then scripts/snippets.sh runs the programs that the playground writes on one that goes by the time of day. What
# is not to be had here is skipped, by name and with the reason.
#   scripts/clients.sh                    all clients
#   scripts/clients.sh redis-py ioredis   some of them
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

snippets=() # all
for client in "$@"; do
  case $client in
    node-redis | ioredis) snippets+=(javascript) ;;
    redis-py | go-redis | redis-rs | jedis) snippets+=("$client") ;;
    *) usage 'scripts/clients.sh [redis-py|node-redis|ioredis|go-redis|redis-rs|jedis]…' ;;
  esac
done
[ $# -gt 0 ] || set -- redis-py node-redis ioredis go-redis redis-rs jedis

work=${CARGO_TARGET_DIR:-$root/target}/clients
log=$work/log
mkdir -p "$work"

cargo build --locked --quiet
hotkv=${CARGO_TARGET_DIR:-$root/target}/debug/hotkv

# ---- The server ----

server='' watcher='' port=''

# serve CLOCK: a server on a free port, and whatever clients send to it in a file.
serve() {
  local line
  rm -f "$work/said"
  mkfifo "$work/said"
  "$hotkv" serve --port 0 --clock "$1" --log warn >"$work/said" &
  server=$!
  read -r line <"$work/said" || die "hotkv did not serve: the lines above say why"
  port=${line#*127.0.0.1:}
  port=${port%%;*}
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'MONITOR\r\n' >&3
  read -r line <&3
  cat <&3 >"$work/seen" &
  watcher=$!
  exec 3>&-
}

# Without it nothing more is seen.
stop() {
  [ -n "$server" ] || return 0
  kill "$server"
  wait "$server" || true
  wait "$watcher" || true
  server=''
}
trap stop EXIT

# ---- The examples ----

total=0

# examine CLIENT VERSION PROTOCOL COUNT COMMAND…: runs tests, COUNT being what prints how many there were out of their log.
examine() {
  local client=$1 version=$2 protocol=$3 count=$4 spoken=2
  shift 4
  serve simulated
  HOTKV_URL="redis://127.0.0.1:$port?protocol=$protocol" try "$client $version, RESP$protocol" "$@"
  stop
  # What a library was told is not always what it does.
  if grep -qi '"HELLO" "3"' "$work/seen"; then spoken=3; fi
  [ "$spoken" = "$protocol" ] || die "$client $version speaks RESP$spoken and not RESP$protocol: see how its test passes the protocol on"
  count=$("$count" "$log")
  [ "${count:-0}" -gt 0 ] || die "$client $version ran no tests: $log has what it said"
  rows+=("$(printf '%-11s %-9s RESP%s  %s tests' "$client" "$version" "$protocol" "$count")")
  total=$((total + count))
}

# copy CLIENT VERSION: the example in a folder of its own, where libraries may be laid beside it.
copy() {
  here=$work/$1-$2
  mkdir -p "$here"
  cp -R "examples/testing/$1/." "$here"
}

# versions CLIENT CURRENT: the oldest and the current one, once when they are the same.
versions() { printf '%s\n' "$(oldest "$1")" "$2" | uniq; }

count_unittest() { sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$1"; }
count_tap() { sed -n 's/^# tests \([0-9]*\)$/\1/p' "$1"; }
count_cargo() { awk '/^test result: ok\./ { passed += $4 } END { print passed }' "$1"; }
count_go() { grep -c '^--- PASS' "$1"; }
count_surefire() { sed -n 's/.*Tests run: \([0-9]*\),.*/\1/p' "$1" | tail -n 1; }

try_redis_py() {
  has python3 || { skip redis-py 'no python3'; return; }
  local version protocol
  for version in $(versions redis-py "$(sed -n 's/^redis==//p' examples/testing/redis-py/requirements.txt)"); do
    copy redis-py "$version"
    [ -x "$here/venv/bin/python" ] || python3 -m venv "$here/venv" >"$log" 2>&1 || { skip redis-py 'no venv for python3'; return; }
    "$here/venv/bin/pip" install --quiet "redis==$version" >"$log" 2>&1 || { skip redis-py "$version did not come"; continue; }
    for protocol in 2 3; do
      examine redis-py "$version" "$protocol" count_unittest "$here/venv/bin/python" -m unittest discover -s "$here"
    done
  done
}

# try_javascript CLIENT PACKAGE
try_javascript() {
  if ! has node || ! has npm; then
    skip "$1" 'no node with npm'
    return
  fi
  local version protocol
  for version in $(versions "$1" "$(sed -n "s/.*\"$2\": \"\([0-9.]*\)\".*/\1/p" "examples/testing/$1/package.json")"); do
    copy "$1" "$version"
    (cd "$here" && npm install --no-audit --no-fund --loglevel=error "$2@$version") >"$log" 2>&1 ||
      { skip "$1" "$version did not come"; continue; }
    for protocol in 2 3; do
      examine "$1" "$version" "$protocol" count_tap node --test --test-reporter=tap "$here/lock.test.js"
    done
  done
}
try_node_redis() { try_javascript node-redis redis; }
try_ioredis() { try_javascript ioredis ioredis; }

try_go_redis() {
  has go || { skip go-redis 'no go'; return; }
  local version protocol
  for version in $(versions go-redis "$(sed -n 's|^require github.com/redis/go-redis/v9 v||p' examples/testing/go-redis/go.mod)"); do
    copy go-redis "$version"
    (cd "$here" && go get "github.com/redis/go-redis/v9@v$version" && go mod tidy) >"$log" 2>&1 ||
      { skip go-redis "$version did not come"; continue; }
    try "go-redis $version" test -z "$(gofmt -l "$here")"
    try "go-redis $version" go -C "$here" vet ./...
    for protocol in 2 3; do
      # -count=1: without it an earlier result would be told again.
      examine go-redis "$version" "$protocol" count_go go -C "$here" test -count=1 -v ./...
    done
  done
}

try_redis_rs() {
  local version protocol current manifest=examples/testing/redis-rs/Cargo.toml
  current=$(sed -n 's/^redis = .*"=\([0-9.]*\)".*/\1/p' "$manifest")
  try "the example for redis-rs" rustfmt --check --edition 2024 examples/testing/redis-rs/src/lib.rs examples/testing/redis-rs/tests/lock.rs
  for version in $(versions redis-rs "$current"); do
    copy redis-rs "$version"
    sed "s/\"=$current\"/\"=$version\"/" "$manifest" >"$here/Cargo.toml"
    (cd "$here" && cargo fetch) >"$log" 2>&1 || { skip redis-rs "$version did not come"; continue; }
    for protocol in 2 3; do
      examine redis-rs "$version" "$protocol" count_cargo \
        cargo test --manifest-path "$here/Cargo.toml" --target-dir "$here/target"
    done
  done
}

try_jedis() {
  has javac || { skip jedis 'no javac'; return; }
  local version protocol
  version=$(sed -n '/<artifactId>jedis</,/<version>/s|.*<version>\(.*\)</version>.*|\1|p' examples/testing/jedis/pom.xml)
  copy jedis "$version"
  if ! has mvn || ! mvn --batch-mode --quiet --file "$here/pom.xml" dependency:resolve >"$log" 2>&1; then
    # Without the libraries a file that can be read fails for the names in it, and only after it was read.
    javac -d "$here/out" "$here"/src/*/java/*.java >"$log" 2>&1 || true
    grep -q 'package redis.clients.jedis does not exist' "$log" || {
      cat "$log" >&2
      die "the example for Jedis does not hold: the lines above say why"
    }
    skip jedis 'the library did not come by mvn; javac read the syntax alone'
    return
  fi
  for protocol in 2 3; do
    examine jedis "$version" "$protocol" count_surefire mvn --batch-mode --file "$here/pom.xml" test
  done
}

for client in "$@"; do "try_${client//-/_}"; done

# ---- The programs of the playground ----

serve real
REDIS_URL=redis://127.0.0.1:$port bash scripts/snippets.sh ${snippets[@]+"${snippets[@]}"}
stop

say "client, version, protocol, tests of lock code on a clock that they move"
printf '  %s\n' "${rows[@]}"
say "$total passed, $skipped skipped"
