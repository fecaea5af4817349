// Pictures of the states that matter, compared with those in goldens/: pixels, and the tree that a screen reader gets.
//
//   HOTKV_UPDATE=1 node --test e2e/goldens.test.mjs     draws them anew
//
// Pictures can only be compared where fonts are drawn as they were when they were made; elsewhere a line says so. The trees
// are compared everywhere.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

import { allDrawn, ready, settled, type, withPage } from './harness.mjs';

const goldens = fileURLToPath(new URL('goldens', import.meta.url));
const screenshots = fileURLToPath(new URL('screenshots', import.meta.url));
const update = process.env.HOTKV_UPDATE === '1';

/** How much a pixel may differ in colour, 0 to 1, and how many of a picture's pixels may differ more, as a part of them. */
const COLOUR = 0.1;
const PIXELS = 0.001;

const step = (number) => async (page) => {
  if (await page.locator('[data-for=steps]').isVisible()) await page.click('[data-for=steps]');
  await page.click(`[data-step="${number}"]`);
};
const story = (id, number) => async (page) => {
  await page.selectOption('#scenario', id);
  await settled(page);
  await step(number)(page);
};
const console = async (page) => {
  const tab = page.locator('[data-for=console]');
  if (await tab.isVisible()) await tab.click();
  await settled(page);
};

const states = {
  opening: async () => {},
  'step-5': step(5),
  'two-inside': story('plain-del', 5),
  crashed: story('owner-crashes', 3),
  zoomed: async (page) => {
    await step(5)(page);
    await page.click('#zoom-in');
  },
  searched: async (page) => {
    const tab = page.locator('[data-for=explorer]');
    if (await tab.isVisible()) await tab.click();
    await page.click('#explorer-run');
    await page.waitForFunction(() => document.querySelector('#explorer-summary').textContent !== '');
  },
  program: async (page) => {
    const tab = page.locator('[data-for=snippets]');
    if (await tab.isVisible()) await tab.click();
    await page.selectOption('#snippet-client', 'node-redis');
    await settled(page);
  },
  words: async (page) => {
    await console(page);
    await page.locator('#console-input').pressSequentially('PEX');
    await page.locator('#words:not([hidden])').waitFor();
  },
  notes: async (page) => {
    await console(page);
    await type(page, 'SETT lock:billing-run');
    await type(page, 'B> DEL lock:billing-run');
    await type(page, 'GET lock:billing-run');
    await settled(page);
    await page.locator('#console-log [data-part=why]:visible').last().click();
  },
};

// What is drawn: the state, the width, the theme, the language, and the part of the page.
const pictures = [
  ['opening', 1280, 'light', 'en', 'body'],
  ['opening', 390, 'light', 'en', 'body'],
  ['step-5', 1280, 'dark', 'en', '#stage'],
  ['step-5', 640, 'light', 'pt-BR', 'body'],
  ['step-5', 390, 'dark', 'es', '#stage'],
  ['two-inside', 1280, 'light', 'en', '#stage'],
  ['two-inside', 640, 'dark', 'en', '#stage'],
  ['crashed', 1280, 'light', 'es', '#stage'],
  ['zoomed', 1280, 'light', 'en', '#stage'],
  ['searched', 1280, 'light', 'en', '#explorer'],
  ['searched', 390, 'dark', 'pt-BR', '#explorer'],
  ['program', 1280, 'light', 'en', '#snippets'],
  ['program', 390, 'dark', 'es', '#snippets'],
  ['words', 1280, 'dark', 'en', '#console'],
  ['notes', 390, 'light', 'en', '#console'],
];

const trees = [['opening', 'en'], ['two-inside', 'en'], ['searched', 'en'], ['notes', 'pt-BR']];

/** By what pictures differ from machine to machine: the browser's version and how wide its fonts are. */
const drawnWith = (page, version) =>
  page.evaluate((version) => {
    const width = (font) => {
      const span = document.createElement('span');
      span.style.cssText = `position: absolute; white-space: nowrap; font: 100px ${font}`;
      span.textContent = 'lock:billing-run 30.000 s';
      document.body.append(span);
      const { width, height } = span.getBoundingClientRect();
      span.remove();
      return `${Math.round(width)} × ${Math.round(height)}`;
    };
    return { browser: version.split('.')[0], sans: width('var(--sans)'), mono: width('var(--mono)') };
  }, version);

/** The file's text, or nothing where there is no such file. */
const read = (name, encoding) => readFile(join(goldens, name), encoding).catch(() => undefined);

for (const [state, width, theme, language, part] of pictures) {
  const name = `${state}-${width}-${theme}-${language}`;
  test(`${name} looks as it did`, (t) =>
    withPage({ path: `?lang=${language}`, width, height: 900, theme }, async (page, { context }) => {
      await ready(page);
      await page.locator(`html[lang="${language}"]`).waitFor();
      await states[state](page);
      await allDrawn(page);
      await page.mouse.move(0, 0);
      await settled(page);
      const picture = await page.locator(part).screenshot({ animations: 'disabled', caret: 'hide' });
      const machine = JSON.stringify(await drawnWith(page, context.browser().version()));
      await mkdir(goldens, { recursive: true });
      if (update) {
        await writeFile(join(goldens, `${name}.png`), picture);
        await writeFile(join(goldens, 'drawn-with.json'), `${machine}\n`);
        return;
      }
      const [before, made] = [await read(`${name}.png`), await read('drawn-with.json', 'utf8')];
      assert.ok(before, `no golden ${name}: run with HOTKV_UPDATE=1 and look at it`);
      if (made?.trim() !== machine) return t.diagnostic(`not compared: drawn with ${machine}, the golden with ${made}`);
      const [one, other] = [PNG.sync.read(before), PNG.sync.read(picture)];
      assert.deepEqual([other.width, other.height], [one.width, one.height], 'the size is another');
      const difference = new PNG({ width: one.width, height: one.height });
      const pixels = pixelmatch(one.data, other.data, difference.data, one.width, one.height, { threshold: COLOUR });
      if (pixels > PIXELS * one.width * one.height) {
        await mkdir(screenshots, { recursive: true });
        await writeFile(join(screenshots, `${name}-is.png`), picture);
        await writeFile(join(screenshots, `${name}-differs.png`), PNG.sync.write(difference));
        assert.fail(`${pixels} pixels differ: see e2e/screenshots/${name}-is.png and ${name}-differs.png`);
      }
    }));
}

for (const [state, language] of trees) {
  const name = `${state}-${language}.yml`;
  test(`what a screen reader gets of ${state} in ${language} is what was read and approved`, () =>
    withPage({ path: `?lang=${language}` }, async (page) => {
      await ready(page);
      await page.locator(`html[lang="${language}"]`).waitFor();
      await states[state](page);
      await allDrawn(page);
      await settled(page);
      const live = await page.locator('#live').textContent();
      const tree = `${await page.locator('body').ariaSnapshot()}\n# heard last: ${live.trim()}\n`;
      if (update) {
        await mkdir(goldens, { recursive: true });
        await writeFile(join(goldens, name), tree);
      }
      assert.equal(tree, await read(name, 'utf8'));
    }));
}
