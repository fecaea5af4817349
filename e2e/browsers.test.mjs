// Browsers that lack what the page needs: a sentence says so, in the language of the reader, and the steps can be read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ready, settled, withPage } from './harness.mjs';

const sentences = {
  en: /^This browser is too old for the playground, which needs Chromium \d+, Firefox \d+, Safari [\d.]+ or a newer one\. The steps can still be read\.$/,
  es: /^Este navegador es demasiado antiguo para el playground/,
  'pt-BR': /^Este navegador é antigo demais para o playground/,
};

/** Looks at a page that its browser is too old for. */
async function isTold(page, language) {
  const sentence = page.locator('#banner [data-failure]:visible');
  await sentence.filter({ hasText: sentences[language] }).waitFor();
  assert.equal(await sentence.count(), 1);
  assert.equal(await page.locator('#banner button:visible').count(), 0, 'loading again does not help');
  assert.ok(await page.locator('#steps').getByText('Worker B is refused').isVisible());
  assert.ok(await page.locator('#console-input').isDisabled());
}

/** A `prepare` that takes something away. */
const without = (take) => (page) => page.addInitScript(take);

for (const [name, take] of [
  ['Array.prototype.at', () => { delete Array.prototype.at; }],
  ['DecompressionStream', () => { delete globalThis.DecompressionStream; }],
  ['dialogs', () => { delete globalThis.HTMLDialogElement; }],
  ['Promise.allSettled', () => { delete Promise.allSettled; }],
  ['ResizeObserver', () => { delete globalThis.ResizeObserver; }],
  ['String.prototype.replaceAll', () => { delete String.prototype.replaceAll; }],
  ['CSS.supports', () => { delete CSS.supports; }],
  ['anything of this decade', () => {
    delete Array.prototype.at; delete Promise.allSettled; delete globalThis.ResizeObserver; delete globalThis.CSS; delete globalThis.WebAssembly;
  }],
  ...['light-dark', 'inline-size', 'color-mix'].map((value) => [
    value, { content: `{ const { supports } = CSS; CSS.supports = (name, asked) => !asked.startsWith('${value}') && supports.call(CSS, name, asked); }` },
  ]),
]) {
  test(`a browser without ${name} gets a sentence, and does not start`, () =>
    withPage({ prepare: without(take) }, (page) => isTold(page, 'en')));
}

for (const [name, options, language] of [
  ['the language of the browser', { context: { locale: 'es-MX' } }, 'es'],
  ['another language of the browser', { context: { locale: 'pt-PT' } }, 'pt-BR'],
  ['the language of the address', { path: '?x&lang=pt_BR', context: { locale: 'es-MX' } }, 'pt-BR'],
  ['English, when nobody speaks the reader\'s', { context: { locale: 'de-DE' } }, 'en'],
]) {
  test(`the sentence comes in ${name}`, () =>
    withPage({ ...options, prepare: without(() => { delete Promise.allSettled; }) }, (page) => isTold(page, language)));
}

test('the sentence comes in English when the texts do not come', () =>
  withPage({ context: { locale: 'es-MX' }, wrong: [[/es\.json$/, 404]], failOnConsole: false, prepare: without(() => { delete Promise.allSettled; }) }, async (page) => {
    await page.waitForLoadState('networkidle');
    await isTold(page, 'en');
  }));

test('the sentence does not need the script that the browser cannot read', () =>
  // Another text in its place is refused as one that cannot be read would be: nothing of it runs.
  withPage({ failOnConsole: false, prepare: async (page) => {
    await page.addInitScript(() => { delete Promise.allSettled; });
    await page.route(/boot-.*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: 'let x = ?;' }));
  } }, (page) => isTold(page, 'en')));

test('a browser that has it all sees none of this', () =>
  withPage({}, async (page) => {
    await ready(page);
    await settled(page);
    assert.ok(await page.locator('[data-failure=old]').isHidden());
    assert.equal(await page.getAttribute('html', 'data-old'), null);
  }));
