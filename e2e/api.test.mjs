// The engine for programs: pkg/ as Node loads it.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const pkg = createRequire(import.meta.url)('../pkg/node/hotkv_playground.js');

const fresh = (options) => new pkg.Playground(options);

test('exports what it promises and nothing else', () => {
  assert.deepEqual(Object.keys(pkg).filter((name) => !name.startsWith('__')).sort(), ['Playground', 'build', 'host', 'keep', 'mount', 'open', 'speak', 'start']);
  const methods = Object.getOwnPropertyNames(pkg.Playground.prototype).filter((name) => !name.startsWith('__'));
  assert.deepEqual(methods.sort(), ['advance', 'check', 'constructor', 'exec', 'free', 'now', 'version']);
  assert.match(fresh().version(), /^\d+\.\d+\.\d+$/);
});

test('runs lines as the console does, on a clock that is moved', () => {
  const server = fresh();
  const began = server.now();
  assert.equal(began, Date.UTC(2030, 0, 1));
  assert.equal(server.exec('SET lock:billing-run tok-a81f NX PX 30000'), 'OK');
  assert.equal(server.exec('B> SET lock:billing-run tok-b22c NX PX 30000'), '(nil)');
  assert.deepEqual(server.advance(30_000), []);
  assert.equal(server.exec('PTTL lock:billing-run'), '(integer) 0');
  assert.deepEqual(server.advance(1), ['lock:billing-run expired. hotkv did not release it.']);
  assert.equal(server.now(), began + 30_001);
  server.free();
});

test('answers as the native engine does where machine words are shorter', () => {
  const server = fresh();
  server.exec('MSET a 1 b 2');
  for (const [line, reply] of [
    ['SETRANGE a 9223372036854775807 x', '(error) ERR string exceeds maximum allowed size (proto-max-bulk-len)'],
    ['SETRANGE a 5000000000 ""', '(integer) 1'],
    ['SETRANGE a -1 x', '(error) ERR offset is out of range'],
    ['GETRANGE a 0 4294967296', '"1"'],
    ['SETRANGE a 536870000 x', "(error) OOM command not allowed when used memory > 'maxmemory'."],
  ]) {
    assert.equal(server.exec(line), reply);
  }
  for (const count of ['4294967296', '4294967297', '9223372036854775807']) {
    assert.match(server.exec(`SCAN 0 COUNT ${count}`), /^1\) "0"\n2\) 1\) "[ab]"\n   2\) "[ab]"$/);
  }
});

test('tokens come from the seed', () => {
  assert.equal(fresh({ seed: 7 }).exec('TOKEN'), fresh({ seed: 7 }).exec('TOKEN'));
  assert.notEqual(fresh({ seed: 7 }).exec('TOKEN'), fresh({ seed: 8 }).exec('TOKEN'));
  assert.equal(fresh().exec('TOKEN'), '"e220a8397b1dcdaf6e789e6aa1b965f4"');
});

test('checks a transcript', () => {
  const server = fresh();
  assert.deepEqual(server.check('A> SET k v\nOK\n'), { ok: true, mismatches: [], diagnostics: [] });
  const { ok, mismatches, diagnostics } = server.check('A> SET k v\nOK\nA> GET k\n"w"\n\nA> PING\n+1x\n');
  assert.equal(ok, false);
  assert.deepEqual(mismatches, [
    { line: 3, command: 'A> GET k', expected: '"w"', actual: '"v"' },
    { line: 6, command: 'A> PING', expected: null, actual: 'PONG' },
  ]);
  assert.equal(diagnostics[0].line, 7);
});

test('goes through keys in the order in which any other build does', () => {
  const server = fresh();
  server.exec('MSET a 1 b 2 lock:billing-run 3 "" 4 "a key of more than twenty-two bytes" 5');
  // tests/corners.rs has the same.
  const page = '1) "3199039395511729"\n2) 1) ""\n   2) "lock:billing-run"\n   3) "a key of more than twenty-two bytes"\n   4) "a"';
  assert.equal(server.exec('SCAN 0 COUNT 4'), page);
});

test('answers bad input with a clear error, and changes nothing', () => {
  const server = fresh({ maxMemory: 1000 });
  for (const [line, reply] of [
    ['GET "x', '(error) Invalid argument(s): a quote is not closed, or text follows it directly'],
    ['GET a\0', '(error) The line holds the control byte 0; write it as "\\x00"'],
    ['GET \ud800', '(error) The line holds U+FFFD, which stands for text that was lost; write it as "\\xef\\xbf\\xbd" where it is meant'],
    ['x'.repeat(10 * 1024 * 1024), '(error) The line has 10485760 bytes; at most 4194304 are read'],
    [`SET k ${'x'.repeat(2000)}`, "(error) OOM command not allowed when used memory > 'maxmemory'."],
    ['', ''],
  ]) {
    assert.equal(server.exec(line), reply);
  }
  for (const ms of [-1, 0.5, NaN, Infinity, 2 ** 60]) {
    assert.throws(() => server.advance(ms), /advance takes whole milliseconds, 0 or more/);
  }
  assert.throws(() => fresh({ seeds: 1 }), /unknown field `seeds`/);
  assert.throws(() => fresh({ seed: -1 }), /invalid value/);
  assert.equal(server.now(), Date.UTC(2030, 0, 1));
  assert.equal(server.exec('DBSIZE'), '(integer) 0');
});
