// Use it, in a real browser: the program for the lock of the session, for what the reader chooses, copied as it stands.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { allDrawn, log, ready, settled, shot, type, withPage } from './harness.mjs';

const code = (page) => page.locator('#snippet-code').textContent();
const notes = (page) => page.locator('#snippet-notes li').allTextContents();

test('the program goes with the session and with what is chosen, and the choice is kept', () =>
  withPage({}, async (page, { url }) => {
    await ready(page);
    await allDrawn(page);
    assert.match(await code(page), /^LOCK = "lock:billing-run"$/m);
    assert.match(await code(page), /^TTL_MS = 30000$/m);
    assert.equal(await page.locator('#snippet-needs').textContent(), 'Needs redis-py 7.1.0 or newer.');
    await type(page, 'SET "lock:it\'s" t NX PX 4000');
    await page.selectOption('#snippet-client', 'node-redis');
    await page.selectOption('#snippet-server', 'valkey');
    await settled(page);
    assert.match(await code(page), /^const LOCK = 'lock:it\\'s';$/m);
    assert.match(await code(page), /^const TTL_MS = 4000;$/m);
    assert.match(await code(page), /DELIFEQ/);
    assert.equal(await page.locator('#snippet-file').textContent(), 'lock.mjs');
    assert.ok((await notes(page)).some((note) => note.includes('DELIFEQ')));
    await page.goto(url);
    await ready(page);
    await allDrawn(page);
    assert.deepEqual(
      [await page.inputValue('#snippet-client'), await page.inputValue('#snippet-server')],
      ['node-redis', 'valkey'],
    );
    assert.match(await code(page), /DELIFEQ/);
  }));

test('what stands in a name is text and nothing else', () =>
  withPage({}, async (page) => {
    await ready(page);
    await allDrawn(page);
    await type(page, 'SET "lock:<img src=x onerror=alert(1)>" t NX PX 4000');
    await settled(page);
    assert.match(await code(page), /^LOCK = "lock:<img src=x onerror=alert\(1\)>"$/m);
    assert.equal(await page.locator('#snippets img').count(), 0);
  }));

test('the whole program is copied, and that is said beside it', () =>
  withPage({}, async (page) => {
    await ready(page);
    await allDrawn(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#snippet-copy');
    await page.waitForFunction(() => document.querySelector('#snippet-done').textContent !== '');
    await settled(page);
    assert.ok((await log(page)).every(({ note }) => note !== 'Copied.'), 'and nowhere else');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code(page));
    await page.selectOption('#snippet-client', 'jedis');
    await settled(page);
    assert.equal(await page.locator('#snippet-done').textContent(), '');
  }));

test('notes speak the language of the page, and code stays what it is', () =>
  withPage({ path: '?lang=es' }, async (page) => {
    await ready(page);
    await allDrawn(page);
    await page.locator('html[lang=es]').waitFor();
    await settled(page);
    const spanish = [await code(page), await notes(page)];
    assert.match(await page.locator('#snippet-needs').textContent(), /^Necesita /);
    await page.selectOption('#language', 'en');
    await page.locator('html[lang=en]').waitFor();
    await settled(page);
    assert.equal(await code(page), spanish[0]);
    assert.ok((await notes(page)).every((note, number) => note !== spanish[1][number]));
  }));

for (const [width, theme] of [[1280, 'light'], [640, 'dark'], [390, 'light']]) {
  test(`the panel fits at ${width} pixels, ${theme}, by the keyboard too`, () =>
    withPage({ path: '?view=snippets', width, theme }, async (page) => {
      await ready(page);
      await allDrawn(page);
      assert.ok(await page.locator('#snippets').isVisible());
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the window');
      await page.focus('#snippet-client');
      await page.keyboard.press('ArrowDown');
      await settled(page);
      assert.notEqual(await page.inputValue('#snippet-client'), 'redis-py');
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'snippet-server');
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'snippet-copy');
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'snippet-code');
      await shot(page, `snippets-${width}-${theme}`);
    }));
}

test('it stands in an embedded page as well', () =>
  withPage({ path: '?embed&view=snippets', width: 640 }, async (page) => {
    await ready(page);
    await allDrawn(page);
    assert.ok(await page.locator('#snippets').isVisible());
    assert.match(await code(page), /lock:billing-run/);
  }));
