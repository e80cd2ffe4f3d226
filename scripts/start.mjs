// Builds the page and serves it. PORT asks for a port, HOST for an address to listen on (0.0.0.0 for other machines).
import { existsSync } from 'node:fs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import { serve } from './lib/static-server.mjs';

function portFrom(text) {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  console.error(`PORT is ${JSON.stringify(text)}; a number from 0 to 65535 was expected`);
  process.exit(2);
}

const port = portFrom(process.env.PORT);
if (!process.argv.includes('--no-build') || !existsSync(inRoot('dist', 'index.html'))) {
  console.log('Building …');
  const built = await runNode([inRoot('scripts', 'build.mjs'), '--quiet']);
  if (built.code !== 0) process.exit(built.code);
}
try {
  const { url } = await serve(inRoot('dist'), { port, host: process.env.HOST || undefined });
  console.log(`Conntrail is at ${url}  (Ctrl-C ends it)`);
} catch (error) {
  console.error(error.code === 'EADDRINUSE' ? `Port ${port} is taken; set PORT to another one.` : error.message);
  process.exit(1);
}
