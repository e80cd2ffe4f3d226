// One connection stepped to its reply and back to the start: the connection table follows the cursor both ways.
import { expect, type Page, test } from '@playwright/test';
import { openSandbox, position, pressUntil, prompted, run, showTerminal, stepNow, typeLine } from './support/page';

/** The rows of the open connection table for the Service's address, as their cells read. */
async function entries(page: Page): Promise<string> {
  const rows = await page
    .getByRole('region', { name: 'conntrack' })
    .getByRole('row')
    .filter({ hasText: '10.96.10.10:80' })
    .allInnerTexts();
  return rows.map((row) => row.replace(/\s+/g, ' ').trim()).join('\n');
}

const caption = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

test('the connection table follows the cursor to the reply and back to the start', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl http://10.96.10.10', /./);
  const landed = await stepNow(page);
  await page.getByRole('button', { name: /^conntrack/ }).click();
  await page.locator('#step').focus();
  expect(await entries(page)).toBe('');

  // Forward to the reply that is translated back, noting what the table shows at each step.
  const seen = new Map<number, string>();
  await pressUntil(page, 'ArrowRight', async () => {
    seen.set(await stepNow(page), await entries(page));
    return (await caption(page).innerText()).includes('No rule did this');
  });
  const reply = await stepNow(page);
  expect(reply).toBeGreaterThan(landed);
  const kinds = [...new Set([...seen.values()])];
  expect(kinds[0]).toBe('');
  expect(kinds.some((text) => /10\.244\.\d\.10:8080 → 10\.244\.1\.100/.test(text) && text.includes('SYN_SENT'))).toBe(
    true,
  );
  expect(kinds.some((text) => text.includes('SYN_RECV'))).toBe(true);

  // Back: at each step the table is what it was on the way there.
  while ((await stepNow(page)) > landed) {
    await page.keyboard.press('ArrowLeft');
    const at = await stepNow(page);
    expect(await entries(page), `at step ${at}, backwards`).toBe(seen.get(at));
  }
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('Home');
  await expect.poll(() => stepNow(page)).toBe(0);
  expect(await entries(page)).toBe('');
  await expect(page.getByRole('button', { name: 'Step back' })).toBeDisabled();
});

test('an entry changes when the connection closes, and goes when its time is up', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl http://10.96.10.10', /./);
  await page.getByRole('button', { name: /^conntrack/ }).click();
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  await expect.poll(() => entries(page)).toContain('TIME_WAIT [ASSURED]');
  const { step, total } = await position(page);
  expect(step).toBe(total);
  await typeLine(page, 'sleep 150');
  await prompted(page);
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  await expect.poll(() => entries(page)).toContain('removed by it');
  await expect(page.getByRole('button', { name: 'conntrack 0' })).toBeVisible();
  expect(await stepNow(page)).toBeGreaterThan(step);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => entries(page)).not.toContain('removed by it');
  expect(await entries(page)).toContain('TIME_WAIT [ASSURED]');
});
