// Writes the licences of everything that the page's program is compiled from: `node scripts/licenses.mjs dist/licenses.txt`.
// The texts are those that the crates bring along; a text that several have stands there once.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The crates that a crate's program needs on the page's target, itself among them, by name and version. */
export function needed({ packages, resolve }) {
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const found = new Set();
  const open = [resolve.root];
  while (open.length > 0) {
    const id = open.pop();
    if (found.has(id)) continue;
    found.add(id);
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) if (kinds.some(({ kind }) => kind === null)) open.push(pkg);
  }
  const key = ({ name, version }) => `${name} ${version}`;
  return packages.filter(({ id }) => found.has(id)).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The licence texts in a crate's folder. */
function textsOf({ manifest_path: manifest, license_file: named }) {
  const folder = dirname(manifest);
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|copyright|notice|unlicense)/i.test(name));
  if (named && !names.includes(named)) names.push(named);
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').replace(/[ \t]+$/gm, '').trim());
}

/** All of it as one text. A crate that brings no text, or names no licence, is an error that lists it. */
export function licenses(metadata, read = textsOf) {
  const crates = needed(metadata);
  const own = crates.find(({ id }) => id === metadata.resolve.root);
  const texts = []; // each with the crates that bring it
  const without = [];
  const add = (name, text) => {
    // Lines are broken and set in differently in copies of one text.
    const same = text.replace(/\s+/g, ' ');
    const known = texts.find((other) => other.same === same);
    if (known) known.names.push(name);
    else texts.push({ same, text, names: [name] });
  };
  for (const crate of [own, ...crates.filter((crate) => crate !== own)]) {
    const found = read(crate);
    if (found.length === 0 || !crate.license) without.push(`${crate.name} ${crate.version}`);
    for (const text of found) add(crate.name, text);
  }
  if (without.length > 0) throw new Error(`no licence text or no licence: ${without.join(', ')}`);

  const rule = '='.repeat(80);
  const list = crates.map(({ name, version, license, repository, source }) =>
    `${name} ${version}: ${license}${source === null ? ', this project' : `, ${repository ?? 'crates.io'}`}`);
  return [
    `${own.name} ${own.version} is compiled from these:`,
    list.join('\n'),
    rule,
    readFileSync(new URL('rust-library.txt', import.meta.url), 'utf8').trim(),
    ...texts.flatMap(({ text, names }) => [rule, `${[...new Set(names)].join(', ')}:`, text]),
  ].join('\n\n') + '\n';
}

/** What cargo knows of the page's program. */
export const metadata = () =>
  JSON.parse(execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', '--no-default-features', '--filter-platform', 'wasm32-unknown-unknown'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    writeFileSync(process.argv[2], licenses(metadata()));
  } catch (error) {
    console.error(`licenses: ${error.message}`);
    process.exit(1);
  }
}
