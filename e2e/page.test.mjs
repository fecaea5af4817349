// The playground on the release build, used as a person does: steps, clock, console, seeking, and what is said when the
// engine does not come.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { log, ready, settled, shifted, shot, type, watchShifts, withPage } from './harness.mjs';

const text = (page, id) => page.locator(`#${id}`).textContent();
const replies = async (page) => (await log(page)).map((entry) => entry.reply).filter(Boolean);

/** Does something and waits for the page to show it. */
async function then(page, action) {
  await action;
  await settled(page);
}

const click = (page, selector) => then(page, page.click(selector));
const enter = (page, line) => then(page, type(page, line));

test('opens paused with the first step done, and nothing moves when the engine comes', () =>
  withPage({ prepare: watchShifts }, async (page) => {
    await ready(page);
    await settled(page);
    assert.equal(await text(page, 'clock-now'), '00:02.000');
    assert.equal(await text(page, 'lock-name'), 'lock:billing-run');
    assert.equal(await text(page, 'lock-holder'), 'Worker A');
    assert.equal(await text(page, 'lock-token'), 'tok-a81f');
    assert.equal(await text(page, 'lock-ttl'), '30.000 s');
    assert.deepEqual(await replies(page), ['OK']);
    assert.equal(await page.getAttribute('[data-step="1"]', 'aria-current'), 'step');
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'Play');
    assert.ok(await page.getByText('Simulated time', { exact: true }).first().isVisible());
    const moved = await shifted(page);
    assert.ok(moved <= 0.05, `layout shifted by ${moved}`);
  }));

for (const path of ['#v=1&s=fleet', '#v=1&s=late-writer', '?lang=pt-BR', '?lang=es#v=1&s=extend', '?embed&lang=es']) {
  for (const width of [1280, 640, 390]) {
    test(`nor does anything when another session comes, or another language: ${path} at ${width}`, () =>
      withPage({
        path,
        width,
        prepare: async (page) => {
          await watchShifts(page);
          // The engine comes after the page was seen, and the texts before it.
          await page.route(/\.wasm/, async (route) => {
            await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
            await route.continue();
          });
        },
      }, async (page) => {
        await ready(page);
        await settled(page);
        assert.ok(await page.locator('#stage').isVisible(), 'it is shown then');
        const moved = await shifted(page);
        assert.ok(moved <= 0.05, `layout shifted by ${moved}`);
      }));
  }
}

test('what cannot come to be shows the page as it is', () =>
  withPage({ path: '?lang=es#v=1&s=fleet', wrong: [[/_bg\.wasm$/, 404], [/es\.json$/, 404]], failOnConsole: false }, async (page) => {
    await page.locator('#banner').waitFor();
    assert.ok(await page.locator('#stage').isVisible());
    assert.ok(await page.locator('.top').isVisible());
    assert.ok(await page.locator('#skip').isHidden(), 'there is nothing to skip to');
  }));

test('the five steps give the five replies', () =>
  withPage({}, async (page) => {
    await ready(page);
    const expected = ['OK', '(nil)', '(integer) 18000', '(integer) 1', 'OK', '(integer) 0'];
    for (const [step, count] of [[1, 1], [2, 2], [3, 3], [4, 4], [5, 6]]) {
      await click(page, `[data-step="${step}"]`);
      assert.deepEqual(await replies(page), expected.slice(0, count), `after step ${step}`);
      assert.equal(await page.getAttribute(`[data-step="${step}"]`, 'aria-current'), 'step');
    }
    assert.equal(await text(page, 'lock-holder'), 'Worker B');
    await click(page, '[data-step="6"]');
    assert.equal(await text(page, 'lock-token'), 'tok-c3d9');
    const notes = async () => (await log(page)).map((entry) => entry.note).filter(Boolean);
    assert.deepEqual(await notes(), [
      'Refused: A holds the lock, for another 27.000 s at most.',
      'The value is not the one that was named: B has held the lock since 24.000 s. Nothing was deleted, and trying again will not help.',
      'lock:billing-run expired. B did not release it.',
    ]);
    // Without the coach there is only what happened.
    await click(page, '#coach');
    assert.deepEqual(await notes(), ['lock:billing-run expired. B did not release it.']);
  }));

test('a worker is paused and crashed by hand', () =>
  withPage({}, async (page) => {
    await ready(page);
    const lane = '[data-client="A"]';
    await click(page, `${lane} [data-act="pause"]`);
    await page.locator(`${lane} [data-slot="state"]`, { hasText: 'paused' }).waitFor();
    await click(page, '#advance-30s');
    await click(page, '#advance-1s');
    await page.locator(`${lane} [data-slot="state"]`, { hasText: 'paused, lock lost' }).waitFor();
    await click(page, `${lane} [data-act="resume"]`);
    await click(page, `${lane} [data-act="crash"]`);
    await page.locator(`${lane} [data-slot="state"]`, { hasText: 'crashed' }).waitFor();
    assert.deepEqual((await log(page)).slice(-3).map((entry) => entry.command).filter(Boolean).slice(-2), ['resume', 'crash']);
    await click(page, '#reset');
    await page.locator(`${lane} [data-slot="state"]`, { hasText: 'working' }).waitFor();
  }));

test('a question leads to its story', () =>
  withPage({}, async (page) => {
    await ready(page);
    await click(page, '#why details:nth-of-type(2) summary');
    await click(page, '[data-scenario="extend"]');
    await page.locator('#steps-title', { hasText: 'Extend while working' }).waitFor();
    assert.equal(await page.inputValue('#scenario'), 'extend');
  }));

test('every story plays to its end in the browser', () =>
  withPage({}, async (page) => {
    await ready(page);
    const options = (all) => all.map((option) => [option.value, option.textContent]);
    const stories = await page.$$eval('#scenario option:not([hidden])', options);
    assert.equal(stories.length, 10);
    for (const [story, title] of stories) {
      await page.selectOption('#scenario', story);
      await page.locator('#steps-title', { hasText: title }).waitFor();
      const count = await page.locator('#steps [data-step]').count();
      for (let step = 1; step <= count; step += 1) await click(page, `[data-step="${step}"]`);
      assert.equal(await page.locator('.differs-tag:visible').count(), 0, story);
      assert.equal(await page.locator('#steps li.done').count(), count, story);
    }
  }));

test('at its deadline the lock is held; a second later it changes hands', () =>
  withPage({}, async (page) => {
    await ready(page);
    await click(page, '#advance-30s');
    assert.equal(await text(page, 'lock-ttl'), '0.000 s');
    await enter(page, 'B> SET lock:billing-run tok-b22c NX PX 30000');
    assert.equal((await replies(page)).at(-1), '(nil)');
    await click(page, '#advance-1s');
    assert.equal(await text(page, 'lock-holder'), 'free');
    await enter(page, 'B> SET lock:billing-run tok-b22c NX PX 30000');
    assert.equal((await replies(page)).at(-1), 'OK');
    assert.equal(await text(page, 'lock-holder'), 'Worker B');
    await click(page, '#reset');
    assert.deepEqual(await replies(page), ['OK']);
  }));

test('seeking back and forward gives the same bytes', () =>
  withPage({}, async (page) => {
    await ready(page);
    await enter(page, '+12s');
    await enter(page, 'hotkv> GET lock:billing-run');
    // Every element with its attributes, in the order of their names: the order in which they were set says nothing.
    const everything = () => page.evaluate(() => {
      const tell = (element) => [
        element.tagName,
        ...[...element.attributes].map(({ name, value }) => `${name}=${value}`).sort(),
        element.value,
        ...[...element.childNodes].flatMap((node) => (node.nodeType === Node.ELEMENT_NODE ? tell(node) : node.textContent)),
      ];
      return ['stage', 'steps', 'console-log'].flatMap((id) => tell(document.getElementById(id))).join('\n');
    });
    const seek = (ms) => then(page, page.locator('#scrubber').fill(String(ms)));
    const at = async (ms) => {
      await seek(ms);
      return everything();
    };
    const [early, late] = [await at(10_000), await at(60_000)];
    assert.notEqual(early, late);
    assert.equal(await at(10_000), early);
    assert.equal(await at(60_000), late);
    await click(page, '#step-back');
    await seek(0);
    assert.equal(await at(60_000), late);
  }));

test('playing runs the session to its end, and stepping moves along it', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.check('#speed input[value="100"]');
    await click(page, '#play');
    await page.locator('#play[aria-label="Run on"]').waitFor();
    assert.equal(await text(page, 'clock-now'), '00:56.000');
    const all = await replies(page);
    assert.deepEqual(all, ['OK', '(nil)', '(integer) 18000', '(integer) 1', 'OK', '(integer) 0', 'OK']);
    await click(page, '#step-back');
    assert.equal(await text(page, 'clock-now'), '00:54.001');
    await click(page, '#step-forward');
    assert.deepEqual(await replies(page), all);
    await click(page, '#next-expiry');
    assert.equal(await text(page, 'clock-now'), '01:26.001');
    assert.equal(await text(page, 'lock-holder'), 'free');
    assert.equal(await page.getAttribute('#next-expiry', 'aria-disabled'), 'true');
  }));

test('the console has history, prompts, clock moves and clear errors', () =>
  withPage({}, async (page) => {
    await ready(page);
    await enter(page, 'B>');
    assert.equal(await text(page, 'console-prompt'), 'B>');
    assert.ok(await page.locator('#client input[value=B]').isChecked());
    await enter(page, 'GET lock:billing-run');
    assert.equal((await replies(page)).at(-1), '"tok-a81f"');
    await page.press('#console-input', 'ArrowUp');
    assert.equal(await page.inputValue('#console-input'), 'GET lock:billing-run');
    await page.press('#console-input', 'ArrowUp');
    assert.equal(await page.inputValue('#console-input'), 'B>');
    await page.press('#console-input', 'ArrowDown');
    await page.press('#console-input', 'ArrowDown');
    assert.equal(await page.inputValue('#console-input'), '');
    const held = await text(page, 'lock-ttl');
    for (const [line, reply] of [
      ['GET "x', '(error) Invalid argument(s): a quote is not closed, or text follows it directly'],
      ['GET', "(error) ERR wrong number of arguments for 'get' command"],
      ['-5s', '(error) the clock never runs backwards'],
      ['+soon', '(error) a clock move is written +500ms, +12s, +2m, +1h or +1d, and its milliseconds fit in 64 bits'],
      ['+9223372036854775807', '(error) the clock cannot hold that time'],
    ]) {
      await enter(page, line);
      assert.equal((await replies(page)).at(-1), reply);
      assert.equal(await text(page, 'lock-ttl'), held);
    }
    // Ten megabytes are put there at once: typed by the tool that drives the page, they take many seconds.
    await then(page, page.locator('#console-input').evaluate((input) => {
      input.value = 'x'.repeat(10 * 1024 * 1024);
      input.form.requestSubmit();
    }));
    assert.equal((await replies(page)).at(-1), '(error) The line has 10485760 bytes; at most 4194304 are read');
    assert.equal(await text(page, 'lock-ttl'), held);
    await enter(page, 'SUBSCRIBE news');
    assert.match((await log(page)).at(-1).note, /^This playground has strings, keys, expiry and transactions/);
    await page.press('#console-input', 'Control+l');
    await settled(page);
    assert.deepEqual(await log(page), []);
  }));

test('a pasted transcript plays, and a pasted line is only a line', () =>
  withPage({}, async (page) => {
    await ready(page);
    const paste = (content) => then(page, page.locator('#console-input').evaluate((input, content) => {
      const data = new DataTransfer();
      data.setData('text', content);
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, content));
    await paste('+40s\nC> SET lock:billing-run tok-c NX PX 5000\nOK\n');
    assert.equal((await replies(page)).at(-1), 'OK');
    assert.equal(await text(page, 'lock-holder'), 'Worker C');
    await paste('PING');
    assert.equal(await text(page, 'lock-holder'), 'Worker C');
    assert.equal((await log(page)).at(-1).command, 'SET lock:billing-run tok-c NX PX 5000');
  }));

test('the keyboard alone is enough', () =>
  withPage({}, async (page) => {
    await ready(page);
    await page.focus('#scrubber');
    const press = (key) => then(page, page.keyboard.press(key));
    for (const [key, clock] of [
      ['ArrowRight', '00:05.000'], ['ArrowRight', '00:14.000'], ['ArrowLeft', '00:05.000'], ['Shift+ArrowRight', '00:06.000'],
      ['4', '00:20.000'], ['Home', '00:00.000'], ['End', '00:56.000'], ['1', '00:02.000'], ['e', '00:32.001'], ['f', '01:02.001'],
    ]) {
      await press(key);
      assert.equal(await text(page, 'clock-now'), clock, key);
    }
    await press(' ');
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
    await press(' ');
    // The console takes its own keys, and Tab leaves it.
    await page.focus('#console-input');
    await page.keyboard.type('1');
    assert.equal(await page.inputValue('#console-input'), '1');
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => document.activeElement.id), 'console-input');
  }));

test('the theme is kept, and the same page comes back after a reload', () =>
  withPage({}, async (page) => {
    await ready(page);
    await then(page, page.selectOption('#theme', 'dark'));
    await enter(page, 'PING');
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    // What is still on its way when the page is loaded anew would count as failed.
    await page.waitForLoadState('networkidle');
    await page.reload();
    await ready(page);
    await settled(page);
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    await page.press('#console-input', 'ArrowUp');
    assert.equal(await page.inputValue('#console-input'), 'PING');
    assert.deepEqual(await replies(page), ['OK', 'PONG']);
  }));

test('storage that is denied changes nothing else', () =>
  withPage({ prepare: (page) => page.addInitScript(() => {
    Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });
  }) }, async (page) => {
    await ready(page);
    await enter(page, 'PING');
    assert.equal((await replies(page)).at(-1), 'PONG');
  }));

const failure = (page, kind) => page.locator(`#banner [data-failure=${kind}]`);
const anything = [/./];

for (const [name, options, kind] of [
  ['an engine that is not there', { wrong: [[/\.wasm$/, 404]] }, 'download'],
  ['an engine whose server fails', { wrong: [[/\.wasm$/, 500]] }, 'download'],
  ['a page in place of the engine', { wrong: [[/\.wasm$/, 'html']] }, 'page'],
  ['a page in place of the engine that says it is bytes', { wrong: [[/\.wasm$/, 'html-as-bytes']] }, 'page'],
  ['a page in place of a script', { wrong: [[/hotkv-playground-[0-9a-f]+\.js$/, 'html']] }, 'page'],
  ['half an engine that says it is whole', { wrong: [[/\.wasm$/, 'short']] }, 'broken'],
  ['something else in place of the engine', { wrong: [[/\.wasm$/, 'other']] }, 'broken'],
  ['an engine cut off on its way', { wrong: [[/\.wasm$/, 'cut']] }, 'download'],
  ['a script that is not there', { wrong: [[/hotkv-playground-[0-9a-f]+\.js$/, 404]] }, 'download'],
  ['a browser without WebAssembly', { prepare: (page) => page.addInitScript(() => { delete globalThis.WebAssembly; }) }, 'no-wasm'],
]) {
  test(`${name} gives a sentence, and the steps can still be read`, () =>
    withPage({ ...options, expected: anything }, async (page) => {
      await failure(page, kind).waitFor();
      assert.equal(await page.locator('#banner [data-failure]:visible').count(), 1);
      assert.ok(await page.locator('#retry').isEnabled());
      assert.ok(await page.getByText('Worker B is refused').isVisible());
      assert.ok(await page.locator('#console-input').isDisabled());
      await shot(page, `failure-${kind}`);
    }));
}

test('an engine with the wrong type runs all the same, and a sentence tells whoever runs the server', () =>
  withPage({ wrong: [[/\.wasm$/, 'wrong-type']] }, async (page) => {
    await ready(page);
    assert.ok(await failure(page, 'mime').isVisible());
    assert.ok(await page.locator('#retry').isHidden());
    await enter(page, 'PING');
    assert.equal((await replies(page)).at(-1), 'PONG');
  }));

test('the page reads without scripts', () =>
  withPage({ context: { javaScriptEnabled: false }, expected: [/\(csp\)/] }, async (page) => {
    for (const words of ['Worker B is refused', 'B reads nil and skips this run.', 'DELEX lock:billing-run IFEQ tok-stale']) {
      assert.ok(await page.locator('#steps').getByText(words).isVisible(), words);
    }
  }));

for (const width of [1280, 640, 390, 320]) {
  test(`nothing that is typed makes the page wider than ${width} pixels`, () =>
    withPage({ width, height: 800 }, async (page) => {
      await ready(page);
      const lines = [
        'SET lock:yr t NX EX 31536000', `SET lock:${'k'.repeat(1000)} ${'t'.repeat(1000)} NX PX 1`, `B> GET ${'k'.repeat(1000)}`,
        ...'CDEFGHIJKL'.split('').map((name) => `${name}> SET lock:yr x NX`), '+148329ms', 'SET foo bar', 'DELEX lock:yr IFEQ x',
        'PTTL lock:yr', '+1d', '+300d', 'CLOCK ADVANCE 9223370143398773',
      ];
      for (const line of lines) {
        // On a narrow page the console may stand behind another panel.
        await then(page, page.locator('#console-input').evaluate((input, line) => {
          input.value = line;
          input.form.requestSubmit();
        }, line));
        const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(inner <= outer, `${line.slice(0, 40)}: ${inner} pixels wide`);
      }
      await page.evaluate(() => { document.documentElement.dataset.panel = 'console'; });
      await shot(page, `extremes-${width}`, { fullPage: true });
    }));
}

for (const [width, height] of [[1280, 900], [640, 700], [390, 844]]) {
  for (const theme of ['light', 'dark']) {
    test(`fits ${width} pixels, ${theme}`, () =>
      withPage({ width, height, theme }, async (page) => {
        await ready(page);
        for (const step of [1, 3, 5, 6]) {
          await then(page, page.locator(`[data-step="${step}"]`).click());
          const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
          assert.ok(inner <= outer, `step ${step}: ${inner} pixels wide`);
          await shot(page, `page-${width}-${theme}-step-${step}`, { fullPage: true });
        }
      }));
  }
}
