// What an administrator does in the browser test of that face with providers, settings and the registry of services.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { call } from '#test/end-to-end/call.ts';
import type { ConsoleScene } from './scene.ts';
import { checkScreen } from './set-up.ts';
import { picture } from './visitor.ts';

interface Site {
  readonly gateway: string;
  readonly scene: ConsoleScene;
}

/** A contract is made, changed and deleted, and a unit is linked to the provider and unlinked. */
export async function walkContracts(page: Page, { gateway, scene }: Site): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.goto(`${gateway}/admin/providers/${scene.library.outside}`);
  const contracts = page.getByRole('region', { name: 'Avtal' });
  const cards = contracts.locator('.cards > li');
  await cards.first().waitFor();
  const before = await cards.count();
  await page.getByRole('button', { name: 'Nytt avtal …' }).click();
  await dialog.getByText('Lägg till minst en kod.').waitFor();
  await dialog.getByRole('combobox', { name: 'Sök i biblioteket' }).fill('weight');
  await dialog.locator('[role=option]').first().click();
  await dialog.getByLabel('Gäller från').fill('2027-01-01');
  await dialog.getByLabel('Region (frivilligt)').fill('Öst <b>');
  await checkScreen(page, 'contract', 390);
  await picture(page, 'admin-contract');
  await dialog.getByRole('button', { name: 'Spara' }).click();
  await contracts.getByText('Öst <b>').waitFor();
  assert.equal(await cards.count(), before + 1);
  const made = cards.filter({ hasText: 'Öst <b>' });
  await made.getByRole('button', { name: /^Ändra avtalet/ }).click();
  await dialog.getByLabel('Till och med (frivilligt)').fill('2026-12-31');
  await dialog.getByText('Slutdagen är före första dagen.').waitFor();
  await dialog.getByLabel('Till och med (frivilligt)').fill('2027-12-31');
  await dialog.getByRole('button', { name: 'Spara' }).click();
  await made.getByText('2027-12-31').waitFor();
  await made.getByRole('button', { name: /^Ta bort avtalet/ }).click();
  await dialog.getByRole('button', { name: 'Ta bort', exact: true }).click();
  await made.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Koppla en enhet …' }).click();
  await dialog.getByLabel('Välj organisation').selectOption({ label: 'Region Syd' });
  await dialog.getByRole('button', { name: 'Koppla', exact: true }).click();
  await page.getByRole('button', { name: 'Ta bort kopplingen till Region Syd' }).click();
  await picture(page, 'admin-unlink');
  await dialog.getByRole('button', { name: 'Ta bort', exact: true }).click();
  await page.getByText('Inga enheter.', { exact: false }).waitFor();
  await checkScreen(page, 'provider', 390);
}

/** Settings are found, and the registry is changed after a conflict with another administrator. */
export async function walkRegistry(page: Page, { gateway, scene }: Site): Promise<void> {
  await page.goto(`${gateway}/admin/settings?service=dispatch&q=WEBHOOK_RETRY`);
  await page.getByText('KEDJA_WEBHOOK_RETRY_SECONDS').waitFor();
  assert.equal(await page.locator('main .cards > li').count(), 1);
  await page.goto(`${gateway}/admin/settings?q=DATABASE_URL`);
  await page.getByText('Hemlig, och angiven.').waitFor();
  await picture(page, 'admin-settings');
  await page.goto(`${gateway}/admin/services`);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Registrera en tjänst …' }).click();
  await dialog.getByLabel('Namn').fill('Labbet <b>');
  const registry = `${scene.addresses.identity}/api/admin/oath-overview`;
  const fields = 'service_url,api_health_url,capability_statement_url,endpoints_url,privilege_level,notes'.split(',');
  const other = { ...Object.fromEntries(fields.map((field) => [field, ''])), service_name: 'Röntgen' };
  await call(registry, { token: scene.accounts.admin, method: 'PUT', json: [other] });
  await dialog.getByRole('button', { name: 'Spara' }).click();
  await dialog.getByText('Någon annan har ändrat listan.', { exact: false }).waitFor();
  await checkScreen(page, 'registry', 390);
  await page.reload();
  await page.getByText('Röntgen').waitFor();
  await page.getByRole('button', { name: 'Registrera en tjänst …' }).click();
  await dialog.getByLabel('Namn').fill('Labbet <b>');
  await dialog.getByRole('button', { name: 'Spara' }).click();
  await page.getByRole('button', { name: 'Ta bort Labbet <b>' }).click();
  await picture(page, 'admin-services');
  await dialog.getByRole('button', { name: 'Ta bort', exact: true }).click();
  await page.getByRole('heading', { name: 'Labbet <b>', exact: true }).waitFor({ state: 'detached' });
}

/** The provider is entered as a part of a region, which is entered with it; then as a part of none. */
export async function walkPlace(page: Page, { gateway, scene }: Site): Promise<void> {
  const { outside } = scene.library;
  const as = { token: scene.accounts.admin };
  const organisation = async (guid: string) =>
    (await call(`${scene.addresses.dispatch}/Organization/${guid}`, as)).body;
  await page.goto(`${gateway}/admin/providers/${outside}`);
  const place = page.getByRole('region', { name: 'Samtycken som gäller vårdgivaren' });
  await place.getByText('Det är inte känt vad vårdgivaren är en del av.', { exact: false }).waitFor();
  await place.getByLabel('Välj organisation').selectOption({ label: 'Region Syd' });
  await checkScreen(page, 'place', 390);
  await picture(page, 'admin-place');
  await place.getByRole('button', { name: 'Spara vad den är en del av' }).click();
  await place.getByText('och samtycken om Region Syd', { exact: false }).waitFor();
  const [, parent = ''] = /^Organization\/(.+)$/.exec((await organisation(outside)).partOf.reference) ?? [];
  assert.equal((await organisation(parent)).name, 'Region Syd');
  await place.getByRole('button', { name: 'Ändra vad den är en del av …' }).click();
  await place.getByRole('button', { name: 'Inte en del av någon organisation' }).click();
  await place.getByRole('button', { name: 'Spara', exact: true }).click();
  await place.getByText('inte en del av någon annan organisation', { exact: false }).waitFor();
  assert.equal((await organisation(outside)).partOf, undefined);
}
