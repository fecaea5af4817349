// A static host as a site has one: it sends brotli to who takes it, and counts what it sends.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { types } from './server.mjs';

/** The files of a folder, each with its bytes and with what they take compressed at best. */
export function weigh(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => {
      const raw = readFileSync(join(folder, path));
      const brotli = brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length } });
      return { name: path.replaceAll('\\', '/'), raw, brotli, gzip: gzipSync(raw, { level: 9 }) };
    });
}

/** Serves weighed files on 127.0.0.1. The result has the `url` of the page, `sent`, the bodies so far as `{ name, bytes }`, and `close()`. */
export async function serveCompressed(files) {
  const sent = [];
  const server = createServer((request, response) => {
    const [path] = request.url.slice(1).split(/[?#]/, 1);
    const file = files.find(({ name }) => name === (path || 'index.html'));
    const takes = /\bbr\b/.test(request.headers['accept-encoding'] ?? '');
    const body = file && (takes ? file.brotli : file.raw);
    sent.push({ name: path || 'index.html', bytes: body?.length ?? 0 });
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': types[extname(file.name)] ?? 'application/octet-stream',
      'content-length': body.length,
      // Names with a hash stand for the same bytes for ever.
      'cache-control': /-[0-9a-f]{10,16}/.test(file.name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(takes && { 'content-encoding': 'br' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    sent,
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}
