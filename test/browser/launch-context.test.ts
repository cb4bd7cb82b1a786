// A form whose expressions look at the patient, in Chromium. The patient is asked what applies, with a first value of
// their record. The builder's preview, which is of nobody, says what it cannot decide.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENT_EMAIL } from '#test/end-to-end/accounts.ts';
import { call } from '#test/end-to-end/call.ts';
import { giveForm } from '#test/end-to-end/patients/own-reports.ts';
import { startConsole } from '#test/support/console/set-up.ts';
import { picture, type View } from '#test/support/console/visitor.ts';

const { skip, scene, gateway, ...at } = await startConsole({ after });
const PHONE: View = { language: 'sv', colorScheme: 'light', width: 390 };
const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const ID = 'form-of-the-patient';

const launch = (code: string) => ({
  url: `${SDC}launchContext`,
  extension: [
    { url: 'name', valueCoding: { code } },
    { url: 'type', valueCode: 'Patient' },
  ],
});
const question = (linkId: string, text: string, name: string, expression: string) => ({
  linkId,
  type: 'string',
  text,
  required: name === 'enableWhenExpression',
  extension: [{ url: SDC + name, valueExpression: { language: 'text/fhirpath', expression } }],
});
const FORM = {
  resourceType: 'Questionnaire',
  id: ID,
  status: 'active',
  language: 'sv',
  title: 'Om dig',
  extension: [launch('patient'), launch('user')],
  item: [
    question('number', 'Ditt nummer', 'initialExpression', '%patient.id'),
    question('own', 'Fyller du i själv?', 'enableWhenExpression', '%user.id = %patient.id'),
    question('other', 'Vem fyller i?', 'enableWhenExpression', '%user.id != %patient.id'),
    question('visit', 'Vilket besök?', 'initialExpression', '%encounter.id'),
  ],
};

test('who fills in a form is asked what applies to the patient, and told what is not known', { skip }, async () => {
  if (scene === undefined) return;
  const { addresses, accounts, library } = scene;
  const asPlanner = { token: accounts.planner, expect: 201 };
  await call(`${addresses.engine}/Questionnaire/${ID}`, { ...asPlanner, method: 'PUT', json: FORM });
  const { guid } = await giveForm({ addresses, accounts, library: { ...library, formGuid: ID } });

  const { body: me } = await call(`${addresses.identity}/api/auth/me`, { token: accounts.patient });

  const { page, leave } = await at.visitor(PHONE, await at.signIn(PATIENT_EMAIL, '/my'));
  await page.goto(`${gateway}/my/forms/${guid}`);
  await page.getByLabel('Fyller du i själv?').fill('ja');
  assert.equal(await page.getByLabel('Ditt nummer').inputValue(), me.patient_guid);
  assert.equal(await page.getByLabel('Vem fyller i?').count(), 0);
  assert.equal(await page.getByText('Det första svaret kunde inte hämtas.').count(), 1, 'nobody gives a visit');
  await picture(page, 'launch-context');
  await page.getByRole('button', { name: 'Skicka svaret' }).click();
  await page.waitForURL(`${gateway}/my/forms`);
  await page.getByRole('link', { name: 'Om dig' }).click();
  await page.getByText('Fyller du i själv?').waitFor();
  await leave();

  const { page: screen } = await at.visitor(PHONE, await at.signIn('karin.lind@example.org', '/plan'));
  await screen.goto(`${gateway}/plan/forms/${ID}`);
  await screen.getByText('behöver %encounter, som ingen ger formuläret').waitFor();
  const preview = screen.getByRole('region', { name: 'Så här ser det ut' });
  await preview.getByText('Om frågan ska besvaras kan inte avgöras här.').first().waitFor();
  await preview.getByLabel('Vem fyller i? (frivilligt)').waitFor();
  await preview.getByRole('button', { name: 'Kontrollera svaren' }).click();
  await preview.getByText('Svaren kan skickas som de är.').waitFor();
  await picture(screen, 'launch-context-preview');
});
