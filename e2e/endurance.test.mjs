// What long use leaves behind: no nodes, no listeners, and a log of thousands of lines of which the end is drawn.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { paste, ready, settled, withPage } from './harness.mjs';

test('a thousand seeks leave no node and no listener behind', () =>
  withPage({}, async (page, { context }) => {
    await ready(page);
    const chromium = await context.newCDPSession(page);
    await chromium.send('Performance.enable');
    const counted = async () => {
      await chromium.send('HeapProfiler.collectGarbage');
      const { metrics } = await chromium.send('Performance.getMetrics');
      const of = (name) => metrics.find((metric) => metric.name === name).value;
      return { nodes: of('Nodes'), listeners: of('JSEventListeners') };
    };
    const seek = (times) =>
      page.evaluate(async (times) => {
        const scrubber = document.querySelector('#scrubber');
        for (let n = 0; n < times; n++) {
          scrubber.value = (n * 7919) % 65000;
          scrubber.dispatchEvent(new Event('input', { bubbles: true }));
          if (n % 10 === 0) await new Promise(requestAnimationFrame);
        }
        scrubber.value = 30000;
        scrubber.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, times);
    await seek(50);
    const before = await counted();
    await seek(1000);
    const after = await counted();
    assert.equal(after.listeners, before.listeners);
    assert.ok(after.nodes <= before.nodes + 20, `${before.nodes} nodes became ${after.nodes}`);
  }));

test('of ten thousand lines the end is drawn, and earlier ones come when they are asked for', () =>
  withPage({}, async (page) => {
    await ready(page);
    for (let n = 0; n < 5; n++) await paste(page, 'SET lock:billing-run t XX PX 30000\nPTTL lock:billing-run\n+5ms\nINCR n\n'.repeat(500));
    await settled(page);
    const shown = () => page.locator('#console-log > *').count();
    const first = await shown();
    assert.ok(first >= 500 && first < 760, `${first} lines`);
    assert.ok((await page.locator('.mark').count()) < 400);
    await page.click('#console-earlier');
    await settled(page);
    assert.ok((await shown()) >= first + 490);
    // The page still answers.
    await page.fill('#console-input', 'PING');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal(await page.locator('#console-log > *').last().locator('[data-part=reply]').textContent(), 'PONG');
  }));
