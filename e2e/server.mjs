// A static file server for the browser tests. It answers as a plain static host does, under any base path, and it can be
// told to answer some requests wrongly, as a host with a bad set-up would. Loopback only; it needs nothing but Node.js.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';

export const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const plain = (response, status, text, headers = {}) => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(`${text}\n`);
};

// What a fault does in place of the right answer.
const faults = {
  // The right bytes with a type that browsers do not take for WebAssembly.
  'wrong-type': (response, file, size) => send(response, file, size, 'application/octet-stream'),
  // The start page with status 200, as a host for single-page apps answers when a file is missing.
  html: async (response, file, size, folder) => {
    const index = join(folder, 'index.html');
    send(response, index, (await stat(index)).size, types['.html']);
  },
  // The same, as bytes of no known kind.
  'html-as-bytes': async (response, file, size, folder) => {
    const index = join(folder, 'index.html');
    send(response, index, (await stat(index)).size, 'application/octet-stream');
  },
  // Some other text, as bytes of no known kind.
  other: (response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
    response.end('something else');
  },
  // Half of the bytes as if they were all.
  short: (response, file, size, folder, type) => {
    const half = Math.floor(size / 2);
    response.writeHead(200, { 'content-type': type, 'content-length': half, 'cache-control': 'no-store' });
    createReadStream(file, { end: half - 1 }).on('error', () => response.destroy()).pipe(response);
  },
  // Half of the bytes, then a lost connection.
  cut: (response, file, size, folder, type) => {
    response.writeHead(200, { 'content-type': type, 'content-length': size, 'cache-control': 'no-store' });
    createReadStream(file, { end: Math.floor(size / 2) })
      .on('end', () => setTimeout(() => response.destroy(), 50)) // what is written gets out first
      .pipe(response, { end: false });
  },
};

const send = (response, file, size, type) => {
  const kept = response.getHeader('cache-control') ?? 'no-store';
  response.writeHead(200, { 'content-type': type, 'content-length': size, 'cache-control': kept });
  createReadStream(file).on('error', () => response.destroy()).pipe(response);
};

/**
 * Serves a folder on 127.0.0.1.
 *
 * - `base`: the path that the folder is at, such as `/` or `/a/b/`; everything outside it is not found.
 * - `wrong`: which requests are answered wrongly: `[[/\.wasm$/, 'html'], [/\.js$/, 404]]`. The first pattern that the
 *   address matches counts; it stands with a status number or with a name from `faults`.
 * - `fallback`: answers with the start page and status 200 where there is no file, as hosts of single-page apps do.
 * - `headers`: what every answer carries beside its own headers; nothing is to be cached unless they say so.
 *
 * The result has the `url` of the start page, the `port`, and `close()`.
 */
export async function serve(folder, { base = '/', port = 0, wrong = [], headers = {}, fallback = false } = {}) {
  const home = await realpath(folder);

  const answer = async (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(response, 405, 'only GET and HEAD');

    let path;
    try {
      path = decodeURIComponent(request.url.split(/[?#]/, 1)[0]);
    } catch {
      return plain(response, 400, 'the address is not well-formed');
    }
    if (path.includes('\0')) return plain(response, 400, 'the address is not well-formed');
    if (`${path}/` === base) return plain(response, 301, 'moved', { location: base });
    if (!path.startsWith(base)) return plain(response, 404, 'not found');

    const fault = wrong.find(([pattern]) => pattern.test(path))?.[1];
    if (typeof fault === 'number') return plain(response, fault, `answered with ${fault} as the test asks`);

    const asked = resolve(home, `./${path.slice(base.length)}`);
    const inside = (place) => place === home || place.startsWith(home + sep);
    if (!inside(asked)) return plain(response, 403, 'outside of the folder');
    let file, info;
    try {
      file = await realpath(path.endsWith('/') ? join(asked, 'index.html') : asked);
      info = await stat(file);
    } catch {
      return fallback ? faults.html(response, asked, 0, home) : plain(response, 404, 'not found');
    }
    if (!inside(file)) return plain(response, 403, 'outside of the folder'); // by a symbolic link
    if (info.isDirectory()) return plain(response, 301, 'moved', { location: `${request.url.split(/[?#]/, 1)[0]}/` });

    const type = types[extname(file)] ?? 'application/octet-stream';
    if (fault) return faults[fault](response, file, info.size, home, type);
    send(response, file, info.size, type);
  };

  for (const [pattern, fault] of wrong) {
    if (typeof fault !== 'number' && !(fault in faults)) throw new Error(`${pattern}: there is no fault '${fault}'`);
  }
  if (!base.startsWith('/') || !base.endsWith('/')) throw new Error(`the base path '${base}' does not start and end with /`);

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else plain(response, 500, error.message);
    });
  });
  await new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  const actual = server.address().port;
  return {
    port: actual,
    url: `http://127.0.0.1:${actual}${base}`,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}
