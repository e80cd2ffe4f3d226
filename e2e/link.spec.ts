// Links: the same step again; a damaged one; one made on another run.
import { expect, type Page, test } from '@playwright/test';
import { decodeLink, encodeLink } from '../src/session/link';
import { openSandbox, pressUntil, run, showTerminal, stepNow } from './support/page';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

async function share(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Share' }).click();
  await expect(page.getByText('Link copied')).toBeVisible();
  return page.evaluate(() => navigator.clipboard.readText());
}

const crumbs = (page: Page) => page.getByRole('navigation', { name: 'place' });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

/** A sandbox in which a packet has been stepped to its rewrite. */
async function atRewrite(page: Page): Promise<void> {
  await openSandbox(page);
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl -s http://10.96.10.10', /web-[123]/);
  await page.getByRole('button', { name: 'Next rewrite' }).click();
  await expect(inspector(page)).toContainText('2 of 9 fields changed');
}

test('a link opens the same step', async ({ page, context }) => {
  await atRewrite(page);
  const step = await stepNow(page);
  const shown = await inspector(page).innerText();
  const url = await share(page);
  const other = await context.newPage();
  await other.goto(url);
  await expect(inspector(other)).toContainText('2 of 9 fields changed');
  expect(await stepNow(other)).toBe(step);
  expect(await inspector(other).innerText()).toBe(shown);
  expect(await crumbs(other).innerText()).toBe(await crumbs(page).innerText());
  await expect(other.getByRole('status').getByText('another run')).toHaveCount(0);
});

test('a link whose trace has changed finds its step by its place, and says so in a line', async ({ page, context }) => {
  await atRewrite(page);
  const url = await share(page);
  const read = decodeLink(new URL(url).hash);
  if (!read.ok) throw new Error(read.error.message);
  // The same link as it would be after a later version shifted the numbers.
  const { anchor, recipe } = read.value;
  if (anchor === undefined || recipe === undefined) throw new Error('the link carries no step');
  const moved = { ...read.value, anchor: { ...anchor, seq: anchor.seq - 5 }, hash: '0123456789abcdef' };
  const other = await context.newPage();
  await other.goto(`./#${encodeLink(moved)}`);
  await expect(other.getByText('This link was made on another run')).toBeVisible();
  await expect(inspector(other)).toContainText('2 of 9 fields changed');
  expect(await stepNow(other)).toBe(await stepNow(page));

  // A step that is nowhere any more opens at the nearest place.
  const gone = { ...moved, anchor: { ...anchor, kind: 'nf.rule', rule: 999, nth: 77 } };
  const third = await context.newPage();
  await third.goto(`./#${encodeLink(gone)}`);
  await expect(third.getByText('The step of this link is no longer there')).toBeVisible();
  await expect(inspector(third)).toContainText('Packet 1');
});

test("a lesson's link opens the lesson at its step", async ({ page, context }) => {
  await page.goto('./?lesson=first-packet');
  await page.getByRole('button', { name: 'Send one SYN' }).click();
  await pressUntil(page, 'ArrowRight', async () => (await stepNow(page)) >= 8);
  const step = await stepNow(page);
  const url = await share(page);
  const other = await context.newPage();
  await other.goto(url);
  await expect.poll(() => stepNow(other)).toBe(step);
  await expect(other.getByRole('heading', { name: 'The first packet' })).toBeVisible();
});

test('a damaged link gives an error, and what was open stays', async ({ page }) => {
  await atRewrite(page);
  const step = await stepNow(page);
  const url = await share(page);
  const damaged = url.slice(0, url.length - 40);
  await page.evaluate((hash) => {
    window.location.hash = hash;
  }, new URL(damaged).hash);
  await expect(page.getByText('This link cannot be opened')).toBeVisible();
  await expect.poll(() => stepNow(page)).toBe(step);
  await expect(inspector(page)).toContainText('2 of 9 fields changed');
});

for (const [what, fragment] of [
  ['cut', 's=abcdef'],
  ['of wrong letters', 's=***'],
  ['of another form', `s=${Buffer.from('{}').toString('base64url')}`],
] as const) {
  test(`a link ${what} opens an error page with a way on`, async ({ page }) => {
    await page.goto(`./#${fragment}`);
    await expect(page.getByRole('alert')).toContainText('This link cannot be opened');
    await page.getByRole('link', { name: 'Open a sandbox' }).click();
    await expect(page.getByText('Sandbox: three nodes')).toBeVisible();
  });
}
