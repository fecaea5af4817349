// What the page lives through: an engine that fails, a page that is left and comes back, a tab that sleeps, storage that is
// denied, other tabs, no network. Failures are real where a browser can be brought to them, and thrown at the border of the
// WebAssembly module where it cannot.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { dist, launch, log, paste, ready, settled, shot, type, whole, withPage } from './harness.mjs';
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

/** Waits until another engine runs in place of one that failed. */
async function revived(page) {
  await ready(page);
  assert.ok(await banner(page).isHidden());
}

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
        const error = globalThis.failing?.();
        if (error !== undefined) throw error;
        return call(...words);
      };
      const all = Object.entries(instance.exports).map(([name, what]) => [name, /invoke|^mount$/.test(name) ? wrap(what) : what]);
      return { module, instance: { exports: Object.fromEntries(all) } };
    };
  });

const FAULTS = ['a panic', 'a trap', 'no more stack'];
const fail = (page, name) =>
  page.evaluate((name) => {
    globalThis.failing = () => ({
      'a panic': 'panicked at src/player/mod.rs:1:1:\nindex out of bounds',
      'a trap': new WebAssembly.RuntimeError('unreachable'),
      'no more stack': new RangeError('Maximum call stack size exceeded'),
    })[name];
  }, name);
const heal = (page) => page.evaluate(() => { globalThis.failing = undefined; });

const expected = [/unreachable|out of bounds|call stack|already borrowed/];

for (const name of FAULTS) {
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
      await revived(page);
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
    await revived(page);
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
    await revived(page);
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
    const name = join(folder, readdirSync(folder).find((name) => name.endsWith('_bg.wasm')));
    await writeFile(name, bounded(await readFile(name), 128)); // 8 MiB
    await withPage({ folder, expected }, async (page) => {
      await ready(page);
      await enter(page, 'A> SET mine tok-1');
      await type(page, 'SETRANGE large 30000000 x');
      await banner(page).waitFor();
      assert.deepEqual([await said(page), await buttons(page)], ['panic', ['copy-transcript', 'restart']]);
      await page.click('#restart');
      await revived(page);
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
      await frame.locator('#console-input:enabled').waitFor({ state: 'attached' });
      assert.ok(await frame.locator('#banner').isHidden());
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
      const seconds = () => Number(document.querySelector('#clock-now').textContent.split(':')[1]);
      addEventListener('pagehide', () => { globalThis.left = seconds(); });
      addEventListener('pageshow', ({ persisted }) => {
        const gone = seconds() - globalThis.left;
        globalThis.back = [persisted, gone >= 0 && gone < 1];
      });
    });
    await page.goto(`${site.url}licenses.txt`);
    await page.goBack({ waitUntil: 'commit' });
    assert.deepEqual(await (await page.waitForFunction(() => globalThis.back)).jsonValue(), [true, true], 'kept whole, and at the same instant');
    // It plays on.
    const there = await now(page);
    await page.waitForFunction((there) => document.querySelector('#clock-now').textContent !== there, there);
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
    await page.click('#play');
    await enter(page, 'GET mine');
    assert.equal((await replies(page)).at(-1), '"tok-1"');
  } finally {
    await own.close();
    await site.close();
  }
});

test('a tab that slept goes on from where it was, whatever the clocks say', () =>
  withPage({ prepare: (page) => page.clock.install({ time: '2026-03-29T00:59:00Z' }), context: { reducedMotion: 'no-preference' } }, async (page) => {
    await ready(page);
    await page.check('input[name=speed][value="10"]', { force: true });
    await page.clock.pauseAt('2026-03-29T01:00:00Z');
    await page.click('#play');
    await page.clock.runFor(500);
    const before = Number((await now(page)).split(':')[1]);
    assert.ok(before > 5, `it plays: ${before}`);
    // No frame for an hour, as with a hidden tab or a lid that is closed; then one whose time is an hour later.
    await page.clock.fastForward('01:00:00');
    await page.clock.runFor(32);
    const after = Number((await now(page)).split(':')[1]);
    assert.ok(after >= before && after < before + 1, `${before}, then ${after}`);
    // Somebody sets the computer's clock.
    for (const time of ['2025-01-01T00:00:00Z', '2040-01-01T00:00:00Z']) await page.clock.setSystemTime(time);
    await page.clock.runFor(100);
    const last = Number((await now(page)).split(':')[1]);
    assert.ok(last > after && last < after + 2, `${after}, then ${last}`);
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
  }));

// ---- What the browser denies ----

/** A `prepare` under which all that keeps things throws when it is named. */
const denied = (page) =>
  page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
    }
    Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => undefined });
  });

test('without any storage everything works, and nothing is kept', () =>
  withPage({ prepare: denied }, async (page) => {
    await ready(page);
    await page.selectOption('#theme', 'dark');
    await page.selectOption('#language', 'es');
    await page.locator('html[lang=es]').waitFor();
    await page.selectOption('#scenario', 'digest');
    await enter(page, 'PING');
    assert.equal((await replies(page)).at(-1), 'PONG');
    await page.reload();
    await ready(page);
    await settled(page);
    assert.ok(!(await replies(page)).includes('PONG'));
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.ok(await banner(page).isHidden());
  }));

const SANDBOX = { 'index.html': around('<iframe sandbox="allow-scripts" width="1000" height="900" src="play/index.html?embed&lang=es#v=1&s=digest"></iframe>', { head: '' }) };

test('in a sandbox without an origin, where the host keeps its files to itself, a sentence says what is missing', () =>
  withSite(SANDBOX, {}, (site) =>
    visit(site.url, { expected: [/./] }, async (page) => {
      const frame = page.frameLocator('iframe');
      await frame.locator('#banner [data-failure=download]').waitFor();
      assert.notEqual(await frame.locator('.top').evaluate((top) => getComputedStyle(top).display), 'block', 'it has its styles');
      assert.ok(await frame.getByText('Worker A takes the lock').isVisible());
    })));

test('in a sandbox without an origin everything works where the host lets anybody have its files', () =>
  withSite(SANDBOX, { headers: { 'access-control-allow-origin': '*' } }, (site) =>
      visit(site.url, {}, async (page) => {
        const frame = page.frameLocator('iframe');
        await frame.locator('html[lang=es]').waitFor();
        await frame.locator('#console-input:enabled').waitFor({ state: 'attached' });
        await frame.locator('#step-forward').click();
        assert.equal(await frame.locator('html').evaluate(() => origin), 'null');
        assert.ok(await frame.locator('#banner').isHidden());
      })));

test('two tabs keep what each was told: the choice made last, and the lines of both', () =>
  withPage({}, async (page, { url, context }) => {
    await ready(page);
    const other = await context.newPage();
    await other.goto(url);
    await ready(other);
    await enter(page, 'GET first');
    await other.selectOption('#theme', 'dark');
    await enter(other, 'GET second');
    await enter(page, 'GET third');
    const third = await context.newPage();
    await third.goto(url);
    await ready(third);
    await settled(third);
    assert.equal(await third.getAttribute('html', 'data-theme'), 'dark', 'a line sent elsewhere does not take the choice back');
    const walked = [];
    for (let count = 0; count < 3; count += 1) {
      await third.press('#console-input', 'ArrowUp');
      walked.push(await third.inputValue('#console-input'));
    }
    assert.deepEqual(walked, ['GET third', 'GET second', 'GET first']);
    // What somebody else garbled goes for nothing.
    await page.evaluate(() => localStorage.setItem('hotkv.history', '{"not": ["lines"'));
    await enter(page, 'GET fourth');
    assert.equal(await page.evaluate(() => localStorage.getItem('hotkv.history')), '["GET fourth"]');
  }));

test('without a network all goes on, but for a language that is not there, which is said', () =>
  withPage({ expected: [/ERR_INTERNET_DISCONNECTED|Failed to fetch/], prepare: watched }, async (page, { context }) => {
    await ready(page);
    await page.selectOption('#language', 'pt-BR');
    await page.locator('html[lang=pt-BR]').waitFor();
    await whole(page);
    await context.setOffline(true);
    await page.selectOption('#scenario', 'payments');
    await enter(page, 'PING');
    assert.equal((await replies(page)).at(-1), 'PONG');
    await page.click('#share');
    await page.waitForFunction(() => document.querySelector('#share-link').value.includes('z='));
    await page.keyboard.press('Escape');
    await page.selectOption('#language', 'es');
    await page.locator('#banner [data-failure=language]:visible').waitFor();
    assert.match(await page.innerText('#banner'), /^Os textos desse idioma não chegaram/);
    assert.equal(await page.inputValue('#language'), 'pt-BR');
    await page.selectOption('#language', 'en');
    await page.locator('html[lang=en]').waitFor();
    assert.ok(await banner(page).isHidden());
  }));

test('an engine that fails without a network starts again from what the browser keeps, or it is said', async () => {
  for (const [kept, restarts] of [['max-age=600', true], ['no-store', false]]) {
    await withPage({ expected: [/unreachable|ERR_INTERNET_DISCONNECTED|Failed to fetch/], prepare: watched, headers: { 'cache-control': kept } }, async (page, { context }) => {
      await ready(page);
      await enter(page, 'A> SET mine tok-1');
      await whole(page);
      await context.setOffline(true);
      await fail(page, 'a trap');
      await page.click('#step-back');
      await banner(page).waitFor();
      await heal(page);
      await page.click('#restart');
      if (!restarts) {
        await page.locator('#banner [data-failure=download]:visible').waitFor();
        assert.deepEqual(await buttons(page), ['copy-transcript', 'restart', 'retry']);
        await context.setOffline(false);
        await page.click('#restart');
      }
      await revived(page);
      await enter(page, 'GET mine');
      assert.equal((await replies(page)).at(-1), '"tok-1"');
    });
  }
});

// ---- What the reader made ----

test('another session, or a link, leaves what the reader made where Undo finds it', () =>
  withPage({ path: '#v=1&s=payments' }, async (page) => {
    await ready(page);
    await enter(page, 'A> SET mine tok-1');
    await enter(page, '+3s');
    const made = [await log(page), await now(page)];
    await page.selectOption('#scenario', 'digest');
    await settled(page);
    assert.match(await page.innerText('#edited'), /^Your edited session is kept\. Undo brings it back\./);
    assert.equal((await log(page)).at(-1).note, 'Your edited session is kept. Undo brings it back.');
    await page.evaluate(() => { location.hash = 'v=1&s=extend'; });
    await page.waitForFunction(() => document.querySelector('#scenario').value === 'extend');
    await enter(page, 'PING');
    // First its own line, then the session before.
    await page.click('#undo');
    await settled(page);
    assert.equal(await page.inputValue('#scenario'), 'extend');
    await page.click('#undo');
    await settled(page);
    assert.equal(await page.inputValue('#scenario'), 'payments');
    assert.equal(new URL(page.url()).hash, '#v=1&s=payments');
    assert.deepEqual([await log(page), await now(page)], made);
    await page.click('#undo');
    await page.click('#undo');
    await settled(page);
    assert.ok(await page.isHidden('#edited'));
  }));

test('a tab that is loaded anew has its session as it was left, and an address that is opened anew has its own', () =>
  withPage({ path: '#v=1&s=payments' }, async (page, { url, context }) => {
    await ready(page);
    await enter(page, 'A> SET mine tok-1');
    await enter(page, '+3s');
    await page.click('#step-back');
    await settled(page);
    const left = [await replies(page), await now(page)];
    await page.reload();
    await ready(page);
    await settled(page);
    assert.deepEqual([await replies(page), await now(page)], left);
    assert.equal(await page.innerText('#edited [data-slot=text]'), '2 lines added by you');
    // Another tab knows nothing of it, and the same address gone to in this one begins anew.
    const other = await context.newPage();
    await other.goto(url);
    await ready(other);
    assert.ok(await other.isHidden('#edited'));
    await page.goto('about:blank');
    await page.goto(url);
    await ready(page);
    await settled(page);
    assert.ok(await page.isHidden('#edited'));
    // Another link in the same tab is another address.
    await enter(page, 'A> SET mine tok-2');
    await page.goto(url.replace('payments', 'extend'));
    await page.waitForFunction(() => document.querySelector('#scenario').value === 'extend');
    await page.reload();
    await ready(page);
    assert.equal(await page.inputValue('#scenario'), 'extend');
    assert.ok(!(await replies(page)).includes('"tok-2"'));
  }));

test('a tab that is left again before its engine has come still has its session', () =>
  withPage({}, async (page) => {
    await ready(page);
    await enter(page, 'A> SET mine tok-1');
    await settled(page);
    await page.route(/_bg\.wasm$/, () => {}); // it never comes
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => document.readyState !== 'loading');
    await page.unroute(/_bg\.wasm$/);
    await page.reload();
    await ready(page);
    await settled(page);
    assert.equal(await page.innerText('#edited [data-slot=text]'), '1 line added by you');
  }));

test('a link that is followed before the engine has come is gone to', () => {
  let comes;
  const held = new Promise((resolve) => { comes = resolve; });
  const prepare = (page) => page.route(/_bg\.wasm$/, async (route) => { await held; await route.continue(); });
  return withPage({ path: '#v=1&s=plain-del', prepare }, async (page) => {
    await page.evaluate(() => { location.hash = 'v=1&s=extend'; });
    // What does nothing yet cannot be chosen.
    assert.ok(await page.isDisabled('#pause-at-steps'));
    comes();
    await ready(page);
    await page.waitForFunction(() => document.querySelector('#scenario').value === 'extend');
    assert.ok(await page.isEnabled('#pause-at-steps'));
  });
});

test('a session longer than any link is left and restored all the same', () =>
  withPage({}, async (page) => {
    await ready(page);
    for (const part of [1, 2]) await paste(page, Array.from({ length: 1_500 }, (_, line) => `A> SET key:${part} ${line}`).join('\n'));
    await settled(page);
    await page.reload();
    await ready(page);
    await page.waitForFunction(() => document.querySelector('#edited [data-slot=text]').textContent.startsWith('3000 '));
    await enter(page, 'GET key:2');
    assert.equal((await replies(page)).at(-1), '"1499"');
    assert.ok(await banner(page).isHidden());
  }));

for (const [width, height] of [[1280, 800], [640, 800], [390, 844]]) {
  for (const theme of ['light', 'dark']) {
    test(`the banner of an engine that failed fits ${width} pixels, ${theme}`, () =>
      withPage({ width, height, theme, prepare: watched, expected, path: '?lang=pt-BR' }, async (page) => {
        await ready(page);
        await settled(page);
        await page.evaluate(() => { globalThis.failing = () => 'panicked at src/player/mod.rs:1234:56:\nindex out of bounds: the len is 12 but the index is 12'; });
        await page.locator('#step-back').dispatchEvent('click');
        await banner(page).waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await shot(page, `fault-${width}-${theme}`);
      }));
  }
}
