// The terminals: shell language, history, Ctrl+C, listings at a past cursor, and commands that would change the past.
import { expect, test } from '@playwright/test';
import {
  openSandbox,
  position,
  pressUntil,
  prompted,
  run,
  showTerminal,
  stepNow,
  terminalText,
  typeLine,
} from './support/page';

test('pipes, variables, quoting and exit codes work', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'node-1');
  await run(page, 'iptables-save | grep -c KUBE', /^\d{2,}$/m);
  await run(page, 'for n in 1 2 3; do echo "line $n"; done | tail -n 1', /^line 3$/m);
  await run(
    page,
    'iptables -t nat -L KUBE-SERVICES -n | grep -q 10.96.10.10 && echo found || echo missing',
    /^found$/m,
  );
  await run(page, 'nosuch', /^bash: nosuch: command not found$/m);
  await run(page, 'echo "exit $?"', /^exit 127$/m);
  await run(page, "conntrack -L 2>/dev/null | awk '{print $1}' | sort | uniq -c", /[$#]/);
});

test('history comes back with the arrow keys and Ctrl+R, and a name is completed with Tab', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'workstation');
  await run(page, 'echo first-of-all', /^first-of-all$/m);
  await run(page, 'echo second', /^second$/m);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => terminalText(page)).toMatch(/\$ echo first-of-all$/);
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+r');
  await page.keyboard.type('first');
  await expect.poll(() => terminalText(page)).toContain("(reverse-i-search)`first': echo first-of-all");
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await terminalText(page)).match(/^first-of-all$/gm)?.length).toBe(2);
  await page.keyboard.type('kubec');
  await page.keyboard.press('Tab');
  await expect.poll(() => terminalText(page)).toMatch(/\$ kubectl\s*$/);
});

test('Ctrl+C throws the line away, and ends a command that runs', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'workstation');
  await page.locator('.terminal-screen .xterm-helper-textarea').focus();
  await page.keyboard.type('kubectl delete service web');
  await page.keyboard.press('Control+c');
  await expect.poll(() => terminalText(page)).toMatch(/delete service web\^C\n.*\$$/);
  await typeLine(page, 'while true; do :; done');
  await expect(page.locator('.busy-dot')).toBeVisible();
  await page.keyboard.press('Control+c');
  await prompted(page);
  await run(page, 'kubectl get service web', /web\s+ClusterIP\s+10\.96\.10\.10/);
});

test('a listing answers as of the cursor, and later output is told apart', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl -s http://10.96.10.10', /hello from web-\d/);
  await expect(page.locator('.later')).toContainText('hello from web-');
  await showTerminal(page, 'node-1');
  await run(page, 'conntrack -L -d 10.96.10.10', /0 flow entries have been shown/);
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  await run(page, 'conntrack -L -d 10.96.10.10', /dst=10\.96\.10\.10 [\s\S]*1 flow entries have been shown/);
  await showTerminal(page, 'pod client-1');
  await expect(page.locator('.later')).toHaveCount(0);
});

test('a command that would change the past is asked about: cancel, newest step, new branch', async ({ page }) => {
  await openSandbox(page);
  await showTerminal(page, 'pod client-1');
  await run(page, 'curl -s http://10.96.10.10', /hello from web-\d/);
  // Who steps away from where the command put the cursor has chosen a step of the past.
  await page.locator('#step').focus();
  await page.keyboard.press('ArrowRight');
  const landed = await stepNow(page);
  const { total } = await position(page);
  await showTerminal(page, 'workstation');

  const dialog = page.getByRole('dialog');
  await typeLine(page, 'kubectl delete service web');
  await expect(dialog).toContainText(`You are at step ${landed}`);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await prompted(page);
  expect(await position(page)).toEqual({ step: landed, total });
  await run(page, 'kubectl get service web', /web\s+ClusterIP/);

  await typeLine(page, 'kubectl label pod web-1 tier=a');
  await dialog.getByRole('button', { name: 'Go to newest' }).click();
  await prompted(page);
  expect((await position(page)).total).toBeGreaterThan(total ?? 0);
  expect(await stepNow(page)).toBeGreaterThan(total ?? 0);

  // A branch: what followed is gone, and the command happened at the step before it.
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('Home');
  await pressUntil(page, 'ArrowRight', async () => (await stepNow(page)) >= landed);
  await showTerminal(page, 'workstation');
  await typeLine(page, 'kubectl delete service web');
  await dialog.getByRole('button', { name: 'Branch here' }).click();
  await prompted(page);
  await expect.poll(() => terminalText(page)).toContain('service "web" deleted');
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  await run(page, 'kubectl get pod web-1 --show-labels', /web-1 .*app=web(?!.*tier=a)/);
  await run(page, 'kubectl get service web', /services "web" not found/);
});
