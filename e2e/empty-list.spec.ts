// A Service's selector is broken and repaired by terminal; the strip shows the copies follow one after the other.
import { expect, type Page, test } from '@playwright/test';
import { openSandbox, pressUntil, run, showTerminal } from './support/page';

const strip = (page: Page) => page.getByRole('region', { name: 'From object to packet' });
async function toEnd(page: Page): Promise<void> {
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
}

test('the selector is broken and repaired by terminal', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'workstation');
  await run(page, 'kubectl label pod web-1 web-2 web-3 app=other --overwrite', /pod\/web-3 labeled/);
  await toEnd(page);
  await expect(strip(page)).toContainText('0 ready');
  await expect(strip(page)).not.toContainText('stale');
  // The copies of the nodes come after the slice, one by one: on the way there some are older than their source.
  await pressUntil(page, 'ArrowLeft', async () => (await strip(page).innerText()).includes('stale since'));
  await expect(strip(page)).toContainText('0 ready');
  await toEnd(page);
  await run(page, 'kubectl get endpointslices', /web-\w{5}\s+IPv4\s+<unset>\s+<unset>/);

  await showTerminal(page, 'pod client-1');
  await run(page, 'curl http://10.96.10.10', /curl: \(7\) Failed to connect to 10\.96\.10\.10 port 80/);
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();

  await toEnd(page);
  await showTerminal(page, 'workstation');
  await run(page, 'kubectl label pod web-1 web-2 web-3 app=web --overwrite', /pod\/web-1 labeled/);
  await toEnd(page);
  await expect(strip(page)).toContainText('3 ready');
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl -s http://10.96.10.10', /web-[123]/);
});
