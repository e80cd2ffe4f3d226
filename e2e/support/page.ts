import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test';

/** Opens a lesson and waits until it can be started. */
export async function openLesson(page: Page, id: string, query = ''): Promise<void> {
  await page.goto(`./?lesson=${id}${query}`);
  await expect(page.locator('.lesson-foot .main')).toBeEnabled();
}

export async function openSandbox(page: Page, query = ''): Promise<void> {
  await page.goto(`./?sandbox${query}`);
  await expect(page.getByRole('img', { name: /.+/ }).first()).toBeVisible();
}

/** The step number that the page shows. */
export async function stepNow(page: Page | FrameLocator): Promise<number> {
  return Number(await page.locator('.position b').textContent());
}

/** Step number and, where the page tells it, how many there are. */
export async function position(page: Page): Promise<{ step: number; total: number | undefined }> {
  const numbers = (await page.locator('.position > span').first().innerText()).match(/\d+/g)?.map(Number) ?? [];
  return { step: numbers[0] ?? Number.NaN, total: numbers[1] };
}

/** Presses a key until something holds; the picture is given the time to follow each press. */
export async function pressUntil(page: Page, key: string, holds: () => Promise<boolean>, most = 400): Promise<void> {
  for (let i = 0; i < most; i++) {
    if (await holds()) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} pressed ${most} times, and what was waited for did not come`);
}

/** Walks with Tab until an element has the focus, as one without a mouse does. */
export async function tabTo(page: Page, target: Locator, most = 120): Promise<void> {
  await expect(target).toBeVisible();
  await pressUntil(page, 'Tab', () => target.evaluate((el) => el === document.activeElement), most);
}

// — terminals —

/** Shows the terminal of a place, opening it where need be. */
export async function showTerminal(page: Page, place: string): Promise<void> {
  const tab = page.getByRole('tab', { name: place, exact: true });
  const drawer = page.getByRole('button', { name: /^Terminal( \d+)?$/ });
  if ((await drawer.getAttribute('aria-expanded')) !== 'true') await drawer.click();
  await expect(page.getByRole('tablist', { name: 'Terminal' }).getByRole('tab').first()).toBeVisible();
  if ((await tab.count()) === 0) {
    await page.getByRole('combobox', { name: 'Open another terminal' }).selectOption({ label: place });
  }
  await tab.click();
  await expect(page.getByRole('region', { name: `Terminal on ${place}` })).toBeVisible();
}

/** What the shown terminal holds: its screen and, below, what was printed later than the cursor. */
export async function terminalText(page: Page): Promise<string> {
  const screen = await page.locator('.terminal-screen .xterm-rows > div').allInnerTexts();
  const later = await page.locator('.later pre').allInnerTexts();
  return [...screen, ...later]
    .map((line) => line.replaceAll('\u00a0', ' ').trimEnd())
    .join('\n')
    .trimEnd();
}

/** The screen's last line with something on it. */
async function lastLine(page: Page): Promise<string> {
  const rows = await page.locator('.terminal-screen .xterm-rows > div').allInnerTexts();
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd()).findLast((row) => row !== '') ?? '';
}

/** Types a line into the shown terminal. */
export async function typeLine(page: Page, line: string): Promise<void> {
  await page.locator('.terminal-screen .xterm-helper-textarea').focus();
  await expect.poll(() => lastLine(page)).toMatch(/[$#]$/);
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
}

/** Types a line and waits until its output holds a text and the prompt is back. */
export async function run(page: Page, line: string, expected: string | RegExp): Promise<void> {
  await typeLine(page, line);
  await prompted(page);
  await expect.poll(() => terminalText(page)).toMatch(expected);
}

/** The shown terminal waits for the next line. */
export async function prompted(page: Page): Promise<void> {
  await expect(page.locator('.busy-dot')).toHaveCount(0);
  await expect.poll(() => lastLine(page)).toMatch(/[$#]$/);
}
