import { expect, test } from '@playwright/test';

test('the page opens without an error and reaches no other origin', async ({ page, baseURL }) => {
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== new URL(baseURL ?? '').origin) foreign.push(request.url());
  });
  await page.goto('./');
  await expect(page.getByRole('main')).toBeVisible();
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
});

test('the built files are served compressed, and to a sandboxed frame as well', async ({ request, page }) => {
  await page.goto('./');
  const src = await page.locator('script[type=module]').first().getAttribute('src');
  const script = await request.get(new URL(src ?? '', page.url()).href, { headers: { 'accept-encoding': 'br, gzip' } });
  expect(script.headers()['content-encoding']).toBe('br');
  expect(script.headers()['access-control-allow-origin']).toBe('*');
  expect((await request.get('../package.json')).status()).toBe(404);
  expect((await request.get('%2e%2e/package.json')).status()).toBe(404);
});
