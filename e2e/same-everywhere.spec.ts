// The same recipe gives the same trace in Chromium's worker as in Node.
import { expect, test } from '@playwright/test';
import { prefixHash } from '../src/session/anchor';
import { decodeLink } from '../src/session/link';
import type { FromWorker, Recipe, ToWorker } from '../src/session/protocol';
import { Session } from '../src/session/session';
import { openSandbox, run, showTerminal } from './support/page';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('one recipe, one trace: Chromium, Node, Node again', async ({ page }) => {
  await openSandbox(page);
  const worker = page.workers().find((w) => /worker/.test(w.url()));
  if (worker === undefined) throw new Error('no worker runs');
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl -s http://web', /hello from web-\d/);
  await showTerminal(page, 'node-1');
  await run(page, 'conntrack -D -d 10.96.10.10', /flow entries have been deleted/);
  await showTerminal(page, 'workstation');
  await run(page, 'kubectl delete pod web-2', /pod "web-2" deleted/);
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  await page.getByRole('button', { name: 'Share' }).click();
  await expect(page.getByText('Link copied')).toBeVisible();
  const read = decodeLink(new URL(await page.evaluate(() => navigator.clipboard.readText())).hash);
  if (!read.ok) throw new Error(read.error.message);
  const { recipe, anchor, hash } = read.value;
  if (recipe === undefined || anchor === undefined || hash === undefined) throw new Error('the link is not complete');
  expect(recipe.commands.length).toBeGreaterThanOrEqual(3);

  // The run that was typed, by the hash in its link.
  const first = Session.open(recipe);
  expect(prefixHash(first.trace, anchor.seq)).toBe(hash);
  const second = Session.open(recipe);
  expect(second.hash()).toBe(first.hash());

  // A worker of its own, opened on the recipe.
  const asked = (url: string, given: Recipe): Promise<unknown> =>
    page.evaluate(
      ([script, opened]) =>
        new Promise((resolve, reject) => {
          const engine = new Worker(script, { type: 'module' });
          engine.onerror = (e) => reject(new Error(e.message));
          engine.onmessage = ({ data }: MessageEvent<FromWorker>) => {
            if (data.type !== 'reply') return;
            if (!data.ok) reject(new Error(data.error.message));
            else if (data.id === 2) {
              engine.terminate();
              resolve(data.value);
            }
          };
          engine.postMessage({ id: 1, type: 'open', recipe: opened } satisfies ToWorker);
          engine.postMessage({ id: 2, type: 'hash' } satisfies ToWorker);
        }),
      [url, given] as const,
    );
  expect(await asked(worker.url(), recipe)).toBe(first.hash());
  expect(await asked(worker.url(), { ...recipe, seed: recipe.seed + 1 })).not.toBe(first.hash());
});
