// Functions that scripts/cold.mjs cuts: whatever of them becomes a function of its own, they answer as before.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cold, marked } from '../scripts/cold.mjs';
import { read, textOf } from '../scripts/split.mjs';

// Parts of twenty operations or more are cut. Each of these sets a local that is read after it.
const work = (local, seed) => Array.from({ length: 8 }, (_, at) => `(local.set ${local} (i32.add (i32.mul (local.get ${local}) (i32.const ${seed + at})) (local.get $x)))`).join('\n');

const FUNCTIONS = {
  arms: `(if (i32.gt_s (local.get $x) (i32.const 3)) (then ${work('$a', 3)}) (else ${work('$b', 5)} ${work('$a', 7)}))`,
  jumps: `(block $out (block $in (br_if $in (i32.eqz (local.get $x))) ${work('$a', 3)} (br_if $out (i32.gt_s (local.get $a) (i32.const 0))) ${work('$b', 11)}) ${work('$a', 13)})`,
  loops: `(local.set $b (i32.and (local.get $x) (i32.const 15))) (block $done (loop $again (br_if $done (i32.le_s (local.get $b) (i32.const 0)))
    ${work('$a', 3)} (local.set $b (i32.sub (local.get $b) (i32.const 1))) (if (i32.and (local.get $a) (i32.const 1)) (then ${work('$a', 5)} (br $again))) ${work('$a', 17)} (br $again)))`,
  returns: `(if (i32.lt_s (local.get $x) (i32.const 0)) (then ${work('$a', 3)} (if (i32.and (local.get $a) (i32.const 2)) (then (return (local.get $a)))) ${work('$b', 5)})) ${work('$a', 7)}`,
  tables: `(block $two (block $one (block $zero (br_table $zero $one $two (i32.and (local.get $x) (i32.const 3)))) ${work('$a', 3)}) ${work('$b', 5)}) ${work('$a', 7)}`,
  traps: `(if (i32.eq (local.get $x) (i32.const 5)) (then ${work('$a', 3)} (drop (i32.div_s (local.get $a) (i32.const 0))) (unreachable)))`,
};

const TEXT = `(module ${Object.entries(FUNCTIONS)
  .map(([name, body]) => `(func $${name} (export "${name}") (param $x i32) (result i32) (local $a i32) (local $b i32) ${body} (i32.xor (local.get $a) (local.get $b)))`)
  .join('\n')})`;

function bytesOf(text) {
  const module = read(text);
  assert.ok(module.validate());
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

/** What each function answers to many numbers; a trap is an answer too. */
function answers(text) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(text)));
  const answer = (name, x) => { try { return exports[name](x); } catch (error) { return error.message; } };
  return Object.fromEntries(Object.keys(FUNCTIONS).map((name) => [name, Array.from({ length: 80 }, (_, at) => answer(name, at - 40))]));
}

test('what is cut answers as before, whichever parts are cold', () => {
  const text = textOf(bytesOf(TEXT));
  const before = answers(text);
  const parts = Math.max(...marked(text, '$none').meanings.map(({ part }) => part ?? 0)) + 1;
  const cut = new Set();
  for (const isCold of [() => 1n, ...Array.from({ length: parts }, (_, only) => (number) => BigInt(number === only))]) {
    const { text: after, cuts } = cold(text, () => isCold);
    assert.deepEqual(answers(after), before);
    for (const name of cuts.keys()) cut.add(name);
  }
  assert.equal(cut.size, Object.keys(FUNCTIONS).length, [...cut].join());
});
