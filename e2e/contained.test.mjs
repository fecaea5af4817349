// The site needs nothing but its own files: whatever the page asks for in a whole walk comes from its own folder, by
// relative addresses, at any path and on hosts that answer every address with a page.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { test } from 'node:test';

import { dist, withPage } from './harness.mjs';
import { walk } from './walk.mjs';

const names = (await readdir(dist, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)).split(sep).join('/'));

// What others name, or what must be found anew: all else has a hash in its name.
const unhashed = /^(index\.html|embed\.js|sw\.js|licenses\.txt|locales\/[A-Za-z-]+\.json)$/;

test('every file has a hash in its name but those that others name', () => {
  assert.ok(names.length >= 8, 'the files were not found');
  assert.deepEqual(names.filter((name) => !unhashed.test(name) && !/^[a-z-]+-[0-9a-f]{10,16}(_bg|_rest)?\.[a-z]+$/.test(name)), []);
});

test('no file names an address outside of the folder', async () => {
  // What the page is made of; what others read or include is theirs to fetch.
  for (const name of names.filter((name) => /\.(html|css|js|svg)$/.test(name) && name !== 'embed.js')) {
    const text = await readFile(join(dist, name), 'utf8');
    const found = [
      // In markup: addresses that begin with a scheme or a slash.
      ...(text.match(/\b(?:href|src|srcset|action|data-wasm|data-rest)\s*=\s*["']?(?:[a-z]+:|\/)[^"'\s>]*/gi) ?? []),
      ...(text.match(/\burl\(\s*["']?(?!["']?#)[^)]*\)/g) ?? []),
      ...(text.match(/@import[^;]*/g) ?? []),
      // Anywhere: the web, but for the names of XML's vocabularies.
      ...(text.match(/\b(?:https?|wss?):\/\/[^\s"'`)]+/g) ?? []).filter((address) => !address.startsWith('http://www.w3.org/')),
    ];
    assert.deepEqual(found, [], name);
  }
});

for (const [where, options] of [
  ['at the root', {}],
  ['in a folder', { base: '/a/b/' }],
  ['by the name of the page', { base: '/a/b/', path: 'index.html' }],
  ['on a host that answers every address with a page', { fallback: true }],
]) {
  test(`the page asks only for files of the site, and gets them all, ${where}`, () => {
    const answers = [];
    const sockets = [];
    const prepare = async (page) => {
      page.on('requestfinished', async (request) => answers.push([request.url(), (await request.response()).status()]));
      page.on('websocket', (socket) => sockets.push(socket.url()));
    };
    return withPage({ ...options, prepare }, async (page, { server }) => {
      await walk(page);
      await page.waitForLoadState('networkidle');
      const asked = answers.map(([address]) => address.split(/[?#]/, 1)[0]);
      for (const [address, status] of answers) assert.equal(status, 200, address);
      const known = new Set(['', ...names].map((name) => server.url + name));
      assert.deepEqual(asked.filter((address) => !known.has(address)), []);
      assert.deepEqual(sockets, []);
      for (const kind of ['.css', '.js', '_bg.wasm', 'es.json', 'pt-BR.json']) {
        assert.ok(asked.some((address) => address.endsWith(kind)), `${kind} was asked for`);
      }
    });
  });
}
