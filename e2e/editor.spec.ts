// The YAML editor of the sandbox: what cannot be read or is refused is said at its line, changes nothing, and stays in the editor.
import { expect, type Page, test } from '@playwright/test';
import { openSandbox, position, run, showTerminal } from './support/page';

const editor = (page: Page) => page.getByRole('textbox', { name: 'Manifests as YAML' });
const answer = (page: Page) => page.locator('.editor-answer');

async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}
async function apply(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Apply/ }).click();
  await expect(page.getByRole('button', { name: /^Apply/ })).toHaveAttribute('aria-busy', 'false');
}
/** What the editor holds, line by line. */
const text = async (page: Page): Promise<string> =>
  (await editor(page).locator('.cm-line').allInnerTexts()).join('\n').replaceAll('\u200b', '');

const good = `apiVersion: v1
kind: Service
metadata:
  name: hello
spec:
  selector:
    app: web
  ports:
  - port: 81
    targetPort: 8080`;

for (const [what, bad, line, says] of [
  ['does not parse', good.replace('  name: hello', '\tname: hello'), 4, 'Not valid YAML'],
  ['has a port that is none', good.replace('port: 81', 'port: 81000'), 9, 'Refused by the API server'],
  ['has an unknown field', good.replace('  selector:', '  selectro:'), 6, 'Refused by the API server'],
] as const) {
  test(`a manifest that ${what} is refused at its line`, async ({ page }) => {
    await openSandbox(page);
    await expect(editor(page)).toBeVisible();
    const before = await position(page);
    await write(page, bad);
    await apply(page);
    await expect(answer(page)).toContainText(says);
    await expect(answer(page)).toContainText(`Line ${line}`);
    await expect(page.locator('.cm-refused')).toHaveText(bad.split('\n')[line - 1] ?? '');
    expect(await text(page)).toBe(bad);
    expect(await position(page)).toEqual(before);
    await showTerminal(page, 'workstation');
    await run(page, 'kubectl get service hello', /Error from server \(NotFound\): services "hello" not found/);
  });
}

test('a good manifest applies, and its Service answers', async ({ page }) => {
  await openSandbox(page);
  await expect(editor(page)).toBeVisible();
  await write(page, good.replace('port: 81', 'port: 0'));
  await apply(page);
  await expect(page.locator('.cm-refused')).toBeVisible();
  await write(page, good);
  await expect(page.locator('.cm-refused')).toHaveCount(0);
  await apply(page);
  await expect(answer(page)).toContainText('Applied');
  await showTerminal(page, 'workstation');
  await run(page, 'kubectl get service hello', /hello\s+ClusterIP\s+10\.\d+\.\d+\.\d+\s+<none>\s+81\/TCP/);
  await showTerminal(page, 'pod client-2');
  await run(page, 'curl -s http://hello:81', /hello from web-[123]/);
});

test('what was typed outlives a look at another page', async ({ page }) => {
  await openSandbox(page);
  await write(page, good);
  await page.getByRole('link', { name: 'Conntrail' }).click();
  await page.getByRole('link', { name: 'open a sandbox' }).click();
  await expect.poll(() => text(page)).toBe(good);
});
