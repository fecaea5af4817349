// The page without a network, by its service worker: what is kept, how a new version takes its place, and what the worker
// leaves alone.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { addWorker } from '../scripts/worker.mjs';
import { dist, log, ready, settled, type, withPage } from './harness.mjs';

/** Runs `body` with a copy of the site that has its worker. */
async function withSite(body) {
  const home = mkdtempSync(join(tmpdir(), 'hotkv-site-'));
  const site = join(home, 'site');
  try {
    cpSync(dist, site, { recursive: true });
    addWorker(site);
    await body(site);
  } finally {
    rmSync(home, { recursive: true });
  }
}

// Notes what the page asks for: the promises of workers, in order.
const watchWorkers = (page) =>
  page.addInitScript(() => {
    globalThis.registered = [];
    const { register } = ServiceWorkerContainer.prototype;
    ServiceWorkerContainer.prototype.register = function (...args) {
      const promise = register.apply(this, args);
      globalThis.registered.push(promise);
      return promise;
    };
  });

/** Opens a page whose worker may come. What is asked for while the network is away fails, which is no problem. */
const withKept = ({ context, prepare = async () => {}, ...options }, body) =>
  withSite((site) =>
    withPage({
      folder: site,
      expected: [/ERR_CONNECTION_REFUSED|ERR_FAILED/],
      context: { serviceWorkers: 'allow', ...context },
      prepare: async (page) => {
        await watchWorkers(page);
        await prepare(page);
      },
      ...options,
    }, (page, tools) => body(page, { site, ...tools })));

/** What became of the one worker that the page asked for. */
const outcome = (page) =>
  page.evaluate(async () => {
    if (globalThis.registered.length !== 1) return `${globalThis.registered.length} workers`;
    const registration = await globalThis.registered[0];
    const { installing } = registration;
    if (installing?.state === 'installing') await new Promise((done) => installing.addEventListener('statechange', done, { once: true }));
    return (installing ?? registration.waiting ?? registration.active)?.state ?? 'redundant';
  });

/** Waits until the worker has everything, and answers for the page. */
const kept = (page) => page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
const caches = (page) => page.evaluate(async () => {
  const names = await globalThis.caches.keys();
  return Promise.all(names.map(async (name) => (await (await globalThis.caches.open(name)).keys()).map(({ url }) => url)));
});

async function answers(page) {
  await ready(page);
  await type(page, 'PING');
  await settled(page);
  assert.equal((await log(page)).at(-1).reply, 'PONG');
}

for (const [base, path] of [['/', ''], ['/a/b/', ''], ['/a/b/', 'index.html']]) {
  test(`after the first visit the page needs no network, at ${base}${path}`, () =>
    withKept({ base, path }, async (page, { url, server }) => {
      await ready(page);
      await kept(page);
      await server.close();
      await page.reload();
      await answers(page);
      for (const [search, language] of [['?lang=es&embed&view=console', 'es'], ['?lang=pt-BR#v=1&s=digest', 'pt-BR']]) {
        await page.goto(url + search);
        await page.locator(`html[lang="${language}"]`).waitFor();
        await ready(page);
      }
      await answers(page);
      await page.selectOption('#language', 'es');
      await page.locator('html[lang="es"]').waitFor();
      assert.ok(await page.isHidden('#banner'));
    }));
}

/** Deploys a new version over a site: another style sheet, which the page names. */
function deploy(site, version) {
  const page = join(site, 'index.html');
  const style = readdirSync(site).find((name) => name.startsWith('style-'));
  const next = `style-${String(version).padStart(16, '0')}.css`;
  renameSync(join(site, style), join(site, next));
  writeFileSync(page, readFileSync(page, 'utf8').replace(style, next).replace(/<html /, `<html data-version="${version}" `));
  addWorker(site);
}

test('a new version takes the place of the one before, with its files, and nothing of that one stays', () =>
  withKept({ base: '/a/' }, async (page, { site, server }) => {
    await ready(page);
    await kept(page);
    const [before] = await caches(page);
    deploy(site, 2);
    await page.reload();
    // The page itself is the new one at once; its worker comes behind.
    assert.equal(await page.getAttribute('html', 'data-version'), '2');
    await answers(page);
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      const coming = registration.installing ?? registration.waiting ?? registration.active;
      while (coming.state !== 'activated') await new Promise((done) => coming.addEventListener('statechange', done, { once: true }));
    });
    assert.equal((await caches(page)).length, 1);
    const [after] = await caches(page);
    assert.equal(after.length, before.length);
    assert.equal(after.filter((url) => before.includes(url)).length, before.length - 1);
    await server.close();
    await page.reload();
    assert.equal(await page.getAttribute('html', 'data-version'), '2');
    await answers(page);
  }));

test('a new version of which a file is missing leaves the one before as it was', () =>
  withKept({}, async (page, { site, server }) => {
    await ready(page);
    await kept(page);
    const before = await caches(page);
    deploy(site, 2);
    rmSync(join(site, 'locales', 'es.json'));
    // The update ends when the worker that was to come is thrown away.
    const state = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      const coming = registration.installing;
      if (coming.state === 'installing') await new Promise((done) => coming.addEventListener('statechange', done, { once: true }));
      return coming.state;
    });
    assert.equal(state, 'redundant');
    assert.deepEqual(await caches(page), before);
    await server.close();
    await page.goto(`${server.url}?lang=es`);
    await page.locator('html[lang="es"]').waitFor();
    await answers(page);
    assert.equal(await page.getAttribute('html', 'data-version'), null);
  }));

for (const [name, wrong] of [
  ['is missing', [[/icon-/, 404]]],
  ['is a page', [[/locales\/es\.json$/, 'html']]],
  ['comes with another type', [[/\.wasm$/, 'wrong-type']]],
]) {
  test(`nothing is kept when a file ${name}, and the page runs all the same`, () =>
    withKept({ wrong, failOnConsole: false }, async (page) => {
      await answers(page);
      assert.equal(await outcome(page), 'redundant');
      assert.deepEqual(await caches(page), []);
    }));
}

test('the worker answers for the files of this version, and leaves what else is in its folder alone', () =>
  withKept({ base: '/docs/' }, async (page, { site, server }) => {
    await ready(page);
    await kept(page);
    mkdirSync(join(site, 'guide'));
    writeFileSync(join(site, 'guide', 'index.html'), '<title>a guide</title>');
    writeFileSync(join(site, 'other.html'), '<title>another page</title>');
    await page.route('**/favicon.ico', (route) => route.fulfill({ body: '' }));
    const kinds = [];
    page.on('response', (response) => kinds.push([response.url().slice(server.url.length), response.fromServiceWorker()]));
    await page.goto(`${server.url}guide/`);
    assert.equal(await page.title(), 'a guide');
    await page.goto(`${server.url}other.html`);
    await page.evaluate(() => fetch('locales/es.json?x').then((response) => response.text()));
    await page.evaluate(() => fetch('sw.js').then((response) => response.text()));
    await page.evaluate(() => fetch('index.html').then((response) => response.text()));
    assert.deepEqual(kinds.filter(([name]) => name !== 'favicon.ico'), [['guide/', false], ['other.html', false], ['locales/es.json?x', true], ['sw.js', false], ['index.html', false]]);
    await server.close();
    await assert.rejects(page.goto(`${server.url}other.html`), /ERR_CONNECTION_REFUSED/);
  }));

test('a host that fails is as good as none, and one that says a page is gone is believed', async () => {
  const wrong = [];
  await withKept({ wrong, failOnConsole: false }, async (page) => {
    await ready(page);
    await kept(page);
    wrong.push([/./, 503]);
    await page.reload();
    await answers(page);
    wrong[0][1] = 404;
    assert.equal((await page.reload()).status(), 404);
  });
});

for (const [name, prepare] of [
  ['throws', () => Object.defineProperty(Navigator.prototype, 'serviceWorker', { get() { throw new DOMException('denied', 'SecurityError'); } })],
  ['are missing', () => { delete Navigator.prototype.serviceWorker; }],
  ['refuse', () => { navigator.serviceWorker.register = () => Promise.reject(new DOMException('denied', 'SecurityError')); }],
]) {
  test(`service workers that ${name} change nothing else`, () =>
    withKept({ prepare: (page) => page.addInitScript(prepare) }, async (page) => {
      await answers(page);
      assert.ok(await page.isHidden('#banner'));
    }));
}

test('storage that has no room changes nothing else', () =>
  withKept({
    prepare: async (page) => {
      page.on('framenavigated', async (frame) => {
        const session = await page.context().newCDPSession(page);
        await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(frame.url()).origin, quotaSize: 1 });
      });
    },
  }, async (page) => {
    await answers(page);
    assert.equal(await outcome(page), 'redundant');
    assert.deepEqual((await caches(page)).flat(), []);
  }));

test('in a frame the page asks for no worker', () =>
  withKept({ path: 'frame.html', prepare: async (page) => {
    await page.route('**/frame.html', (route) => route.fulfill({ contentType: 'text/html', body: '<iframe src="./?embed" width="1000" height="800"></iframe>' }));
  } }, async (page) => {
    const frame = page.frameLocator('iframe');
    await frame.locator('#console-input:enabled').waitFor({ state: 'attached' });
    assert.equal(await frame.locator('html').evaluate(() => globalThis.registered.length), 0);
  }));

test('a build without a worker asks for none', () =>
  withKept({ prepare: (page) => page.route(/\/$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(' data-worker', '') });
  }) }, async (page) => {
    await answers(page);
    assert.equal(await page.evaluate(() => globalThis.registered.length), 0);
  }));

test('the worker is small', () =>
  withSite((site) => {
    const size = gzipSync(readFileSync(join(site, 'sw.js')), { level: 9 }).length;
    assert.ok(size <= 1536, `${size} bytes`);
  }));
