// Gives a built site its service worker: `node scripts/worker.mjs dist`. It writes the names of the site's files into a copy
// of www/sw.js, and tells the page that it is there. A page that trunk serves has none, and is always what was built last.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Puts a text in the place of another that must be there once. */
function replace(text, from, to) {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`'${from}' stands there ${parts.length - 1} times`);
  return parts.join(to);
}

export function addWorker(site) {
  const read = (name) => readFileSync(join(site, name));
  const template = readFileSync(new URL('../www/sw.js', import.meta.url), 'utf8');
  let page = read('index.html').toString();
  if (!page.includes(' data-worker')) page = replace(page, '<link id="engine"', '<link id="engine" data-worker');

  // What the page itself asks for: what has a hash in its name, and the languages.
  const hashed = readdirSync(site).filter((name) => /-[0-9a-f]{10,16}/.test(name));
  const names = [...hashed, ...readdirSync(join(site, 'locales')).map((name) => `locales/${name}`)].sort();

  const version = createHash('sha256').update(template).update(page);
  for (const name of names) version.update(name).update(read(name));
  let worker = replace(template, 'VERSION = ""', `VERSION = "${version.digest('hex').slice(0, 16)}"`);
  worker = replace(worker, 'FILES = []', `FILES = ${JSON.stringify(names)}`);
  writeFileSync(join(site, 'index.html'), page);
  writeFileSync(join(site, 'sw.js'), worker);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) addWorker(process.argv[2]);
