// No violation that axe-core can find, in every state that matters, in both themes and all languages.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { ready, settled, type, withPage } from './harness.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const states = {
  idle: async () => {},
  playing: async (page) => {
    await page.click('#play');
  },
  'words offered': async (page) => {
    await show(page, 'console');
    await page.locator('#console-input').pressSequentially('PEX');
    await page.locator('#words:not([hidden])').waitFor();
  },
  'an error, and a note': async (page) => {
    await show(page, 'console');
    await type(page, 'SETT lock:billing-run');
    await type(page, 'B> DEL lock:billing-run');
  },
  'the keys': async (page) => {
    await page.click('#keys-open');
  },
  'a text to copy': async (page) => {
    await page.evaluate(() => document.querySelector('#by-hand').showModal());
  },
  'two inside': async (page) => {
    await page.selectOption('#scenario', 'plain-del');
    await page.locator('[data-step="8"]').waitFor();
    await show(page, 'steps');
    await page.click('[data-step="5"]');
  },
  'a worker crashed, a step that differs': async (page) => {
    await page.evaluate(() => document.querySelector('[data-client=B] [data-act=crash]').click());
    await show(page, 'console');
    await type(page, 'DEL lock:billing-run');
    await show(page, 'steps');
    await page.click('[data-step="2"]');
  },
  'schedules searched': async (page) => {
    await show(page, 'explorer');
    await page.click('#explorer-run');
    await page.waitForFunction(() => document.querySelector('#explorer-summary').textContent !== '');
    for (const summary of await page.locator('details.program summary').all()) await summary.click();
  },
  'a schedule played': async (page) => {
    await show(page, 'explorer');
    await page.click('#explorer-run');
    await page.locator('[data-play=mutual-exclusion]').click();
    await page.waitForFunction(() => document.querySelector('#play').getAttribute('aria-label') === document.querySelector('#play [data-slot=label]').textContent && !document.querySelector('#replaying').hidden);
  },
  'a program for another client': async (page) => {
    await show(page, 'snippets');
    await page.selectOption('#snippet-client', 'go-redis');
    await settled(page);
    await page.focus('#snippet-code');
  },
  'the questions': async (page) => {
    await show(page, 'why');
    await page.locator('.faq summary').last().click();
  },
};

/** Switches to a panel where there are tabs. */
async function show(page, panel) {
  const tab = page.locator(`[data-for=${panel}]`);
  if (!(await tab.isVisible())) return;
  await tab.click();
  // A panel that is not drawn yet takes no keys.
  await settled(page);
}

for (const language of ['en', 'pt-BR', 'es']) {
  for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [640, 'dark']]) {
    test(`nothing is found in ${language} at ${width} pixels, ${theme}`, () =>
      withPage({ path: `?lang=${language}`, width, theme }, async (page, { url }) => {
        await page.addInitScript({ path: axe });
        for (const [name, reach] of Object.entries(states)) {
          await page.goto(url);
          await ready(page);
          await page.locator(`html[lang="${language}"]`).waitFor();
          await reach(page);
          await settled(page);
          const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.failureSummary})`).join('; ')}`);
          assert.deepEqual(found, [], name);
        }
      }));
  }
}
