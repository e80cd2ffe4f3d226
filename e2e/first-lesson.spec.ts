// The first lesson, from the landing page to its end, by somebody who has no mouse.
import { expect, type Page, test } from '@playwright/test';
import { pressUntil, tabTo } from './support/page';

const question = (page: Page) => page.getByRole('group', { name: /\?$/ });
const caption = (page: Page) => page.getByRole('region', { name: 'This step' });
const stepUntil = (page: Page, key: string, holds: () => Promise<boolean>) => pressUntil(page, key, holds, 150);

/** Chooses an option of the open question with the arrow keys, and answers. */
async function answer(page: Page, ask: RegExp, option: RegExp): Promise<void> {
  await stepUntil(page, 'ArrowRight', () => question(page).isVisible());
  await expect(question(page)).toHaveAccessibleName(ask);
  const radios = question(page).getByRole('radio');
  await tabTo(page, radios.first());
  await page.keyboard.press('Space');
  const wanted = question(page).getByRole('radio', { name: option });
  for (let i = 0; !(await wanted.isChecked()) && i < (await radios.count()); i++)
    await page.keyboard.press('ArrowDown');
  await expect(wanted).toBeChecked();
  await tabTo(page, page.getByRole('button', { name: 'Answer', exact: true }));
  await page.keyboard.press('Enter');
  await expect(question(page)).toHaveCount(0);
  await expect(page.getByText('Right.')).toBeVisible();
}

/** Steps to where the guide says something, and pins the step with P. */
async function pinAt(page: Page, key: string, says: RegExp, slot: string): Promise<void> {
  await stepUntil(page, key, async () => says.test((await caption(page).allInnerTexts()).join(' ')));
  await page.keyboard.press('p');
  await expect(page.locator(`[data-slot="${slot}"]`)).toHaveAttribute('data-state', 'filled');
}

test('the first lesson is solved by keyboard alone', async ({ page }) => {
  await page.goto('./');
  await tabTo(page, page.getByRole('link', { name: /^Start: the first packet/ }));
  await page.keyboard.press('Enter');
  const start = page.getByRole('button', { name: 'Send one SYN' });
  await expect(start).toBeEnabled();
  await tabTo(page, start);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Notebook' })).toBeVisible();

  await answer(page, /Which chain is next\?/, /^KUBE-SVC-/);
  await pinAt(page, 'ArrowRight', /The choice is made here/, 'choice');
  await pinAt(page, 'ArrowRight', /only change anybody makes/, 'rewrite');
  await answer(page, /source address will the chosen Pod see\?/, /client-1 itself/);
  await pinAt(page, 'ArrowRight', /one row, two tuples/, 'memory');
  await expect(page.getByRole('region', { name: 'Notebook' })).toContainText('3 of 3');

  const finish = page.getByRole('button', { name: 'What you saw' });
  await tabTo(page, finish);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'What you saw', level: 1 })).toBeFocused();
  await expect(page.getByRole('main')).toContainText(/KUBE-SVC-\w{16}/);

  // The run is still there, and so is the question that was not come to.
  await tabTo(page, page.getByRole('button', { name: 'Back to the run' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Notebook' })).toContainText('3 of 3');
  await answer(page, /third packet of the handshake/, /^no$/);

  // The catalogue remembers the lesson.
  await page.goto('./?lessons');
  await expect(page.getByRole('link', { name: /The first packet/ })).toContainText('done');
});

test('a thing that does not fit is refused with a reason, and the slot stays open', async ({ page }) => {
  await page.goto('./?lesson=first-packet');
  await page.getByRole('button', { name: 'Send one SYN' }).click();
  await stepUntil(page, 'ArrowRight', () => question(page).isVisible());
  await page.getByRole('radio', { name: /^KUBE-NODEPORTS/ }).check();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect(page.getByText('It was never reached')).toBeVisible();
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Pin' }).first().click();
  await expect(page.locator('[data-state="refused"]')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Notebook' })).toContainText('0 of 3');
});
