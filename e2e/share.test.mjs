// Sharing: links that give back what was shared, links that are wrong, and what is copied from the sheet.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { log, ready, settled, shot, type, withPage } from './harness.mjs';

const { Playground } = createRequire(import.meta.url)('../pkg');

const clipboard = { context: { permissions: ['clipboard-read', 'clipboard-write'] } };

/** Opens the sheet and answers the link in it. */
async function share(page) {
  const before = await page.locator('#share-link').inputValue();
  await page.locator('#share').click();
  await page.waitForFunction((before) => document.querySelector('#share-link').value !== before, before);
  return page.locator('#share-link').inputValue();
}

const close = (page) => page.locator('#share-sheet button').first().click();

async function copied(page, form) {
  await page.locator(`#share-sheet [data-copy=${form}]`).click();
  await page.locator('#share-sheet [data-slot=done]').filter({ hasText: 'Copied.' }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

const banner = (page) => page.locator('#banner [data-failure]:visible');

// The longest session and twenty edits.
const EDITS = [
  'A> GET lock:stock', 'B> PTTL lock:stock', '+500ms', 'TOKEN', 'C> SET lock:stock tok-mine-1 NX PX 15000',
  'C> PEXPIRE lock:stock 20000 GT', '+3s', 'D> DEL lock:stock', 'A: pause', 'B> SET stock 41', 'DIGEST stock',
  'C> DELEX lock:stock IFEQ tok-mine-1', '+12s', 'A: resume', 'MULTI', 'INCR fence:stock', 'EXEC', 'GET stock:fence',
  'SET lock:other tok-mine-2 NX PX 30000', 'PEXPIRETIME lock:other',
];

test('twenty edits of the longest session fit into a link, which gives them back byte for byte', () =>
  withPage({ ...clipboard, path: '#v=1&s=late-writer' }, async (page, { url, context }) => {
    await ready(page);
    for (const line of EDITS) await type(page, line);
    await settled(page);
    const entries = await log(page);
    const link = await share(page);
    // As long as it is on a site with a name of the usual length.
    const length = link.length - new URL(url).origin.length + 'https://docs.example.com/hotkv/playground'.length;
    console.log(`a link of ${length} characters`);
    assert.ok(length <= 2_000, `${length}`);
    assert.equal(page.url(), link, 'the address is the link');
    const transcript = await copied(page, 'transcript');
    assert.ok(transcript.includes('tok-mine-2') && entries.length > 16);

    const other = await context.newPage();
    await other.goto(link);
    await ready(other);
    assert.deepEqual(await log(other), entries);
    await other.locator('#share').click();
    await other.waitForFunction(() => document.querySelector('#share-link').value !== '');
    assert.equal(await other.locator('#share-link').inputValue(), link, 'the same link again');
    assert.equal(await copied(other, 'transcript'), transcript);
    // What was added is told apart, and Reset takes it back.
    await close(other);
    await other.locator('#reset').click();
    await settled(other);
    assert.equal((await log(other)).length, 1);
    await other.close();
  }));

test('a session of the gallery is a short link, in the language of whoever opens it', () =>
  withPage({ path: '?lang=es#v=1&s=plain-del&t=15001' }, async (page, { url }) => {
    await ready(page);
    assert.equal(await page.locator('#scenario').inputValue(), 'plain-del');
    assert.equal(await page.locator('#clock-now').textContent(), '00:15,001');
    assert.equal(await page.locator('#steps-title').textContent(), 'Un DEL a secas');
    assert.equal(await share(page), url.replace('?lang=es', ''));
    // The address follows the choice of a session, without a step in the history.
    await close(page);
    const steps = await page.evaluate(() => history.length);
    await page.locator('#scenario').selectOption('digest');
    await page.waitForURL(/#v=1&s=digest$/);
    assert.equal(await page.evaluate(() => history.length), steps);
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('#scenario').inputValue(), 'digest');
  }));

test('a link that is followed in an open page opens there', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.evaluate(() => { location.hash = '#v=1&s=extend&t=1000'; });
    await page.waitForFunction(() => document.querySelector('#scenario').value === 'extend');
    // One that cannot be opened changes nothing.
    await page.evaluate(() => { location.hash = '#v=9&s=digest'; });
    await banner(page).waitFor();
    assert.equal(await banner(page).getAttribute('data-failure'), 'link-newer');
    assert.equal(await page.locator('#scenario').inputValue(), 'extend');
    await page.evaluate(() => { location.hash = '#v=1&s=digest'; });
    await banner(page).waitFor({ state: 'hidden' });
    await page.evaluate(() => { location.hash = '#console'; });
    await settled(page);
    assert.equal(await page.locator('#scenario').inputValue(), 'digest');
  }));

test('Back leads from a link to what stood there before it', () =>
  withPage({}, async (page) => {
    await ready(page);
    const shown = (id) => page.waitForFunction((id) => document.querySelector('#scenario').value === id, id);
    for (const id of ['extend', 'digest']) {
      await page.evaluate((id) => { location.hash = `#v=1&s=${id}`; }, id);
      await shown(id);
    }
    for (const id of ['extend', 'scheduled-jobs']) {
      await page.goBack({ waitUntil: 'commit' });
      await shown(id);
    }
  }));

const packed = (text) => deflateRawSync(text).toString('base64url');
const bomb = packed('A> PING\n'.repeat(12_000_000)); // 96 MB in 93 kB of characters
const small = packed('// '.repeat(4_000_000)); // 12 MB in 16 kB

for (const [what, hash, failure] of [
  ['a session that is not there', 'v=1&s=nothing', 'link-unknown'],
  ['a later version', 'v=2&s=digest', 'link-newer'],
  ['no version', 's=digest', 'link-damaged'],
  ['a text that was cut off', `v=1&s=digest&c=00000000&z=${packed('A> GET lock:x\n(nil)\n'.repeat(9)).slice(0, -9)}`, 'link-damaged'],
  ['a text that was changed', `v=1&s=digest&c=00000000&z=${packed('A> GET lock:x\n')}`, 'link-damaged'],
  ['what is no base64', 'v=1&c=00000000&z=%%%', 'link-damaged'],
  ['bytes that are no text', `v=1&c=00000000&z=${deflateRawSync(Buffer.from([255, 0, 254])).toString('base64url')}`, 'link-damaged'],
  ['a text larger than any session', `v=1&c=00000000&z=${small}`, 'link-long'],
  ['a link longer than any', `v=1&c=00000000&z=${bomb}`, 'link-long'],
  ['markup', 'v=1&s=<img src=x onerror=alert(1)>', 'link-unknown'],
]) {
  test(`a link with ${what} is told in a sentence, and the default session opens`, () =>
    withPage({ path: `#${hash}` }, async (page) => {
      await ready(page);
      assert.equal(await banner(page).getAttribute('data-failure'), failure);
      assert.equal(await page.locator('#scenario').inputValue(), 'scheduled-jobs');
      await page.locator('#banner-close').click();
      await type(page, 'PING');
      await settled(page);
      assert.equal((await log(page)).at(-1).reply, 'PONG');
    }));
}

test('a link that holds a minute of work does not hold the page up', () => {
  const text = `A> SETRANGE a 50000000 x\n${'A> DIGEST a SHA256\n'.repeat(200)}`;
  const playground = new Playground({});
  playground.exec(`SET text ${JSON.stringify(text)}`);
  const checksum = playground.exec('DIGEST text').slice(1, 9);
  return withPage({ path: `#v=1&t=9&c=${checksum}&z=${packed(text)}` }, async (page) => {
    await ready(page);
    const reached = await page.locator('#console-log > *').count();
    assert.ok(reached < 200, `${reached} lines were played before the page opened`);
    // Whoever types does not wait for the rest.
    await type(page, 'PING');
    await page.locator('#console-log [data-part=reply]', { hasText: 'PONG' }).waitFor();
    await settled(page);
    assert.equal((await log(page)).at(-1).reply, 'PONG');
  });
});

test('a session that no link can hold is told when it is shared, and can be copied all the same', () =>
  withPage({ ...clipboard }, async (page) => {
    await ready(page);
    await type(page, `SET a ${'x'.repeat(140_000)}`);
    await settled(page);
    await page.locator('#share').click();
    await page.locator('#share-sheet [data-slot=length]').filter({ hasText: 'too long for a link' }).waitFor();
    assert.equal(await page.locator('#share-link').inputValue(), '');
    assert.ok(await page.locator('#share-copy').isDisabled());
    assert.ok((await copied(page, 'transcript')).length > 140_000);
    await close(page);
    await page.locator('#undo').click();
    assert.match(await share(page), /#v=1&s=scheduled-jobs&t=2000$/);
    assert.ok(await page.locator('#share-copy').isEnabled());
  }));

test('the picture is an SVG file that stands by itself', () =>
  withPage({ ...clipboard }, async (page, { context }) => {
    await ready(page);
    const look = await context.newPage(); // with no policy of its own
    await page.bringToFront(); // a page behind another one is seldom drawn
    for (const scenario of await page.locator('#scenario option:not([hidden])').evaluateAll((all) => all.map((one) => one.value))) {
      await page.locator('#scenario').selectOption(scenario);
      await page.locator('#stage').focus();
      await page.keyboard.press('End');
      await type(page, 'A> SET "lock:<&>" "tok<&>\\x1b" NX PX 9000');
      await share(page);
      const svg = await copied(page, 'still');
      await close(page);
      const facts = await look.evaluate(async (svg) => {
        const document = new DOMParser().parseFromString(svg, 'image/svg+xml');
        const image = new Image();
        image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
        const box = (element) => ['x', 'y', 'width', 'height'].map((name) => Number(element.getAttribute(name) ?? 0));
        const [, , width, height] = document.documentElement.getAttribute('viewBox').split(' ').map(Number);
        const outside = [...document.querySelectorAll('rect, text')].filter((element) => {
          const [x, y, w, h] = box(element);
          return ![x, y, w, h].every(Number.isFinite) || x < -0.1 || y < -0.1 || x + w > width + 0.1 || y + h > height + 0.1;
        });
        return {
          wrong: document.querySelector('parsererror')?.textContent,
          size: await image.decode().then(() => [image.naturalWidth, image.naturalHeight], () => 'not drawn'),
          outside: outside.map((element) => element.outerHTML),
          active: document.querySelectorAll('script, foreignObject, image, [onload]').length,
          texts: [...document.querySelectorAll('text')].map((text) => text.textContent),
        };
      }, svg);
      assert.equal(facts.wrong, undefined, scenario);
      assert.deepEqual(facts.outside, [], scenario);
      assert.ok(facts.size[0] === 880 && facts.size[1] > 250, `${scenario}: ${facts.size}`);
      assert.equal(facts.active, 0);
      assert.ok(facts.texts.some((text) => text.includes('SET')), scenario);
      if (scenario === 'plain-del') {
        await look.setContent(`<body style="margin:0">${svg}`);
        await shot(look, 'still-light');
        await look.emulateMedia({ colorScheme: 'dark' });
        await shot(look, 'still-dark');
      }
    }
  }));

test('commands, diagram and code for a page of documentation are copied', () =>
  withPage({ ...clipboard, path: '#v=1&s=extend&t=3000' }, async (page, { url }) => {
    await ready(page);
    await page.locator('#embed').click();
    await page.locator('#share-sheet').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'embed-code');
    const folder = url.split('#')[0];
    assert.equal(
      await page.locator('#embed-code').inputValue(),
      `<script src="${folder}embed.js"></script>\n<hotkv-play scenario="extend" start-at="3s"></hotkv-play>\n`,
    );
    await page.locator('#embed-copy').click();
    await page.locator('#share-sheet [data-slot=done]').filter({ hasText: 'Copied.' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.locator('#embed-code').inputValue());
    assert.match(await copied(page, 'commands'), /^SET lock:/);
    assert.match(await copied(page, 'mermaid'), /^sequenceDiagram\n/);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'embed', 'the focus comes back');
  }));

test('without a clipboard everything can be copied by hand', () =>
  withPage({ prepare: (page) => page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined })) }, async (page) => {
    await ready(page);
    const link = await share(page);
    await page.locator('#share-copy').click();
    assert.equal(await page.locator('#by-hand-text').inputValue(), link);
  }));

test('embed.js stays small', async () => {
  const { gzipSync } = await import('node:zlib');
  const size = gzipSync(await readFile(new URL('../dist/embed.js', import.meta.url)), { level: 9 }).length;
  console.log(`embed.js: ${size} bytes`);
  assert.ok(size <= 6 * 1024, `${size}`);
});
