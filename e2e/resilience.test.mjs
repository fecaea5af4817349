// What the page lives through: an engine that fails, a page that is left and comes back, a tab that sleeps, storage that is
// denied, other tabs, no network. Failures are real where a browser can be brought to them, and thrown at the border of the
// WebAssembly module where it cannot.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { dist, launch, log, ready, settled, shot, type, withPage } from './harness.mjs';
import { around, heard, inside, told, visit, withFolder, withSite } from './hosts.mjs';
import { serve } from './server.mjs';

const banner = (page) => page.locator('#banner');
const said = (page) => page.locator('#banner [data-failure]:visible').getAttribute('data-failure');
const buttons = (page) => page.locator('#banner button:visible').evaluateAll((all) => all.map(({ id }) => id));
const now = (page) => page.evaluate(() => document.querySelector('#clock-now').textContent.replace(',', '.'));
const replies = async (page) => (await log(page)).map(({ reply }) => reply).filter((reply) => reply !== null);
const enter = async (page, line) => {
  await type(page, line);
  await settled(page);
};

/** All that the page shows, an element a line, and what its fields hold. */
const seen = (page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('header *, main, main *'), (element) => {
      const attributes = Array.from(element.attributes, ({ name, value }) => `${name}=${value}`).filter((one) => !/^(style|class)=$/.test(one));
      const texts = Array.from(element.childNodes).filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data.trim());
      return `${element.localName} ${attributes.sort().join(' ')} ${element.value ?? ''} ${element.checked ?? ''} ${texts.join(' ')}`;
    }));

/** A `prepare` that counts the calls of each engine, and throws `globalThis.failing()` from the next ones. */
const watched = (page) =>
  page.addInitScript(() => {
    const instantiate = WebAssembly.instantiate;
    globalThis.calls = [];
    WebAssembly.instantiate = async (module, imports) => {
      const instance = await instantiate(module, imports);
      const number = globalThis.calls.push(0) - 1;
      const wrap = (call) => (...words) => {
        globalThis.calls[number] += 1;
        const error = globalThis.failing?.(number);
        if (error !== undefined) throw error;
        return call(...words);
      };
      const all = Object.entries(instance.exports).map(([name, what]) => [name, /invoke|^mount$/.test(name) ? wrap(what) : what]);
      return { module, instance: { exports: Object.fromEntries(all) } };
    };
  });

const FAULTS = {
  'a panic': "panicked at src/player/mod.rs:1:1:\nindex out of bounds",
  'a trap': "new WebAssembly.RuntimeError('unreachable')",
  'no more stack': "new RangeError('Maximum call stack size exceeded')",
};
const fail = (page, name, from = 0) =>
  page.evaluate(([source, from]) => {
    const make = source.startsWith('new ') ? (/Range/.test(source) ? () => new RangeError('Maximum call stack size exceeded') : () => new WebAssembly.RuntimeError('unreachable')) : () => source;
    globalThis.failing = (number) => (number >= from ? make() : undefined);
  }, [FAULTS[name], from]);
const heal = (page) => page.evaluate(() => { globalThis.failing = undefined; });

const expected = [/unreachable|out of bounds|call stack|already borrowed/];

for (const name of Object.keys(FAULTS)) {
  test(`${name} leaves nothing that still reacts, and the session goes on in the same page`, () =>
    withPage({ prepare: watched, expected, context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async (page) => {
      await ready(page);
      await enter(page, 'A> SET mine tok-1 NX PX 7000');
      await enter(page, '+3s');
      const [shown, at] = [await replies(page), await now(page)];
      await page.evaluate(() => { globalThis.same = true; });
      await fail(page, name);
      await page.click('#step-back');
      await banner(page).waitFor();
      await heal(page);

      assert.equal(await said(page), 'panic');
      assert.deepEqual(await buttons(page), ['copy-transcript', 'restart']);
      assert.match(await page.innerText('#fault'), expected[0]);
      const calls = await page.evaluate(() => globalThis.calls);
      await page.locator('#play').dispatchEvent('click');
      assert.ok(await page.isDisabled('#console-input'));
      await page.setViewportSize({ width: 900, height: 700 });
      await page.selectOption('#language', 'es');
      await page.locator('html[lang=es]').waitFor();
      await settled(page);
      assert.deepEqual(await page.evaluate(() => globalThis.calls), calls, 'nobody calls it');
      assert.match(await page.innerText('#banner'), /El motor se detuvo.*Reiniciar desde aquí/s);
      await page.selectOption('#language', 'en');
      await page.locator('html[lang=en]').waitFor();

      await page.click('#copy-transcript');
      const copy = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(copy, /^# Worker A takes the lock\n[^]*A> SET mine tok-1 NX PX 7000\nOK\n\+3s\n/m);

      const requests = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.click('#restart');
      await banner(page).waitFor({ state: 'hidden' });
      await settled(page);
      assert.deepEqual([await replies(page), await now(page), await page.evaluate(() => globalThis.same)], [shown, at, true]);
      assert.deepEqual(requests.filter((url) => url.endsWith('.wasm')), [], 'its code is kept');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'stage');
      const drawn = await seen(page);
      await enter(page, 'A> PTTL mine');
      assert.equal((await replies(page)).at(-1), '(integer) 4000');
      assert.equal((await page.evaluate(() => globalThis.calls))[0], calls[0]);

      // It looked as a page does that opens with this session.
      await page.click('#undo');
      await page.reload();
      await ready(page);
      await settled(page);
      const fresh = await seen(page);
      assert.deepEqual(drawn.filter((line) => !fresh.includes(line)), []);
      assert.deepEqual(fresh.filter((line) => !drawn.includes(line)), []);
    }));
}

test('a session that brings the engine down again gives way to the first one, and can be copied all the while', () =>
  withPage({ prepare: watched, expected, path: '#v=1&s=payments', context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async (page) => {
    await ready(page);
    await enter(page, 'A> SET mine tok-1');
    await fail(page, 'a trap');
    await page.click('#step-back');
    await page.click('#restart');
    await page.locator('#restart-first:visible').waitFor();
    assert.deepEqual(await buttons(page), ['copy-transcript', 'restart-first']);
    await heal(page);
    await page.click('#copy-transcript');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /A> SET mine tok-1\nOK/);
    await page.click('#restart-first');
    await banner(page).waitFor({ state: 'hidden' });
    await settled(page);
    assert.equal(await page.inputValue('#scenario'), 'scheduled-jobs');
    assert.equal(new URL(page.url()).hash, '');
    await enter(page, 'PING');
    assert.equal((await replies(page)).at(-1), 'PONG');
  }));

test('an engine that fails at once says so too, and a link that is followed starts another', () =>
  withPage({ path: '#v=1&s=digest', expected, prepare: async (page) => {
    await watched(page);
    await page.addInitScript(() => { globalThis.failing = () => new WebAssembly.RuntimeError('unreachable'); });
  } }, async (page) => {
    await banner(page).waitFor();
    assert.deepEqual([await said(page), await buttons(page)], ['panic', ['restart-first']]);
    await heal(page);
    await page.evaluate(() => { location.hash = 'v=1&s=extend'; });
    await ready(page);
    assert.equal(await page.inputValue('#scenario'), 'extend');
    assert.ok(await banner(page).isHidden());
  }));

test('a panic of the engine itself is told in its own words', () =>
  withPage({ expected, context: { reducedMotion: 'no-preference' }, prepare: (page) => page.addInitScript(() => {
    // A browser that calls for the next frame while this one is drawn: no browser does, and the engine counts on that.
    const request = globalThis.requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = (call) => {
      globalThis.next = call;
      return request(call);
    };
  }) }, async (page) => {
    await ready(page);
    await enter(page, 'A> SET mine tok-1');
    await page.evaluate(() => {
      const clock = document.querySelector('#clock-now [data-slot=ms]');
      Object.defineProperty(clock, 'textContent', { set() { globalThis.next(performance.now()); } });
    });
    await page.click('#play');
    await banner(page).waitFor();
    assert.match(await page.innerText('#fault'), /^panicked at src\/web\/page\.rs:.*already borrowed/s);
    await page.evaluate(() => { delete document.querySelector('#clock-now [data-slot=ms]').textContent; });
    await page.click('#restart');
    await banner(page).waitFor({ state: 'hidden' });
    await enter(page, 'GET mine');
    assert.equal((await replies(page)).at(-1), '"tok-1"');
  }));

/** The module with no room for its memory to grow into but so many pages. */
function bounded(wasm, more) {
  const number = (at) => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = wasm[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return [value, at];
      shift += 7;
    }
  };
  const bytes = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...bytes(value >>> 7)]);
  for (let at = 8; ;) {
    const [length, start] = number(at + 1);
    if (wasm[at] !== 5) {
      at = start + length;
      continue;
    }
    assert.deepEqual([...wasm.subarray(start, start + 2)], [1, 0], 'one memory without a bound');
    const [least] = number(start + 2);
    const limits = [1, 1, ...bytes(least), ...bytes(least + more)];
    return Buffer.concat([wasm.subarray(0, at), Buffer.from([5, limits.length, ...limits]), wasm.subarray(start + length)]);
  }
}

test('where memory runs out the engine says so, or the page does, and goes on', () =>
  withFolder(async (folder) => {
    await cp(dist, folder, { recursive: true });
    const name = join(folder, readdirSync(folder).find((name) => name.endsWith('.wasm')));
    await writeFile(name, bounded(await readFile(name), 128)); // 8 MiB
    await withPage({ folder, expected }, async (page) => {
      await ready(page);
      await enter(page, 'A> SET mine tok-1');
      await type(page, 'SETRANGE large 30000000 x');
      await banner(page).waitFor();
      assert.deepEqual([await said(page), await buttons(page)], ['panic', ['copy-transcript', 'restart']]);
      await page.click('#restart');
      await banner(page).waitFor({ state: 'hidden' });
      await enter(page, 'GET mine');
      assert.equal((await replies(page)).at(-1), '"tok-1"');
    });
    // With all the memory that it may have, the engine itself refuses.
    await withPage({}, async (page) => {
      await ready(page);
      await enter(page, 'SETRANGE large 80000000 x');
      assert.match((await replies(page)).at(-1), /^\(error\) OOM /);
      assert.ok(await banner(page).isHidden());
    });
  }));

test('a host page is told of an engine that failed, and the frame goes on', () =>
  withSite({ 'index.html': around('<hotkv-play scenario="digest" loading="eager"></hotkv-play>') }, {}, (site) =>
    visit(site.url, { expected, prepare: watched }, async (page) => {
      await told(page, 'ready');
      const frame = await inside(page, 'hotkv-play');
      await frame.locator('#console-input:enabled').waitFor({ state: 'attached' });
      await frame.locator('body').evaluate(() => {
        globalThis.failing = () => new WebAssembly.RuntimeError('unreachable');
        document.querySelector('#step-forward').click();
        globalThis.failing = undefined;
      });
      await told(page, 'error');
      assert.match((await heard(page)).at(-1).message, /unreachable/);
      const refused = page.evaluate(() => document.querySelector('hotkv-play').exec('PING').catch(({ message }) => message));
      assert.match(await refused, /unreachable/);
      await frame.locator('#restart').click();
      await frame.locator('#banner').waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate(() => document.querySelector('hotkv-play').exec('PING')), 'PONG');
    })));

// ---- The page goes and comes back ----

test('a page that is left and come back to is the same one, and its clock has stood', async () => {
  // Playwright turns off what is tested here.
  const own = await launch({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  const site = await serve(dist, { headers: { 'cache-control': 'max-age=600' } });
  try {
    const page = await own.newPage();
    await page.goto(site.url);
    await ready(page);
    await enter(page, 'A> SET mine tok-1');
    await page.click('#play');
    await page.evaluate(() => {
      globalThis.same = true;
      addEventListener('pageshow', ({ persisted }) => { globalThis.persisted = persisted; });
    });
    await page.goto(`${site.url}licenses.txt`);
    await page.goBack({ waitUntil: 'commit' });
    await page.waitForFunction(() => globalThis.persisted !== undefined);
    console.log(await page.evaluate(() => [globalThis.same, globalThis.persisted, JSON.stringify(performance.getEntriesByType('navigation')[0].notRestoredReasons)]));
  } finally {
    await own.close();
    await site.close();
  }
});
