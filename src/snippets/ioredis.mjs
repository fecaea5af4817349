// Does work that only one may do at a time, under a lock.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

const LOCK = 'lock:name';
const FENCE = 'lock:name:fence';
const TTL_MS = 30000;

const token = randomBytes(16).toString('hex'); // 128 random bits: nobody else has the same
let deadline = 0; // until then the lock is ours, by our own clock
// only: redis
let digest = '';
// end

// Nothing waits for a connection, and nothing is sent again: a SET NX that is sent twice is refused because of itself.
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
  lazyConnect: true, enableOfflineQueue: false, autoResendUnfulfilledCommands: false, commandTimeout: TTL_MS / 3,
});
redis.on('error', (error) => console.error(error.message));
await redis.connect();
// only: older

const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
// end

/** Takes the lock and a fencing number; undefined when somebody else holds it. */
async function acquire() {
  const asked = performance.now();
  const replies = await redis.multi()
    .set(LOCK, token, 'PX', TTL_MS, 'NX')
    .incr(FENCE) // whoever is refused takes a number too: they only have to grow
    // only: redis
    .call('DIGEST', LOCK)
    // end
    .exec();
  const [failed, values] = [replies?.find(([error]) => error), replies?.map(([, value]) => value)];
  if (failed || !values) throw failed?.[0] ?? new Error('the transaction was not run');
  if (values[0] !== 'OK') return undefined;
  deadline = asked + TTL_MS;
  // only: redis
  digest = String(values[2]);
  // end
  return Number(values[1]);
}

async function renew() {
  // only: redis valkey
  return (await redis.set(LOCK, token, 'PX', TTL_MS, 'IFEQ', token)) === 'OK';
  // end
  // only: older
  return (await redis.eval(RENEW, 1, LOCK, token, TTL_MS)) === 1;
  // end
}

async function release() {
  // only: redis
  return (await redis.call('DELEX', LOCK, 'IFEQ', token)) === 1;
  // end
  // only: valkey
  return (await redis.call('DELIFEQ', LOCK, token)) === 1;
  // end
  // only: older
  return (await redis.eval(RELEASE, 1, LOCK, token)) === 1;
  // end
}

/** Asks the server, which costs a round trip; the deadline has to hold as well. */
async function isMine() {
  // only: redis
  return (await redis.call('DIGEST', LOCK)) === digest && performance.now() < deadline;
  // end
  // only: valkey older
  return (await redis.get(LOCK)) === token && performance.now() < deadline;
  // end
}

/** Renews. Without a reply the next turn tries again: the deadline stops the work in time. */
async function keep() {
  const asked = performance.now();
  try {
    deadline = (await renew()) ? asked + TTL_MS : 0;
  } catch (error) {
    console.error('not renewed yet:', error);
  }
}

/**
 * Your work, in parts. Every write takes the fencing number along, and its target refuses a smaller one.
 * @param {number} fence
 */
async function work(fence) {
  for (let part = 1; part <= 5; part += 1) {
    if (!(await isMine())) throw new Error('the lock is lost: the work stops');
    console.log(`part ${part}, fencing number ${fence}`);
    await sleep(TTL_MS * 0.4);
  }
}

const fence = await acquire();
if (fence === undefined) {
  console.error('somebody else holds the lock');
  process.exit(1);
}
const keeper = setInterval(keep, TTL_MS / 3);
try {
  await work(fence);
} finally {
  clearInterval(keeper);
  console.log((await release()) ? 'released' : 'the lock was no longer ours');
  redis.disconnect();
}
