// Tests of lock.js on a server whose clock they move: `hotkv serve --clock simulated`, at HOTKV_URL.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Redis } from 'ioredis';
import { evict, Lock } from './lock.js';

const NAME = 'lock:report';
const TTL_MS = 30_000;

const url = new URL(process.env.HOTKV_URL ?? 'redis://127.0.0.1:6380');
// In the address `?protocol=3` would be a string to ioredis, which then speaks the other protocol: here it is a number.
const protocol = Number(url.searchParams.get('protocol') ?? 3);
url.search = '';
const client = new Redis(url.href, { lazyConnect: true, protocol });

before(() => client.connect());
after(() => client.quit());

beforeEach(async () => {
  // Only a server with a simulated clock knows this: no other one gets as far as FLUSHALL.
  await client.call('CLOCK', 'PAUSE');
  await client.flushall();
});

const lock = () => new Lock(client, NAME, TTL_MS);

/** What a timer would wait for, at once. */
const passTime = (ms) => client.call('CLOCK', 'ADVANCE', ms);

test('a free lock is taken for its time to live', async () => {
  const holder = lock();
  assert.ok(await holder.acquire());
  assert.equal(await client.get(NAME), holder.token);
  // The clock stands, so the time left is exact.
  assert.equal(await client.pttl(NAME), TTL_MS);
});

test('a held lock is refused', async () => {
  const holder = lock();
  await holder.acquire();
  assert.equal(await lock().acquire(), undefined);
  assert.equal(await client.get(NAME), holder.token);
});

test('renewing keeps the lock', async () => {
  const holder = lock();
  await holder.acquire();
  for (let turn = 0; turn < 5; turn += 1) {
    await passTime(TTL_MS - 1);
    assert.ok(await holder.renew());
  }
  assert.equal(await client.pttl(NAME), TTL_MS);
});

test('the holder releases', async () => {
  const holder = lock();
  await holder.acquire();
  assert.ok(await holder.release());
  assert.ok(await lock().acquire());
});

test('a wrong token releases nothing', async () => {
  const holder = lock();
  await holder.acquire();
  assert.equal(await lock().release(), false);
  assert.equal(await client.get(NAME), holder.token);
});

test('a digest evicts the holder that was seen, and no later one', async () => {
  await lock().acquire();
  const seen = await client.call('DIGEST', NAME);
  await passTime(TTL_MS + 1);
  const later = lock();
  await later.acquire();
  assert.equal(await evict(client, NAME, seen), false);
  assert.equal(await client.get(NAME), later.token);
  assert.ok(await evict(client, NAME, await client.call('DIGEST', NAME)));
  assert.equal(await client.exists(NAME), 0);
});

test('fencing numbers grow', async () => {
  const first = lock();
  const earlier = await first.acquire();
  assert.equal(await lock().acquire(), undefined);
  await first.release();
  assert.ok((await lock().acquire()) > earlier);
});

test('a lock expires right after its time to live', async () => {
  await lock().acquire();
  // At its deadline a key still lives; a millisecond later it is gone.
  await passTime(TTL_MS);
  assert.equal(await lock().acquire(), undefined);
  await passTime(1);
  assert.ok(await lock().acquire());
});

test('a late worker takes nothing from the next owner', async () => {
  const [late, owner] = [lock(), lock()];
  await late.acquire();
  await client.call('CLOCK', 'NEXT'); // to the next expiry, which is that of the lock
  await owner.acquire();
  // The late worker wakes up and goes on as if nothing had happened.
  assert.equal(await late.renew(), false);
  assert.equal(await late.release(), false);
  assert.equal(await client.get(NAME), owner.token);
  assert.equal(await client.pttl(NAME), TTL_MS);
});
