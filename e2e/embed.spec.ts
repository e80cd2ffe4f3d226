// Two embeds in one page of somebody else's: each shows its own scenario, step, language and theme.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type FrameLocator, type Page, test } from '@playwright/test';

let site: Server | undefined;
test.afterEach(() => {
  site?.closeAllConnections();
  site?.close();
});

/** Opens a page of another origin that holds these frames. */
async function article(page: Page, baseURL: string, queries: readonly string[], sandbox = ''): Promise<void> {
  const frames = queries.map(
    (q, i) =>
      `<iframe name="f${i}" title="f${i}" ${sandbox} width="640" height="560" src="${baseURL}?embed&${q}"></iframe>`,
  );
  const body = `<!doctype html><title>Article</title><body>${frames.join('')}<script>
    window.heard = [];
    addEventListener('message', (e) => heard.push({ from: [frames[0], frames[1]].indexOf(e.source), ...e.data }));
  </script>`;
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(body));
  site = server;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

const step = (frame: FrameLocator) => frame.locator('.embed-head .chip');

test('two frames on one page do not disturb each other', async ({ page, baseURL }) => {
  await article(page, baseURL ?? '', [
    'scenario=first-packet&step=13&lang=en&theme=light',
    'scenario=empty-list&step=8&lang=zh&theme=dark',
  ]);
  const left = page.frameLocator('[name=f0]');
  const right = page.frameLocator('[name=f1]');
  await expect(step(left)).toHaveText(/^step 13 of \d+$/);
  await expect(step(right)).toHaveText(/^第 8\/\d+ 步/);
  await expect(left.locator('html')).toHaveAttribute('lang', 'en');
  await expect(right.locator('html')).toHaveAttribute('lang', /^zh/);
  const paper = (frame: FrameLocator) => frame.locator('html').evaluate((el) => getComputedStyle(el).backgroundColor);
  expect(await paper(left)).not.toBe(await paper(right));

  await left.getByRole('button', { name: 'Step', exact: true }).click();
  await expect(step(left)).toHaveText(/^step 14 /);
  await expect(step(right)).toHaveText(/^第 8\/\d+ 步/);
  await right.getByRole('button', { name: '上一步' }).click();
  await expect(step(right)).toHaveText(/^第 7\/\d+ 步/);
  await expect(step(left)).toHaveText(/^step 14 /);

  // The page around them may lead one of them, by message, and hears both.
  await page.evaluate(() => {
    const frame = document.querySelector<HTMLIFrameElement>('[name=f0]');
    frame?.contentWindow?.postMessage({ ns: 'conntrail', v: 1, type: 'seek', payload: { step: 20 } }, '*');
  });
  await expect(step(left)).toHaveText(/^step 20 /);
  await expect(step(right)).toHaveText(/^第 7\/\d+ 步/);
  const heard = await page.evaluate(() => (window as unknown as { heard: { from: number; type: string }[] }).heard);
  expect(new Set(heard.filter((m) => m.type === 'ready').map((m) => m.from))).toEqual(new Set([0, 1]));
});

test('a sandboxed frame works, keeps nothing, and its link opens the whole at the same step', async ({
  page,
  baseURL,
}) => {
  await article(page, baseURL ?? '', ['scenario=first-packet&step=13&lang=en'], 'sandbox="allow-scripts allow-popups"');
  const frame = page.frameLocator('[name=f0]');
  await expect(step(frame)).toHaveText(/^step 13 of \d+$/);
  await frame.getByRole('button', { name: 'Step', exact: true }).click();
  await expect(step(frame)).toHaveText(/^step 14 /);
  const link = frame.getByRole('link', { name: 'Open in Conntrail' });
  await expect(link).toHaveAttribute('href', /#s=/);
});

test('parameters that are not known fall back, and the frame says so', async ({ page }) => {
  await page.goto('./?embed&scenario=first-packet&step=5&theme=blue');
  await expect(page.getByText('theme=blue is not known')).toBeVisible();
  await expect(page.locator('.embed-head .chip')).toHaveText(/^step 5 /);
});
