// Lesson 4.1: the connection table of a node is full, a SYN is dropped, and three places tell of it.
import { expect, test } from '@playwright/test';
import { openLesson, pressUntil, run, showTerminal } from './support/page';

test('the full table drops a SYN; drop card, kernel log and counter tell', async ({ page }) => {
  await openLesson(page, 'conntrack-full');
  await page.getByRole('button', { name: 'Call web once' }).click();
  await page.getByRole('button', { name: 'Walk me through it' }).click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const question = page.getByRole('group', { name: /\?$/ });
  await pressUntil(page, 'ArrowRight', () => question.isVisible());
  await question.getByRole('radio', { name: /dropped/ }).check();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await pressUntil(page, 'ArrowRight', async () => (await inspector.innerText()).includes('Dropped'));
  await expect(inspector).toContainText('the connection table is full');
  await expect(page.getByText('8,192 / 8,192')).toBeVisible();
  await question.getByRole('radio').first().check();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect(inspector).toContainText('What the sender sees');
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');

  await page.getByRole('button', { name: /^Kernel/ }).click();
  await expect(page.getByRole('region', { name: 'dmesg' })).toContainText('nf_conntrack: table full, dropping packet');
  await page.getByRole('button', { name: /^Kernel/ }).click();
  await showTerminal(page, 'node-1');
  await run(page, 'dmesg', /nf_conntrack: table full, dropping packet/);
  await run(page, 'conntrack -S', /drop=[1-9]/);
  await run(page, 'sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max', /nf_conntrack_max = 8192/);
});
