// Makes the scripts and the style sheet of a built site small, and takes the comments out of its page: `node
// scripts/minify.mjs dist`. The sources stay as they are read, and what trunk serves too.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

import { transformSync } from '../e2e/node_modules/esbuild/lib/main.js';

const [site] = process.argv.slice(2);
for (const name of readdirSync(site).filter((name) => ['.js', '.css'].includes(extname(name)))) {
  const path = join(site, name);
  // guard.js speaks to browsers of any age: nothing newer may come into it.
  const target = name.startsWith('guard-') ? 'es5' : 'esnext';
  const { code } = transformSync(readFileSync(path, 'utf8'), { loader: extname(name).slice(1), minify: true, target, legalComments: 'none' });
  writeFileSync(path, code);
}

const page = join(site, 'index.html');
writeFileSync(page, readFileSync(page, 'utf8').replaceAll(/<!--[^]*?-->\n?/g, ''));
