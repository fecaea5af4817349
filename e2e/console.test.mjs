// The entry line of the console, by keyboard and by mouse: words to go on with, the hint, history, clients, copying.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { log, ready, settled, type, withPage } from './harness.mjs';

const offered = (page) => page.locator('#words:not([hidden]) > li code').allTextContents();
const chosen = (page) => page.locator('#words [aria-selected=true] code').textContent();
const line = (page) => page.inputValue('#console-input');
const focused = (page) => page.evaluate(() => document.activeElement.id);

async function keys(page, ...all) {
  for (const key of all) await (key.length > 1 ? page.keyboard.press(key) : page.keyboard.type(key));
  await settled(page);
}

async function typed(page, text) {
  await page.locator('#console-input').pressSequentially(text);
  await settled(page);
}

test('a command is put together from the words that are offered', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.focus('#console-input');
    await typed(page, 'del');
    assert.deepEqual(await offered(page), ['DELEX', 'DEL']);
    assert.equal(await page.getAttribute('#console-input', 'aria-expanded'), 'true');
    assert.equal(await page.getAttribute('#console-input', 'aria-activedescendant'), 'word-0');
    await keys(page, 'ArrowDown');
    assert.equal(await chosen(page), 'DEL');
    await keys(page, 'ArrowDown');
    assert.equal(await chosen(page), 'DELEX');
    await keys(page, 'Tab');
    assert.equal(await line(page), 'DELEX ');
    assert.match(await page.textContent('#console-hint'), /key \[IFEQ value/);
    await typed(page, 'l');
    await keys(page, 'ArrowRight');
    await typed(page, 'ifeq ');
    assert.deepEqual(await offered(page), ['tok-a81f']);
    // With the mouse too; the entry line keeps the focus.
    await page.click('#words > li');
    await settled(page);
    assert.equal(await line(page), 'DELEX lock:billing-run ifeq tok-a81f ');
    assert.equal(await focused(page), 'console-input');
    await keys(page, 'Enter');
    assert.deepEqual((await log(page)).at(-1), { command: 'DELEX lock:billing-run ifeq tok-a81f', reply: '(integer) 1', note: null });
    assert.deepEqual([await line(page), await offered(page)], ['', []]);
  }));

test('the entry line never holds the keyboard', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.focus('#console-input');
    await typed(page, 'GET l');
    assert.deepEqual(await offered(page), ['lock:billing-run']);
    await keys(page, 'Escape');
    assert.deepEqual(await offered(page), []);
    await keys(page, 'Tab');
    assert.notEqual(await focused(page), 'console-input');
    await keys(page, 'Shift+Tab');
    assert.equal(await focused(page), 'console-input');
    // What stands there is kept, and nothing is offered until somebody types.
    assert.deepEqual([await line(page), await offered(page)], ['GET l', []]);
    await typed(page, 'o');
    await page.focus('#play');
    await settled(page);
    assert.deepEqual(await offered(page), []);
    // Enter sends what stands there, never what is offered.
    await page.focus('#console-input');
    await page.fill('#console-input', '');
    await typed(page, 'PIN');
    await keys(page, 'Enter');
    assert.match((await log(page)).at(-2).reply, /unknown command 'PIN'/);
  }));

test('history, search, clients and the prompt of a transaction', () =>
  withPage({}, async (page) => {
    await ready(page);
    for (const text of ['SET a 1', 'GET a', 'MULTI', 'PING']) await type(page, text);
    await settled(page);
    assert.equal(await page.textContent('#console-prompt'), 'A(TX)>');
    assert.equal((await log(page)).at(-1).reply, 'QUEUED');
    await typed(page, 'a');
    await keys(page, 'Control+r');
    assert.equal(await line(page), 'GET a');
    await keys(page, 'Control+r');
    assert.equal(await line(page), 'SET a 1');
    await keys(page, 'ArrowUp', 'ArrowDown');
    assert.equal(await line(page), 'GET a');
    await keys(page, 'Alt+2');
    assert.equal(await page.textContent('#console-prompt'), 'B>');
    assert.ok(await page.isChecked('input[name=client][value=B]'));
    await keys(page, 'Alt+0');
    assert.equal(await page.textContent('#console-prompt'), 'hotkv>');
    await keys(page, 'Alt+1', 'Escape');
    await page.fill('#console-input', '');
    await type(page, 'EXEC');
    await settled(page);
    assert.equal(await page.textContent('#console-prompt'), 'A>');
  }));

test('a session is copied as commands and as a transcript', () =>
  withPage({ context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async (page) => {
    await ready(page);
    await type(page, 'B> PTTL lock:billing-run');
    const copied = async (form) => {
      const before = (await log(page)).length;
      await page.selectOption('#copy', form);
      await page.locator('#console-log > *').nth(before).waitFor();
      assert.equal((await log(page)).at(-1).note, 'Copied.');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const commands = (await copied('commands')).trimEnd().split('\n');
    assert.deepEqual(commands.slice(0, 3), [
      'SET lock:billing-run tok-a81f NX PX 30000', 'PTTL lock:billing-run', 'SET lock:billing-run tok-b22c NX PX 30000',
    ]);
    const transcript = await copied('transcript');
    assert.match(transcript, /\n# Worker A takes the lock\n/);
    assert.match(transcript, /\nB> PTTL lock:billing-run\n\(integer\) 30000\n/);
    // What is copied plays again.
    await page.fill('#console-input', '');
    await page.click('#reset');
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text', text);
      document.querySelector('#console-input').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, transcript);
    await settled(page);
    assert.ok((await log(page)).some((entry) => entry.command === 'PTTL lock:billing-run'));
  }));

test('where the clipboard is closed the text is shown', () =>
  withPage({ prepare: (page) => page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  }) }, async (page) => {
    await ready(page);
    await page.selectOption('#copy', 'commands');
    await page.locator('#by-hand').waitFor();
    assert.match(await page.inputValue('#by-hand-text'), /^SET lock:billing-run tok-a81f NX PX 30000\n/);
    await page.keyboard.press('Escape');
    await page.locator('#by-hand').waitFor({ state: 'hidden' });
  }));

test('the keys are shown with ? and with the button, and focus comes back', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.focus('#play');
    await page.keyboard.press('?');
    await page.locator('#keys').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#keys').waitFor({ state: 'hidden' });
    assert.equal(await focused(page), 'play');
    await page.click('#keys-open');
    await page.locator('#keys').waitFor();
    await page.click('#keys button');
    assert.equal(await focused(page), 'keys-open');
    // In the console it is a character.
    await page.focus('#console-input');
    await typed(page, '?');
    assert.ok(await page.isHidden('#keys'));
    assert.equal(await line(page), '?');
  }));

test('a worker is added, and arrows go from lane to lane', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.click('#add-worker');
    await settled(page);
    assert.equal(await page.textContent('#console-prompt'), 'C>');
    assert.equal(await page.locator('.lane-row').count(), 3);
    await type(page, 'SET lock:billing-run tok-c NX PX 1000');
    await settled(page);
    await page.click('[data-step="3"]');
    await page.locator('#stage [aria-label^="Step 1,"]').focus();
    const here = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    await page.keyboard.press('ArrowUp');
    assert.match(await here(), /typed by you, Worker C: SET/);
    await page.keyboard.press('ArrowUp');
    assert.match(await here(), /Worker C/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await here(), /^Step 2, .*Worker B/);
    assert.equal(await page.textContent('#clock-now'), '00:14.000');
  }));
