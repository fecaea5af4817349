#!/usr/bin/env bash
# Checks the programs that the playground writes, for each client library and server, with the tools of their own languages
# and the real libraries: the oldest version that a program says it needs, and a current one. A library whose tools or
# packages are not to be had here is skipped, by name and with the reason.
#   scripts/snippets.sh                              types, syntax
#   scripts/snippets.sh redis-py jedis               those of some clients; javascript is node-redis and ioredis
#   REDIS_URL=redis://127.0.0.1 scripts/snippets.sh  and they are run there, against Redis 8.4 or newer; those for older
#                                                    servers only where it has EVAL
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ $# -gt 0 ] || set -- redis-cli redis-py javascript go-redis redis-rs jedis
for client in "$@"; do
  case $client in
    redis-cli | redis-py | javascript | go-redis | redis-rs | jedis) ;;
    *) usage 'scripts/snippets.sh [redis-cli|redis-py|javascript|go-redis|redis-rs|jedis]…' ;;
  esac
done

# The current versions. The oldest ones stand in the programs' own words.
redis_py=8.1.0 node_redis=6.3.1 ioredis=6.0.0 go_redis=9.18.0 redis_rs=1.8.1 jedis=7.1.0
mypy=2.4.1 typescript=5.9 node_types=20

work=${CARGO_TARGET_DIR:-$root/target}/snippets
log=$work/log
mkdir -p "$work"

cargo build --locked --quiet
hotkv=${CARGO_TARGET_DIR:-$root/target}/debug/hotkv

# A plain name, one with all that means something in a literal, and one that is no text.
names=(plain hard bytes)
lock_named() {
  case $1 in
    plain) printf 'lock:x' ;;
    hard) printf '%s' "\"it's \\\"\$y\\\" \`z\` \\\\ #{w} {} %s \\n é\"" ;;
    bytes) printf '%s' '"lock:\xff\"\\"' ;;
  esac
}

# The time to live of what is run, in milliseconds: a program takes twice as long. Less is lost on a machine with much to do.
ttl=3000

# write CLIENT SERVER NAME FILE
write() {
  mkdir -p "$(dirname "$4")"
  "$hotkv" snippet --client "$1" --server "$2" --lock "$(lock_named "$3")" --ttl "$ttl" >"$4"
}

ran=0
row() { rows+=("$(printf '%-11s %-14s %s' "$1" "$2" "$3")"); }

# run WHAT COMMAND…: a program takes the lock, works for twice its time, and gives it back.
run() {
  local what=$1
  shift
  [ -n "${REDIS_URL:-}" ] || return 0
  try "$what, run" "$@"
  if ! grep -q '^part 5, fencing number [0-9]' "$log" || ! grep -q '^released$' "$log"; then
    cat "$log" >&2
    die "$what, run, did not work and release"
  fi
  ran=$((ran + 1))
}
after_run() { if [ -n "${REDIS_URL:-}" ]; then printf ', run'; fi; }
# Whether the server runs scripts. One that does not say that it knows none is taken to.
scripts=yes
if [ -n "${REDIS_URL:-}" ]; then
  address=${REDIS_URL#*://} address=${address##*@} address=${address%%[/?]*}
  case $address in *:*) ;; *) address+=:6379 ;; esac
  reply=$(
    exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
    printf 'EVAL "return 1" 0\r\n' >&3
    IFS= read -r -t 5 reply <&3
    printf '%s' "$reply"
  ) 2>/dev/null || true
  case $reply in *"unknown command 'EVAL'"*) scripts=no ;; esac
fi

# runs SERVER NAME: what is worth twice the time to live. Valkey's commands need Valkey, and older ones scripts.
runs() { case $1-$2-$scripts in redis-* | older-plain-yes) ;; *) return 1 ;; esac; }

servers=(redis valkey older)

check_redis_cli() {
  local server name file how='bash -n'
  if has shellcheck; then how+=', shellcheck'; fi
  for server in "${servers[@]}"; do
    for name in "${names[@]}"; do
      file=$work/redis-cli/$server-$name.sh
      write redis-cli "$server" "$name" "$file"
      try "redis-cli for $server" bash -n "$file"
      # Nothing in a name is to be expanded.
      if has shellcheck; then try "redis-cli for $server" shellcheck --exclude=SC2016 "$file"; fi
      if has redis-cli && runs "$server" "$name"; then run "redis-cli for $server, $name" bash "$file"; fi
    done
  done
  if has redis-cli; then how+=$(after_run); fi
  row redis-cli "Bash ${BASH_VERSION%%(*}" "$how"
}

check_redis_py() {
  has python3 || { skip redis-py 'no python3'; return; }
  local here=$work/redis-py version server name file
  [ -x "$here/venv/bin/python" ] || python3 -m venv "$here/venv" >"$log" 2>&1 || { skip redis-py 'no venv for python3'; return; }
  for version in "$(oldest redis-py)" "$redis_py"; do
    "$here/venv/bin/pip" install --quiet "redis==$version" "mypy==$mypy" >"$log" 2>&1 ||
      { skip redis-py "$version or mypy did not come"; return; }
    for server in "${servers[@]}"; do
      for name in "${names[@]}"; do
        file=$here/${server}_$name.py
        write redis-py "$server" "$name" "$file"
        try "redis-py $version for $server" "$here/venv/bin/python" -m py_compile "$file"
        try "redis-py $version for $server" "$here/venv/bin/mypy" --cache-dir "$here/mypy-$version" "$file"
        if runs "$server" "$name"; then run "redis-py $version for $server, $name" "$here/venv/bin/python" "$file"; fi
      done
    done
    row redis-py "$version" "py_compile, mypy$(after_run)"
  done
}

check_javascript() {
  if ! has node || ! has npm; then
    skip node-redis 'no node with npm'
    skip ioredis 'no node with npm'
    return
  fi
  local here=$work/javascript client current version package server name file
  mkdir -p "$here"
  for client in node-redis ioredis; do
    package=$client current=$ioredis
    if [ "$client" = node-redis ]; then package=redis current=$node_redis; fi
    for version in $(printf '%s\n' "$(oldest "$client")" "$current" | uniq); do
      file=$here/$client-$version
      mkdir -p "$file"
      printf '{"private":true}\n' >"$file/package.json"
      (cd "$file" && npm install --no-audit --no-fund --loglevel=error "$package@$version" "typescript@$typescript" \
        "@types/node@$node_types") >"$log" 2>&1 || { skip "$client" "$version did not come"; continue; }
      printf '{"compilerOptions":{"checkJs":true,"strict":true,"noEmit":true,"module":"nodenext","target":"es2022","skipLibCheck":true,"types":["node"]},"include":["*.mjs"]}\n' \
        >"$file/tsconfig.json"
      for server in "${servers[@]}"; do
        for name in "${names[@]}"; do write "$client" "$server" "$name" "$file/$server-$name.mjs"; done
      done
      try "$client $version" "$file/node_modules/.bin/tsc" -p "$file"
      for server in "${servers[@]}"; do
        for name in "${names[@]}"; do
          if runs "$server" "$name"; then run "$client $version for $server, $name" node "$file/$server-$name.mjs"; fi
        done
      done
      row "$client" "$version" "tsc --strict on the JavaScript$(after_run)"
    done
  done
}

check_go_redis() {
  has go || { skip go-redis 'no go'; return; }
  local here=$work/go-redis version server name
  for version in "$(oldest go-redis)" "$go_redis"; do
    rm -rf "$here"
    for server in "${servers[@]}"; do
      for name in "${names[@]}"; do write go-redis "$server" "$name" "$here/$server-$name/main.go"; done
    done
    (cd "$here" && go mod init example.com/snippets && go get "github.com/redis/go-redis/v9@v$version") >"$log" 2>&1 ||
      { skip go-redis "$version did not come"; return; }
    try "go-redis $version" test -z "$(gofmt -l "$here")"
    try "go-redis $version" go -C "$here" vet ./...
    for server in "${servers[@]}"; do
      for name in "${names[@]}"; do
        if runs "$server" "$name"; then run "go-redis $version for $server, $name" go -C "$here" run "./$server-$name"; fi
      done
    done
    row go-redis "$version" "gofmt, go vet$(after_run)"
  done
}

check_redis_rs() {
  local here=$work/redis-rs version server name
  for version in "$(oldest redis-rs)" "$redis_rs"; do
    rm -rf "$here/src" "$here/Cargo.lock"
    for server in "${servers[@]}"; do
      for name in "${names[@]}"; do write redis-rs "$server" "$name" "$here/src/bin/$server-$name.rs"; done
    done
    # A workspace of its own: it is no part of the project.
    printf '[package]\nname = "snippets"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\nredis = "=%s"\nrand = "0.9"\n[workspace]\n' \
      "$version" >"$here/Cargo.toml"
    (cd "$here" && CARGO_TARGET_DIR=$here/target cargo fetch) >"$log" 2>&1 || { skip redis-rs "$version did not come"; return; }
    (cd "$here" && CARGO_TARGET_DIR=$here/target RUSTFLAGS='-D warnings' cargo build --quiet) >"$log" 2>&1 || {
      cat "$log" >&2
      die "redis-rs $version does not hold: the lines above say why"
    }
    for server in "${servers[@]}"; do
      for name in "${names[@]}"; do
        if runs "$server" "$name"; then run "redis-rs $version for $server, $name" "$here/target/debug/$server-$name"; fi
      done
    done
    row redis-rs "$version" "cargo build without warnings$(after_run)"
  done
}

check_jedis() {
  has javac || { skip jedis 'no javac'; return; }
  local here=$work/jedis server name whole=yes
  for server in "${servers[@]}"; do
    # Java takes text alone.
    for name in plain hard; do write jedis "$server" "$name" "$here/$server-$name/LockedWork.java"; done
  done
  printf '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>snippets</groupId><artifactId>snippets</artifactId><version>0</version><dependencies><dependency><groupId>redis.clients</groupId><artifactId>jedis</artifactId><version>%s</version></dependency></dependencies></project>\n' \
    "$jedis" >"$here/pom.xml"
  if ! has mvn || ! (cd "$here" && mvn --batch-mode --quiet dependency:copy-dependencies -DoutputDirectory="$here/lib") >"$log" 2>&1; then
    whole=no
  fi
  for server in "${servers[@]}"; do
    for name in plain hard; do
      if [ "$whole" = yes ]; then
        try "Jedis for $server" javac -Xlint:all -cp "$here/lib/*" -d "$here/$server-$name" "$here/$server-$name/LockedWork.java"
        if runs "$server" "$name"; then run "Jedis for $server, $name" java -cp "$here/lib/*:$here/$server-$name" LockedWork; fi
      else
        # Without the library a file that can be read fails for the names in it, and only after it was read.
        javac -d "$here/$server-$name" "$here/$server-$name/LockedWork.java" >"$here/said" 2>&1 || true
        grep -q 'package redis.clients.jedis does not exist' "$here/said" || {
          cat "$here/said" >&2
          die "Jedis for $server does not hold: the lines above say why"
        }
      fi
    done
  done
  if [ "$whole" = yes ]; then
    row jedis "$jedis" "javac$(after_run)"
  else
    skip jedis "the library did not come by mvn; javac read the syntax alone"
  fi
}

for client in "$@"; do "check_${client//-/_}"; done

say "client, version, how it was checked"
printf '  %s\n' "${rows[@]}"
say "$skipped skipped, $ran runs"
[ "$scripts" = yes ] || say "the server has no EVAL: the programs for older servers were not run"
