// Finds out which functions of the engine a page needs at its start, and writes them into scripts/start.txt:
//   node e2e/start.mjs     after scripts/build.sh
// The engine as it was before scripts/split.mjs divided it runs with a mark at the head of every function, and of every part
// of one that may not run, while a reader does what readers do first. To be run anew when the page has come to fetch the rest too early: budget.test.mjs tells.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { marked } from '../scripts/cold.mjs';
import { known, read, shortened, textOf } from '../scripts/split.mjs';
import { browser, dist, ready, settled, type } from './harness.mjs';
import { serve } from './server.mjs';

const whole = readFileSync(new URL('../target/split/whole.wasm', import.meta.url));
const list = fileURLToPath(new URL('../scripts/start.txt', import.meta.url));

const HEAD = `# Functions that a page needs at its start; see scripts/split.mjs. Written by e2e/start.mjs: the first digits of the SHA-256 of
# their names, then those of what they look like, and as bits which of their parts did not run; see scripts/cold.mjs.`;

/** What is typed first, in one order or another. */
const LINES = [
  'SET lock:first tok-1 NX PX 30000', 'B> SET lock:first tok-2 NX PX 30000', 'GET lock:first', 'PTTL lock:first', 'PEXPIRE lock:first 60000',
  'DELEX lock:first IFEQ tok-2', 'DELEX lock:first IFEQ tok-1', '+1s', 'SET other 1', 'DEL other', 'PING', 'INCR n', 'FOO',
];

/** The engine with a mark in each of its own functions and of their parts, and what each mark stands for. */
function engine() {
  const { text, meanings } = marked(shortened(textOf(whole)).text, '$mark');
  const module = read(text.replace(/^\(module[^(]*/, '$&(import "marks" "mark" (func $mark (param i32)))\n '));
  const bytes = module.emitBinary();
  module.dispose();
  return { bytes, meanings };
}

const { bytes, meanings } = engine();
const ran = new Set();

async function visit({ width, height, search = '', types = false, ...more }) {
  const server = await serve(dist);
  const context = await (await browser()).newContext({ viewport: { width, height }, locale: 'en-US', serviceWorkers: 'block', ...more });
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.ran = new Set();
    globalThis.IntersectionObserver = class { observe() {} }; // what comes into sight later asks for the rest first
    addEventListener('DOMContentLoaded', () => { delete document.querySelector('#engine').dataset.rest; }); // nothing waits for it: all is there
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = (source, imports) =>
      instantiate.call(WebAssembly, source, { ...imports, marks: { mark: (at) => globalThis.ran.add(at) } });
  });
  await page.route(/_bg\.wasm$/, (route) => route.fulfill({ body: Buffer.from(bytes), contentType: 'application/wasm' }));
  await page.goto(server.url + search);
  await ready(page);
  await settled(page);
  // Some read and play first, others type at once.
  if (!types) {
    await page.click('#play');
    await page.waitForTimeout(1_500);
    await page.click('#play');
    await page.click('#step-forward');
    await page.click('#step-back');
    await page.focus('#stage');
    for (const key of ['Space', 'Space', 'ArrowRight', 'ArrowLeft', 'Home', 'End', '2']) await page.keyboard.press(key);
    await page.fill('#scrubber', '9000');
  }
  // Hands that wander, on the way to the console.
  const { x, y, width: across, height: down } = await page.locator('#lanes').boundingBox();
  await page.mouse.move(x + across / 3, y + down / 3);
  await page.mouse.move(x + across / 2, y + down / 2, { steps: 5 });
  await page.keyboard.press('Tab');
  if (!(await page.locator('#console-input').isVisible())) await page.click('button[data-for=console]');
  for (const line of LINES) await type(page, line);
  await page.click('#add-worker'); // who types next waits for nothing
  await type(page, 'GET lock:first');
  await settled(page);
  for (const at of await page.evaluate(() => [...globalThis.ran])) ran.add(at);
  await context.close();
  await server.close();
}

// What fits depends on the window, so that many are tried: what runs in none of them is taken for what comes later.
for (const types of [true, false]) {
  for (const [width, height] of [[1920, 1080], [1280, 900], [1280, 720], [768, 1024], [640, 700], [390, 844], [360, 640]]) {
    await visit({ width, height, types });
  }
}
await visit({ width: 640, height: 700, search: '?embed' });
await visit({ width: 1280, height: 900, search: '?lang=pt-BR&theme=dark' });
await visit({ width: 1280, height: 720, reducedMotion: 'reduce' });
await visit({ width: 390, height: 844, deviceScaleFactor: 3, hasTouch: true, isMobile: true });
await (await browser()).close();

const lines = new Set();
/** By the functions' names, which may be the same in two crates: what ran of each, and which of its parts did not. */
const functions = new Map();
meanings.forEach(({ name, shape, part }, at) => {
  if (!functions.has(name)) functions.set(name, { shape, parts: 0n });
  if (part === undefined) functions.get(name).ran = ran.has(at);
  else if (!ran.has(at)) functions.get(name).parts |= 1n << BigInt(part);
});
for (const [name, { shape, parts, ran }] of functions) if (ran) lines.add(parts ? `${known(name)} ${shape} ${parts.toString(16)}` : known(name));
writeFileSync(list, `${HEAD}\n${[...lines].sort().join('\n')}\n`);
console.log(`${[...functions.values()].filter(({ ran }) => ran).length} of ${functions.size} functions ran, ${lines.size} lines`);
