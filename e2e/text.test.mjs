// Larger text, other widths, and no mouse: the page stays whole, and all of it can be reached.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { log, ready, settled, shot, withPage } from './harness.mjs';

for (const language of ['en', 'pt-BR', 'es']) {
  for (const width of [1280, 640, 390]) {
    test(`with text twice as large nothing is cut off at ${width} pixels in ${language}`, () =>
      withPage({ path: `?lang=${language}`, width }, async (page) => {
        await ready(page);
        await page.locator(`html[lang="${language}"]`).waitFor();
        await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
        await settled(page);
        const tabs = await page.locator('[data-for]:visible').count();
        for (const panel of tabs > 0 ? ['console', 'explorer', 'snippets', 'why', 'steps'] : ['steps']) {
          if (tabs > 0) await page.click(`[data-for=${panel}]`);
          await settled(page);
          const found = await page.evaluate(() => {
            const wide = document.documentElement.scrollWidth - innerWidth;
            // What may be cut says so by three dots; what is out of sight has no room of its own.
            const cut = [...document.querySelectorAll('button, label, h2, h3, summary, p, dt, .state, .chip, .count, .clock, output')].filter((element) =>
              element.checkVisibility() && element.clientWidth > 1 && !element.closest('.cut, .vh, [aria-hidden=true]')
              && (element.scrollWidth > element.clientWidth + 2 || element.scrollHeight > element.clientHeight + 2)
              && getComputedStyle(element).display !== 'inline');
            return { wide, cut: cut.map((element) => `${element.id || element.className || element.tagName}: ${element.textContent.trim().slice(0, 40)}`) };
          });
          assert.deepEqual(found, { wide: 0, cut: [] }, panel);
        }
        await page.click('[data-step="3"]');
        await settled(page);
        await shot(page, `large-${width}-${language}`, { fullPage: true });
      }));
  }
}

test('a whole session by keyboard', () =>
  withPage({}, async (page) => {
    await ready(page);
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
      await settled(page);
    };
    /** Presses Tab until the focus is there; a page of so many stops has no other way. */
    const reach = async (selector, key = 'Tab') => {
      for (let n = 0; n < 120; n++) {
        if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
        await page.keyboard.press(key);
      }
      assert.fail(`${key} never reaches ${selector}`);
    };
    const clock = () => page.locator('#clock-now').textContent();

    // Another story and back.
    await reach('#scenario');
    await press('ArrowDown', 'ArrowUp');
    assert.equal(await page.inputValue('#scenario'), 'scheduled-jobs');
    // Every stop on the way through the page shows where the focus is, and none holds it.
    const stops = new Set();
    await page.evaluate(() => document.activeElement.blur());
    for (let n = 0; n < 120; n++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const { activeElement: element } = document;
        if (element === document.body) return null;
        const shown = [element, element.parentElement, element.nextElementSibling, element.closest('form')].some((near) => near && getComputedStyle(near).outlineStyle !== 'none');
        const name = element.getAttribute('aria-label') ?? element.id ?? '';
        return `${shown ? '' : 'UNSEEN '}${element.tagName} ${element.id} ${name} ${element.textContent.trim().slice(0, 30)}`;
      });
      if (stop === null) break;
      stops.add(stop);
    }
    assert.deepEqual([...stops].filter((stop) => stop.startsWith('UNSEEN')), []);
    assert.ok(stops.size > 30, `${stops.size} stops`);

    // The five steps, a worker paused, time moved, a lock taken by the other: all without a mouse.
    await reach('#scrubber');
    await press('2');
    assert.equal(await clock(), '00:05.000');
    await reach('[data-client=A] [data-act=pause]', 'Shift+Tab');
    await press('Enter');
    assert.equal(await page.locator('[data-client=A] .state').textContent(), 'paused');
    await reach('#next-expiry');
    await press('Enter');
    assert.equal(await clock(), '00:32.001');
    await reach('#console-input');
    await page.keyboard.type('B> SET lock:bil');
    await press('Tab');
    await page.keyboard.type(' tok-late NX PX 30000');
    await press('Enter');
    assert.equal((await log(page)).at(-1).reply, 'OK');
    assert.equal(await page.locator('#lock-holder').textContent(), 'Worker B');
    await press('Alt+Digit2');
    assert.equal(await page.getAttribute('#console-input', 'aria-label'), 'Command as B');
    await reach('#undo', 'Shift+Tab');
    await press('Enter');
    assert.equal(await page.locator('#lock-holder').textContent(), 'free');
    await reach('#reset');
    await press('Enter');
    assert.equal(await clock(), '00:02.000');
    // Reset takes its own button away; the focus is not lost with it.
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY');
  }));
