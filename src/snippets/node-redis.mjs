// Does work that only one may do at a time, under a lock.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';

const LOCK = 'lock:name';
const FENCE = 'lock:name:fence';
const TTL_MS = 30000;

const token = randomBytes(16).toString('hex'); // 128 random bits: nobody else has the same
let deadline = 0; // until then the lock is ours, by our own clock
// only: redis
let digest = '';
// end

// A command fails at once while there is no connection, and with one that gives no sign of life.
const client = createClient({
  url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
  disableOfflineQueue: true,
  socket: { socketTimeout: TTL_MS / 2 }, // longer than between two renewals
});
client.on('error', (error) => console.error(error.message));
await client.connect();
// only: older

const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
// end

/** Takes the lock and a fencing number; undefined when somebody else holds it. */
async function acquire() {
  const asked = performance.now();
  const replies = await client.multi()
    .set(LOCK, token, { condition: 'NX', expiration: { type: 'PX', value: TTL_MS } })
    .incr(FENCE) // whoever is refused takes a number too: they only have to grow
    // only: redis
    .digest(LOCK)
    // end
    .exec();
  if (String(replies[0]) !== 'OK') return undefined;
  deadline = asked + TTL_MS;
  // only: redis
  digest = String(replies[2]);
  // end
  return Number(replies[1]);
}

async function renew() {
  // only: redis valkey
  const options = { condition: /** @type {const} */ ('IFEQ'), matchValue: token, expiration: { type: /** @type {const} */ ('PX'), value: TTL_MS } };
  return (await client.set(LOCK, token, options)) === 'OK';
  // end
  // only: older
  return (await client.eval(RENEW, { keys: [LOCK], arguments: [token, String(TTL_MS)] })) === 1;
  // end
}

async function release() {
  // only: redis
  return (await client.delEx(LOCK, { condition: 'IFEQ', matchValue: token })) === 1;
  // end
  // only: valkey
  return Number(await client.sendCommand(['DELIFEQ', LOCK, token])) === 1;
  // end
  // only: older
  return (await client.eval(RELEASE, { keys: [LOCK], arguments: [token] })) === 1;
  // end
}

/** Asks the server, which costs a round trip; the deadline has to hold as well. */
async function isMine() {
  // only: redis
  return (await client.digest(LOCK)) === digest && performance.now() < deadline;
  // end
  // only: valkey older
  return (await client.get(LOCK)) === token && performance.now() < deadline;
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
  client.destroy();
}
