// A lock with a time to live, by node-redis: the code under test, as it could stand in a project of yours.
import { randomBytes } from 'node:crypto';

/** One attempt at a lock. Whoever holds it is told by a token that nobody else has. */
export class Lock {
  constructor(client, name, ttlMs) {
    this.client = client;
    this.name = name;
    this.expiration = { type: 'PX', value: ttlMs };
    this.token = randomBytes(16).toString('hex');
  }

  /**
   * Takes the lock, and answers a fencing number; undefined when somebody else holds it. Both happen in one transaction, so
   * that whoever takes the lock later has a larger number.
   */
  async acquire() {
    const [taken, fence] = await this.client.multi()
      .set(this.name, this.token, { condition: 'NX', expiration: this.expiration })
      .incr(`${this.name}:fence`) // whoever is refused takes a number too: they only have to grow
      .exec();
    return taken === 'OK' ? fence : undefined;
  }

  /** Lets the time to live begin again; false when the lock is no longer ours, and then the work must stop. */
  async renew() {
    const options = { condition: 'IFEQ', matchValue: this.token, expiration: this.expiration };
    return (await this.client.set(this.name, this.token, options)) === 'OK';
  }

  /** Gives the lock back; false when it was no longer ours, and then nobody loses it. */
  async release() {
    return (await this.client.delEx(this.name, { condition: 'IFEQ', matchValue: this.token })) === 1;
  }
}

/** Takes the lock from the holder whose token has this digest, as DIGEST told it, and from nobody who came later. */
export async function evict(client, name, digest) {
  return (await client.delEx(name, { condition: 'IFDEQ', matchValue: digest })) === 1;
}
