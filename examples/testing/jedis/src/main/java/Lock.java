// A lock with a time to live, by Jedis: the code under test, as it could stand in a project of yours.
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.util.CompareCondition;

/** One attempt at a lock. Whoever holds it is told by a token that nobody else has. */
public final class Lock {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final UnifiedJedis jedis;
    private final String name;
    private final long ttlMs;
    final String token;

    public Lock(UnifiedJedis jedis, String name, long ttlMs) {
        byte[] bits = new byte[16];
        RANDOM.nextBytes(bits);
        this.jedis = jedis;
        this.name = name;
        this.ttlMs = ttlMs;
        this.token = HexFormat.of().formatHex(bits);
    }

    /**
     * Takes the lock, and answers a fencing number; none when somebody else holds it. Both happen in one transaction, so
     * that whoever takes the lock later has a larger number.
     */
    public OptionalLong acquire() {
        try (AbstractTransaction transaction = jedis.multi()) {
            transaction.set(name, token, SetParams.setParams().nx().px(ttlMs));
            transaction.incr(name + ":fence"); // whoever is refused takes a number too: they only have to grow
            List<Object> replies = transaction.exec();
            return "OK".equals(replies.get(0)) ? OptionalLong.of((Long) replies.get(1)) : OptionalLong.empty();
        }
    }

    /** Lets the time to live begin again; false when the lock is no longer ours, and then the work must stop. */
    public boolean renew() {
        SetParams mine = SetParams.setParams().condition(CompareCondition.valueEq(token)).px(ttlMs);
        return "OK".equals(jedis.set(name, token, mine));
    }

    /** Gives the lock back; false when it was no longer ours, and then nobody loses it. */
    public boolean release() {
        return jedis.delex(name, CompareCondition.valueEq(token)) == 1;
    }

    /** Takes the lock from the holder whose token has this digest, as DIGEST told it, and from nobody who came later. */
    public static boolean evict(UnifiedJedis jedis, String name, String digest) {
        return jedis.delex(name, CompareCondition.digestEq(digest)) == 1;
    }
}
