# Does work that only one may do at a time, under a lock.
import os
import secrets
import sys
import threading
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

LOCK = "lock:name"
FENCE = "lock:name:fence"
TTL_MS = 30000

# only: older
RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

# end

class Lock:
    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.token = secrets.token_hex(16)  # 128 random bits: nobody else has the same
        self.deadline = 0.0  # until then the lock is ours, by our own clock

    def acquire(self) -> int | None:
        """Takes the lock and a fencing number. None when somebody else holds it."""
        asked = time.monotonic()
        with self.client.pipeline(transaction=True) as p:
            p.set(LOCK, self.token, nx=True, px=TTL_MS)
            p.incr(FENCE)  # whoever is refused takes a number too: they only have to grow
            # only: redis
            p.digest(LOCK)
            taken, fence, self.digest = p.execute()
            # end
            # only: valkey older
            taken, fence = p.execute()
            # end
        if not taken:
            return None
        self.deadline = asked + TTL_MS / 1000
        return fence

    def renew(self) -> bool:
        # only: redis valkey
        return bool(self.client.set(LOCK, self.token, ifeq=self.token, px=TTL_MS))
        # end
        # only: older
        return self.client.eval(RENEW, 1, LOCK, self.token, TTL_MS) == 1
        # end

    def release(self) -> bool:
        # only: redis
        return self.client.delex(LOCK, ifeq=self.token) == 1
        # end
        # only: valkey
        return self.client.execute_command("DELIFEQ", LOCK, self.token) == 1
        # end
        # only: older
        return self.client.eval(RELEASE, 1, LOCK, self.token) == 1
        # end

    def is_mine(self) -> bool:
        """Asks the server, which costs a round trip; the deadline has to hold as well."""
        # only: redis
        return self.client.digest(LOCK) == self.digest and time.monotonic() < self.deadline
        # end
        # only: valkey older
        return self.client.get(LOCK) == self.token.encode() and time.monotonic() < self.deadline
        # end

    def keep(self, done: threading.Event) -> None:
        """Renews until the work is done. Without a reply it tries again: the deadline stops the work in time."""
        while not done.wait(TTL_MS / 3000):
            asked = time.monotonic()
            try:
                self.deadline = asked + TTL_MS / 1000 if self.renew() else 0.0
            except redis.RedisError as error:
                print(f"not renewed yet: {error}", file=sys.stderr)


def work(lock: Lock, fence: int) -> None:
    """Your work, in parts. Every write takes the fencing number along, and its target refuses a smaller one."""
    for part in range(1, 6):
        if not lock.is_mine():
            raise RuntimeError("the lock is lost: the work stops")
        print(f"part {part}, fencing number {fence}")
        time.sleep(TTL_MS / 2500)


def main() -> None:
    url = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379")
    # No retries: a SET NX that is sent twice is refused because of itself.
    lock = Lock(redis.Redis.from_url(url, socket_timeout=TTL_MS / 3000, retry=Retry(NoBackoff(), 0)))
    fence = lock.acquire()
    if fence is None:
        sys.exit("somebody else holds the lock")
    done = threading.Event()
    keeper = threading.Thread(target=lock.keep, args=(done,))
    keeper.start()
    try:
        work(lock, fence)
    finally:
        done.set()
        keeper.join()
        print("released" if lock.release() else "the lock was no longer ours")


if __name__ == "__main__":
    main()
