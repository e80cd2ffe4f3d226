// Language, theme and width: they change at once, stay, and the page remains usable at the width of a phone.
import { expect, type Page, test } from '@playwright/test';
import { openLesson, pressUntil } from './support/page';

const paper = (page: Page) =>
  page.locator('html').evaluate((el) => getComputedStyle(el).getPropertyValue('--bg').trim());

test('the language changes at once and stays', async ({ page }) => {
  await openLesson(page, 'first-packet');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.getByRole('button', { name: '中文' }).click();
  await expect(page.getByRole('heading', { name: '第一个包' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/);
  await expect(page).toHaveTitle(/第一个包/);
  await page.reload();
  await expect(page.getByRole('heading', { name: '第一个包' })).toBeVisible();
  await page.goto('./');
  await expect(page.getByRole('button', { name: '中文' })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'English' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('No machine has it');
});

test('the theme changes at once and stays', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openLesson(page, 'first-packet');
  const light = await paper(page);
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect.poll(() => paper(page)).not.toBe(light);
  const dark = await paper(page);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Light theme' })).toBeVisible();
  expect(await paper(page)).toBe(dark);
  await page.getByRole('button', { name: 'Light theme' }).click();
  await expect.poll(() => paper(page)).toBe(light);
});

test('without a choice the page follows the system and the browser', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL, locale: 'zh-CN', colorScheme: 'dark' });
  const page = await context.newPage();
  await openLesson(page, 'first-packet');
  await expect(page.getByRole('heading', { name: '第一个包' })).toBeVisible();
  const dark = await paper(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => paper(page)).not.toBe(dark);
  await context.close();
});

test('the workbench is as high as the window, whatever is open', async ({ page }) => {
  const excess = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  await openLesson(page, 'conntrack-full');
  expect(await excess()).toBe(0);
  await page.getByRole('button', { name: 'Call web once' }).click();
  await page.getByRole('button', { name: /^conntrack/ }).click();
  await page.getByRole('button', { name: /^Terminal/ }).click();
  await expect(page.locator('.terminal-screen')).toBeVisible();
  await expect(page.getByRole('region', { name: 'conntrack' })).toBeVisible();
  expect(await excess()).toBe(0);
  await page.getByRole('button', { name: 'Hint' }).click();
  expect(await excess()).toBe(0);
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  /** Whether anything makes the page wider than the screen. */
  const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

  test('a lesson is stepped, asked and answered', async ({ page }) => {
    await page.goto('./?lesson=first-packet');
    await tab(page, 'Guide').tap();
    await page.getByRole('button', { name: 'Send one SYN' }).tap();
    await tab(page, 'Stage').tap();
    const sheet = page.getByRole('region', { name: 'The run goes on after your answer.' });
    const step = page.getByRole('toolbar').getByRole('button', { name: /^Step \d+/ });
    for (let i = 0; i < 60 && !(await sheet.isVisible()); i++) await step.tap();
    await expect(sheet).toBeVisible();
    expect(await overflow(page)).toBeLessThanOrEqual(0);

    // The question lies over the stage; what it asks about is still in sight above it.
    const box = await sheet.boundingBox();
    expect(box?.y ?? 0).toBeGreaterThan(160);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    await sheet.getByRole('radio', { name: /^KUBE-SVC-/ }).tap();
    await sheet.getByRole('button', { name: 'Answer' }).tap();
    await expect(sheet).toContainText('Right.');
    await expect(step).toBeEnabled();
    await step.tap();
    await step.tap();
    await expect(sheet).toHaveCount(0);

    for (const name of ['Inspect', 'Tables', 'Terminal', 'Guide', 'Stage']) {
      await tab(page, name).tap();
      await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
      await expect(page.getByRole('tabpanel')).not.toBeEmpty();
      expect(await overflow(page), name).toBeLessThanOrEqual(0);
      expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight), name).toBe(0);
    }
  });

  test('what is touched is large enough for a thumb', async ({ page }) => {
    await page.goto('./?lesson=first-packet');
    await tab(page, 'Guide').tap();
    await page.getByRole('button', { name: 'Send one SYN' }).tap();
    await tab(page, 'Stage').tap();
    const buttons = page.getByRole('toolbar').getByRole('button');
    await expect(buttons.first()).toBeVisible();
    for (const button of await buttons.all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
  });

  test('the landing page and the catalogue fit', async ({ page }) => {
    await page.goto('./');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.goto('./?lessons');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });

  test('the drag bar seeks', async ({ page }) => {
    await page.goto('./?lesson=first-packet');
    await tab(page, 'Guide').tap();
    await page.getByRole('button', { name: 'Send one SYN' }).tap();
    await tab(page, 'Stage').tap();
    const bar = page.getByRole('slider', { name: 'Timeline' });
    await bar.focus();
    await pressUntil(page, 'ArrowRight', async () => Number(await bar.inputValue()) >= 10);
    await expect(page.getByRole('toolbar').getByRole('button', { name: /^Step 1\d/ })).toBeVisible();
  });
});
