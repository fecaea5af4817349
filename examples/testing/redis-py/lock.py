"""A lock with a time to live, by redis-py: the code under test, as it could stand in a project of yours."""

from __future__ import annotations

import secrets

import redis


class Lock:
    """One attempt at a lock. Whoever holds it is told by a token that nobody else has."""

    def __init__(self, client: redis.Redis, name: str, ttl_ms: int) -> None:
        self.client = client
        self.name = name
        self.ttl_ms = ttl_ms
        self.token = secrets.token_hex(16)

    def acquire(self) -> int | None:
        """Takes the lock, and answers a fencing number; None when somebody else holds it.

        Both happen in one transaction, so that whoever takes the lock later has a larger number.
        """
        with self.client.pipeline(transaction=True) as transaction:
            transaction.set(self.name, self.token, nx=True, px=self.ttl_ms)
            # Whoever is refused takes a number too: they only have to grow.
            transaction.incr(f"{self.name}:fence")
            taken, fence = transaction.execute()
        return fence if taken else None

    def renew(self) -> bool:
        """Lets the time to live begin again; False when the lock is no longer ours, and then the work must stop."""
        return bool(self.client.set(self.name, self.token, ifeq=self.token, px=self.ttl_ms))

    def release(self) -> bool:
        """Gives the lock back; False when it was no longer ours, and then nobody loses it."""
        return self.client.delex(self.name, ifeq=self.token) == 1


def evict(client: redis.Redis, name: str, digest: str) -> bool:
    """Takes the lock from the holder whose token has this digest, as DIGEST told it, and from nobody who came later."""
    return client.delex(name, ifdeq=digest) == 1
