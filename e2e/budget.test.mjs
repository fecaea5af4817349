// What the page weighs on its way to a reader, and what it keeps when it is there. Bodies are counted as a host that
// compresses well sends them: brotli at its best quality.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveCompressed, weigh } from './compressing.mjs';
import { browser, dist, log, ready, type, withoutLater } from './harness.mjs';

const KiB = 1024;

// In bytes. A budget follows the weight down, never up, until it stands at the aim.
const FIRST_REPLY = { budget: 135 * KiB, aim: 100 * KiB }; // from the address to the reply of the first command
const SITE = { budget: 339 * KiB, aim: 160 * KiB }; // all files
const ELEMENT = { budget: 4 * KiB }; // embed.js, gzip
const HEAP = { budget: 4096 * KiB }; // WebAssembly's memory, with nothing going on

const kib = (bytes) => (bytes / KiB).toFixed(1);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function within(what, bytes, { budget, aim }) {
  console.log(`${what}: ${bytes} bytes, ${kib(bytes)} KiB of ${kib(budget)}${aim === undefined ? '' : `, aimed at ${kib(aim)}`}`);
  assert.ok(bytes <= budget, `${what}: ${kib(bytes)} KiB, and ${kib(budget)} are allowed`);
}

const files = weigh(dist);

test('all files together, and the element', () => {
  const width = Math.max(...files.map(({ name }) => name.length));
  const line = (name, ...numbers) => console.log(`  ${name.padEnd(width)}${numbers.map((number) => String(number).padStart(10)).join('')}`);
  line('', 'raw', 'gzip', 'brotli');
  for (const { name, raw, gzip, brotli } of files) line(name, raw.length, gzip.length, brotli.length);
  within('the site', sum(files.map(({ brotli }) => brotli.length)), SITE);
  within('the element', files.find(({ name }) => name === 'embed.js').gzip.length, ELEMENT);
});

test('until the first command has its reply, and the heap then', async () => {
  const server = await serveCompressed(files);
  // The service worker fetches what it keeps after that, from the browser's cache where it can.
  const context = await (await browser()).newContext({ locale: 'en-US', serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    await withoutLater(page);
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(server.url);
    await ready(page);
    await type(page, 'PING');
    await page.locator('#console-log [data-part=reply]', { hasText: 'PONG' }).waitFor();
    assert.equal((await log(page)).at(-1).reply, 'PONG');
    const sent = [...server.sent];
    for (const { name, bytes } of sent) console.log(`  ${name}: ${bytes}`);
    assert.deepEqual(asked.filter((url) => !url.startsWith(server.url)), [], 'asked of somebody else');
    assert.ok(sent.every(({ bytes }) => bytes > 0), 'something is missing');
    assert.ok(sent.some(({ name }) => name.endsWith('_bg.wasm')), 'the engine was not counted');
    // When it does: `node e2e/start.mjs` finds anew what stands in the first file.
    assert.ok(!sent.some(({ name }) => name.endsWith('_rest.wasm')), 'the rest of the engine came too early');
    within('the first reply', sum(sent.map(({ bytes }) => bytes)), FIRST_REPLY);

    // The engine's own script answers with what it has loaded when it is asked to load again.
    const heap = await page.evaluate(async () => {
      const { default: load } = await import(document.querySelector('#engine').href);
      return (await load()).memory.buffer.byteLength;
    });
    assert.equal(server.sent.length, sent.length, 'it was loaded again');
    within('the heap', heap, HEAP);
  } finally {
    await context.close();
    await server.close();
  }
});
