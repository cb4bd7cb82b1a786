// The console by the keyboard alone, on a phone's width and at 200 % zoom. Escape closes what is open and returns the
// focus, nobody is trapped, and decisions are made one by one and all at once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { fillDecisions } from '#test/support/console/decisions.ts';
import type { ConsoleScene } from '#test/support/console/scene.ts';
import { startConsole } from '#test/support/console/set-up.ts';
import { picture, reload, type SignedIn, settled } from '#test/support/console/visitor.ts';
import { eventually } from '#test/support/http.ts';
import { findings } from '#test/support/system/browser.ts';

const { skip, scene, gateway, signIn, visitor } = await startConsole({ after });
const state = scene === undefined ? undefined : await administrator(scene);

async function administrator(of: ConsoleScene): Promise<SignedIn> {
  await fillDecisions(of);
  const { email, password } = of.addresses.admin;
  return signIn(email, '/admin', password);
}

const VIEWS = [
  { name: 'a phone', width: 390, height: 844 },
  { name: '200 % zoom', width: 640, height: 400 },
];
/** Whether the focus is on the page behind an open dialog. */
const IS_BEHIND = `document.activeElement !== document.body && document.activeElement.closest('dialog') === null`;
/** More than a screen has. */
const MOST_STOPS = 150;

/** Moves the focus on until it is on a control with that name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    if (name.test(await nameOfFocus(page))) return;
  }
  assert.fail(`${name} is not reached by Tab`);
}

async function nameOfFocus(page: Page): Promise<string> {
  const name = `(() => {
    const { activeElement: it } = document;
    return (it?.getAttribute('aria-label') ?? it?.labels?.[0]?.textContent ?? it?.textContent ?? '').trim();
  })()`;
  return String(await page.evaluate(name));
}

for (const { name, width, height } of VIEWS) {
  test(`Escape closes the menu and a dialog, and returns the focus, on ${name}`, { skip }, async () => {
    const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width }, state);
    await page.setViewportSize({ width, height });
    await page.goto(`${gateway}/admin`);
    await settled(page);
    await page.keyboard.press('Tab');
    assert.equal(await nameOfFocus(page), 'Hoppa till innehållet');
    await tabTo(page, /^Meny$/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Meny', expanded: true }).waitFor();
    await tabTo(page, /^Grupper$/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Meny', expanded: false }).waitFor();
    assert.equal(await nameOfFocus(page), 'Meny');

    await tabTo(page, /^Godkänn Ada /);
    const opener = await nameOfFocus(page);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    for (let stop = 0; stop < 8; stop += 1) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(IS_BEHIND), false, 'the focus stays in the dialog, or is in the browser');
    }
    assert.deepEqual(await findings(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await nameOfFocus(page), opener);
    await leave();
  });
}

test('all requests of a kind are approved at once, by the keyboard alone', { skip }, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'dark', width: 390 }, state);
  await page.goto(`${gateway}/admin?kind=access_request`);
  await settled(page);
  await page.getByText('3 väntar').waitFor();
  await tabTo(page, /^Markera alla på sidan$/);
  await page.keyboard.press('Space');
  await page.getByText('3 markerade').waitFor();
  await reload(page);
  await settled(page);
  assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 3, 'marks outlive a reload');
  await tabTo(page, /^Godkänn …$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('3 konton skapas, och personerna kan logga in').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'keyboard-approve');
  await tabTo(page, /^Godkänn/);
  await page.keyboard.press('Enter');
  await page.getByText('3 begäranden är godkända.').waitFor();
  const isLost = () => page.evaluate('document.activeElement === document.body');
  await eventually('something has the focus', async () => !(await isLost()) || undefined);
  await page.reload();
  await settled(page);
  await page.getByText('Ingenting som väntar passar filtret.').waitFor();
  await leave();
});

/** Makes the pages of the log small: few events are of one kind. */
const IN_PAGE = 1;

test('the next page of a list is read on from its first entry, also the last page', { skip }, async () => {
  const { page, context, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 }, state);
  await context.route('**/identity/api/admin/audit?**', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('per_page', String(IN_PAGE));
    return route.continue({ url: url.href });
  });
  await page.goto(`${gateway}/admin/audit?event=organisation.create`);
  const entries = page.locator('main ul.cards > li');
  await entries.first().waitFor();
  for (let shown = await entries.count(); ; shown = await entries.count()) {
    await page.getByRole('button', { name: 'Visa äldre' }).press('Enter');
    await entries.nth(shown).and(page.locator(':focus')).waitFor();
    if ((await page.getByRole('button', { name: 'Visa äldre' }).count()) === 0) break;
  }
  assert.ok((await entries.count()) > IN_PAGE);
  await leave();
});
