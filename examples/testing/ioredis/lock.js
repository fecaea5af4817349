// A lock with a time to live, by ioredis: the code under test, as it could stand in a project of yours.
import { randomBytes } from 'node:crypto';

/** One attempt at a lock. Whoever holds it is told by a token that nobody else has. */
export class Lock {
  constructor(client, name, ttlMs) {
    this.client = client;
    this.name = name;
    this.ttlMs = ttlMs;
    this.token = randomBytes(16).toString('hex');
  }

  /**
   * Takes the lock, and answers a fencing number; undefined when somebody else holds it. Both happen in one transaction, so
   * that whoever takes the lock later has a larger number.
   */
  async acquire() {
    const replies = await this.client.multi()
      .set(this.name, this.token, 'PX', this.ttlMs, 'NX')
      .incr(`${this.name}:fence`) // whoever is refused takes a number too: they only have to grow
      .exec();
    // Of a transaction ioredis answers pairs: the error of a command, which it does not throw, and its reply.
    const [taken, fence] = replies.map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
    return taken === 'OK' ? fence : undefined;
  }

  /** Lets the time to live begin again; false when the lock is no longer ours, and then the work must stop. */
  async renew() {
    return (await this.client.set(this.name, this.token, 'PX', this.ttlMs, 'IFEQ', this.token)) === 'OK';
  }

  /** Gives the lock back; false when it was no longer ours, and then nobody loses it. */
  async release() {
    // There is a method delex() too, of which the library's types do not know.
    return (await this.client.call('DELEX', this.name, 'IFEQ', this.token)) === 1;
  }
}

/** Takes the lock from the holder whose token has this digest, as DIGEST told it, and from nobody who came later. */
export async function evict(client, name, digest) {
  return (await client.call('DELEX', name, 'IFDEQ', digest)) === 1;
}
