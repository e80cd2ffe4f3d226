// While a question is open, nothing on the page tells what lies beyond the cursor.
import { expect, type Page, test } from '@playwright/test';
import { openLesson, position, pressUntil, run, showTerminal, stepNow, terminalText } from './support/page';

const question = (page: Page) => page.getByRole('group', { name: /\?$/ });
const tables = ['conntrack', 'iptables', 'EndpointSlices', 'Kernel'] as const;

async function start(page: Page): Promise<void> {
  await openLesson(page, 'first-packet');
  await page.getByRole('button', { name: 'Send one SYN' }).click();
}

/** All that a page holds: markup with every attribute, text of fields, the accessibility tree, title and storage. */
async function everything(page: Page): Promise<string> {
  const document = await page.evaluate(() => {
    const fields = [...window.document.querySelectorAll('input, textarea, select')].map(
      (el) => (el as HTMLInputElement).value,
    );
    const stores = [{ ...localStorage }, { ...sessionStorage }, window.history.state];
    return [
      window.document.documentElement.outerHTML,
      ...fields,
      JSON.stringify(stores),
      window.document.title,
      location.href,
    ].join('\n');
  });
  const session = await page.context().newCDPSession(page);
  const tree = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return `${document}\n${JSON.stringify(tree.nodes)}`;
}

interface Later {
  readonly total: number;
  readonly reply: string;
  readonly output: string;
  readonly chain: string;
}

/** What somebody who has seen the whole lesson knows. */
async function seenToTheEnd(page: Page): Promise<Later> {
  await start(page);
  for (let i = 0; i < 3; i++) {
    await pressUntil(page, 'ArrowRight', () => question(page).isVisible());
    await page.getByRole('button', { name: 'Show me' }).click();
    await expect(question(page)).toHaveCount(0);
  }
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('End');
  const { total } = await position(page);
  await page.getByRole('button', { name: /^conntrack/ }).click();
  const row = page.getByRole('region', { name: 'conntrack' }).getByRole('row').filter({ hasText: '10.96.10.10:80' });
  const reply = /10\.244\.\d\.10:8080 → 10\.244\.1\.100:\d+/.exec(await row.first().innerText())?.[0] ?? '';
  await showTerminal(page, 'pod client-1');
  const output = /hello from web-\d/.exec(await terminalText(page))?.[0] ?? '';
  // The chain of the endpoint that was chosen, as the guide's last page names it.
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('Home');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await pressUntil(page, 'ArrowRight', async () => /Rule \d+ of \d+\s*KUBE-SEP-/.test(await inspector.innerText()));
  const chain = /KUBE-SEP-\w{16}/.exec(await inspector.innerText())?.[0] ?? '';
  return { total: total ?? 0, reply, output, chain };
}

test('nothing tells what lies beyond an open question', async ({ page, context }) => {
  const other = await context.newPage();
  const later = await seenToTheEnd(other);
  expect(later.total).toBeGreaterThan(50);
  expect(later.reply).not.toBe('');
  expect(later.output).not.toBe('');
  expect(later.chain).not.toBe('');
  await other.close();

  await start(page);
  await pressUntil(page, 'ArrowRight', () => question(page).isVisible());
  const asked = await stepNow(page);
  expect((await position(page)).total).toBeUndefined();

  // No way leads on.
  for (const key of ['ArrowRight', 'Shift+ArrowRight', ']', ' ']) await page.keyboard.press(key);
  await page.getByRole('slider').first().focus();
  for (const key of ['End', 'PageDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  expect(await stepNow(page)).toBe(asked);
  for (const name of ['Step', 'Step over chain', 'Step out', 'Play'])
    await expect(page.getByRole('toolbar').getByRole('button', { name, exact: true })).toBeDisabled();

  await showTerminal(page, 'pod client-1');
  expect(await terminalText(page)).toContain('curl http://10.96.10.10');
  const facts = (text: string): string[] =>
    [later.reply, later.output, `of ${later.total}`, `"${later.total}"`, `>${later.total}<`].filter((fact) =>
      text.includes(fact),
    );
  // The rules are open to the reader and name every endpoint's chain; everywhere else the chosen one stays untold.
  for (const name of tables) {
    const tab = page.getByRole('button', { name: new RegExp(`^${name}`) });
    await tab.click();
    await expect(tab).toHaveAttribute('aria-expanded', 'true');
    const text = await everything(page);
    expect(facts(text), `with the table ${name} open`).toEqual([]);
    if (name === 'conntrack') expect(await page.getByRole('row').filter({ hasText: '10.96.10.10:80' }).count()).toBe(0);
    await tab.click();
  }
  await page.getByRole('group', { name: 'Stage' }).getByRole('button', { name: 'Table' }).click();
  const steps = page.getByRole('region', { name: 'The run as a table' }).getByRole('row');
  await expect(steps).toHaveCount(asked + 1);
  expect(facts(await everything(page)), 'with the run as a table').toEqual([]);
  await page.getByRole('group', { name: 'Stage' }).getByRole('button', { name: 'Picture' }).click();

  // Commands answer as of the cursor.
  await showTerminal(page, 'node-1');
  await run(page, 'conntrack -L', /flow entries have been shown/);
  const said = await terminalText(page);
  expect(said).not.toContain('10.96.10.10');
  expect(facts(await everything(page)), 'with a terminal that was asked').toEqual([]);
});

test('the options of a question do not tell which one is right', async ({ page }) => {
  await start(page);
  await pressUntil(page, 'ArrowRight', () => question(page).isVisible());
  const options = await question(page)
    .locator('label')
    .evaluateAll((labels) =>
      labels.map((label) => {
        const shape = (el: Element): string =>
          `${el.tagName} ${[...el.attributes].map((a) => (a.name === 'value' ? a.name : `${a.name}=${a.value}`)).join(' ')} (${[...el.children].map(shape).join()})`;
        return shape(label).replace(/SPAN class=mono/g, 'SPAN ');
      }),
    );
  expect(new Set(options).size).toBe(1);
});
