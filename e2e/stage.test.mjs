// The picture of time under the hand: its window zooms, moves and follows the playhead; what is extreme stays readable.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { log, paste, ready, settled, shifted, shot, type, watchShifts, withPage } from './harness.mjs';

const clock = (page) => page.locator('#clock-now').textContent();

async function then(page, action) {
  await action;
  await settled(page);
}

/** From when to when the window reaches, in seconds. */
const seen = (page) =>
  page.locator('#lanes').evaluate(({ style }) => {
    const [from, span] = ['--t0', '--span'].map((name) => Number(style.getPropertyValue(name)));
    return [from, from + span].map((at) => Math.round(at * 1000) / 1000);
  });

test('buttons, keys, wheel and drag move the window, and nothing else', () =>
  withPage({}, async (page) => {
    await ready(page);
    await then(page, page.click('[data-step="5"]'));
    assert.deepEqual(await seen(page), [0, 65]);
    assert.equal(await page.getAttribute('#zoom-fit', 'aria-pressed'), 'true');
    assert.equal(await page.getAttribute('#zoom-out', 'aria-disabled'), 'true');
    await then(page, page.click('#zoom-in'));
    assert.deepEqual(await seen(page), [13, 45.5]);
    assert.equal(await page.getAttribute('#zoom-fit', 'aria-pressed'), 'false');
    await page.focus('#scrubber');
    for (const [key, window] of [['+', [19.5, 35.75]], [',', [16.25, 32.5]], ['.', [19.5, 35.75]], ['-', [13, 45.5]], ['0', [0, 65]], ['=', [13, 45.5]]]) {
      await then(page, page.keyboard.press(key));
      assert.deepEqual(await seen(page), window, key);
    }

    const plot = await page.locator('#leases').boundingBox();
    const at = (part) => [plot.x + plot.width * part, plot.y + plot.height / 2];
    await page.mouse.move(...at(0.6));
    await page.mouse.down();
    await page.mouse.move(...at(0.4), { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const dragged = await seen(page);
    assert.ok(Math.abs(dragged[0] - 19.5) < 0.05, `${dragged}`); // pixels are coarser than milliseconds
    await page.mouse.move(...at(0.1)); // a pointer that is let go drags no more
    await settled(page);
    assert.deepEqual(await seen(page), dragged);
    // What is dragged by a mark is no click on it; a click still goes there.
    const mark = await page.locator('.mark button[data-at="26000"]').first().boundingBox();
    await page.mouse.move(mark.x + 5, mark.y + 5);
    await page.mouse.down();
    await page.mouse.move(mark.x + 85, mark.y + 5, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    assert.equal(await clock(page), '00:26.000');
    await then(page, page.locator('.mark button[data-at="24000"]').click());
    assert.equal(await clock(page), '00:24.000');

    const before = await seen(page);
    await page.mouse.move(...at(0.5));
    await then(page, page.mouse.wheel(0, 300));
    assert.deepEqual(await seen(page), before, 'the wheel alone belongs to the page');
    await page.waitForFunction(() => scrollY > 0);
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.down('Control');
    await then(page, page.mouse.wheel(0, -400));
    await page.keyboard.up('Control');
    const [from, to] = await seen(page);
    assert.ok(to - from < 13 && from > before[0] && to < before[1], `${from} to ${to}`);
    await then(page, page.mouse.wheel(100, 0));
    assert.ok((await seen(page))[0] > from);
    assert.deepEqual((await log(page)).length, 5, 'nothing was typed by that');

    // The playhead takes the window along.
    await then(page, page.click('[data-step="1"]'));
    const [start, end] = await seen(page);
    assert.ok(start <= 2 && end >= 2 && end - start < 13, `${start} to ${end}`);
    assert.ok(await page.locator('#playhead').isVisible());
  }));

test('a jump travels unless less motion is wanted, and playing is never eased', async () => {
  const moves = async (reducedMotion, act) => {
    let properties;
    await withPage({ context: { reducedMotion } }, async (page) => {
      await ready(page);
      await page.evaluate(() => {
        globalThis.eased = new Set();
        document.addEventListener('transitionrun', (event) => globalThis.eased.add(event.propertyName));
      });
      await act(page);
      properties = await page.evaluate(() => [...globalThis.eased].filter((name) => name.startsWith('--')).sort());
    });
    return properties;
  };
  const jump = (page) => then(page, page.click('[data-step="3"]'));
  const play = async (page) => {
    await page.click('#play');
    await page.waitForFunction(() => document.querySelector('#clock-now').textContent > '00:02.400');
  };
  const renew = (page) => then(page, type(page, 'PEXPIRE lock:billing-run 50000'));
  assert.deepEqual(await moves('no-preference', jump), ['--d', '--now']);
  assert.deepEqual(await moves('no-preference', renew), ['--d', '--due']);
  assert.deepEqual(await moves('no-preference', play), []);
  for (const act of [jump, renew, play]) assert.deepEqual(await moves('reduce', act), []);
});

test('a phone sees half of the session, and the page turns', () =>
  withPage({ width: 390, prepare: watchShifts }, async (page) => {
    await ready(page);
    await settled(page);
    const moved = await shifted(page);
    assert.ok(moved <= 0.05, `layout shifted by ${moved}`);
    for (const [step, window] of [[1, [0, 35]], [5, [15, 50]], [6, [30, 65]], [2, [0, 35]]]) {
      await then(page, page.click(`[data-step="${step}"]`));
      assert.deepEqual(await seen(page), window, `step ${step}`);
      const [head, lanes] = [await page.locator('#playhead').boundingBox(), await page.locator('#leases').boundingBox()];
      assert.ok(head.x >= lanes.x - 2 && head.x <= lanes.x + lanes.width + 2);
    }
    await then(page, page.click('#zoom-fit'));
    assert.deepEqual(await seen(page), [0, 65]);
    await then(page, page.setViewportSize({ width: 1280, height: 800 }));
    assert.deepEqual(await seen(page), [0, 65]);
  }));

// What nobody should type, and somebody will.
const extremes = {
  'long words': [`SET lock:${'k'.repeat(1000)} ${'t'.repeat(1000)} NX PX 30000`, `B> SET lock:${'k'.repeat(1000)} other NX PX 30000`],
  'right to left, combining, control': [
    'SET lock:مفتاح-القفل رمز-العامل NX PX 30000', 'SET lock:a\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308 n\u0303\u0330\u0331 NX PX 30000',
    'SET lock:\u202egnirts tok\u200b NX PX 30000', 'SET "lock:\\x00\\x07\\x1b[31m" "\\xff\\n\\t" NX PX 30000',
  ],
  'a year': ['SET lock:year t NX PX 31536000000'],
  'a millisecond': ['SET lock:short t NX PX 1', '+1ms', '+1ms', 'GET lock:short'],
  'two hundred keys': Array.from({ length: 200 }, (_, n) => `SET lock:${n} t${n} NX PX ${30000 + n}`),
  'a hundred commands at once': Array.from({ length: 100 }, (_, n) => `${'ABCD'[n % 4]}> SET lock:billing-run t${n} NX PX 1000`),
};

for (const [name, lines] of Object.entries(extremes)) {
  for (const width of [1280, 390]) {
    test(`${name}: the picture stays readable at ${width} pixels`, () =>
      withPage({ width }, async (page) => {
        await ready(page);
        const tab = page.locator('[data-for=console]');
        if (await tab.isVisible()) await then(page, tab.click());
        if (lines.length === 1) await type(page, lines[0]);
        else await paste(page, lines.map((line) => (/^(\w> |\+)/.test(line) ? line : `A> ${line}`)).join('\n'));
        await settled(page);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'the page grew wider');
        // Every label that is shown lies in the picture, and in its own lane.
        const strays = await page.evaluate(() => {
          const plot = document.querySelector('#leases').getBoundingClientRect();
          return [...document.querySelectorAll('.flag')].filter((flag) => {
            const box = flag.getBoundingClientRect();
            const lane = flag.closest('.lane').getBoundingClientRect();
            const shown = box.width > 0 && getComputedStyle(flag).visibility === 'visible';
            return shown && (box.left < plot.left - 4 || box.right > plot.right + 20 || box.top < lane.top - 1 || box.bottom > lane.bottom + 1);
          }).map((flag) => flag.textContent);
        });
        assert.deepEqual(strays, []);
        for (const id of ['lock-name', 'lock-token', 'lock-ttl', 'clock-now']) {
          assert.notEqual(await page.locator(`#${id}`).textContent(), '', id);
        }
        await shot(page, `extreme-${name.replaceAll(/\W+/g, '-')}-${width}`);
      }));
  }
}

test('what is asked why is answered, also by keyboard', () =>
  withPage({}, async (page) => {
    await ready(page);
    await then(page, page.click('[data-step="3"]'));
    await then(page, type(page, 'GET lock:billing-run'));
    const asks = page.locator('#console-log [data-part=why]:visible');
    assert.deepEqual(await asks.evaluateAll((asks) => asks.map((ask) => [ask.getAttribute('aria-label'), ask.tabIndex])), [
      ['why? SET lock:billing-run tok-a81f NX PX 30000', -1], ['why? PTTL lock:billing-run', -1], ['why? GET lock:billing-run', 0],
    ]);
    await page.focus('#console-log');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowUp');
    await then(page, page.keyboard.press('Enter'));
    assert.deepEqual((await log(page))[2].note, 'Read the time left in milliseconds; -1 without a deadline, -2 without a key.');
    assert.equal(await asks.nth(1).getAttribute('aria-expanded'), 'true');
    await then(page, page.keyboard.press('Enter'));
    assert.equal((await log(page))[2].note, null);
  }));
