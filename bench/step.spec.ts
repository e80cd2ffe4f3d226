// A step forward or back on the first lesson: from the key press to the laid-out picture that shows it, in Chromium, on the production build.
import { expect, test } from '@playwright/test';

const steps = 50;
const goalMs = 16;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

test(`a step takes at most ${goalMs} ms (median of ${2 * steps})`, async ({ page }) => {
  await page.goto('./?lesson=first-packet');
  await page.getByRole('button', { name: 'Send one SYN' }).click();
  const number = page.locator('.position b');
  await expect(number).toHaveText(/^[1-9]/);
  // Past the first two questions a long way of stepping lies open.
  const question = page.getByRole('group', { name: /\?$/ });
  for (let asked = 0; asked < 2; asked++) {
    for (let i = 0; i < 100 && !(await question.isVisible()); i++) await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Show me' }).click();
    await expect(question).toHaveCount(0);
  }
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('Home');
  await expect(number).toHaveText('0');
  const times = await page.evaluate(async (count) => {
    const shown = document.querySelector('.position b');
    if (shown === null) throw new Error('no step number is shown');
    // The time of one step: the key, React's commit that changes the number, and style and layout of the result.
    const step = (key: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const before = shown.textContent;
        const started = performance.now();
        const watch = new MutationObserver(() => {
          if (shown.textContent === before) return;
          watch.disconnect();
          clearTimeout(limit);
          document.body.getBoundingClientRect();
          resolve(performance.now() - started);
        });
        const limit = setTimeout(() => {
          watch.disconnect();
          reject(new Error(`${key} did not move on from step ${before}`));
        }, 5000);
        watch.observe(shown, { characterData: true, childList: true, subtree: true });
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true }));
      });
    const still = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));
    const forward: number[] = [];
    const back: number[] = [];
    for (let i = 0; i < 5; i++) await step('ArrowRight');
    while (forward.length < count) {
      for (let i = 0; i < 10; i++) {
        await still();
        forward.push(await step('ArrowRight'));
      }
      for (let i = 0; i < 10; i++) {
        await still();
        back.push(await step('ArrowLeft'));
      }
    }
    return { forward, back };
  }, steps);
  const both = median([...times.forward, ...times.back]);
  const worst = Math.max(...times.forward, ...times.back);
  console.log(
    `step: median ${both.toFixed(2)} ms (forward ${median(times.forward).toFixed(2)}, back ${median(times.back).toFixed(2)}, worst ${worst.toFixed(2)}), goal ${goalMs} ms`,
  );
  expect(both).toBeLessThanOrEqual(goalMs);
});
