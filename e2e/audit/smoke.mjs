// One session in Firefox and in Chromium, as a person would have it: played, typed, sought in, shared, read in another
// language, searched, and put into a page of somebody else's. What both say must be the same to the byte, and a link that one of them
// made opens in the other. Run by `scripts/test.sh all`, which installs both; pictures come to e2e/screenshots/.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { PNG } from 'pngjs';
import puppeteer from 'puppeteer-core';

import { findChromium, findFirefox } from '../programs.mjs';
import { around, withSite } from '../hosts.mjs';

const screenshots = fileURLToPath(new URL('../screenshots', import.meta.url));
const KINDS = {
  // With bars that take no room, as in Chromium without a window.
  Firefox: () => ({ browser: 'firefox', executablePath: findFirefox(), extraPrefsFirefox: { 'ui.useOverlayScrollbars': 1 } }),
  Chromium: () => ({ browser: 'chrome', executablePath: findChromium(), args: ['--no-sandbox', '--disable-background-networking'] }),
};

/** What is typed, each with the beginning of its reply. */
const LINES = [
  ['B> SET lock:smoke tok-b NX PX 30000', 'OK'],
  ['C> SET lock:smoke tok-c NX PX 30000', '(nil)'],
  ['+12s', ''],
  ['B> PTTL lock:smoke', '(integer) 18000'],
  ['CLOCK NOW', ''],
  ['DELEX lock:smoke IFEQ tok-stale', '(integer) 0'],
  ['DELEX lock:smoke IFEQ tok-b', '(integer) 1'],
  ['help DELEX', ''],
  ['DIGEST lock:billing-run', ''],
  ['DELEXX lock:smoke', '(error) ERR unknown command'],
  ['TOKEN', ''],
  ['SET naïve "snow \u2603" PX 500', 'OK'],
  ['CLOCK NEXT', ''],
];

/** What each browser said: pairs of what was looked at, and what was there. */
const said = { Firefox: [], Chromium: [] };
const links = {};
const browsers = {};

before(async () => {
  await mkdir(screenshots, { recursive: true });
  for (const [kind, options] of Object.entries(KINDS)) {
    browsers[kind] = await puppeteer.launch({ headless: true, ...options() });
    console.log(`${kind}: ${await browsers[kind].version()}`);
  }
});

after(async () => {
  for (const browser of Object.values(browsers)) await browser.close();
});

/** A page of a browser, which must report nothing that is wrong. */
async function withPage(kind, url, body, { width = 1280, height = 900 } = {}) {
  const context = await browsers[kind].createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => { if (message.type() === 'error') problems.push(`console error: ${message.text()}`); });
  page.on('response', (response) => { if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`); });
  try {
    await page.setViewport({ width, height });
    // What goes to the clipboard is also kept where a test can read it: reading the clipboard asks the reader.
    await page.evaluateOnNewDocument(() => {
      const { writeText } = Clipboard.prototype;
      Clipboard.prototype.writeText = function (text) {
        globalThis.copied = text;
        return writeText.call(this, text);
      };
      globalThis.heard = [];
      for (const name of ['ready', 'step', 'pause', 'ended', 'error']) {
        addEventListener(`hotkv-${name}`, ({ target, detail: { hotkv: _, ...detail } }) => globalThis.heard.push({ id: target.id, name, ...detail }));
      }
    });
    await page.goto(url);
    const result = await body(page, context);
    assert.deepEqual(problems, [], kind);
    return result;
  } catch (error) {
    error.message += problems.map((problem) => `\n  ${kind}: ${problem}`).join('');
    await page.screenshot({ path: join(screenshots, `failed-smoke-${kind}.png`) }).catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
}

const ready = (frame) => frame.waitForSelector('#console-input:enabled');
const settled = (frame) => frame.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const text = (frame, selector) => frame.$eval(selector, (element) => element.textContent);

async function type(page, line) {
  await page.type('#console-input', line);
  // The words that are offered take Enter for themselves only when one was chosen.
  await page.keyboard.press('Enter');
  await settled(page);
}

/** All that a reader sees of a session: the steps, the clock, the console and what the stage says of itself. */
const seen = (frame) =>
  frame.evaluate(() => {
    const words = (selector) => Array.from(document.querySelectorAll(selector), (element) => (element.getAttribute('aria-label') ?? element.textContent).trim());
    return {
      clock: words('#clock-now'),
      readout: words('.readout dd'),
      steps: words('#steps [data-slot]'),
      log: words('#console-log [data-part]:not([hidden])'),
      marks: words('#lanes button, #leases [aria-label]'),
      edited: words('#edited'),
      live: words('#live'),
    };
  });

/** How light the picture of an element is, 0 to 255. */
async function lightness(page, selector) {
  const { data } = PNG.sync.read(Buffer.from(await (await page.$(selector)).screenshot()));
  return data.filter((_, at) => at % 4 < 3).reduce((sum, value) => sum + value, 0) / (data.length / 4) / 3;
}

/** Copies the session by the sheet, in every form; the sheet is open. */
async function copies(page) {
  const forms = {};
  for (const form of await page.$$eval('#share-sheet [data-copy]', (buttons) => buttons.map((button) => button.dataset.copy))) {
    await page.evaluate(() => { globalThis.copied = undefined; });
    await page.click(`#share-sheet [data-copy=${form}]`);
    await page.waitForFunction(() => globalThis.copied !== undefined);
    forms[form] = await page.evaluate(() => globalThis.copied);
  }
  return forms;
}

async function share(page) {
  await page.click('#share');
  await page.waitForFunction(() => document.querySelector('#share-link').value !== '');
  return page.$eval('#share-link', (input) => input.value);
}

async function session(kind, url) {
  const say = (what, there) => said[kind].push([what, there]);
  await withPage(kind, `${url}play/?lang=en#v=1&s=scheduled-jobs&r=7`, async (page) => {
    await ready(page);
    say('the opening', await seen(page));

    await page.click('#speed input[value="100"]');
    await page.click('#play');
    await page.waitForSelector('#play[aria-label="Run on"]');
    say('the end', await seen(page));

    for (const [line, reply] of LINES) {
      await type(page, line);
      const there = await page.$$eval('#console-log [data-part=reply]', (parts) => parts.findLast((part) => part.textContent !== '').textContent);
      assert.ok(there.startsWith(reply), `${kind}: ${line}: ${there}`);
      say(line, there);
    }
    say('what was typed', await seen(page));

    // By keys, by steps, and by dragging the playhead to the start.
    await page.focus('#stage');
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', '3', 'End', 'ArrowLeft']) {
      await page.keyboard.press(key);
      await settled(page);
      say(`after ${key}`, [await text(page, '#clock-now'), await text(page, '#lock-holder'), await text(page, '#lock-ttl')]);
    }
    await page.click('[data-step="2"]');
    await settled(page);
    say('step 2', await seen(page));
    const scrubber = await page.$('#scrubber');
    await scrubber.scrollIntoView();
    const box = await scrubber.boundingBox();
    const height = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width / 2, height);
    await page.mouse.down();
    await page.mouse.move(box.x + 1, height, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    say('dragged to the start', await text(page, '#clock-now'));
    await page.focus('#stage');
    await page.keyboard.press('End');

    await settled(page);
    const there = await seen(page);
    const link = await share(page);
    links[kind] = { link, forms: await copies(page), seen: there };
    say('the copies', links[kind].forms);
    await page.keyboard.press('Escape');

    await page.select('#language', 'es');
    await page.waitForSelector('html[lang=es]');
    await settled(page);
    say('in Spanish', await seen(page));

    await page.click('#explorer-run');
    await page.waitForFunction(() => document.querySelector('#explorer-cancel').hidden && document.querySelector('#explorer-summary').textContent !== '');
    say('every schedule', [await text(page, '#explorer-summary'), await text(page, '#verdicts')]);
  });
}

/** What another reader finds under a link. */
const opened = (kind, link) =>
  withPage(kind, link, async (page) => {
    await ready(page);
    const there = await seen(page);
    await share(page);
    return { seen: there, forms: await copies(page) };
  });

async function hosted(kind, url) {
  const say = (what, there) => said[kind].push([what, there]);
  await withPage(kind, `${url}host.html`, async (page) => {
    const told = (name, id) => page.waitForFunction((name, id) => globalThis.heard.some((one) => one.name === name && one.id === id), {}, name, id);
    const call = (id, method, ...given) => page.$eval(`#${id}`, (element, method, given) => element[method](...given), method, given);
    await told('ready', 'gallery');
    await page.$eval('#own', (element) => element.scrollIntoView());
    await told('ready', 'own');
    for (const id of ['gallery', 'own']) {
      const frame = await (await page.evaluateHandle((id) => document.getElementById(id).shadowRoot.querySelector('iframe'), id)).asElement().contentFrame();
      await ready(frame);
      await settled(frame);
      say(`in #${id}`, await seen(frame));
      say(`the height of #${id} fits`, await frame.evaluate(() => document.documentElement.scrollHeight <= innerHeight));
    }
    await call('own', 'seek', '1h');
    say('exec', await call('own', 'exec', 'EXISTS lock:report'));
    await call('gallery', 'seek', 2);
    await page.waitForFunction(() => globalThis.heard.some(({ id, name, step }) => id === 'gallery' && name === 'step' && step === 2));
    // Which of the two is there first is chance.
    const heard = await page.evaluate(() => globalThis.heard.filter(({ name }) => name === 'ready'));
    say('heard', heard.sort((one, other) => one.id.localeCompare(other.id)));
    await page.screenshot({ path: join(screenshots, `smoke-host-${kind}.png`) });
  });
}

const HOST = around(`<h1>Docs</h1>
<hotkv-play id="gallery" scenario="plain-del" start-at="3"></hotkv-play>
<hotkv-play id="own" view="console"><pre><code class="language-hotkv"># B is refused
A&gt; SET lock:report tok-1 NX PX 5000
OK
B&gt; SET lock:report tok-2 NX PX 5000
(nil)
</code></pre></hotkv-play>`);

test('Firefox and Chromium say the same, to the byte', () =>
  withSite({ 'host.html': HOST }, {}, async ({ url }) => {
    for (const kind of Object.keys(KINDS)) {
      await session(kind, url);
      await hosted(kind, url);
    }
    assert.ok(said.Chromium.length > LINES.length + 10, `${said.Chromium.length}`);
    for (const [at, [what, there]] of said.Chromium.entries()) assert.deepEqual(said.Firefox[at], [what, there], what);
    assert.equal(said.Firefox.length, said.Chromium.length);
    const { transcript } = links.Firefox.forms;
    assert.equal(transcript, links.Chromium.forms.transcript);
    for (const [line] of LINES.filter(([line]) => line.startsWith('B>'))) assert.ok(transcript.includes(line), line);

    // Each browser deflates in its own way; what is in the link is the same.
    for (const [maker, reader] of [['Firefox', 'Firefox'], ['Firefox', 'Chromium'], ['Chromium', 'Firefox']]) {
      const there = await opened(reader, links[maker].link);
      assert.deepEqual(there.forms, links[maker].forms, `made by ${maker}, read by ${reader}`);
      assert.deepEqual(there.seen.log, links[maker].seen.log, `made by ${maker}, read by ${reader}`);
      assert.deepEqual(there.seen.clock, links[maker].seen.clock, `made by ${maker}, read by ${reader}`);
    }
  }));

for (const [width, height] of [[1280, 900], [390, 844]]) {
  test(`the page is laid out and drawn alike at ${width} pixels`, () =>
    withSite({}, {}, async ({ url }) => {
      const boxes = {};
      for (const kind of Object.keys(KINDS)) {
        boxes[kind] = await withPage(kind, `${url}play/?lang=en#v=1&s=plain-del&t=15001`, async (page) => {
          await ready(page);
          await settled(page);
          // What glides has arrived.
          await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)).then(() => undefined));
          await page.screenshot({ path: join(screenshots, `smoke-${width}-${kind}.png`), fullPage: width < 600 });
          const light = { '#gauge': await lightness(page, '#gauge'), '.lease.live': await lightness(page, '.lease.live') };
          const places = await page.evaluate(() => {
            const beyond = document.documentElement.scrollWidth - innerWidth;
            const places = ['.top', '#stage', '.readout', '#lanes', '#scrubber', '#play', '#steps', '#console', '#console-input'];
            const boxes = places.map((place) => {
              const { left, top, width, height } = document.querySelector(place).getBoundingClientRect();
              return [place, [left, top, width, height]];
            });
            return { beyond, boxes: Object.fromEntries(boxes) };
          });
          return { light, ...places };
        }, { width, height });
      }
      for (const kind of Object.keys(KINDS)) assert.ok(boxes[kind].beyond <= 0, `${kind} scrolls sideways by ${boxes[kind].beyond}`);
      // What is hatched in one is hatched in the other, not blank and not filled.
      for (const [place, light] of Object.entries(boxes.Chromium.light)) {
        assert.ok(Math.abs(light - boxes.Firefox.light[place]) < 6, `${place}: ${light} in Chromium, ${boxes.Firefox.light[place]} in Firefox`);
      }
      for (const [place, box] of Object.entries(boxes.Chromium.boxes)) {
        const other = boxes.Firefox.boxes[place];
        // Lines of text and controls differ by pixels.
        box.forEach((value, at) => assert.ok(Math.abs(value - other[at]) <= 12, `${place}: ${box} in Chromium, ${other} in Firefox`));
      }
    }));
}
