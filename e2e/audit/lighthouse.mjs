// What Lighthouse says of the page on a phone, as the median of five runs: run by `scripts/test.sh all`. The host compresses;
// the slow network and the slow processor are simulated, so that a busy machine matters less.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import lighthouse from 'lighthouse';
import puppeteer from 'puppeteer-core';

import { serveCompressed, weigh } from '../compressing.mjs';
import { findChromium } from '../programs.mjs';
import { dist } from '../harness.mjs';

const RUNS = 5;
const SCORES = ['performance', 'accessibility', 'best-practices', 'seo'];
const TIMES = {
  'first-contentful-paint': 'ms', 'largest-contentful-paint': 'ms', interactive: 'ms', 'total-blocking-time': 'ms',
  'speed-index': 'ms', 'cumulative-layout-shift': '',
};

/** What each run measured, by name, and the failed audits that weigh in a score. */
const measured = {};
const faults = new Set();

const median = (name) => [...measured[name]].sort((one, other) => one - other)[Math.floor(RUNS / 2)];

before(async () => {
  const server = await serveCompressed(weigh(dist));
  const browser = await puppeteer.launch({ executablePath: findChromium(), headless: true, args: ['--no-sandbox', '--disable-background-networking'] });
  after(async () => {
    await browser.close();
    await server.close();
  });
  for (let run = 0; run < RUNS; run += 1) {
    const page = await browser.newPage();
    const { lhr } = await lighthouse(server.url, { onlyCategories: SCORES, output: 'json', logLevel: 'error' }, undefined, page);
    await page.close();
    assert.equal(lhr.runtimeError, undefined, lhr.runtimeError?.message);
    for (const name of SCORES) (measured[name] ??= []).push(Math.round(lhr.categories[name].score * 100));
    for (const name of Object.keys(TIMES)) (measured[name] ??= []).push(lhr.audits[name].numericValue);
    for (const name of SCORES.slice(1)) {
      for (const { id, weight } of lhr.categories[name].auditRefs) {
        const { score, title, details } = lhr.audits[id];
        if (weight > 0 && score !== null && score < 1) faults.add(`${id}: ${title} ${JSON.stringify(details?.items ?? '').slice(0, 600)}`);
      }
    }
  }
  for (const [name, runs] of Object.entries(measured)) {
    const told = (number) => (name === 'cumulative-layout-shift' ? number.toFixed(3) : number.toFixed(0));
    console.log(`  ${name}: ${runs.map(told).join(', ')}; median ${told(median(name))} ${TIMES[name] ?? ''}`.trimEnd());
  }
  for (const fault of faults) console.log(`  ${fault}`);
}, { timeout: 600_000 });

for (const name of SCORES.slice(1)) test(`${name} is 100`, () => assert.equal(median(name), 100, [...faults].join('\n')));
test('performance is 95 or more', () => assert.ok(median('performance') >= 95, `${median('performance')}`));
test('nothing jumps', () => assert.ok(median('cumulative-layout-shift') <= 0.05, `${median('cumulative-layout-shift')}`));
test('it can be used within 1.5 s', () => assert.ok(median('interactive') <= 1500, `${median('interactive')} ms`));
