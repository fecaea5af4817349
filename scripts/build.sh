#!/usr/bin/env bash
# Makes the release build and says how large it is.
#   dist/  the site: static files with relative addresses, for any static host and any folder on it
#   pkg/   the same code for other programs, built for speed rather than size: pkg/web for browsers and bundlers, pkg/node for Node.js
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ $# -eq 0 ] || usage 'scripts/build.sh'
bash scripts/setup.sh build
export PATH="$root/e2e/node_modules/.bin:$PATH" # wasm-opt of the locked version goes before any other

say 'building dist/'
trunk build --release --cargo-profile page --locked || die "trunk's release build failed: the lines above say why"
facts=$(cargo metadata --no-deps --format-version 1 --locked)
library=$(node -p 'JSON.parse(process.argv[1]).packages[0].targets.find((target) => target.kind.includes("cdylib")).name' "$facts")
target=$(node -p 'JSON.parse(process.argv[1]).target_directory' "$facts")
node scripts/split.mjs dist "$target/wasm32-unknown-unknown/page/$library.wasm" || die "the engine was not divided: the line above says why"
node scripts/minify.mjs dist
node scripts/worker.mjs dist
node scripts/licenses.mjs dist/licenses.txt || die "the licences of the page's crates are not all there: the line above says which"

# ---- pkg/ ----

say "building pkg/ ($SECONDS s)"
# Where the page is built to be small, this is built to be fast.
cargo build --locked --release --lib --target wasm32-unknown-unknown --no-default-features
wasm=$target/wasm32-unknown-unknown/release/$library.wasm
[ -f "$wasm" ] || die "cargo left no $wasm: see that the library's crate-type has cdylib"
bindgen=$(find_bindgen "$(bindgen_version)")

staged=$target/pkg # pkg/ is replaced in one go, when all of it is made
rm -rf "$staged"
for kind in web nodejs; do
  folder=$staged/${kind%js}
  "$bindgen" --target "$kind" --typescript --out-dir "$folder" --out-name "$library" "$wasm"
  node scripts/data.mjs "$folder/${library}_bg.wasm"
  # The features that Rust compiles WebAssembly with are named: a stripped file does not tell them.
  wasm-opt -O3 --enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int \
    --enable-reference-types --enable-sign-ext "$folder/${library}_bg.wasm" -o "$folder/${library}_bg.wasm"
done
cp dist/licenses.txt "$staged/licenses.txt"
# web is an ES module whose default export loads the WebAssembly file; node is CommonJS and loads it by itself.
echo '{ "type": "module" }' >"$staged/web/package.json"
echo '{ "type": "commonjs" }' >"$staged/node/package.json"
node - "$facts" "$library" >"$staged/package.json" <<'JS'
const [facts, library] = process.argv.slice(2);
const { name, version, description, license } = JSON.parse(facts).packages[0];
const entry = (kind) => ({ types: `./${kind}/${library}.d.ts`, default: `./${kind}/${library}.js` });
const exports = {
  '.': { node: entry('node'), default: entry('web') },
  './node': entry('node'),
  './web': entry('web'),
  './package.json': './package.json',
};
const { types, default: main } = entry('node');
console.log(JSON.stringify({ name, version, description, license, private: true, main, types, exports }, null, 2));
JS
rm -rf pkg
mv "$staged" pkg

# ---- Sizes ----

node - dist <<'JS'
const { readdirSync, readFileSync, statSync } = require('node:fs');
const { join, relative } = require('node:path');
const { brotliCompressSync, gzipSync } = require('node:zlib');
const [dist] = process.argv.slice(2);
const files = (folder) =>
  readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
const rows = files(dist).map((path) => {
  const bytes = readFileSync(path);
  return [relative(dist, path), bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
});
const total = ['total', ...[1, 2, 3].map((column) => rows.reduce((sum, row) => sum + row[column], 0))];
const table = [['dist/ in bytes', 'raw', 'gzip', 'brotli'], ...rows, total];
const width = Math.max(...table.map(([name]) => name.length));
for (const [name, ...numbers] of table) {
  console.log(`  ${name.padEnd(width)}${numbers.map((number) => String(number).padStart(10)).join('')}`);
}
JS
say "dist/ and pkg/ are built ($SECONDS s)"
