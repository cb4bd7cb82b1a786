// What two administrators do in the browser test of their face, who change the same provider and its contract at once.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { checkScreen } from './set-up.ts';
import { picture } from './visitor.ts';

interface Two {
  readonly first: Page;
  readonly second: Page;
  /** The screen of the provider. */
  readonly address: string;
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const open = (page: Page, button: RegExp) => page.getByRole('button', { name: button }).last().click();

async function save(page: Page, name = 'Spara'): Promise<void> {
  await dialogOf(page).getByRole('button', { name, exact: true }).click();
}

async function saveAndSee(page: Page): Promise<void> {
  await save(page);
  await dialogOf(page).waitFor({ state: 'detached' });
}

/** The second changes what the first has open. What the first has typed stays, and nothing is overwritten unasked. */
export async function changeProviderAtOnce({ first, second, address }: Two): Promise<void> {
  for (const page of [first, second]) {
    await page.goto(address);
    await open(page, /^Ändra uppgifterna/);
  }
  await dialogOf(first).getByLabel('Region').fill('Väst');
  await dialogOf(second).getByLabel('Region').fill('Syd <b>');
  await dialogOf(second).getByLabel('Namn').fill('Rehab & vård');
  await saveAndSee(second);
  await save(first);
  const alert = dialogOf(first).getByRole('alert').getByText('Inget av ditt är sparat', { exact: false });
  await alert.waitFor();
  await dialogOf(first)
    .getByText(/^Det ändrades \d{4}-\d\d-\d\d \d\d:\d\d\.$/)
    .waitFor();
  await dialogOf(first).getByText('är nu ”Rehab & vård”', { exact: false }).waitFor();
  const region = dialogOf(first).locator('dd', { hasText: 'är nu ”Syd <b>”' });
  await region.getByText('Du har också ändrat det').waitFor();
  assert.equal(await dialogOf(first).getByLabel('Region').inputValue(), 'Väst', 'what was typed is kept');
  await checkScreen(first, 'changed meanwhile', 390);
  await picture(first, 'admin-changed-meanwhile');
  await save(first, 'Spara det jag har ändrat');
  await first.getByRole('heading', { level: 1, name: 'Rehab & vård' }).waitFor();
  await first.locator('main p', { hasText: /^Väst$/ }).waitFor();
}

/** The same of a contract, which the first then tries to delete while the second changes it. */
export async function changeContractAtOnce({ first, second, address }: Two): Promise<void> {
  for (const page of [first, second]) await page.goto(address);
  await open(first, /^Ändra avtalet/);
  await dialogOf(first).getByLabel('Region (frivilligt)').fill('Väst');
  await changeRegion(second, 'Syd');
  await save(first);
  await dialogOf(first).getByText('är nu ”Syd”', { exact: false }).waitFor();
  await save(first, 'Behåll det som det är nu');
  const contracts = first.getByRole('region', { name: 'Avtal' });
  await contracts.getByText('Syd', { exact: false }).waitFor();
  await open(first, /^Ta bort avtalet/);
  await changeRegion(second, 'Norr');
  await save(first, 'Ta bort');
  await dialogOf(first).getByText('Inget är borttaget.', { exact: false }).waitFor();
  assert.ok(await dialogOf(first).getByRole('button', { name: 'Ta bort', exact: true }).isDisabled());
  await picture(first, 'admin-not-removed');
  await save(first, 'Avbryt');
  await contracts.getByText('Norr', { exact: false }).waitFor();
  await open(first, /^Ta bort avtalet/);
  await save(first, 'Ta bort');
  await contracts.getByText('Norr', { exact: false }).waitFor({ state: 'detached' });
}

async function changeRegion(page: Page, region: string): Promise<void> {
  await open(page, /^Ändra avtalet/);
  await dialogOf(page).getByLabel('Region (frivilligt)').fill(region);
  await saveAndSee(page);
}
