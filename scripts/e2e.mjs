// Browser tests: builds the page (unless --no-build), serves it as `npm start` does, and drives it with a real Chromium. Other arguments go to Playwright,
// e.g. `npm run e2e -- lesson.spec.ts -g keyboard`.
import { existsSync } from 'node:fs';
import { findBrowser } from './lib/browser.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import { serve } from './lib/static-server.mjs';

/** Run Playwright against the built page; returns its exit code. The tests are those of `folder`; the results go to `json`. */
export async function runBrowserTests({
  args = [],
  folder = 'e2e',
  json = inRoot('test-results', 'results.json'),
} = {}) {
  const browser = await findBrowser();
  const { server, url } = await serve(inRoot('dist'), { port: 0 });
  try {
    const env = { CHROME_PATH: browser, CONNTRAIL_URL: url, CONNTRAIL_TESTS: folder, CONNTRAIL_E2E_JSON: json };
    const { code } = await runNode([inRoot('node_modules', '@playwright', 'test', 'cli.js'), 'test', ...args], { env });
    return code;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

if (process.argv[1] === inRoot('scripts', 'e2e.mjs')) {
  const args = process.argv.slice(2).filter((arg) => arg !== '--no-build');
  const build = !process.argv.includes('--no-build') || !existsSync(inRoot('dist', 'index.html'));
  const built = build ? await runNode([inRoot('scripts', 'build.mjs'), '--quiet']) : { code: 0 };
  try {
    process.exitCode = built.code === 0 ? await runBrowserTests({ args }) : built.code;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
