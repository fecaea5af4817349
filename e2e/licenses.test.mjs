// The licences that go with the page: of every crate that is compiled into it and of no other, each text once.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { licenses, metadata, needed } from '../scripts/licenses.mjs';

const crate = (name, more = {}) => ({ id: name, name, version: '1.0.0', license: 'MIT', repository: `https://example.org/${name}`, source: 'registry', ...more });
const dep = (pkg, kind = null) => ({ pkg, dep_kinds: [{ kind }] });
const world = {
  packages: [crate('own', { source: null }), crate('b'), crate('a'), crate('test-only'), crate('build-only'), crate('elsewhere')],
  resolve: {
    root: 'own',
    nodes: [
      { id: 'own', deps: [dep('b'), dep('test-only', 'dev'), dep('build-only', 'build')] },
      { id: 'b', deps: [dep('a')] },
      { id: 'a', deps: [] },
    ],
  },
};

test('crates are listed by what they are needed for, and a text that several bring stands there once', () => {
  const texts = { own: ['own text'], a: ['shared\n  text', 'text of a'], b: ['shared text'] };
  const written = licenses(world, ({ name }) => texts[name]);
  assert.match(written, /a 1\.0\.0: MIT, https:\/\/example\.org\/a\nb 1\.0\.0: MIT, https:\/\/example\.org\/b\nown 1\.0\.0: MIT, this project\n/);
  assert.doesNotMatch(written, /-only|elsewhere/);
  assert.equal(written.match(/shared\s+text/g).length, 1);
  assert.match(written, /\n\na, b:\n\nshared\n/);
  assert.match(written, /The Rust Project Contributors/);
});

test('a crate without a text, or without a licence, is an error that names it', () => {
  assert.throws(() => licenses(world, ({ name }) => (name === 'own' ? ['text'] : [])), /: a 1\.0\.0, b 1\.0\.0$/);
  const unnamed = { ...world, packages: world.packages.map((each) => (each.name === 'a' ? { ...each, license: null } : each)) };
  assert.throws(() => licenses(unnamed, () => ['text']), /: a 1\.0\.0$/);
});

test('the page has those of its own crates, the same each time', async () => {
  const facts = metadata();
  const names = needed(facts).map(({ name }) => name);
  for (const name of ['wasm-bindgen', 'web-sys', 'serde_json', 'talc']) assert.ok(names.includes(name), name);
  for (const name of ['clap', 'rustyline', 'redis', 'proptest', 'criterion']) assert.ok(!names.includes(name), name);
  const written = licenses(facts);
  assert.equal(licenses(metadata()), written);
  const own = await readFile(new URL('../LICENSE-MIT', import.meta.url), 'utf8');
  assert.ok(written.includes(own.trim()));
});
