// The developer's face in Chromium, with the whole system: every screen in both languages and themes, and an
// integrator who seeks a patient's observations and edits one, while somebody else does, too.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { picture } from '#test/support/console/visitor.ts';
import { findings } from '#test/support/system/browser.ts';
import { call } from '../end-to-end/call.ts';

const person = { email: 'karin.lind@example.org', home: '/plan' };
const { skip, scene, gateway, visitor, signIn } = await startConsole({ after }, person);
const patient = scene?.accounts.patientGuid ?? '';

const SEARCH = `code:text=kropp&subject=Patient/${patient}&_sort=-date`;
const GENDER_SYSTEM = encodeURIComponent('http://hl7.org/fhir/administrative-gender');
const ISSUE_TYPES = encodeURIComponent('http://hl7.org/fhir/ValueSet/issue-type');
const GENDER_MAP = encodeURIComponent('http://hl7.org/fhir/ConceptMap/cm-administrative-gender-v3');

const SCREENS = [
  '/developer',
  '/developer/fhir',
  '/developer/fhir/dispatch?q=Care',
  `/developer/fhir/engine/Observation?q=${encodeURIComponent(SEARCH)}`,
  '/developer/fhir/engine/Observation?q=nonsense%3D1',
  `/developer/fhir/dispatch/Patient/${patient}`,
  `/developer/fhir/dispatch/Patient/${patient}/history`,
  `/developer/fhir/dispatch/Patient/${patient}/edit`,
  '/developer/new/engine/Patient',
  '/developer/batch',
  `/developer/terminology?system=${GENDER_SYSTEM}&code=female`,
  `/developer/terminology/expand?url=${ISSUE_TYPES}`,
  `/developer/terminology/translate?system=${GENDER_SYSTEM}&sourceCode=female&url=${GENDER_MAP}`,
];

for (const view of FACE_VIEWS) {
  test(`a developer's screens in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const opened = await visitor(view);
    const pictureOf = (address: string) => address.replace(/[0-9a-f-]{36}/, 'id').replace(/[?].*(nonsense)?.*/, '-$1');
    await walkScreens(opened, { gateway, view, screens: SCREENS, isTechnical: true, pictureOf });
    await opened.context.close();
  });
}

test('an integrator makes an observation, finds it, and edits it while somebody else does', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, context, complaints } = await visitor({ language: 'en', colorScheme: 'light', width: 390 });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const tab = (name: string) => page.getByRole('navigation', { name: 'Parts of the resource' }).getByText(name).click();
  await page.goto(`${gateway}/account`);
  await page.getByRole('link', { name: 'The services, their API references, and a token' }).click();
  await page.waitForURL(`${gateway}/developer`);
  await page.locator('main').getByRole('link', { name: 'FHIR resources' }).click();
  await page.getByLabel('Find a type').fill('observ');
  await page.getByRole('link', { name: '2 Observation' }).click();
  await page.getByRole('link', { name: 'New Observation' }).click();
  const area = page.getByRole('textbox', { name: /as JSON/ });
  await area.fill(observation('Pulse', '72.0').replace('"final"', '"ended"'));
  await press('Validate');
  await page.getByText('must be').first().waitFor();
  await press('Line 3');
  assert.equal(await selected(), '  "status": "ended",');
  assert.deepEqual(await findings(page), []);
  await picture(page, 'developer-issue');
  await area.fill(observation('Pulse', '72.0').replace('"final",', '"final"'));
  await page.getByText('Here the text stops being JSON.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Create' }).isDisabled());
  await page.reload();
  await page.getByText('Here the text stops being JSON.').waitFor();
  await area.fill(observation('Pulse', '72.0'));
  await press('Validate');
  await page.getByText('No issues were found.').waitFor();
  await press('Create');
  await page.waitForURL(/Observation\/[0-9a-f-]{36}$/);
  await page.getByText('72.0').first().waitFor();
  const id = page.url().split('/').at(-1) ?? '';

  await page.getByRole('link', { name: 'Search Observation' }).click();
  await page.getByLabel('Parameter 1').selectOption('subject');
  await page.getByLabel('Value 1').fill(`Patient/${patient}`);
  await press('Add a condition');
  await page.getByLabel('Parameter 2').selectOption('_count');
  await page.getByLabel('Value 2').fill('2');
  await press('Search');
  await page.getByText('3 matches').waitFor();
  await press('Next');
  await page.getByRole('button', { name: 'First page' }).waitFor();
  assert.match(decodeURIComponent(page.url()), /q=subject=Patient\/.*&_count=2&_cursor=/);
  await page.goto(`${gateway}/developer/fhir/engine/Observation?q=${encodeURIComponent('code-value-quantity=x')}`);
  await page.locator('ul[lang=en]').first().waitFor();
  await page.goBack();
  await press('First page');
  await page
    .getByRole('link', { name: `Observation/${id}` })
    .or(page.getByRole('button', { name: 'Next' }))
    .first()
    .waitFor();
  await page.goto(`${gateway}/developer/fhir/engine/Observation/${id}`);

  await tab('Edit');
  await area.fill((await area.inputValue()).replace('72.0', '73.50'));
  const theirs = { ...JSON.parse(observation('Pulse', '72.0')), id, note: [{ text: 'Theirs <b>' }] };
  const at = `${scene.addresses.engine}/Observation/${id}`;
  await call(at, { token: scene.accounts.planner, method: 'PUT', json: theirs });
  await press('Save');
  await page.getByRole('alert').getByText('Theirs <b>').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'developer-overtaken');
  await press('Keep my text');
  await press('Save');
  await page.waitForURL(new RegExp(`${id}$`));
  await page.getByText('73.50').first().waitFor();
  await tab('History');
  await page.locator('del:has-text("Theirs <b>")').waitFor();
  await page.locator('ins:has-text("73.50")').waitFor();
  await page.getByRole('link', { name: 'Compare with version 1' }).click();
  await page.locator('ins:has-text("Theirs <b>")').waitFor();
  assert.match(page.url(), /from=1&to=2/);
  assert.deepEqual(await findings(page), []);
  await picture(page, 'developer-history');
  assert.deepEqual(complaints, []);
  await context.close();

  async function selected(): Promise<string> {
    return String(
      await page.evaluate(
        'getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
      ),
    );
  }
});

test('an administrator runs a batch, sees how a search is carried out, and walks a value set', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { email, password } = scene.addresses.admin;
  const admin = await signIn(email, '/admin', password);
  const { page, context, complaints } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 }, admin);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await page.goto(`${gateway}/account`);
  await page.getByRole('navigation').getByRole('link', { name: 'Kör en Bundle' }).click();
  await page.getByRole('textbox').fill(JSON.stringify(batch(), null, 2));
  await press('Kör');
  await page.getByText('2 av 3 lyckades.').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'developer-batch');
  await page.getByRole('link', { name: 'Organization/batch-made' }).click();
  await page.waitForURL(/engine\/Organization\/batch-made$/);
  await page.goto(`${gateway}/developer/fhir/engine/Observation?q=${encodeURIComponent(SEARCH)}`);
  await press('Visa planen');
  await page.getByRole('columnheader', { name: 'Steg' }).first().waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'developer-explain');

  await page.goto(`${gateway}/developer/terminology/expand`);
  await page.getByLabel('Värdemängd').fill('http://hl7.org/fhir/ValueSet/issue-type');
  await press('Visa');
  await page.getByText('33 koder').waitFor();
  await page.getByText('Security Problem').click();
  await page.getByRole('link', { name: 'login' }).click();
  await page.getByText('parent = security').waitFor();
  await page.getByRole('link', { name: 'Kontrollera' }).click();
  await page.getByLabel('Värdemängd').fill('http://hl7.org/fhir/ValueSet/administrative-gender');
  await page.getByLabel('Kodverk').fill('http://hl7.org/fhir/administrative-gender');
  await page.getByLabel('Kod', { exact: true }).fill('male');
  await page.getByLabel('Benämning').fill('Man');
  await press('Kontrollera');
  await page.getByText('Nej, så finns den inte där.').waitFor();
  assert.match(page.url(), /code=male&display=Man/);
  assert.deepEqual(complaints, []);
  await context.close();
});

function observation(name: string, value: string): string {
  return `{
  "resourceType": "Observation",
  "status": "final",
  "code": { "text": "${name}" },
  "subject": { "reference": "Patient/${patient}" },
  "effectiveDateTime": "2026-11-24",
  "valueQuantity": { "value": ${value}, "unit": "1/min" }
}`;
}

function batch(): object {
  const made = { resourceType: 'Organization', id: 'batch-made', name: 'Batch & <b>' };
  return {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      { request: { method: 'PUT', url: 'Organization/batch-made' }, resource: made },
      { request: { method: 'GET', url: 'Organization/none' } },
      { request: { method: 'GET', url: 'Observation?_summary=count' } },
    ],
  };
}
