// A step forward or back on the first lesson: from the key press to the picture that shows it, in Chromium, on the production build.
import { expect, test } from '@playwright/test';

const steps = 50;
const goalMs = 16;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

test(`a step takes at most ${goalMs} ms (median of ${2 * steps})`, async ({ page }) => {
  await page.goto('./');
  await expect(page.locator('[data-cursor]').first()).toBeVisible();
  const times = await page.evaluate(async (count) => {
    const stage = document.querySelector('[data-cursor]');
    if (stage === null) throw new Error('no element carries data-cursor');
    // The time of one step: the key, React's commit that changes the cursor, and style and layout of the result.
    const step = (key: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        const watch = new MutationObserver(() => {
          watch.disconnect();
          clearTimeout(limit);
          stage.getBoundingClientRect();
          resolve(performance.now() - started);
        });
        const limit = setTimeout(() => {
          watch.disconnect();
          reject(new Error(`${key} did not move the cursor from ${stage.getAttribute('data-cursor')}`));
        }, 5000);
        watch.observe(stage, { attributes: true, attributeFilter: ['data-cursor'] });
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true }));
      });
    const forward: number[] = [];
    const back: number[] = [];
    const still = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));
    for (let round = 0; forward.length < count; round++) {
      if (round >= count) throw new Error('the trace is too short to step through');
      // Ten forward and ten back, so that a short trace is enough.
      for (let i = 0; i < 10; i++) {
        forward.push(await step('ArrowRight'));
        await still();
      }
      for (let i = 0; i < 10; i++) {
        back.push(await step('ArrowLeft'));
        await still();
      }
    }
    return { forward, back };
  }, steps);
  const both = median([...times.forward, ...times.back]);
  console.log(
    `step: median ${both.toFixed(2)} ms (forward ${median(times.forward).toFixed(2)}, back ${median(times.back).toFixed(2)}), goal ${goalMs} ms`,
  );
  expect(both).toBeLessThanOrEqual(goalMs);
});
