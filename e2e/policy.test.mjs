// The page's content security policy: the page lives with it, whether it stands in the page alone or comes as a header too,
// and it keeps out what it should.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { dist, ready, withPage } from './harness.mjs';
import { walk } from './walk.mjs';

const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(await readFile(join(dist, 'index.html'), 'utf8'));

// A `prepare` that notes every breach of the policy, those of Trusted Types included.
const watchBreaches = (page) =>
  page.addInitScript(() => {
    globalThis.breaches = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      globalThis.breaches.push(`${effectiveDirective}: ${blockedURI} (${sourceFile}:${lineNumber})`);
    });
  });
const breaches = (page) => page.evaluate(() => globalThis.breaches);

for (const [name, headers] of [
  ['as the page has it', {}],
  ['as a header beside it', { 'content-security-policy': `${policy}; frame-ancestors *`, 'x-content-type-options': 'nosniff' }],
]) {
  test(`nothing in the page breaks its policy, ${name}`, () =>
    withPage({ headers, prepare: watchBreaches }, async (page) => {
      await walk(page);
      assert.deepEqual(await breaches(page), []);
    }));
}

test('the policy keeps out scripts, styles, frames, other origins, and markup from text', () =>
  withPage({ prepare: watchBreaches, failOnConsole: false }, async (page) => {
    await ready(page);
    const elsewhere = 'http://localhost:1/x';
    const told = await page.evaluate(async (elsewhere) => {
      const put = (name, properties, attributes = {}) => {
        const element = Object.assign(document.createElement(name), properties);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        document.body.append(element);
        return element;
      };
      const refused = [];
      const attempt = (name, action) => { try { action(); } catch { refused.push(name); } };
      // What the page itself never does, to see it refused.
      attempt('innerHTML', () => { document.body.innerHTML = '<b>x</b>'; });
      attempt('script text', () => put('script', { textContent: 'globalThis.ran = true' }));
      attempt('a policy of its own', () => trustedTypes.createPolicy('another', {}));
      put('p', {}, { style: 'color: red' });
      put('style', { textContent: 'p { color: red }' });
      put('img', { src: elsewhere });
      put('img', { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' });
      put('iframe', { src: elsewhere });
      put('base', { href: elsewhere });
      put('form', { action: elsewhere }).submit();
      // In a frame of the page's own: what a debugger evaluates may evaluate.
      await new Promise((done) => requestAnimationFrame(() => { attempt('eval', () => { (0, eval)('1'); }); done(); }));
      await fetch(elsewhere).catch(() => refused.push('fetch'));
      return { refused, ran: globalThis.ran };
    }, elsewhere);
    assert.deepEqual(told, { refused: ['innerHTML', 'script text', 'a policy of its own', 'eval', 'fetch'], ran: undefined });
    await page.waitForFunction(() => globalThis.breaches.some((breach) => breach.startsWith('form-action')));
    const directives = (await breaches(page)).map((breach) => breach.split(':')[0]);
    assert.deepEqual([...new Set(directives)].sort(), [
      'base-uri', 'connect-src', 'form-action', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-attr', 'style-src-elem', 'trusted-types',
    ]);
  }));
