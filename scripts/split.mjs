// Divides the engine of a built site in two: `node scripts/split.mjs dist LINKED`, the second being the linker's file of the
// engine. What a page needs until its first commands are answered comes first; the rest, well over half of it, comes when it
// is first needed or when the reader begins to use the page. scripts/start.txt says which functions those are, and which of
// their parts are none of those (scripts/cold.mjs), as e2e/start.mjs saw them run. What is not listed is in the rest, which is
// slower to come by and nothing worse: calls that come before the rest has come fetch it. Data goes with the functions that
// use it (scripts/data.mjs).
//
// Both halves share memory, stack and tables. In the first one a function of the rest has a body of a few bytes: it asks for
// the rest (scripts/rest.js, which is put behind the engine's script), then calls through a slot of the function table, and
// the rest fills the slots when it is there.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import binaryen from '../e2e/node_modules/binaryen/index.js';
import { cold, plain } from './cold.mjs';
import { bare, dataOf } from './data.mjs';

const FEATURES = ['MutableGlobals', 'NontrappingFPToInt', 'SignExt', 'ReferenceTypes', 'Multivalue', 'BulkMemory', 'BulkMemoryOpt'];
const FLAGS = [
  '--enable-mutable-globals', '--enable-nontrapping-float-to-int', '--enable-sign-ext', '--enable-reference-types',
  '--enable-multivalue', '--enable-bulk-memory',
];
// What makes a module smallest as it is sent, compressed. Functions that have a single caller stay by themselves, jumps are
// built anew, and functions alike stand side by side.
const SMALL = [
  '--one-caller-inline-max-function-size=20', '-Oz', '--flatten', '--rereloop', '-Oz', '-Oz', '--reorder-functions-by-name',
  '--strip-producers', '--strip-target-features',
];
const { i32, none } = binaryen;
const MEMORY = '0'; // as binaryen calls the only one
const UNBOUNDED = 0xffffffff; // elements of a table
const ALIGNMENT = 16; // the largest of anything in the data

/** Who alone reads what is kept for later, and how it begins; see src/later.rs. */
const LATER_READER = /5laterINtB[0-9A-Za-z]*_5Later.*3get/;
const MARK = Buffer.from('\x01later\x02\n');

/** What a name is known by in start.txt. The hashes of crates, which change with every compiler, are no part of it. */
export const known = (name) => createHash('sha256').update(name.replaceAll(/Cs[0-9A-Za-z]+_/g, 'C')).digest('hex').slice(0, 8);

const withFeatures = (module) => {
  module.setFeatures(FEATURES.reduce((all, name) => all | binaryen.Features[name], binaryen.Features.MVP));
  return module;
};

/** Reads a module from its text. */
export const read = (text) => withFeatures(binaryen.parseText(text));

/** The text of a module, with its jumps as `if`s where they are. Its numbers stay what the linker made them. */
export function textOf(bytes) {
  const module = withFeatures(binaryen.readBinary(bare(bytes)));
  module.runPasses(['remove-unused-brs', 'merge-blocks', 'simplify-locals-nostructure', 'remove-unused-brs', 'merge-blocks', 'vacuum']);
  const text = module.emitText();
  module.dispose();
  return text;
}

/** Reads start.txt: functions by what they are `known` by, and which of their parts are cold by the shape that they had. */
export function readStart(text) {
  const start = new Map();
  for (const [, name, shape, bits] of text.matchAll(/^([0-9a-f]{8})(?: ([0-9a-f]{8}) ([0-9a-f]+))?$/gm)) {
    if (!start.has(name)) start.set(name, new Map());
    if (shape) start.get(name).set(shape, BigInt(`0x${bits}`));
  }
  return start;
}

/** The functions of a module, those that it imports among them. */
export const functions = (module) =>
  Array.from({ length: module.getNumFunctions() }, (_, at) => binaryen.getFunctionInfo(module.getFunctionByIndex(at)));

/** For each function, the names of those that it calls or refers to. */
function references(module) {
  const of = new Map();
  const NAME = String.raw`(\$"(?:[^"\\]|\\.)*"|\$[^\s()]+)`;
  let current;
  for (const line of module.emitText().split('\n')) {
    const head = new RegExp(`^ \\(func ${NAME}`).exec(line);
    if (head) of.set(plain(head[1]), (current = new Set()));
    const call = new RegExp(`\\((?:call|return_call|ref\\.func) ${NAME}`).exec(line);
    if (call && current) current.add(plain(call[1]));
  }
  return of;
}

const segments = (module) =>
  Array.from({ length: module.getNumElementSegments() }, (_, at) => binaryen.getElementSegmentInfo(module.getElementSegmentByIndex(at)));
const exportsOf = (module) => Array.from({ length: module.getNumExports() }, (_, at) => binaryen.getExportInfo(module.getExportByIndex(at)));

function dataSegments(module) {
  return Array.from({ length: module.getNumDataSegments() }, (_, index) => {
    const { offset, data, passive } = module.getDataSegmentInfo(module.getDataSegmentByIndex(index));
    if (passive) throw new Error('data that is copied by hand was not expected');
    return { offset, bytes: Buffer.from(data) };
  });
}

/** Divides the data. What nothing refers to but functions of the rest, and other such data, goes; so does what is kept for later. */
function divided(segments, { pieces, functions: users }, isLater, cuts) {
  const bytesAt = (begin, end) => {
    const { offset, bytes } = segments.find(({ offset, bytes }) => offset <= begin && end <= offset + bytes.length);
    return bytes.subarray(begin - offset, end - offset);
  };
  const needed = new Set();
  const take = (piece) => {
    if (needed.has(piece) || bytesAt(piece.begin, piece.end).subarray(0, MARK.length).equals(MARK)) return;
    needed.add(piece);
    for (const other of piece.uses) take(other);
  };
  for (const [name, values] of users) {
    if (isLater(name)) continue;
    const { kept, moved } = cuts.get(name) ?? {};
    for (const [value, used] of values) if (!moved?.has(value) || kept.has(value)) for (const piece of used) take(piece);
  }

  // What goes, as few stretches: between two pieces side by side stand at most the zeros that align the second.
  const stretches = [];
  pieces.forEach((piece, at) => {
    if (needed.has(piece)) return;
    const [last, before] = [stretches.at(-1), pieces[at - 1]];
    const aligns = last !== undefined && last.end === before.end && piece.begin - last.end < ALIGNMENT && bytesAt(last.end, piece.begin).every((byte) => byte === 0);
    if (aligns) last.end = piece.end;
    else stretches.push({ ...piece });
  });
  const rest = stretches.map(({ begin, end }) => ({ offset: begin, bytes: Buffer.from(bytesAt(begin, end)) }));
  for (const { begin, end } of stretches) bytesAt(begin, end).fill(0); // which cost nothing
  return { first: segments, rest };
}

/** Gives what a module imports short names, for what wasm-bindgen calls it is long, and does not compress. Gives the new names too. */
export function shortened(text) {
  const names = new Map();
  const short = text.replaceAll(/\(import "[^"]*" "([^"]*)"/g, (_, name) => {
    names.set(name, `w${names.size.toString(36)}`);
    return `(import "js" "${names.get(name)}"`;
  });
  return { text: short, names };
}

/** Divides a module; `linked` is the linker's file, `start` what start.txt says. */
export function split(bytes, linked, start) {
  const first = (name) => start.has(known(name));
  const { text, names } = shortened(textOf(bytes));
  const { text: divisible, cuts } = cold(text, (name, shape) => {
    const bits = start.get(known(name))?.get(shape);
    return bits === undefined ? undefined : (number) => (bits >> BigInt(number)) & 1n;
  });
  const module = read(divisible);
  const all = functions(module);
  const uses = references(module);
  const [table] = segments(module).map((segment) => segment.table);
  const { initial } = binaryen.getTableInfo(module.getTable(table));
  const rooted = new Set(exportsOf(module).map(({ value }) => value));
  const later = all.filter(({ name, module: from }) => from === '' && !rooted.has(name) && !first(name));
  const isLater = new Set(later.map(({ name }) => name));

  const early = all.filter(({ name }) => !isLater.has(name) && LATER_READER.test(name));
  if (early.length > 0) throw new Error(`${early[0].name} runs at the start, and what it reads comes later: see src/later.rs`);
  if (!later.some(({ name }) => LATER_READER.test(name))) throw new Error('nothing reads what comes later: see src/later.rs');

  // What the first half calls of the rest has a slot in the table.
  const called = new Set(segments(module).flatMap(({ data }) => data));
  for (const [name, used] of uses) if (!isLater.has(name)) for (const other of used) called.add(other);
  // All in the order of names, in which functions come to stand: rising numbers compress better.
  const byName = (one, other) => (one < other ? -1 : 1);
  const slots = later.filter(({ name }) => called.has(name)).sort((one, other) => byName(one.name, other.name));
  // And what the rest calls of the first half, imports among it, is exported by it.
  const shared = new Set(later.flatMap(({ name }) => [...(uses.get(name) ?? [])]).filter((name) => !isLater.has(name)).sort(byName));
  const short = new Map([...shared].map((name, at) => [name, `r${at.toString(36)}`]));
  const globals = Array.from({ length: module.getNumGlobals() }, (_, at) => binaryen.getGlobalInfo(module.getGlobalByIndex(at))).filter(({ mutable }) => mutable);
  if (globals.length !== 1) throw new Error(`${globals.length} globals change; the stack pointer alone was expected`);
  const [{ name: stack }] = globals;

  // ---- The rest ----

  const rest = read(divisible);
  for (const { name } of exportsOf(rest)) rest.removeExport(name);
  for (const { name } of segments(rest)) rest.removeElementSegment(name);
  const whole = new Map(all.map((one) => [one.name, one]));
  for (const { name } of all.filter(({ name }) => !isLater.has(name))) {
    rest.removeFunction(name);
    const { params, results } = whole.get(name);
    if (shared.has(name)) rest.addFunctionImport(name, 'first', short.get(name), params, results);
  }
  const pieces = divided(dataSegments(module), dataOf(linked), (name) => isLater.has(name), cuts);
  const { initial: pages } = module.getMemoryInfo(MEMORY);
  const fill = (half, data) =>
    half.setMemory(pages, -1, null, data.map(({ offset, bytes }) => ({ offset: half.i32.const(offset), data: bytes, passive: false })), false, false, MEMORY);
  fill(rest, pieces.rest);
  rest.addMemoryImport(MEMORY, 'first', 'memory', false);
  rest.removeTable(table);
  rest.addTable(table, initial + slots.length, UNBOUNDED);
  rest.addTableImport(table, 'first', 'r:table');
  // And the table of what belongs to JavaScript, which is exported as it is.
  for (const { name, value } of exportsOf(module).filter(({ kind }) => kind === binaryen.ExternalTable)) rest.addTableImport(value, 'first', name);
  rest.addGlobalImport(stack, 'first', 'r:stack', i32, true);
  rest.addActiveElementSegment(table, 'slots', slots.map(({ name }) => name), rest.i32.const(initial));

  // ---- The first half ----

  fill(module, pieces.first);
  const HERE = 'rest is here';
  module.addGlobal(HERE, i32, true, module.i32.const(0));
  module.addFunctionImport('need', 'rest', 'need', none, none);
  module.addFunction('ask', none, none, [], module.if(
    module.i32.eqz(module.global.get(HERE, i32)),
    module.block(null, [module.call('need', [], none), module.global.set(HERE, module.i32.const(1))]),
  ));
  const slotOf = new Map(slots.map(({ name }, at) => [name, initial + at]));
  for (const { name, params, results } of later) {
    module.removeFunction(name);
    if (!slotOf.has(name)) continue;
    const types = binaryen.expandType(params);
    const given = types.map((type, at) => module.local.get(at, type));
    const body = [module.call('ask', [], none), module.call_indirect(table, module.i32.const(slotOf.get(name)), given, params, results)];
    module.addFunction(name, params, results, [], module.block(null, body, results));
  }
  module.removeTable(table);
  module.addTable(table, initial + slots.length, UNBOUNDED);
  for (const [name, exported] of short) module.addFunctionExport(name, exported);
  module.addTableExport(table, 'r:table');
  module.addGlobalExport(stack, 'r:stack');

  binaryen.setDebugInfo(true);
  const halves = [module, rest].map((half) => {
    if (!half.validate()) throw new Error('the divided engine is no valid module: the lines above say why');
    const out = half.emitBinary();
    half.dispose();
    return out;
  });
  console.log(`  ${cuts.size} functions were cut`);
  console.log(`  ${later.length} of ${all.length} functions are in the rest, ${slots.length} have a slot, ${shared.size} are shared`);
  return { halves, names };
}

/** Makes a module small. */
function optimized(bytes, folder, name) {
  mkdirSync(folder, { recursive: true });
  const [from, to] = [join(folder, `${name}.in.wasm`), join(folder, `${name}.wasm`)];
  writeFileSync(from, bytes);
  const { status, error } = spawnSync('wasm-opt', [...FLAGS, ...SMALL, from, '-o', to], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`wasm-opt failed: ${error ?? `status ${status}`}`);
  return readFileSync(to);
}

/** Puts a text in the place of another that must be there once. */
function replace(text, from, to) {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`'${from}' stands there ${parts.length - 1} times`);
  return parts.join(to);
}

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** Divides the engine of a site. `linked` is the linker's file of it, `target` a folder for what stands between. */
export function splitSite(site, linked, target) {
  const start = readStart(readFileSync(new URL('start.txt', import.meta.url), 'utf8'));
  const names = readdirSync(site);
  const engine = names.find((name) => name.endsWith('_bg.wasm'));
  const script = engine.replace('_bg.wasm', '.js');
  const base = engine.replace(/-[0-9a-f]+_bg\.wasm$/, '');
  const bytes = readFileSync(join(site, engine));
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'whole.wasm'), bytes); // for e2e/start.mjs
  const { halves, names: imports } = split(bytes, readFileSync(linked), start);
  const first = optimized(halves[0], target, 'first');
  const rest = optimized(halves[1], target, 'rest');
  const restName = `${base}-${hash(rest)}_rest.wasm`;
  const firstName = `${base}-${hash(first)}_bg.wasm`;

  let glue = readFileSync(join(site, script), 'utf8');
  glue = glue.replaceAll(engine, firstName);
  glue = replace(glue, `"./${script.replace(/-[0-9a-f]+\.js$/, '')}_bg.js": import0,`, 'js: import0, rest: { need },');
  for (const [name, short] of imports) glue = replace(glue, `${name}: `, `${short}: `);
  glue += readFileSync(new URL('rest.js', import.meta.url), 'utf8');
  const glueName = `${base}-${hash(glue)}.js`;

  let page = readFileSync(join(site, 'index.html'), 'utf8');
  page = page.replaceAll(engine, firstName).replaceAll(script, glueName);
  page = replace(page, `data-wasm="./${firstName}"`, `data-wasm="./${firstName}" data-rest="./${restName}"`);
  rmSync(join(site, engine));
  rmSync(join(site, script));
  for (const [name, content] of [[firstName, first], [restName, rest], [glueName, glue], ['index.html', page]]) {
    writeFileSync(join(site, name), content);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  splitSite(process.argv[2], process.argv[3], fileURLToPath(new URL('../target/split', import.meta.url)));
}
