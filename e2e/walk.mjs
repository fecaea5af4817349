// A walk through the whole page, for tests that watch what it does meanwhile: every panel, dialog and choice, once.

import assert from 'node:assert/strict';

import { log, paste, ready, settled, type } from './harness.mjs';

/** Uses everything that the page has. */
export async function walk(page) {
  const click = async (selector) => {
    await page.click(selector);
    await settled(page);
  };
  await ready(page);

  // Steps, clock and transport.
  await click('[data-step="3"]');
  await page.check('#speed input[value="100"]');
  await click('#play');
  await page.locator('#play[aria-label="Run on"]').waitFor();
  await click('#step-back');
  await click('#step-forward');
  await click('#advance-1s');
  await click('#next-expiry');
  await page.locator('#scrubber').fill('10000');
  await click('#zoom-in');
  await click('#zoom-out');

  // Workers that the reader stops.
  await click('[data-client="A"] [data-act="pause"]');
  await click('[data-client="A"] [data-act="resume"]');
  await click('[data-client="B"] [data-act="crash"]');
  await click('#undo');

  // The console: words that are offered, errors, notes, a pasted session.
  await page.locator('#console-input').pressSequentially('PEX');
  await page.locator('#words:not([hidden])').waitFor();
  for (const line of ['SETT a b', 'B> DEL lock:billing-run', 'help DELEX', '+12s', 'PING']) await type(page, line);
  await settled(page);
  assert.equal((await log(page)).at(-1).reply, 'PONG');
  await page.locator('#console-log [data-part=why]:visible').last().click();
  await paste(page, '+1s\nC> SET lock:billing-run tok-c NX PX 5000\nOK\n');
  await settled(page);

  // The explorer, and a schedule of it on the stage.
  await page.selectOption('[data-choice=release]', 'delex-ifeq');
  await click('#explorer-run');
  await page.waitForFunction(() => document.querySelector('#explorer-cancel').hidden && document.querySelector('#explorer-summary').textContent !== '');
  await click('[data-play="mutual-exclusion"]');
  await click('#explorer-back');

  // Dialogs, and a text for the clipboard.
  await click('#keys-open');
  await page.keyboard.press('Escape');
  await page.selectOption('#copy', 'transcript');
  await page.evaluate(() => document.querySelector('#by-hand').showModal());
  await page.keyboard.press('Escape');

  // Every story, language and theme.
  for (const story of await page.$$eval('#scenario option:not([hidden])', (options) => options.map((option) => option.value))) {
    await page.selectOption('#scenario', story);
    await settled(page);
    await page.locator('#steps [data-step]').last().click();
  }
  for (const language of ['es', 'pt-BR', 'en']) {
    await page.selectOption('#language', language);
    await page.locator(`html[lang="${language}"]`).waitFor();
  }
  for (const theme of ['dark', 'light', 'auto']) await page.selectOption('#theme', theme);
  await settled(page);
}
