// Does work that only one may do at a time, under a lock.
import java.net.URI;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;
// only: redis valkey
import redis.clients.jedis.util.CompareCondition;
import redis.clients.jedis.util.SafeEncoder;
// end

public final class LockedWork {
    static final String LOCK = "lock:name";
    static final String FENCE = "lock:name:fence";
    static final long TTL_MS = 30000L;
    // only: older
    static final String RENEW =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
    static final String RELEASE =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
    // end

    final JedisPooled jedis;
    final String token;
    /** Until then the lock is ours, by our own clock: {@code System.nanoTime()}. */
    volatile long deadline;
    // only: redis
    String digest;
    // end

    LockedWork(JedisPooled jedis) {
        byte[] bits = new byte[16]; // 128 random bits: nobody else has the same
        new SecureRandom().nextBytes(bits);
        this.jedis = jedis;
        this.token = HexFormat.of().formatHex(bits);
    }

    static long after(long asked) {
        return asked + TimeUnit.MILLISECONDS.toNanos(TTL_MS);
    }

    /** Takes the lock and a fencing number; null when somebody else holds it. */
    Long acquire() {
        long asked = System.nanoTime();
        try (AbstractTransaction t = jedis.multi()) {
            t.set(LOCK, token, SetParams.setParams().nx().px(TTL_MS));
            t.incr(FENCE); // whoever is refused takes a number too: they only have to grow
            // only: redis
            t.sendCommand(() -> SafeEncoder.encode("DIGEST"), LOCK);
            // end
            List<Object> replies = t.exec();
            if (!"OK".equals(replies.get(0))) return null;
            // only: redis
            digest = SafeEncoder.encode((byte[]) replies.get(2));
            // end
            deadline = after(asked);
            return (Long) replies.get(1);
        }
    }

    boolean renew() {
        // only: redis valkey
        SetParams mine = SetParams.setParams().condition(CompareCondition.valueEq(token)).px(TTL_MS);
        return "OK".equals(jedis.set(LOCK, token, mine));
        // end
        // only: older
        return Long.valueOf(1).equals(jedis.eval(RENEW, List.of(LOCK), List.of(token, Long.toString(TTL_MS))));
        // end
    }

    boolean release() {
        // only: redis
        return jedis.delex(LOCK, CompareCondition.valueEq(token)) == 1;
        // end
        // only: valkey
        return Long.valueOf(1).equals(jedis.sendCommand(() -> SafeEncoder.encode("DELIFEQ"), LOCK, token));
        // end
        // only: older
        return Long.valueOf(1).equals(jedis.eval(RELEASE, List.of(LOCK), List.of(token)));
        // end
    }

    /** Asks the server, which costs a round trip; the deadline has to hold as well. */
    boolean isMine() {
        // only: redis
        return digest.equals(jedis.digestKey(LOCK)) && System.nanoTime() - deadline < 0;
        // end
        // only: valkey older
        return token.equals(jedis.get(LOCK)) && System.nanoTime() - deadline < 0;
        // end
    }

    /** Renews. Without a reply the next turn tries again: the deadline stops the work in time. */
    void keep() {
        long asked = System.nanoTime();
        try {
            deadline = renew() ? after(asked) : asked;
        } catch (JedisException error) {
            System.err.println("not renewed yet: " + error.getMessage());
        }
    }

    /** Your work, in parts. Every write takes the fencing number along, and its target refuses a smaller one. */
    void work(long fence) throws InterruptedException {
        for (int part = 1; part <= 5; part++) {
            if (!isMine()) throw new IllegalStateException("the lock is lost: the work stops");
            System.out.printf("part %d, fencing number %d%n", part, fence);
            Thread.sleep(TTL_MS * 2 / 5);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        String url = System.getenv().getOrDefault("REDIS_URL", "redis://127.0.0.1:6379");
        try (JedisPooled jedis = new JedisPooled(URI.create(url), (int) (TTL_MS / 3))) {
            LockedWork lock = new LockedWork(jedis);
            Long fence = lock.acquire();
            if (fence == null) {
                System.err.println("somebody else holds the lock");
                System.exit(1);
            }
            var keeper = Executors.newSingleThreadScheduledExecutor();
            keeper.scheduleAtFixedRate(lock::keep, TTL_MS / 3, TTL_MS / 3, TimeUnit.MILLISECONDS);
            try {
                lock.work(fence);
            } finally {
                keeper.shutdown();
                keeper.awaitTermination(TTL_MS, TimeUnit.MILLISECONDS);
                System.out.println(lock.release() ? "released" : "the lock was no longer ours");
            }
        }
    }
}
