// The faces of developers and operators in Chromium, with the whole system. It shows every screen in both languages and
// themes. An integrator seeks a patient's observations and edits one, while somebody else does, too. An operator asks
// whether everything is well, imports, exports and synchronizes.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { picture, reload, type SignedIn, settled } from '#test/support/console/visitor.ts';
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

const OPERATED = ['/operate', '/operate/servers', '/operate/bulk'];
let administrator: Promise<SignedIn> | undefined;
const asAdministrator = () => {
  const { email = '', password = '' } = scene?.addresses.admin ?? {};
  administrator ??= signIn(email, '/admin', password);
  return administrator;
};

test('an integrator makes an observation, finds it, and edits it while somebody else does', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await visitor({ language: 'en', colorScheme: 'light', width: 390 });
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
  await reload(page);
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
  await leave();

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
  const view = { language: 'sv', colorScheme: 'light', width: 1280 } as const;
  const { page, leave } = await visitor(view, await asAdministrator());
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
  await leave();
});

test('an operator sees that all is well, imports and exports, and synchronizes with another server', {
  skip,
}, async () => {
  const view = { language: 'sv', colorScheme: 'light', width: 1280 } as const;
  const { page, leave } = await visitor(view, await asAdministrator());
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await page.goto(`${gateway}/operate`);
  await settled(page);
  await page.getByText('Allt fungerar, och inget har fastnat.').waitFor();
  await page.getByRole('rowheader', { name: 'Uppdrag till vårdgivares system' }).waitFor();
  await page.getByLabel('Tjänst').selectOption('dispatch');
  await page.waitForURL(/service=dispatch/);
  // The ten slowest are shown, whichever they are, and all on request.
  await page.goto(`${gateway}/operate?service=dispatch&all=true`);
  await page
    .getByRole('rowheader', { name: /^(?:GET|POST|PUT) .*ServiceRequest/ })
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Börja en import eller export' }).click();
  const lines = ['{"resourceType":"Patient","id":"imported","active":true}', '{"resourceType":"Patient","gender":"x"}'];
  const buffer = Buffer.from(lines.join('\n'));
  await page.getByLabel('Fil').setInputFiles({ name: 'some.ndjson', mimeType: 'application/fhir+ndjson', buffer });
  await press('Importera');
  const imported = page.locator('li.card:has-text("Import")').first();
  await imported.getByText('en skapad').waitFor();
  await imported.getByText('Filer').click();
  const download = page.waitForEvent('download');
  await imported.getByRole('button', { name: /^Spara vad som var fel/ }).click();
  assert.match(await readFile(await (await download).path(), 'utf8'), /line 2.*gender/);
  await page.getByLabel('Typer').fill('Patient');
  await press('Börja exportera');
  const exported = page.locator('li.card:has-text("Export")').first();
  await exported.getByText('en resurs').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'operator-bulk');
  await exported.getByRole('button', { name: 'Ta bort exporten …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ta bort exporten', exact: true }).click();
  await page.getByText('Exporten och dess filer är borttagna.').waitFor();
  await exported.waitFor({ state: 'detached' });
  await page.getByLabel('Typer').fill('Banana');
  await press('Börja exportera');
  await page.locator('li:has-text("Banana")').first().waitFor();
  await endImport(page);

  await actAsServer(page);
  await page.getByRole('link', { name: 'Andra servrar' }).click();
  await press('Pröva alla nu');
  await page.getByText('Svarar inte', { exact: true }).waitFor();
  await page.getByLabel('Typer').fill('Organization, Patient');
  assert.deepEqual(await findings(page), []);
  await picture(page, 'operator-servers');
  await press('Pröva');
  await page.waitForURL(/\/operate\/servers\/[0-9a-f-]{36}$/);
  await page.getByText('0 av 2 typer klara.').waitFor();
  await press('Stoppa');
  await page.getByText('stoppad').waitFor();
  await page.getByText('Båda sidor har ändrat den.').waitFor();
  await page.getByRole('button', { name: 'Fortsätt' }).waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'operator-sync');
  await page.getByRole('link', { name: 'Läget nu' }).click();
  await page.getByText('Servern region svarar inte.').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'operator-attention');
  await leave();
});

for (const view of FACE_VIEWS) {
  test(`an operator's screens in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const opened = await visitor(view, await asAdministrator());
    await walkScreens(opened, { gateway, view, screens: OPERATED, isTechnical: true });
    await opened.context.close();
  });
}

/** No other server can be registered here, as none has a public address: the engine's part is played. */
async function actAsServer(page: Page): Promise<void> {
  const state = { status: 'unknown', job: 'running' };
  const server = () => ({
    ...{ name: 'region', url: 'https://fhir.example.org/r5', kind: 'fhir', status: state.status, circuit: 'closed' },
    ...{ last_success_at: null, last_failure_at: null, last_failure: 'connection_refused', latency_ms: null },
  });
  const none = { read: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0, conflicts: 0 };
  const conflict = { resource_type: 'Patient', id: 'imported', kind: 'both_changed', message: 'Both <b>' };
  const job = () => ({
    job_guid: '01900000-0000-7000-8000-000000000001',
    ...{ server: 'region', resource_types: ['Organization', 'Patient'], direction: 'pull', since: null, dry_run: true },
    ...{ state: state.job, failures: 0, fault: null, conflict_count: 1, conflicts: [conflict], finished_at: null },
    progress: { types_done: 0, types_total: 2, resource_type: 'Organization', phase: 'pull', seen: 30, total: 120 },
    counts: { pull: { ...none, read: 30, created: 12, conflicts: 1 }, push: none },
    created_at: '2026-11-26T10:00:00.000Z',
    updated_at: '2026-11-26T10:00:00.000Z',
  });
  const at = '**/engine/api/v1';
  await page.route(`${at}/servers/status`, (route) => route.fulfill({ json: { servers: [server()] } }));
  await page.route(`${at}/servers/test-all`, (route) => {
    state.status = 'down';
    return route.fulfill({ json: { servers: [] } });
  });
  await page.route(`${at}/status`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), servers: [server()] } });
  });
  await page.route(`${at}/synchronize**`, (route) => {
    if (route.request().method() === 'GET')
      return route.fulfill({ json: { data: [], page: 1, per_page: 10, total: 0 } });
    assert.ok(route.request().headers()['idempotency-key']);
    assert.equal(route.request().postDataJSON().dry_run, true);
    return route.fulfill({ status: 202, json: { job_guid: job().job_guid } });
  });
  await page.route(`${at}/synchronize/*`, (route) => route.fulfill({ json: job() }));
  await page.route(`${at}/synchronize/*/stop`, (route) => {
    state.job = 'stopped';
    return route.fulfill({ json: job() });
  });
}

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

/** An import that has failed says so after a reload, too; one that runs is ended, and the page says what stays. */
async function endImport(page: Page): Promise<void> {
  const imported = page.locator('li.card:has-text("Import")').first();
  const shownAs = (changes: object) =>
    page.route('**/api/v1/bulk-jobs*', async (route) => {
      const response = await route.fetch();
      const jobs = await response.json();
      await route.fulfill({
        response,
        json: { ...jobs, data: jobs.data.map((job: object) => ({ ...job, ...changes })) },
      });
    });
  await shownAs({ state: 'failed', fault: 'The rights to import have ended' });
  await page.reload();
  await imported.getByText('Importen blev inte klar. Det som hann läsas in finns kvar.').waitFor();
  await imported.getByText('The rights to import have ended').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.unroute('**/api/v1/bulk-jobs*');
  const cancelled = { name: 'Karin Lind', is_caller: false };
  await shownAs({ state: 'cancelled', percent: 40, finished_at: '2026-11-20T10:00:00Z', cancelled_by: cancelled });
  await page.reload();
  await imported.getByText(/^Avbröts 2026-11-20 \d\d:00 av Karin Lind, när 40 % var gjort\. Det som hann/).waitFor();
  await imported.getByRole('button', { name: 'Ta bort importen …' }).click();
  await page.getByRole('dialog').getByText('Den försvinner ur listan.').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Tillbaka' }).click();
  await page.unroute('**/api/v1/bulk-jobs*');
  await shownAs({ state: 'running', percent: 40 });
  await page.reload();
  await imported.getByText('40 %').waitFor();
  await imported.getByRole('button', { name: 'Avbryt importen …' }).click();
  await page.getByRole('dialog').getByText('Det som redan är inläst finns kvar.').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Avbryt importen', exact: true }).click();
  await page.getByText('Importen är avbruten. Det som hann läsas in finns kvar.').waitFor();
  await imported.waitFor({ state: 'detached' });
  await page.unroute('**/api/v1/bulk-jobs*');
}
