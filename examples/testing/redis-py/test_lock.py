"""Tests of lock.py on a server whose clock they move: `hotkv serve --clock simulated`, at HOTKV_URL."""

import os
import unittest
import warnings

import redis

from lock import Lock, evict

NAME = "lock:report"
TTL_MS = 30_000


class LockTest(unittest.TestCase):
    def setUp(self) -> None:
        # redis-py warns that its calls for IFEQ, DELEX and DIGEST may still change.
        warnings.simplefilter("ignore", UserWarning)
        url = os.environ.get("HOTKV_URL", "redis://127.0.0.1:6380")
        self.client = redis.Redis.from_url(url, decode_responses=True)
        self.addCleanup(self.client.close)
        # Only a server with a simulated clock knows this: no other one gets as far as FLUSHALL.
        self.client.execute_command("CLOCK", "PAUSE")
        self.client.flushall()

    def lock(self) -> Lock:
        return Lock(self.client, NAME, TTL_MS)

    def pass_time(self, ms: int) -> None:
        """What `time.sleep` would do, at once."""
        self.client.execute_command("CLOCK", "ADVANCE", ms)

    def digest(self) -> str:
        digest = self.client.digest(NAME)
        assert isinstance(digest, str), "nobody holds the lock"
        return digest

    def test_a_free_lock_is_taken_for_its_time_to_live(self) -> None:
        lock = self.lock()
        self.assertIsNotNone(lock.acquire())
        self.assertEqual(self.client.get(NAME), lock.token)
        # The clock stands, so the time left is exact.
        self.assertEqual(self.client.pttl(NAME), TTL_MS)

    def test_a_held_lock_is_refused(self) -> None:
        holder = self.lock()
        holder.acquire()
        self.assertIsNone(self.lock().acquire())
        self.assertEqual(self.client.get(NAME), holder.token)

    def test_renewing_keeps_the_lock(self) -> None:
        lock = self.lock()
        lock.acquire()
        for _ in range(5):
            self.pass_time(TTL_MS - 1)
            self.assertTrue(lock.renew())
        self.assertEqual(self.client.pttl(NAME), TTL_MS)

    def test_the_holder_releases(self) -> None:
        lock = self.lock()
        lock.acquire()
        self.assertTrue(lock.release())
        self.assertIsNotNone(self.lock().acquire())

    def test_a_wrong_token_releases_nothing(self) -> None:
        holder = self.lock()
        holder.acquire()
        self.assertFalse(self.lock().release())
        self.assertEqual(self.client.get(NAME), holder.token)

    def test_a_digest_evicts_the_holder_that_was_seen_and_no_later_one(self) -> None:
        self.lock().acquire()
        seen = self.digest()
        self.pass_time(TTL_MS + 1)
        later = self.lock()
        later.acquire()
        self.assertFalse(evict(self.client, NAME, seen))
        self.assertEqual(self.client.get(NAME), later.token)
        self.assertTrue(evict(self.client, NAME, self.digest()))
        self.assertFalse(self.client.exists(NAME))

    def test_fencing_numbers_grow(self) -> None:
        first = self.lock()
        earlier = first.acquire()
        self.assertIsNone(self.lock().acquire())
        first.release()
        later = self.lock().acquire()
        assert earlier and later
        self.assertGreater(later, earlier)

    def test_a_lock_expires_right_after_its_time_to_live(self) -> None:
        self.lock().acquire()
        # At its deadline a key still lives; a millisecond later it is gone.
        self.pass_time(TTL_MS)
        self.assertIsNone(self.lock().acquire())
        self.pass_time(1)
        self.assertIsNotNone(self.lock().acquire())

    def test_a_late_worker_takes_nothing_from_the_next_owner(self) -> None:
        late, owner = self.lock(), self.lock()
        late.acquire()
        self.client.execute_command("CLOCK", "NEXT")  # to the next expiry, which is that of the lock
        owner.acquire()
        # The late worker wakes up and goes on as if nothing had happened.
        self.assertFalse(late.renew())
        self.assertFalse(late.release())
        self.assertEqual(self.client.get(NAME), owner.token)
        self.assertEqual(self.client.pttl(NAME), TTL_MS)


if __name__ == "__main__":
    unittest.main()
