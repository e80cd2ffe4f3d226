// Builds the page into dist/. `npm start` serves it, `npm run e2e` drives it, scripts/budget.mjs weighs it.
import { build } from 'vite';
import { inRoot, root } from './lib/root.mjs';

await build({
  root,
  configFile: inRoot('vite.config.ts'),
  logLevel: process.argv.includes('--quiet') ? 'warn' : 'info',
});
