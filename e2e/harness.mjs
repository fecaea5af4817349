// What the browser tests share: one Chromium for each test file, a page on the release build in dist/, and helpers that
// use the playground as a person does. A test fails on every page error, console error and failed request that it does
// not expect, and leaves a screenshot of the failure in e2e/screenshots/.
//
//   test('answers a command', () =>
//     withPage({ width: 1280, height: 800 }, async (page) => {
//       await ready(page);
//       await type(page, 'GET a');
//       assert.equal((await log(page)).at(-1).reply, '(nil)');
//     }));

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { findChromium } from './programs.mjs';
import { serve } from './server.mjs';

/** The folder with the release build. */
export const dist = fileURLToPath(new URL('../dist', import.meta.url));

const screenshots = fileURLToPath(new URL('screenshots', import.meta.url));

// How long a wait for the page's state may take: far more than it needs, so that a slow machine does not fail a test.
const patience = 20_000;

let launched;

/** A browser, with more options of Playwright's; whoever asks for it closes it. */
export const launch = (more = {}) =>
  chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-background-networking'], ...more });

/** The browser of this test file, started by the first test that asks for it. */
export function browser() {
  launched ??= launch();
  return launched;
}

after(async () => {
  const running = await launched?.catch(() => undefined);
  await running?.close();
});

// `suite-12` for a test that calls from line 12 of suite.test.mjs: a name for the screenshot of its failure.
function callingLine() {
  const [, suite, line] = /([\w-]+)\.test\.mjs:(\d+)/.exec(new Error().stack) ?? [];
  return suite ? `${suite}-${line}` : 'test';
}

/**
 * Opens the playground and hands the page to `body`.
 *
 * - `path`: what follows the base path in the address, such as `?q#part`.
 * - `base`: the path that the site is served under.
 * - `width`, `height`: the size of the viewport.
 * - `theme`: what the system prefers, `light` or `dark`.
 * - `folder`: another site than the release build in dist/.
 * - `wrong`, `headers`, `fallback`: how the server answers; see server.mjs.
 * - `expected`: patterns of problems that do not fail the test.
 * - `failOnConsole`: with `false`, no problem fails the test.
 * - `context`: more options for Playwright's browser context. Motion is reduced unless they say `no-preference`, so that what
 *   is looked at has come to rest; service workers are blocked unless they say `allow`, so that all requests can be seen.
 * - `prepare`: called with the page before it goes to the address.
 *
 * The second argument of `body` has the `url`, the Playwright `context`, the `server`, and `problems`: the page errors,
 * console errors and failed requests so far, a line of text each.
 */
export async function withPage(options, body) {
  const {
    path = '',
    base = '/',
    width = 1280,
    height = 800,
    theme = 'light',
    wrong = [],
    headers = {},
    fallback = false,
    folder = dist,
    expected = [],
    failOnConsole = true,
    context: more = {},
    prepare = async () => {},
  } = options;
  const name = callingLine();
  if (!existsSync(join(dist, 'index.html'))) throw new Error('no dist/index.html: run scripts/build.sh');

  const server = await serve(folder, { base, wrong, headers, fallback });
  try {
    const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce', serviceWorkers: 'block', ...more });
    try {
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      const problems = watch(page);
      try {
        await prepare(page);
        const url = new URL(path, server.url).href;
        await page.goto(url);
        await body(page, { url, context, server, problems });
        const unexpected = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
        if (failOnConsole && unexpected.length > 0) throw new Error(`the page has problems:\n  ${unexpected.join('\n  ')}`);
      } catch (error) {
        // What the page reported often tells why a wait ran out.
        if (problems.length > 0 && !error.message.startsWith('the page has problems')) {
          error.message += `\nthe page reported:\n  ${problems.join('\n  ')}`;
        }
        await shot(page, `failed-${name}`).catch(() => {}); // the test's own failure is the one to show
        throw error;
      }
    } finally {
      await context.close();
    }
  } finally {
    await server.close();
  }
}

// Collects what goes wrong on a page from now on.
function watch(page) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console error: ${message.text()} (${message.location().url})`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // Chromium also calls a request aborted when the page has all of a preloaded file, or goes elsewhere meanwhile.
    if (reason !== 'net::ERR_ABORTED') problems.push(`failed request: ${request.url()} (${reason})`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`failed request: ${response.url()} (status ${response.status()})`);
  });
  return problems;
}

/** Waits until the playground takes commands. */
export async function ready(page) {
  // On a narrow page the console may stand behind another panel.
  await page.locator('#console-input:enabled').waitFor({ state: 'attached' });
}

/** For `prepare`: nothing comes by itself later, so that a test sees what was asked for. */
export const withoutLater = (page) =>
  page.addInitScript(() => {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (call, ms, ...given) => (ms >= 1_000 ? 0 : setTimeout(call, ms, ...given));
  });

/** Waits until all of the engine is there. */
export const whole = (page) => page.locator('#engine[data-whole]').waitFor({ state: 'attached' });

/** Brings into sight what is drawn only then, and goes back to the head of the page. */
export async function allDrawn(page) {
  const panel = page.locator('#snippets');
  if (!(await panel.isVisible())) return;
  await panel.scrollIntoViewIfNeeded();
  await page.locator('#snippet-code:not(:empty)').waitFor();
  await page.evaluate(() => scrollTo(0, 0));
}

/** Types a line into the console and submits it. */
export async function type(page, line) {
  const input = page.locator('#console-input');
  await input.fill(line);
  await input.press('Enter');
  await settled(page);
}

/** The console's entries in order, each `{ command, reply, note }`: the text of a part, null where there is none to see. */
export function log(page) {
  return page.locator('#console-log > *').evaluateAll((entries) =>
    entries.map((entry) => {
      const text = (part) => {
        const found = entry.querySelector(`[data-part=${part}]`);
        return found && !found.hidden ? found.textContent : null;
      };
      return { command: text('command'), reply: text('reply'), note: text('note') };
    }),
  );
}

/** Writes a screenshot to e2e/screenshots/ and answers its path. */
export async function shot(page, name, options = {}) {
  await mkdir(screenshots, { recursive: true });
  const path = join(screenshots, `${name}.png`);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.screenshot({ path, animations: 'disabled', ...options });
  return path;
}

/** Waits until the page shows what it knows: a frame after the last message. */
export const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Pastes a text into the console, as from the clipboard. */
export const paste = (page, text) =>
  page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text', text);
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('#console-input').dispatchEvent(event);
  }, text);

/** A `prepare` that watches what moves by itself on the page; `shifted` tells how much that was. */
export const watchShifts = (page) =>
  page.addInitScript(() => {
    globalThis.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => { globalThis.shifted += entry.value; }))
      .observe({ type: 'layout-shift', buffered: true });
  });

/** How far things moved by themselves so far, as Chromium scores it. */
export const shifted = (page) => page.evaluate(() => globalThis.shifted);
