// What a planner finds in Chromium, with the whole system: all that is new, and a patient by number, which is not typed
// twice where there is no record yet.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startConsole } from '#test/support/console/set-up.ts';
import { picture, reload } from '#test/support/console/visitor.ts';
import { findings } from '#test/support/system/browser.ts';

const person = { email: 'karin.lind@example.org', home: '/plan' };
const { skip, scene, gateway, visitor } = await startConsole({ after }, person);
const MANY = 11;

test('all that is new can be read before all of it is marked as read', { skip }, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  const at = Date.now();
  const news = Array.from({ length: MANY }, (_, index) => ({
    notification_guid: `new-${index}`,
    kind: 'request_accepted',
    patient: { reference: `Patient/${scene?.accounts.patientGuid}` },
    service_request_id: scene?.request.id,
    provider_name: `Utförare ${index}`,
    created_at: new Date(at - index * 1000).toISOString(),
  }));
  // Names are slower than the list.
  let giveNames = (): void => undefined;
  const namesMayCome = new Promise<void>((resolve) => {
    giveNames = resolve;
  });
  await page.route('**/dispatch/api/v1/Patient?*', async (route) => {
    await namesMayCome;
    await route.continue();
  });
  await page.route('**/api/v1/notifications?*', (route) =>
    route.fulfill({ json: { data: news, page: 1, per_page: 100, total: MANY, unread: MANY } }),
  );
  await page.goto(`${gateway}/plan/requests`);
  await page.getByRole('button', { name: 'Meny' }).click();
  await page.getByRole('link', { name: 'Att göra' }).click();
  const list = page.getByRole('region', { name: 'Nytt' });
  await list.getByText('Utförare 0 har tackat ja').waitFor();
  assert.equal(await list.getByText('Okänd patient').count(), 0, 'nobody is unknown before it is known');
  giveNames();
  await list.getByRole('link', { name: 'Astrid Berg' }).first().waitFor();
  assert.equal(await list.getByRole('listitem').count(), 8);
  const more = list.getByRole('button', { name: `Visa ${MANY - 8} till` });
  await more.focus();
  await page.keyboard.press('Enter');
  await list.getByText(`Utförare ${MANY - 1} har tackat ja`).waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-news');
  const fewer = list.getByRole('button', { name: 'Visa färre' });
  assert.ok(await fewer.evaluate((button) => button.matches(':focus')));
  await page.keyboard.press('Enter');
  await list.getByText(`Utförare ${MANY - 1} har tackat ja`).waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await leave();
});

test('a number that was looked up in vain is in the form of the new patient', { skip }, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  await page.goto(`${gateway}/plan/patients/new`);
  await page.getByLabel('Förnamn').fill('Någon');
  await page.getByLabel('Personnummer', { exact: true }).fill('19121212-1212');
  await page.goto(`${gateway}/plan/patients`);
  const sought = page.getByLabel('Namn, personnummer eller födelsedatum');
  await sought.fill('19811228-9874');
  await page.getByRole('button', { name: 'Sök' }).click();
  await page.getByText('Ingen patient med det personnumret finns hos er.').waitFor();
  await page.getByRole('link', { name: 'Ny patient' }).click();
  await page.getByText('Född 1981-12-28').waitFor();
  assert.equal(await page.getByLabel('Personnummer', { exact: true }).inputValue(), '19811228-9874');
  assert.equal(await page.getByLabel('Förnamn').inputValue(), '', 'nobody else’s name stands beside it');
  assert.equal(new URL(page.url()).search, '', 'it is not in the address');
  await page.getByLabel('Förnamn').fill('Sven');
  await reload(page);
  await page.getByRole('link', { name: 'Tillbaka' }).click();
  await sought.fill('19811228-9874');
  await page.getByRole('link', { name: 'Ny patient' }).click();
  assert.equal(await page.getByLabel('Förnamn').inputValue(), 'Sven', 'what was typed about the same person stays');
  await leave();
});
