// Break it in a real browser: a search runs beside the page, its verdicts come into the table, and a schedule plays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ready, settled, shot, withPage } from './harness.mjs';

const verdicts = (page) =>
  page.locator('#verdicts [data-property]').evaluateAll((rows) => Object.fromEntries(rows.map((row) => [row.dataset.property, row.dataset.verdict])));

/** Waits until the search that was begun has ended. */
async function searched(page) {
  await settled(page); // what was there before is drawn over
  await page.waitForFunction(() => document.querySelector('#explorer-cancel').hidden && document.querySelector('#explorer-summary').textContent !== '');
  return verdicts(page);
}

/** Chooses, which begins a search. */
async function choose(page, choices) {
  for (const [choice, value] of Object.entries(choices)) {
    if (choice === 'fencing') await page.locator('[data-choice=fencing]').setChecked(value);
    else await page.selectOption(`[data-choice=${choice}]`, value);
  }
  return searched(page);
}

test('choices are searched, and the table says what holds', () =>
  withPage({}, async (page) => {
    await ready(page);
    assert.deepEqual(new Set(Object.values(await verdicts(page))), new Set(['none']));
    await page.click('#explorer-run');
    assert.deepEqual(await searched(page), {
      'mutual-exclusion': 'broken', 'no-foreign-release': 'broken', 'no-foreign-renewal': 'holds', 'no-stuck-lock': 'holds', 'fenced-writes': 'broken',
    });
    assert.equal(await page.locator('#explorer-count').textContent(), '512 states, 2 workers');
    assert.equal((await choose(page, { release: 'delex-ifeq' }))['no-foreign-release'], 'holds');
    assert.equal((await choose(page, { fencing: true }))['fenced-writes'], 'holds');
    assert.equal((await choose(page, { acquire: 'set-nx', pause: '0', crashes: '1' }))['no-stuck-lock'], 'broken');
    // Three workers, a pause and a crash: the page draws on meanwhile.
    await page.selectOption('[data-choice=acquire]', 'set-nx-px');
    await page.selectOption('[data-choice=pause]', '60000');
    await page.selectOption('[data-choice=workers]', '3');
    await page.click('[data-step="3"]');
    assert.equal(await page.locator('#clock-now').textContent(), '00:14.000');
    await searched(page);
    assert.match(await page.locator('#explorer-count').textContent(), /^\d+,\d{3} states, 3 workers$/);
  }));

test('a search can be stopped, and claims nothing then', () =>
  withPage({}, async (page) => {
    await ready(page);
    // So that it is still going on when somebody stops it.
    const program = await page.inputValue('#explorer-program');
    await page.locator('details.program:has(textarea) summary').click();
    await page.fill('#explorer-program', program.replace('worker A B', 'worker A B C D E'));
    await page.click('#explorer-run');
    await page.click('#explorer-cancel');
    await settled(page);
    assert.ok(Object.values(await verdicts(page)).includes('unfinished'));
    assert.match(await page.locator('[data-property=no-stuck-lock] .verdict').textContent(), /not finished$/);
    await page.fill('#explorer-program', program.replace('work 12s', 'wrok 12s'));
    await page.click('#explorer-run');
    await settled(page);
    assert.match(await page.locator('#explorer-problems').textContent(), /^Line \d+: /);
    assert.equal(await page.inputValue('#explorer-program'), program.replace('work 12s', 'wrok 12s'));
  }));

for (const [property, choices, shows] of [
  ['mutual-exclusion', { release: 'delex-ifeq' }, '.band'],
  ['no-foreign-release', { release: 'get-del' }, '.mark.foreign .cap'],
  ['no-foreign-renewal', { renew: 'pexpire' }, '.mark.foreign .cap'],
  ['no-stuck-lock', { acquire: 'setnx-expire', crashes: '1', pause: '0' }, '.crashx'],
  ['fenced-writes', { release: 'delex-ifdeq' }, '.lane-row'],
]) {
  test(`the schedule that breaks ${property} plays on the stage, and the session comes back`, () =>
    withPage({}, async (page) => {
      await ready(page);
      const steps = () => page.locator('#steps .t').allTextContents();
      const before = await steps();
      assert.equal((await choose(page, choices))[property], 'broken');
      const chips = await page.locator(`[data-property=${property}] .chips li`).count();
      const why = await page.locator(`[data-property=${property}] [data-slot=why]`).textContent();
      assert.match(why, /\.$/);
      await page.click(`[data-play=${property}]`);
      // It plays by itself, ten times as fast, to where it breaks: begins in the frame that shows it.
      await page.waitForFunction((why) => document.querySelector('#steps-lede').textContent === why, why);
      await page.waitForFunction(() => document.querySelector('#play').getAttribute('aria-label') !== 'Pause');
      await settled(page);
      assert.ok(await page.locator(shows).first().isVisible());
      assert.ok((await steps()).length <= chips && (await steps()).length > 1);
      assert.equal(await page.locator('#steps .differs-tag:visible').count(), 0);
      await shot(page, `breaks-${property}`);
      await page.click('[data-step="1"]');
      await page.click('#explorer-back');
      await settled(page);
      assert.deepEqual(await steps(), before);
      assert.equal(await page.locator('#clock-now').textContent(), '00:02.000');
    }));
}
