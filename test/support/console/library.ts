// The library of the console is corrected by clicks: a step, a goal that somebody else changes meanwhile, and a plan,
// which gets a next version. The page is the library's, in Swedish, in the middle of the story of planner.test.ts.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { call } from '#test/end-to-end/call.ts';
import { findings } from '#test/support/system/browser.ts';
import type { ConsoleScene } from './scene.ts';
import { picture } from './visitor.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const go = (page: Page, tab: string) =>
  page.getByRole('navigation', { name: 'Bibliotekets delar' }).getByText(tab).click();
const cardIn = (page: Page) => page.locator('li.card:has-text("Mät blodsocker")');

/** The step *Före frukost* is renamed, and stays when deleting is refused; its activity leaves use and comes back. */
export async function correctStep(page: Page): Promise<void> {
  const card = cardIn(page);
  await card.getByRole('button', { name: 'Ändra: Före frukost' }).click();
  await card.getByLabel('Vad ska göras?').fill('Före frukosten');
  await card.getByLabel('Måste göras').uncheck();
  await page.reload();
  assert.equal(await card.getByLabel('Vad ska göras?').inputValue(), 'Före frukosten', 'it is kept');
  await press(page, 'Spara ändringen');
  await card.getByText('Före frukosten – en gång i veckan, på morgonen: måndag (frivilligt)').waitFor();
  await card.getByRole('button', { name: 'Ta bort …: Före frukosten' }).click();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-delete-step');
  await page.route('**/api/v1/transactions/*', (route) => route.fulfill({ status: 403, json: { error: 'forbidden' } }));
  await press(page, 'Ta bort');
  await page.getByRole('alert').getByText('Det tillhör en annan organisation').waitFor();
  await page.unroute('**/api/v1/transactions/*');
  await page.keyboard.press('Escape');
  await card.getByText('Före frukosten').waitFor();
  await card.getByRole('button', { name: 'Ta ur bruk: Mät blodsocker' }).click();
  await card.getByRole('button', { name: 'Ta i bruk igen: Mät blodsocker' }).click();
  await card.getByRole('button', { name: 'Ta ur bruk: Mät blodsocker' }).waitFor();
}

/**
 * The goal *Blodsocker undr 7* gets its name, though somebody else gives it a name and another value meanwhile. Their
 * value stays. What is used stays.
 */
export async function correctGoal(
  page: Page,
  { addresses, accounts }: Pick<ConsoleScene, 'addresses' | 'accounts'>,
): Promise<void> {
  const card = cardIn(page);
  await page.getByRole('button', { name: 'Ändra: Blodsocker undr 7' }).click();
  await page.getByLabel('Målet i ord').first().fill('Blodsocker under 7');
  const as = { token: accounts.planner };
  const { body: goals } = await call(`${addresses.engine}/goals?search=undr`, as);
  const [theirs] = goals.data;
  const json = { ...theirs, name: 'Blodsocker under sju', target: { ...theirs.target, comparator: '<=' } };
  await call(`${addresses.engine}/goals/${theirs.goal_guid}`, { ...as, method: 'PUT', json });
  await page.reload();
  const kept = page.locator('li.card form').getByLabel('Målet i ord');
  assert.equal(await kept.inputValue(), 'Blodsocker under 7', 'it is kept');
  await press(page, 'Spara ändringen');
  await page.getByRole('alert').getByText('Inget av ditt är sparat').waitFor();
  const name = 'dd:has-text("Var ”Blodsocker undr 7”, är nu ”Blodsocker under sju”.")';
  await page.locator(`${name}:has-text("Du har också ändrat det")`).waitFor();
  await page.locator('dd:has-text("är nu ”≤ 7"):not(:has-text("Du har också ändrat det"))').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-overtaken');
  await press(page, 'Spara det jag har ändrat');
  await page.waitForSelector('strong:text-is("Blodsocker under 7")');
  await page.waitForSelector('li:has-text("Blodsocker under 7"):has-text("≤ 7")');
  await go(page, 'Aktiviteter');
  await card.getByRole('button', { name: 'Ta bort …: Mät blodsocker' }).click();
  await page.getByRole('dialog').getByText('målet ”Blodsocker under 7”').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.keyboard.press('Escape');
  await go(page, 'Begrepp');
  await page.getByRole('button', { name: 'Ta bort …: Blodsocker' }).click();
  await page.getByRole('dialog').getByText('aktiviteten ”Mät blodsocker”').waitFor();
  await page.keyboard.press('Escape');
}

/** The code system *Diabetes* is renamed, though somebody else renames it meanwhile. It has a concept, and stays. */
export async function renameCodeSystem(
  page: Page,
  { addresses, accounts }: Pick<ConsoleScene, 'addresses' | 'accounts'>,
): Promise<void> {
  const systems = page.locator('section:has(> h3:text-is("Kodverken i biblioteket"))');
  await systems.getByRole('button', { name: 'Ändra: Diabetes' }).click();
  await systems.getByText('Adressen och versionen ändras inte').waitFor();
  await systems.getByLabel('Namn på kodverket').fill('Diabetesvård');
  const as = { token: accounts.planner };
  const { body: found } = await call(`${addresses.engine}/canonical-libs?search=lib/diabetes`, as);
  const [{ canonical_lib_guid: guid, ...theirs }] = found.data;
  const json = { ...theirs, name: 'Diabetes (region)' };
  await call(`${addresses.engine}/canonical-libs/${guid}`, { ...as, method: 'PUT', json });
  await press(page, 'Spara ändringen');
  await systems.getByText('Var ”Diabetes”, är nu ”Diabetes (region)”.').waitFor();
  assert.deepEqual(await findings(page), []);
  await press(page, 'Spara det jag har ändrat');
  await page.locator('li.card:has-text("Blodsocker"):has-text("Diabetesvård")').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-code-systems');
  await systems.getByRole('button', { name: 'Ta bort …: Diabetesvård' }).click();
  await press(page, 'Ta bort');
  await page.getByRole('alert').getByText('något i biblioteket använder det').waitFor();
  await page.keyboard.press('Escape');
}

/**
 * The published *Diabetes hemma* is followed by *Diabetes i hemmet*. Deleting the step then changes neither. It is
 * refused at first, because somebody else has just changed the step.
 */
export async function publishNextVersion(
  page: Page,
  { addresses, accounts }: Pick<ConsoleScene, 'addresses' | 'accounts'>,
): Promise<void> {
  await page.getByRole('link', { name: 'Gör en ny version: Diabetes hemma' }).click();
  assert.equal(await page.getByLabel('Planens namn').inputValue(), 'Diabetes hemma');
  await page.getByLabel('Planens namn').fill('Diabetes i hemmet');
  assert.deepEqual(await page.locator('.ordered li > span:first-child').allTextContents(), [
    'Mät blodsocker',
    'Väg patienten',
  ]);
  assert.ok(await page.getByLabel('Blodsocker under 7').isChecked());
  assert.deepEqual(await findings(page), []);
  await press(page, 'Publicera …');
  await press(page, 'Publicera');
  await page.waitForSelector('li:has(h3:has-text("Diabetes i hemmet")):has-text("Version 2")');
  await page.locator('summary:has-text("Ur bruk")').click();
  await page.getByRole('button', { name: 'Ta i bruk igen: Diabetes hemma' }).waitFor();
  await page.getByRole('button', { name: 'Ta ur bruk …: Diabetes i hemmet' }).click();
  await page.getByRole('dialog').getByText('fortsätter som de är').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.keyboard.press('Escape');
  await go(page, 'Aktiviteter');
  const remove = page.getByRole('button', { name: 'Ta bort …: Före frukosten' });
  await remove.click();
  const as = { token: accounts.planner };
  const { body: found } = await call(`${addresses.engine}/activities?search=blodsocker`, as);
  const { transaction_guid: guid, ...step } = found.data[0].transactions[0];
  await call(`${addresses.engine}/transactions/${guid}`, { ...as, method: 'PUT', json: { ...step, required: true } });
  // The list is read again before the dialog says so, however long that takes: what is asked next is about the new one.
  await page.route('**/engine/api/v1/activities**', slowly);
  await press(page, 'Ta bort');
  await page.getByRole('alert').getByText('Inget är borttaget.').waitFor();
  await page.keyboard.press('Escape');
  await remove.click();
  await press(page, 'Ta bort');
  await remove.waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });
  await go(page, 'Planer');
}

const SLOW_MS = 2_000;

async function slowly(route: Route): Promise<void> {
  await delay(SLOW_MS);
  await route.continue();
}
