// Tests of Lock.java on a server whose clock they move: `hotkv serve --clock simulated`, at HOTKV_URL.
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.JedisPooled;

class LockTest {
    private static final String NAME = "lock:report";
    private static final long TTL_MS = 30_000;

    private JedisPooled jedis;

    @BeforeEach
    void start() {
        jedis = new JedisPooled(URI.create(System.getenv().getOrDefault("HOTKV_URL", "redis://127.0.0.1:6380")));
        // Only a server with a simulated clock knows this: no other one gets as far as FLUSHALL.
        clock("PAUSE");
        jedis.flushAll();
    }

    @AfterEach
    void stop() {
        jedis.close();
    }

    private void clock(String... words) {
        jedis.sendCommand(() -> "CLOCK".getBytes(StandardCharsets.UTF_8), words);
    }

    /** What {@code Thread.sleep} would do, at once. */
    private void passTime(long ms) {
        clock("ADVANCE", Long.toString(ms));
    }

    private Lock lock() {
        return new Lock(jedis, NAME, TTL_MS);
    }

    @Test
    void aFreeLockIsTakenForItsTimeToLive() {
        Lock lock = lock();
        assertTrue(lock.acquire().isPresent());
        assertEquals(lock.token, jedis.get(NAME));
        // The clock stands, so the time left is exact.
        assertEquals(TTL_MS, jedis.pttl(NAME));
    }

    @Test
    void aHeldLockIsRefused() {
        Lock holder = lock();
        holder.acquire();
        assertTrue(lock().acquire().isEmpty());
        assertEquals(holder.token, jedis.get(NAME));
    }

    @Test
    void renewingKeepsTheLock() {
        Lock lock = lock();
        lock.acquire();
        for (int turn = 0; turn < 5; turn++) {
            passTime(TTL_MS - 1);
            assertTrue(lock.renew());
        }
        assertEquals(TTL_MS, jedis.pttl(NAME));
    }

    @Test
    void theHolderReleases() {
        Lock lock = lock();
        lock.acquire();
        assertTrue(lock.release());
        assertTrue(lock().acquire().isPresent());
    }

    @Test
    void aWrongTokenReleasesNothing() {
        Lock holder = lock();
        holder.acquire();
        assertFalse(lock().release());
        assertEquals(holder.token, jedis.get(NAME));
    }

    @Test
    void aDigestEvictsTheHolderThatWasSeenAndNoLaterOne() {
        lock().acquire();
        String seen = jedis.digestKey(NAME);
        passTime(TTL_MS + 1);
        Lock later = lock();
        later.acquire();
        assertFalse(Lock.evict(jedis, NAME, seen));
        assertEquals(later.token, jedis.get(NAME));
        assertTrue(Lock.evict(jedis, NAME, jedis.digestKey(NAME)));
        assertFalse(jedis.exists(NAME));
    }

    @Test
    void fencingNumbersGrow() {
        Lock first = lock();
        long earlier = first.acquire().getAsLong();
        assertTrue(lock().acquire().isEmpty());
        first.release();
        assertTrue(lock().acquire().getAsLong() > earlier);
    }

    @Test
    void aLockExpiresRightAfterItsTimeToLive() {
        lock().acquire();
        // At its deadline a key still lives; a millisecond later it is gone.
        passTime(TTL_MS);
        assertTrue(lock().acquire().isEmpty());
        passTime(1);
        assertTrue(lock().acquire().isPresent());
    }

    @Test
    void aLateWorkerTakesNothingFromTheNextOwner() {
        Lock late = lock();
        Lock owner = lock();
        late.acquire();
        clock("NEXT"); // to the next expiry, which is that of the lock
        owner.acquire();
        // The late worker wakes up and goes on as if nothing had happened.
        assertFalse(late.renew());
        assertFalse(late.release());
        assertEquals(owner.token, jedis.get(NAME));
        assertEquals(TTL_MS, jedis.pttl(NAME));
    }
}
