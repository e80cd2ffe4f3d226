import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentSecurityPolicy } from './policy.mjs';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.yaml': 'text/plain; charset=utf-8',
};
const compressible = /^(text\/|application\/(json|manifest)|image\/svg)/;
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

const encoders = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => deflate(body, { level: 9 }),
};

/** The headers of every answer, and those of a document. An embedded document may be framed by anybody, holds nothing, and starts its worker from a Blob. */
function headersFor(url, type) {
  const headers = {
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // A sandboxed frame has the origin `null`; without this header the browser refuses it our module scripts.
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (type.startsWith('text/html')) {
    const embedded = url.searchParams.has('embed');
    headers['Content-Security-Policy'] = `${contentSecurityPolicy}; frame-ancestors ${embedded ? '*' : "'self'"}`;
    headers['Permissions-Policy'] = 'camera=(), microphone=(), geolocation=(), usb=(), payment=()';
    if (!embedded) headers['Cross-Origin-Opener-Policy'] = 'same-origin';
  }
  headers['Cache-Control'] = url.pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return headers;
}

function chooseEncoding(accepted, type) {
  if (!compressible.test(type)) return undefined;
  const offered = (accepted ?? '').split(',').map((part) => part.trim());
  const refused = new Set(offered.filter((part) => /;\s*q=0(\.0*)?$/.test(part)).map((part) => part.split(';')[0]));
  const names = offered.map((part) => part.split(';')[0]).filter((name) => !refused.has(name));
  return ['br', 'gzip'].find((name) => names.includes(name));
}

/** A server for the files of one directory, compressed as the browser likes it. Compressed bodies are kept, since the files do not change while it runs. */
export function createStaticServer(directory) {
  const bodies = new Map();

  async function read(path) {
    if (!bodies.has(path)) bodies.set(path, { plain: await readFile(path), encoded: new Map() });
    return bodies.get(path);
  }

  async function answer(request, response) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response
        .writeHead(405, { Allow: 'GET, HEAD', 'Content-Type': 'text/plain; charset=utf-8' })
        .end('only GET and HEAD\n');
      return;
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    const name = decodeURIComponent(url.pathname);
    const path = normalize(join(directory, name.endsWith('/') ? `${name}index.html` : name));
    if (name.includes('\0') || !path.startsWith(directory + sep)) throw new Error('outside the directory');
    const file = await read(path);
    const type = types[extname(path)] ?? 'application/octet-stream';
    const headers = headersFor(url, type);
    const encoding = chooseEncoding(request.headers['accept-encoding'], type);
    let body = file.plain;
    if (encoding !== undefined) {
      if (!file.encoded.has(encoding)) file.encoded.set(encoding, encoders[encoding](file.plain));
      body = await file.encoded.get(encoding);
      headers['Content-Encoding'] = encoding;
    }
    if (compressible.test(type)) headers.Vary = 'Accept-Encoding';
    headers['Content-Length'] = body.length;
    response.writeHead(200, headers);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  return createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('not found\n');
    });
  });
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address().port);
    });
  });
}

/**
 * Serve a directory and return { server, url }. A port that is asked for must be free; without one the first free port from 4173 on is taken.
 */
export async function serve(directory, { port, host = '127.0.0.1' } = {}) {
  const server = createStaticServer(directory);
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const candidates = port === undefined ? [...Array.from({ length: 20 }, (_, i) => 4173 + i), 0] : [port];
  for (const candidate of candidates) {
    try {
      const bound = await listen(server, candidate, host);
      return { server, url: `http://${shown}:${bound}/` };
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || candidate === candidates.at(-1)) throw error;
    }
  }
  throw new Error('no free port');
}
