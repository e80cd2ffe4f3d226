// The other lessons, solved to their last page: what was pinned and what was repaired turn the goals green after a check.
import { expect, type Page, test } from '@playwright/test';
import { openLesson, pressUntil, run, showTerminal } from './support/page';

const question = (page: Page) => page.getByRole('group', { name: /\?$/ });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const slot = (page: Page, id: string) => page.locator(`[data-slot="${id}"]`);

/** Steps on, letting every question be answered by the page, until something holds. */
async function stepTo(page: Page, holds: () => Promise<boolean>): Promise<void> {
  await pressUntil(page, 'ArrowRight', async () => {
    if (await holds()) return true;
    if (await question(page).isVisible()) await page.getByRole('button', { name: 'Show me' }).click();
    return holds();
  });
}

async function check(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check', exact: true }).click();
}

async function finish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'What you saw' }).click();
  await expect(page.getByRole('heading', { name: 'What you saw', level: 1 })).toBeFocused();
}

test('lesson 2.1: the rule that refuses is pinned, and the labels are set right', async ({ page }) => {
  await openLesson(page, 'empty-list');
  await page.locator('.lesson-foot .main').click();
  await stepTo(page, async () => /REJECT/.test((await inspector(page).allInnerTexts()).join()));
  await page.keyboard.press('p');
  await expect(slot(page, 'refusal')).toHaveAttribute('data-state', 'filled');
  await stepTo(page, async () => /of \d+$/.test(await page.locator('.position > span').first().innerText()));
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');

  // One Pod is not enough, and the page says why.
  await showTerminal(page, 'workstation');
  await run(page, 'kubectl label pod web-1 app=web --overwrite', /pod\/web-1 labeled/);
  await check(page);
  await expect(page.locator('.near-miss')).toContainText('Labelled one Pod');
  await expect(page.locator('[data-goal="flows"]')).toHaveAttribute('data-met', 'false');

  await run(page, 'kubectl label pod web-2 web-3 app=web --overwrite', /pod\/web-3 labeled/);
  await check(page);
  await expect(page.locator('[data-goal="flows"]')).toHaveAttribute('data-met', 'true');
  await finish(page);
});

test('lesson 4.1: the cause is named with its evidence, and room is made', async ({ page }) => {
  await openLesson(page, 'conntrack-full');
  await page.getByRole('button', { name: 'Call web once' }).click();
  await stepTo(page, async () => (await inspector(page).innerText()).includes('Dropped'));
  await page.keyboard.press('p');
  await expect(slot(page, 'loss')).toHaveAttribute('data-state', 'filled');

  // The other evidence is printed text: its line is selected and pinned.
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  await showTerminal(page, 'node-1');
  await run(page, 'sysctl net.netfilter.nf_conntrack_max', /nf_conntrack_max = 8192/);
  await page
    .locator('.terminal-screen .xterm-rows > div', { hasText: 'nf_conntrack_max = 8192' })
    .click({ clickCount: 3, force: true, position: { x: 20, y: 6 } });
  await page.getByRole('button', { name: 'Pin line' }).click();
  await expect(slot(page, 'room')).toHaveAttribute('data-state', 'filled');
  await page.getByLabel('The cause').selectOption({ label: 'the connection table of node-1 is full' });

  await run(page, 'sysctl -w net.netfilter.nf_conntrack_max=16384', /nf_conntrack_max = 16384/);
  await check(page);
  await expect(page.locator('[data-goal="flows"]')).toHaveAttribute('data-met', 'true');
  await finish(page);
});
