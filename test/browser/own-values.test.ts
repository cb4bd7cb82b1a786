// Values that a patient reports in Chromium. What is typed outlives a reload, and each value is stored once however
// often it is sent. A wrong one is taken away, unless the unit has used it. A copy of all that there is of the patient
// is saved as a file.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { checkScreen, startConsole } from '#test/support/console/set-up.ts';
import { picture, reload, settled, type View } from '#test/support/console/visitor.ts';
import { findings } from '#test/support/system/browser.ts';
import { PATIENT_EMAIL } from '../end-to-end/accounts.ts';
import { call } from '../end-to-end/call.ts';
import { answers, giveForm } from '../end-to-end/patients/own-reports.ts';

const { skip, scene, gateway, visitor, signIn } = await startConsole({ after }, { email: PATIENT_EMAIL, home: '/my' });
const VIEW: View = { language: 'sv', colorScheme: 'light', width: 390 };

test('a patient reports a value once, and takes it away', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts } = scene;
  const { page, context, leave } = await visitor(VIEW);
  await page.goto(`${gateway}/my`);
  await page.getByRole('link', { name: 'Rapportera värden' }).click();
  const send = page.getByRole('button', { name: 'Skicka' });
  await send.click();
  await page.getByText('Fyll i minst ett värde.').waitFor();
  const weight = page.getByLabel('Vikt varje morgon');
  const when = page.getByLabel('När mättes det?');
  await weight.fill('hundra');
  await when.fill(`${new Date().getUTCFullYear() + 1}-02-03T10:00`);
  await send.click();
  await page.getByText('Tiden har inte varit än.').first().waitFor();
  await page.getByText('Skriv ett tal').first().waitFor();
  await checkScreen(page, '/my/values/new', VIEW.width);
  await picture(page, 'own-values-issues');
  await weight.fill('81,5');
  await when.fill('2026-03-29T03:30');
  await reload(page);
  await settled(page);
  assert.deepEqual([await weight.inputValue(), await when.inputValue()], ['81,5', '2026-03-29T03:30']);

  // It arrives, and its answer is lost. Sent again it is the same.
  const keys: string[] = [];
  await context.route('**/engine/api/v1/Observation', async (route) => {
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await send.click();
  await page.getByText('Vi når inte servern just nu.').first().waitFor();
  await page.reload();
  await send.click();
  await page.waitForURL(`${gateway}/my/values`);
  await page.getByText('Dina värden är skickade.').waitFor();
  assert.equal(keys.length, 2);
  assert.equal(new Set(keys).size, 1);
  const own = page.getByRole('region', { name: 'Det du har rapporterat' });
  await own.getByText('81,5 kilogram').waitFor();
  assert.equal(await own.getByRole('listitem').count(), 1);
  await checkScreen(page, '/my/values', VIEW.width);
  await picture(page, 'own-values');

  const search = `${addresses.engine}/Observation?_tag=https://kedja.dev/codes/tag|patient-reported`;
  const { body: found } = await call(search, { token: accounts.planner });
  const [{ resource }] = found.entry;
  assert.deepEqual([found.total, resource.valueQuantity.value, resource.valueQuantity.code], [1, 81.5, 'kg']);
  assert.equal(resource.basedOn[0].reference, `CarePlan/${scene.request.carePlan}`);

  // Another value, which the unit notes as reviewed while its question is open.
  await page.getByRole('link', { name: 'Rapportera värden' }).click();
  assert.equal(await weight.inputValue(), '', 'what was sent is forgotten');
  await weight.fill('82');
  await send.click();
  await own.getByText('82 kilogram').waitFor();
  await own.getByRole('button', { name: /81,5 kilogram/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Ta bort värdet?' });
  await checkScreen(page, 'removal', VIEW.width);
  await dialog.getByRole('button', { name: 'Ta bort' }).click();
  await dialog.waitFor({ state: 'detached' });
  await own.getByText('81,5 kilogram').waitFor({ state: 'detached' });
  await page.getByText('Värdet är borttaget.').waitFor();
  assert.equal(await page.getByText('Dina värden är skickade.').count(), 0, 'of the value before');
  const { body: left } = await call(search, { token: accounts.planner });
  assert.equal(left.total, 1);
  await own.getByRole('button', { name: /82 kilogram/ }).click();
  const target = [{ reference: `Observation/${left.entry[0].resource.id}` }];
  const review = {
    resourceType: 'Provenance',
    target,
    activity: { text: 'Reviewed' },
    agent: [{ who: { display: 'K' } }],
  };
  await call(`${addresses.engine}/Provenance`, { token: accounts.planner, json: review });
  await dialog.getByRole('button', { name: 'Ta bort' }).click();
  await dialog.getByText('Vården har redan använt värdet').waitFor();
  await dialog.getByRole('button', { name: 'Behåll' }).click();
  await own.getByText('82 kilogram').waitFor();
  await leave();
});

test('what the patient takes back is said, and not shown as what holds', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts } = scene;
  const patient = `/plan/patients/${accounts.patientGuid}`;
  const { carePlan, guid } = await giveForm(scene);
  const asPatient = { token: accounts.patient };
  const response = `${addresses.dispatch}/patient-forms/${guid}/response`;
  await call(response, { ...asPatient, json: answers('bad'), expect: 201 });
  await call(response, { ...asPatient, method: 'DELETE', expect: 204 });
  const value = {
    resourceType: 'Observation',
    status: 'final',
    basedOn: [{ reference: `CarePlan/${carePlan}` }],
    code: { text: 'Puls' },
    effectiveDateTime: '2026-11-21T07:00:00+01:00',
    valueQuantity: { value: 199, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
  };
  const { body: made } = await call(`${addresses.engine}/Observation`, { ...asPatient, json: value, expect: 201 });
  const { page, leave } = await visitor(VIEW, await signIn('karin.lind@example.org', '/plan'));
  await page.goto(`${gateway}${patient}/values`);
  await page.getByText('Senast 199 /min').waitFor();
  await call(`${addresses.engine}/Observation/${made.id}`, { ...asPatient, method: 'DELETE', expect: 204 });
  await page.getByText('Senast 199 /min').waitFor({ state: 'detached' });
  await page.goto(`${gateway}/plan`);
  await page.getByText('Patienten har tagit tillbaka ett svar på ett formulär').first().waitFor();
  const news = page.locator('li.card:has-text("Patienten har tagit tillbaka värden")').first();
  await picture(page, 'planner-withdrawn');
  await news.getByRole('link', { name: 'Astrid Berg' }).click();
  await page.waitForURL(`${gateway}${patient}/values`);
  await page.goto(`${gateway}${patient}/forms`);
  const answer = page.locator('li.card:has-text("Svaret är återtaget och gäller inte.")').first();
  assert.doesNotMatch(String(await answer.textContent()), /Dålig/);
  assert.deepEqual(await findings(page), []);
  await leave();
});

test('the patient saves a copy of all that there is about them', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts } = scene;
  const value = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'Puls' },
    effectiveDateTime: '2026-11-22T07:00:00+01:00',
    valueQuantity: { value: 71, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
  };
  await call(`${addresses.engine}/Observation`, { token: accounts.patient, json: value, expect: 201 });
  const { page, context, leave } = await visitor(VIEW);
  await page.goto(`${gateway}/my/log`);
  await page.goto(`${gateway}/my/copy`);
  const make = page.getByRole('button', { name: 'Hämta kopian' });
  // A page that cannot be read ends it, and says so.
  await context.route('**/access-log**', (route) => route.abort());
  await make.click();
  await page.getByRole('alert').waitFor();
  await checkScreen(page, '/my/copy', VIEW.width);
  await context.unroute('**/access-log**');
  const saved = page.waitForEvent('download');
  await make.click();
  const file = await saved;
  assert.match(file.suggestedFilename(), /^kedja-mina-uppgifter-\d{4}-\d\d-\d\d\.json$/);
  await page.getByText(/^Klart\. Filen med \d+ uppgifter/).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await picture(page, 'own-copy');
  const copy = JSON.parse(await readFile(await file.path(), 'utf8'));
  const has = (service: string, type: string, id?: string) =>
    copy.fhir.entry.some(({ fullUrl = '' }: { fullUrl?: string }) =>
      fullUrl.includes(`/${service}/api/v1/${type}/${id ?? ''}`),
    );
  assert.ok(has('dispatch', 'CarePlan', scene.request.carePlan));
  assert.ok(has('dispatch', 'ServiceRequest'));
  assert.ok(has('dispatch', 'Patient', accounts.patientGuid));
  assert.ok(has('engine', 'Observation'));
  assert.ok(copy.fhir.entry.some((each: { resource: typeof value }) => each.resource.valueQuantity?.value === 71));
  assert.ok(copy.matches.some(({ status }: { status: string }) => status === 'accepted'));
  assert.ok(copy.access_log.length > 0);
  assert.equal(copy.account.email, PATIENT_EMAIL);
  await leave();
});
