// Finds a Chromium for the browser tests, or gets one: a Chrome or Chromium on this machine, else Playwright's own download, else Debian's package.
import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot } from './root.mjs';
import { run, runNode } from './run.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
];

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The full path of the first of some programs that is on the PATH. */
function onPath(...programs) {
  for (const program of programs) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      if (folder !== '' && isFile(join(folder, program))) return join(folder, program);
    }
  }
  return undefined;
}

function installed() {
  return onPath(...names) ?? places.find(isFile);
}

/** Whether a browser really starts here: a download without its system libraries is of no use. */
async function starts(path) {
  const { code, output } = await run(path, ['--version', '--no-sandbox'], { quiet: true });
  return code === 0 && /\d+\.\d+/.test(output);
}

/** The line of a failed program's output that says what went wrong, as far as one can tell. */
function reason(output) {
  const lines = output.trim().split('\n');
  return lines.find((line) => /^(E:|Error)/.test(line.trim())) ?? lines.at(-1) ?? '';
}

async function playwrightOwn({ download }) {
  const { chromium } = await import('playwright');
  const path = () => chromium.executablePath();
  if (!existsSync(path()) && download) {
    console.log("No Chrome or Chromium found; trying Playwright's own …");
    const { code, output } = await runNode([inRoot('node_modules', 'playwright', 'cli.js'), 'install', 'chromium'], {
      quiet: true,
    });
    if (code !== 0) console.log(`Playwright's download failed: ${reason(output)}`);
  }
  return existsSync(path()) && (await starts(path())) ? path() : undefined;
}

const isRoot = () => process.getuid?.() === 0;
/** Another apt-get on the machine is waited for, up to five minutes. */
const waiting = ['-o', 'DPkg::Lock::Timeout=300'];
let updated;

/** `apt-get install`, with one `apt-get update` before the first; false where there is no apt-get or no right to use it. */
async function apt(...packages) {
  if (onPath('apt-get') === undefined || !isRoot()) return false;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  updated ??= run('apt-get', ['update', '-qq'], { quiet: true, env });
  await updated;
  const { code, output } = await run(
    'apt-get',
    [...waiting, 'install', '-y', '-qq', '--no-install-recommends', ...packages],
    {
      quiet: true,
      env,
    },
  );
  if (code !== 0) console.log(`apt-get install ${packages.join(' ')} failed: ${reason(output)}`);
  return code === 0;
}

async function debian() {
  if (onPath('apt-get') === undefined || !isRoot()) return undefined;
  console.log("Installing Debian's chromium …");
  return (await apt('chromium')) ? onPath(...names) : undefined;
}

/** Pages in Chinese need a font with its characters; without one they are tested all the same, with boxes for letters. */
async function cjkFont() {
  const known = [
    '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
    '/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc',
  ];
  if (process.platform !== 'linux' || known.some(isFile)) return;
  await apt('fonts-noto-cjk');
}

const none = `No Chrome or Chromium could be found or installed, so the browser tests cannot run.
Looked for: CHROME_PATH, ${names.join(', ')} on the PATH, Playwright's download, Debian's package (apt-get as root).
Install one, or set CHROME_PATH to the program.`;

/** The path of a Chromium that starts, getting one where need be; throws with a clear message where none can be had. */
export async function findBrowser() {
  const given = process.env.CHROME_PATH;
  if (given !== undefined && given !== '') {
    if (isFile(given) && (await starts(given))) return given;
    throw new Error(`CHROME_PATH is ${given}, which is not a browser that starts`);
  }
  const here = installed();
  if (here !== undefined && (await starts(here))) {
    await cjkFont();
    return here;
  }
  const path = (await playwrightOwn({ download: true })) ?? (await debian());
  if (path === undefined) throw new Error(none);
  await cjkFont();
  return path;
}
