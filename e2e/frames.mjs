// What a frame costs while the scrubber is dragged through a session of 200 steps, from a trace of Chromium: tasks of the
// page's thread, and the scripting, style and layout of each frame.
//
//   node e2e/frames.mjs [WIDTH]
//
// Prints figures and judges nothing: they are those of the machine. Wanted are no task over 50 ms, and at most 8 ms in 95 %
// of the frames.

import { browser, dist, paste, ready } from './harness.mjs';
import { serve } from './server.mjs';

const width = Number(process.argv[2] ?? 1280);

/** A session of so many steps: a lock that is taken, refused, renewed and released in turn by four workers. */
function session(steps) {
  const lines = [];
  for (let n = 0; n < steps; n++) {
    const [worker, other] = ['ABCD'[n % 4], 'ABCD'[(n + 1) % 4]];
    lines.push([
      `${worker}> SET lock:job tok-${n} NX PX 30000`,
      `${other}> SET lock:job tok-x${n} NX PX 30000`,
      `${worker}> SET lock:job tok-${n} IFEQ tok-${n} PX 40000`,
      `${worker}> DELEX lock:job IFEQ tok-${n}`,
    ][n % 4].replaceAll(`tok-${n}`, `tok-${n - (n % 4)}`).replace(/^[A-D]/, n % 4 === 1 ? 'B' : 'A'), '+500ms');
  }
  return lines.join('\n');
}

const server = await serve(dist);
const chromium = await browser();
const page = await chromium.newPage({ viewport: { width, height: 900 } });
await page.goto(server.url);
await ready(page);
await paste(page, session(200));
await page.waitForTimeout(500);
const box = await page.locator('#scrubber').boundingBox();
const y = box.y + box.height / 2;
const at = (part) => box.x + 8 + (box.width - 16) * part;
await page.mouse.move(at(0), y);
await page.mouse.down();

await chromium.startTracing(page, { categories: ['devtools.timeline', 'toplevel', 'disabled-by-default-devtools.timeline'] });
for (let n = 0; n <= 240; n++) {
  await page.mouse.move(at(0.5 - 0.5 * Math.cos((n / 60) * Math.PI)), y);
  await page.evaluate(() => new Promise(requestAnimationFrame));
}
const trace = JSON.parse((await chromium.stopTracing()).toString());
await page.mouse.up();
await chromium.close();
await server.close();

const events = trace.traceEvents;
const main = events.find((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain' && events.some(
  (other) => other.tid === event.tid && other.pid === event.pid && other.name === 'FireAnimationFrame'));
const own = events.filter((event) => event.pid === main.pid && event.tid === main.tid && event.ph === 'X');
const ms = (event) => (event.dur ?? 0) / 1000;
const tasks = own.filter((event) => event.name === 'ThreadControllerImpl::RunTask' || event.name === 'RunTask').map(ms);

// What belongs to scripting, style and layout; of events within each other only the outermost counts.
const WORK = new Set(['FunctionCall', 'EventDispatch', 'FireAnimationFrame', 'UpdateLayoutTree', 'Layout', 'RunMicrotasks', 'HitTest']);
const work = own.filter((event) => WORK.has(event.name)).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
const outermost = [];
for (const event of work) {
  const last = outermost.at(-1);
  if (!last || event.ts >= last.ts + (last.dur ?? 0)) outermost.push(event);
}
const frames = own.filter((event) => event.name === 'FireAnimationFrame').map((event) => event.ts);
const costs = frames.slice(1).map((end, index) =>
  outermost.filter((event) => event.ts >= frames[index] && event.ts < end).reduce((sum, event) => sum + ms(event), 0));
costs.sort((a, b) => a - b);
const percentile = (part) => costs[Math.min(costs.length - 1, Math.floor(costs.length * part))];
const longest = Math.max(...tasks);
const [median, p95, most] = [percentile(0.5), percentile(0.95), costs.at(-1)];
console.log(`${costs.length} frames at ${width} pixels: median ${median.toFixed(1)} ms, 95 % ${p95.toFixed(1)} ms, most ${most.toFixed(1)} ms; longest task ${longest.toFixed(1)} ms`);
process.exit(0);
