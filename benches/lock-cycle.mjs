// The lock cycle of benches/workload in Node, beside bare maps that do the same work: scripts/bench.sh runs it.
//   node benches/lock-cycle.mjs WASM            WASM: benches/wasm, built
//   node benches/lock-cycle.mjs WASM boundary   only what goes through the boundary, with 1,000 names, in a few seconds
// Nanoseconds per step, the best of several rounds, and how many times the bare map's each takes. Through the boundary the
// bare map is one in WebAssembly that is handed key and token; JavaScript's own stands beside it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [wasm, part] = process.argv.slice(2);
if (!wasm || (part !== undefined && part !== 'boundary')) {
  console.error('usage: node benches/lock-cycle.mjs WASM [boundary]');
  process.exit(2);
}
const ROUNDS = part === undefined ? 9 : 5;
const STEPS = 5;

// ---- Inside WebAssembly ----

const module = new WebAssembly.Module(readFileSync(wasm));

function instantiate() {
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    // The page's; nothing here calls them.
    if (kind === 'function') (imports[from] ??= {})[name] = () => 0;
  }
  return new WebAssembly.Instance(module, imports).exports;
}

// ---- Through the boundary: a line in, the text of the reply out ----

/** The least that a lock table can be behind the boundary: it reads no line, and writes no text. */
function handedMap() {
  const { memory, room, acquire, time_left, release } = instantiate();
  const encoder = new TextEncoder();
  const at = room();
  let bytes = new Uint8Array(memory.buffer, at, 1024);
  /** Writes a text behind others, and answers how long it is. */
  const put = (text, behind) => {
    if (bytes.byteLength === 0) bytes = new Uint8Array(memory.buffer, at, 1024); // the memory has grown
    return encoder.encodeInto(text, behind === 0 ? bytes : bytes.subarray(behind)).written;
  };
  const both = (step, key, token) => {
    const length = put(key, 0);
    return step(length, put(token, length)) !== 0;
  };
  return {
    acquire: (key, token) => both(acquire, key, token),
    timeLeft: (key) => time_left(put(key, 0)) !== 0,
    release: (key, token) => both(release, key, token),
  };
}

/** The least that a lock table can be in JavaScript. */
function bareMap() {
  const map = new Map();
  const now = 0;
  const living = (key) => {
    const held = map.get(key);
    return held && held.deadline >= now ? held : undefined;
  };
  return {
    acquire: (key, token) => !living(key) && !!map.set(key, { token, deadline: now + 30_000 }),
    timeLeft: (key) => living(key)?.deadline - now === 30_000,
    release: (key, token) => living(key)?.token === token && map.delete(key),
  };
}

function playground() {
  const { Playground } = createRequire(import.meta.url)('../pkg/node/hotkv_playground.js');
  const server = new Playground({ maxMemory: 2 ** 30 });
  return {
    acquire: (key, token) => server.exec(`SET ${key} ${token} NX PX 30000`) === 'OK',
    timeLeft: (key) => server.exec(`PTTL ${key}`) === '(integer) 30000',
    release: (key, token) => server.exec(`DELEX ${key} IFEQ ${token}`) === '(integer) 1',
  };
}

function cyclesOf(locks, count) {
  const digits = (n, width) => String(n).padStart(width, '0');
  const names = Array.from({ length: count }, (_, i) => (i * 7919) % count).map((n) => {
    return [`lock:${digits(n, 8)}`, `a:${digits(n, 20)}`, `b:${digits(n, 20)}`];
  });
  const expect = (right) => {
    if (!right) throw new Error('a wrong reply');
  };
  return (batches) => {
    for (let batch = 0; batch < batches; batch += 1) {
      for (const [key, a] of names) expect(locks.acquire(key, a));
      for (const [key, , b] of names) expect(!locks.acquire(key, b));
      for (const [key] of names) expect(locks.timeLeft(key));
      for (const [key, , b] of names) expect(!locks.release(key, b));
      for (const [key, a] of names) expect(locks.release(key, a));
    }
  };
}

// ---- Both ----

/** The best time of a step, each kind in turn within a round, so that a noisy minute hits all. */
function compare(title, kinds, count) {
  const few = Math.ceil(20_000 / count);
  const many = 4 * few;
  const best = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [kind, cycles] of Object.entries(kinds)) {
      const time = (batches) => {
        const began = performance.now();
        cycles(batches);
        return performance.now() - began;
      };
      // The difference leaves out what a call makes first, such as names.
      const start = time(few);
      const ns = ((time(many) - start) * 1e6) / ((many - few) * count * STEPS);
      // The first round is for the compiler.
      if (round > 0) best[kind] = Math.min(best[kind] ?? Infinity, ns);
    }
  }
  const [first] = Object.values(best);
  const told = Object.entries(best).map(([kind, ns]) => `${kind} ${ns.toFixed(0)} ns (${(ns / first).toFixed(2)} x)`);
  console.log(`${title}, ${count} names: ${told.join(', ')}`);
}

for (const count of part === undefined ? [1, 1_000, 100_000] : [1_000]) {
  const peers = { 'map in WebAssembly': handedMap(), exec: playground(), Map: bareMap() };
  compare('through the boundary', Object.fromEntries(Object.entries(peers).map(([kind, locks]) => [kind, cyclesOf(locks, count)])), count);
  if (part !== undefined) continue;
  const inside = instantiate();
  const kinds = ['bare', 'words', 'lines'];
  compare('inside', Object.fromEntries(kinds.map((kind) => [kind, (batches) => inside[kind](count, batches)])), count);
}
