#!/usr/bin/env bash
# Does work that only one may do at a time, under a lock.
set -euo pipefail

# As redis-cli reads words: in double quotes, other bytes as \xHH.
LOCK='lock:name'
FENCE='lock:name:fence'
TTL_MS=30000

url=${REDIS_URL:-redis://127.0.0.1:6379}
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') # 128 random bits: nobody else has the same
part=$(awk "BEGIN { print $TTL_MS / 2500 }") turn=$(awk "BEGIN { print $TTL_MS / 3000 }")
# only: older
RENEW="if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
RELEASE="if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
# end

# Sends commands over one connection. Fails where no reply came: redis-cli itself would not tell that from nil.
send() {
  local replies
  replies=$(printf '%s\n' "$@" PING | redis-cli -u "$url")
  [[ $replies == *PONG ]] && printf '%s' "${replies%$'\n'PONG}"
}

now_ms() { local us=${EPOCHREALTIME/[.,]/}; printf '%s' "$((us / 1000))"; }

# only: redis valkey
renew() { send "SET $LOCK $token IFEQ $token PX $TTL_MS"; } # OK
# end
# only: older
renew() { send "EVAL \"$RENEW\" 1 $LOCK $token $TTL_MS"; } # 1
# end

# only: redis
release() { [ "$(send "DELEX $LOCK IFEQ $token")" = 1 ]; }
# end
# only: valkey
release() { [ "$(send "DELIFEQ $LOCK $token")" = 1 ]; }
# end
# only: older
release() { [ "$(send "EVAL \"$RELEASE\" 1 $LOCK $token")" = 1 ]; }
# end

# Takes the lock and a fencing number, in one transaction. Prints the number; fails when somebody else holds the lock.
acquire() {
  local replies
  # Whoever is refused takes a number too: they only have to grow.
  # only: redis
  replies=$(send MULTI "SET $LOCK $token NX PX $TTL_MS" "INCR $FENCE" "DIGEST $LOCK" EXEC)
  mapfile -t replies <<<"$replies" # OK, QUEUED three times, and what EXEC answers
  [ "${replies[4]:-}" = OK ] && printf '%s %s' "${replies[5]}" "${replies[6]}"
  # end
  # only: valkey older
  replies=$(send MULTI "SET $LOCK $token NX PX $TTL_MS" "INCR $FENCE" EXEC)
  mapfile -t replies <<<"$replies" # OK, QUEUED twice, and what EXEC answers
  [ "${replies[3]:-}" = OK ] && printf '%s' "${replies[4]}"
  # end
}

# Asks the server, which costs a round trip.
# only: redis
is_mine() { [ "$(send "DIGEST $LOCK")" = "$digest" ]; }
# end
# only: valkey older
is_mine() { [ "$(send "GET $LOCK")" = "$token" ]; }
# end

# Your work, in parts. Every write takes the fencing number along, and its target refuses a smaller one.
work() {
  local number
  for number in 1 2 3 4 5; do
    is_mine || { echo 'the lock is lost: the work stops' >&2; return 1; }
    echo "part $number, fencing number $fence"
    sleep "$part"
  done
}

# Renews while the work goes on. Without a reply it tries again until the lock is over, by our own clock. It ends with this
# script, however that ends, and then nothing that the work started goes on.
keep() {
  local deadline=$1 asked reply
  while sleep "$turn" && kill -0 "$$" 2>/dev/null; do
    asked=$(now_ms)
    if reply=$(renew); then
      case $reply in OK | 1) deadline=$((asked + TTL_MS)) ;; *) deadline=0 ;; esac
    fi
    [ "$(now_ms)" -lt "$deadline" ] || break
  done
  kill -- "-$2"
}

finish() {
  local status=$?
  kill -- "-$keeper" 2>/dev/null || true
  kill -- "-$worker" 2>/dev/null || true
  if release; then echo 'released'; else echo 'the lock was no longer ours' >&2; fi
  exit "$status"
}

asked=$(now_ms)
taken=$(acquire) || { echo 'the lock was not taken' >&2; exit 1; }
# only: redis
read -r fence digest <<<"$taken"
# end
# only: valkey older
fence=$taken
# end
set -m # a process group each: what they started ends with them
work &
worker=$!
keep $((asked + TTL_MS)) "$worker" &
keeper=$!
set +m
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
wait "$worker"
