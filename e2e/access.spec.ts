// axe finds nothing serious or critical on any page, in both themes.
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { openLesson, openSandbox, pressUntil, run, showTerminal } from './support/page';

async function sound(page: Page, where: string): Promise<void> {
  // A number that turns over has no colour of its own until it has.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((a) => a.finished)));
  const { violations } = await new AxeBuilder({ page }).analyze();
  const bad = violations
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map(
      (v) =>
        `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.any.map((a) => a.message).join('; ')}`).join(' | ')}`,
    );
  expect.soft(bad, where).toEqual([]);
}

for (const scheme of ['light', 'dark'] as const) {
  test.describe(`${scheme} theme`, () => {
    test.use({ colorScheme: scheme });

    test('landing page and catalogue', async ({ page }) => {
      await page.goto('./');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await sound(page, 'landing');
      await page.goto('./?lessons');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await sound(page, 'catalogue');
    });

    test('a lesson before, at and after its questions, and its end', async ({ page }) => {
      await openLesson(page, 'first-packet');
      await sound(page, 'before');
      await page.getByRole('button', { name: 'Send one SYN' }).click();
      const question = page.getByRole('group', { name: /\?$/ });
      const says = async (text: string) =>
        (await page.getByRole('region', { name: 'This step' }).allInnerTexts()).join().includes(text);
      await pressUntil(page, 'ArrowRight', () => question.isVisible());
      await sound(page, 'question');
      await page.getByRole('radio', { name: /^KUBE-NODEPORTS/ }).check();
      await page.getByRole('button', { name: 'Answer', exact: true }).click();
      await sound(page, 'wrong answer');
      await pressUntil(page, 'ArrowRight', () => says('The choice is made here'));
      await page.keyboard.press('p');
      await pressUntil(page, 'ArrowRight', () => says('only change anybody makes'));
      await page.keyboard.press('p');
      await sound(page, 'rewrite');
      await pressUntil(page, 'ArrowRight', () => question.isVisible());
      await page.getByRole('button', { name: 'Show me' }).click();
      await pressUntil(page, 'ArrowRight', () => says('one row, two tuples'));
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'What you saw' }).click();
      await expect(page.getByRole('heading', { name: 'What you saw', level: 1 })).toBeVisible();
      await sound(page, 'end');
    });

    test('a drop', async ({ page }) => {
      await openLesson(page, 'conntrack-full');
      await page.getByRole('button', { name: 'Call web once' }).click();
      await page.getByRole('button', { name: 'Walk me through it' }).click();
      const question = page.getByRole('group', { name: /\?$/ });
      await pressUntil(page, 'ArrowRight', () => question.isVisible());
      await page.getByRole('button', { name: 'Show me' }).click();
      const inspector = page.getByRole('complementary', { name: 'Inspector' });
      await pressUntil(page, 'ArrowRight', async () => (await inspector.innerText()).includes('Dropped'));
      await sound(page, 'drop');
    });

    test('the sandbox with editor, terminal and every table', async ({ page }) => {
      await openSandbox(page);
      await showTerminal(page, 'pod client-1');
      await run(page, 'curl -s http://10.96.10.10', /hello/);
      await page.getByRole('button', { name: 'Next rewrite' }).click();
      for (const name of ['conntrack', 'iptables', 'EndpointSlices', 'Kernel']) {
        const tab = page.getByRole('button', { name: new RegExp(`^${name}`) });
        await tab.click();
        await expect(tab).toHaveAttribute('aria-expanded', 'true');
        await expect(page.locator('.drawer-panel table').first()).toBeVisible();
        await sound(page, name);
        await tab.click();
      }
      await page.getByRole('group', { name: 'Stage' }).getByRole('button', { name: 'Table' }).click();
      await expect(page.getByRole('region', { name: 'The run as a table' })).toBeVisible();
      await sound(page, 'run as a table');
      await page.getByRole('button', { name: /^Profile/ }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await sound(page, 'profile');
    });

    test('an embed, and an error page', async ({ page }) => {
      await page.goto('./?embed&scenario=first-packet&step=20');
      await expect(page.locator('.embed-head .chip')).toHaveText(/^step 20 /);
      await sound(page, 'embed');
      await page.goto('./#s=abc');
      await expect(page.getByRole('alert')).toBeVisible();
      await sound(page, 'error page');
    });

    test('a phone', async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('./?lesson=first-packet');
      const tab = (name: string) => page.getByRole('tab', { name, exact: true });
      await tab('Guide').click();
      await sound(page, 'guide');
      await page.getByRole('button', { name: 'Send one SYN' }).click();
      await tab('Stage').click();
      const sheet = page.getByRole('region', { name: 'The run goes on after your answer.' });
      const step = page.getByRole('toolbar').getByRole('button', { name: /^Step \d+/ });
      for (let i = 0; i < 60 && !(await sheet.isVisible()); i++) await step.click();
      await sound(page, 'question sheet');
      for (const name of ['Inspect', 'Terminal', 'Tables']) {
        await tab(name).click();
        await sound(page, name);
      }
    });
  });
}
