// Pages of somebody else's around the playground: a folder with dist/ in it, as a site of documentation has it, and what
// is read in the frames there.

import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { browser, dist, shot } from './harness.mjs';
import { serve } from './server.mjs';

/** A folder of its own for `body`; it goes when that is done. */
export async function withFolder(body) {
  const folder = await mkdtemp(join(tmpdir(), 'hotkv-'));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes files, by their paths, below a folder. */
export async function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Serves a folder with the files, and with the playground at `play/`, to `body`. */
export const withSite = (files, options, body) =>
  withFolder(async (folder) => {
    if (options.playground !== false) await cp(dist, join(folder, 'play'), { recursive: true });
    await write(folder, files);
    const site = await serve(folder, options);
    try {
      return await body(site, folder);
    } finally {
      await site.close();
    }
  });

/** A page with the element's script and this in its body. */
export const around = (body, { head = '<script src="play/embed.js" defer></script>', html = 'lang="en"' } = {}) =>
  `<!doctype html><html ${html}><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Docs</title>${head}</head><body>${body}</body></html>`;

/** A `prepare` that keeps what the elements on a page tell: `heard(page)` answers it. */
export const listen = (page) =>
  page.addInitScript(() => {
    globalThis.heard = [];
    for (const name of ['ready', 'step', 'pause', 'ended', 'error']) {
      addEventListener(`hotkv-${name}`, ({ target, detail: { hotkv: _, ...detail } }) => globalThis.heard.push({ id: target.id, name, ...detail }));
    }
  });

export const heard = (page) => page.evaluate(() => globalThis.heard);

/** Waits until an element has told something. */
export const told = (page, name, id = '') =>
  page.waitForFunction(([name, id]) => globalThis.heard.some((one) => one.name === name && one.id === id), [name, id]);

/** The playground in the element that fits a selector, once it is open: what can be located in it. */
export async function inside(page, selector = 'hotkv-play') {
  const frame = await (await page.locator(`${selector} iframe`).elementHandle()).contentFrame();
  await frame.locator('#console-input:enabled').waitFor({ state: 'attached' });
  return frame;
}

/** Calls a method of an element. */
export const call = (page, selector, method, ...given) =>
  page.locator(selector).evaluate((element, [method, given]) => element[method](...given), [method, given]);

/**
 * Opens an address in a page that listens to the elements. Nothing may go wrong in it but what is `expected`; `prepare` is
 * called with the page before it goes there, and what else there is are options of Playwright's browser context.
 */
export async function visit(url, options, body) {
  const { expected = [], prepare = async () => {}, ...more } = options;
  const context = await (await browser()).newContext({ viewport: { width: 700, height: 900 }, reducedMotion: 'reduce', ...more });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
  try {
    await listen(page);
    await prepare(page);
    await page.goto(url);
    await body(page);
    assert.deepEqual(problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))), []);
  } catch (error) {
    await shot(page, `failed-${new URL(url).pathname.replace(/\W+/g, '-')}`).catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
}
