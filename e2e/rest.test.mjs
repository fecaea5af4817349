// The engine in two files: the second one comes before it is needed, or at once when it is, and nothing else tells of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { log, ready, settled, type, whole, withPage, withoutLater } from './harness.mjs';
import { around, told, visit, withSite } from './hosts.mjs';

const REST = /_rest\.wasm$/;

/** Opens a page; `asked` are the requests for the rest, by their kinds. */
function opened(options, body) {
  const asked = [];
  const prepare = async (page) => {
    page.on('request', (request) => { if (REST.test(request.url())) asked.push(request.resourceType()); });
    await (options.prepare ?? withoutLater)(page);
  };
  return withPage({ height: 900, ...options, prepare }, async (page) => {
    await ready(page);
    await body(page, asked);
  });
}

for (const width of [1280, 390]) {
  test(`a session plays, and moves, without the rest, ${width} pixels`, () =>
    opened({ width }, async (page, asked) => {
      await page.focus('#stage');
      await page.keyboard.press('Space');
      await page.locator('#play[aria-label="Pause"]').waitFor();
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowLeft');
      assert.deepEqual(asked, []);
    }));
}

test('the first commands do without the rest', () =>
  opened({}, async (page, asked) => {
    for (const line of ['SET lock:x tok-1 NX PX 30000', 'B> SET lock:x tok-2 NX PX 30000', 'PTTL lock:x', 'GET lock:x', 'DELEX lock:x IFEQ tok-1']) {
      await type(page, line);
    }
    assert.deepEqual((await log(page)).slice(-5).map(({ reply }) => reply), ['OK', '(nil)', '(integer) 30000', '"tok-1"', '(integer) 1']);
    assert.deepEqual(asked, []);
  }));

for (const path of ['#v=1&s=extend', '?view=explorer']) {
  test(`${path} has it before it opens, and nothing is held up`, () =>
    opened({ path, prepare: async () => {} }, async (page, asked) => {
      await settled(page);
      assert.deepEqual(asked, ['fetch']);
    }));
}

test('what is called before it has come fetches it, and is answered', () =>
  opened({}, async (page, asked) => {
    await type(page, 'LCS one two');
    assert.equal((await log(page)).at(-1).reply, '""');
    assert.deepEqual(asked, ['xhr']);
    // From then on it is there.
    await page.click('#explorer-run');
    await page.locator('#verdicts [data-verdict=broken]').first().waitFor();
    assert.equal(asked.length, 1);
  }));

test('a reader who takes the mouse has it before it is needed', () =>
  opened({}, async (page, asked) => {
    await page.click('#step-forward');
    await whole(page);
    await page.selectOption('#scenario', 'late-writer');
    await page.locator('#steps-title', { hasText: 'late' }).waitFor();
    assert.deepEqual(asked, ['fetch']);
  }));

test('while it neither comes nor fails, what needs it waits and shows that, and all else goes on', () => {
  let comes;
  const held = new Promise((resolve) => { comes = resolve; });
  return opened({ prepare: async (page) => { await withoutLater(page); await page.route(REST, async (route) => { await held; await route.continue(); }); } }, async (page, asked) => {
    await page.click('#explorer-run');
    await page.selectOption('#theme', 'dark');
    assert.deepEqual(await page.locator('[aria-busy]').evaluateAll((all) => all.map(({ id }) => id)), ['theme', 'explorer-run']);
    await page.click('#step-forward');
    await type(page, 'PTTL lock:billing-run');
    assert.equal((await log(page)).at(-1).reply, '(integer) 27000');
    assert.equal(await page.locator('html[data-theme]').count(), 0);
    comes();
    await page.locator('#verdicts [data-verdict=broken]').first().waitFor();
    await page.locator('html[data-theme=dark]').waitFor();
    assert.equal(await page.locator('[aria-busy]').count(), 0);
    assert.deepEqual(asked, ['fetch']);
  });
});

test('a page around a frame has it before it asks for anything', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager" scenario="plain-del"></hotkv-play>') }, {}, (site) => {
    const asked = [];
    const prepare = async (page) => page.on('request', (request) => { if (REST.test(request.url())) asked.push(request.resourceType()); });
    return visit(site.url, { prepare }, async (page) => {
      await told(page, 'ready');
      assert.deepEqual(asked, ['fetch']);
    });
  }));

test('left alone it comes by itself, and then nothing needs a network', () =>
  opened({ prepare: async () => {} }, async (page, asked) => {
    await whole(page);
    assert.deepEqual(asked, ['fetch']);
    await page.context().setOffline(true);
    await page.click('#explorer-run');
    await page.locator('#verdicts [data-verdict=broken]').first().waitFor();
  }));

test('where it does not come the page says so, and goes on when it does', () =>
  opened({ expected: [/_rest\.wasm/, /status of 404/, /the rest of the engine did not come/], prepare: (page) => page.route(REST, (route) => route.fulfill({ status: 404, body: 'not found' })) }, async (page) => {
    await type(page, 'SET lock:x tok-1 NX PX 30000');
    await page.click('#explorer-run');
    await page.locator('[data-failure=download]:visible').waitFor();
    // Trying again changes nothing as long as it does not come, loading the page again neither, and nothing is lost.
    await page.click('#restart');
    await page.locator('#restart').waitFor();
    await page.reload();
    await page.locator('#restart').waitFor();
    await page.unroute(REST);
    await page.click('#restart');
    await ready(page);
    assert.ok((await log(page)).some(({ command }) => command === 'SET lock:x tok-1 NX PX 30000'));
    await type(page, 'LCS one two');
    assert.equal((await log(page)).at(-1).reply, '""');
  }));
