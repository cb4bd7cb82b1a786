// The planner's face in Chromium, with the whole system. It shows every screen in both languages and themes. The story
// is told by clicks: a patient is found, and a request is made from a plan. It is finalized, refused without a consent,
// pushed, and its report is seen.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { correctGoal, correctStep, publishNextVersion, renameCodeSystem } from '#test/support/console/library.ts';
import { FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { picture, reload, settled } from '#test/support/console/visitor.ts';
import { eventually } from '#test/support/http.ts';
import { findings } from '#test/support/system/browser.ts';
import { call } from '../end-to-end/call.ts';

const person = { email: 'karin.lind@example.org', home: '/plan' };
const { skip, scene, gateway, visitor } = await startConsole({ after }, person);
const patient = `/plan/patients/${scene?.accounts.patientGuid}`;
const done = `/plan/requests/${scene?.request.id}`;

const SCREENS = [
  '/plan',
  '/plan/patients',
  '/plan/patients?q=Berg',
  '/plan/patients/new',
  patient,
  ...['plans', 'requests', 'values', 'forms', 'consents', 'log'].map((tab) => `${patient}/${tab}`),
  '/plan/requests',
  '/plan/requests?stage=refused&order=oldest&mine=true',
  done,
  '/plan/statistics',
  ...['', '/forms', '/activities', '/goals', '/concepts', '/new'].map((tab) => `/plan/library${tab}`),
  '/plan/forms/new',
];

for (const view of FACE_VIEWS) {
  test(`a planner's screens in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const opened = await visitor(view);
    await walkScreens(opened, { gateway, view, screens: SCREENS });
    await opened.context.close();
  });
}

test('from the sign-in to a pushed request and its report', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto(`${gateway}/plan`);
  await page.getByRole('button', { name: 'Meny' }).click();
  await page.getByRole('link', { name: 'Patienter' }).click();
  const sought = page.getByLabel('Namn, personnummer eller födelsedatum');
  await sought.fill('Nobody');
  await button('Sök').click();
  await page.getByText('Sökning: Nobody').waitFor();
  await sought.fill('900118-9812');
  await button('Sök').click();
  await page.getByText('Det är inget giltigt personnummer.').waitFor();
  assert.equal(await page.getByText('Sökning: Nobody').count(), 0, 'of the search before');
  await sought.fill('900118-9811');
  await button('Sök').click();
  await page.waitForURL(`${gateway}${patient}`);
  await page.waitForSelector('h1:has-text("Astrid Berg")');
  await page.getByRole('link', { name: 'Vem har tittat' }).click();
  await page.getByText('Loggen läses av patienten själv').waitFor();
  await page.getByRole('link', { name: 'Planer' }).click();
  await button('Gör ett uppdrag av planen').first().click();
  await page.waitForURL(/\/plan\/requests\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1) ?? '';

  await page.getByLabel('Meddelande till den som utför').fill('Ring på dörren');
  await reload(page);
  assert.equal(await page.getByLabel('Meddelande till den som utför').inputValue(), 'Ring på dörren', 'it is kept');
  await page.getByLabel('Hur bråttom').selectOption({ label: 'Brådskande' });
  await button('Spara').click();
  await eventually('it was saved', async () => ((await button('Spara').isDisabled()) ? true : undefined));
  await page.getByLabel('Lägg till ett formulär').selectOption({ label: 'Andning' });
  await button('Lägg till').click();
  await page.getByRole('button', { name: 'Ta bort: Andning' }).click();
  await button('Ångra').click();
  await page.getByRole('button', { name: 'Ta bort: Andning' }).waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-draft');
  await button('Färdigställ …').click();
  await picture(page, 'planner-finalize');
  const isLost = () => page.evaluate('document.activeElement === document.body');
  const keepsFocus = () => eventually('something has the focus', async () => !(await isLost()) || undefined);
  await button('Färdigställ').click();

  await button('Hitta mottagare').waitFor();
  await keepsFocus();
  await button('Hitta mottagare').click();
  await page.waitForSelector('h3:has-text("Skicka uppdraget")');
  await keepsFocus();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-matched');
  const push = async () => {
    await page.getByRole('button', { name: /^Skicka till/ }).click();
    await button('Skicka').click();
  };
  const consents = async (name: string) => {
    await page.getByRole('link', { name: 'Astrid Berg' }).click();
    await page.getByRole('link', { name: 'Samtycken' }).click();
    await button(name).click();
  };
  await consents('Avsluta');
  await page.waitForSelector('text=Inget samtycke finns');
  await page.goBack();
  await page.goBack();
  await push();
  await page.waitForSelector('text=Patientens samtycke tillåter inte');
  assert.equal(
    await page.getByRole('link', { name: 'Visa patientens samtycken' }).getAttribute('href'),
    `${patient}/consents`,
  );
  await page.locator('.bad:has-text("Stoppat: Inget samtycke finns.")').first().waitFor();
  assert.deepEqual(await findings(page), []);
  await consents('Patienten har sagt ja');
  await page.waitForSelector('text=Patienten tillåter');
  await page.goto(`${gateway}/plan/requests/${id}`);
  await push();
  await page.waitForSelector('text=Väntar på svar');
  await picture(page, 'planner-pushed');

  const { addresses, accounts, library } = scene;
  const { body: found } = await call(`${addresses.dispatch}/ServiceRequest/${id}/matches`, { token: accounts.planner });
  const outside = found.data.find((match: { provider_guid: string }) => match.provider_guid === library.outside);
  const asked = Date.now();
  await call(`${addresses.dispatch}/requests/${outside.request_guid}/questions`, {
    apiKey: library.outsideKey,
    json: { question: 'Finns hiss? <script>alert(1)</script>' },
    expect: 201,
  });
  await page.waitForSelector('text=Finns hiss? <script>');
  assert.ok(Date.now() - asked < 3_000, 'it appears by itself');
  await page.getByLabel('Ditt svar').fill('Ja, till vänster');
  await button('Skicka svaret').click();
  await page.waitForSelector('text=Svar: Ja, till vänster');
  await page.locator('summary:has-text("Länk för mottagare")').first().click();
  await button('Gör en länk').click();
  await page.waitForSelector('img[alt="Länken som QR-kod"]');
  await button('Gör en ny länk').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-link');
  const tasks = await eventually('the task arrived', async () => {
    const { body } = await call(`${addresses.engine}/provider-tasks?per_page=200`, { token: accounts.admin });
    const { body: listed } = await call(`${addresses.dispatch}/ServiceRequest/${id}/matches`, {
      token: accounts.planner,
    });
    const guids = listed.data.map((match: { request_guid: string }) => match.request_guid);
    return body.data.find((task: { request_guid: string }) => guids.includes(task.request_guid));
  });
  const task = `${addresses.engine}/provider-tasks/${tasks.receipt_token}`;
  await call(`${task}/accept`, { method: 'POST' });
  await page.waitForSelector('text=Har tackat ja');
  // As if another provider had been found meanwhile, and one had declined.
  await page.route('**/matches?*', async (route) => {
    const response = await route.fetch();
    const matches = await response.json();
    const late = { ...matches.data[0], match_guid: 'late', provider_name: 'Sen', status: 'pending', progress: null };
    const declined = { ...late, match_guid: 'no', status: 'rejected', progress: 'rejected' };
    await route.fulfill({ response, json: { ...matches, data: [...matches.data, late, declined] } });
  });
  await page.reload();
  await page.getByText('De andra får det inte: en vårdgivare har redan tagit uppdraget.').waitFor();
  assert.equal(await page.getByText('Den första som tackar ja får det').count(), 0);
  assert.doesNotMatch(String(await page.locator('li:has-text("Har tackat nej")').textContent()), /lämnat tillbaka/);
  assert.deepEqual(await findings(page), []);
  await page.locator('summary:has-text("skicka det till fler")').click();
  await page.getByLabel('Alla. Flera får tacka ja').waitFor();
  await picture(page, 'planner-taken');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await call(`${task}/report`, {
    json: { status: 'final', note: 'Allt väl', observations: [weight(accounts.patientGuid)] },
  });
  await page.waitForSelector('text=Senast 77,5 kg');
  await page.getByText('Vad som är normalt är inte angivet.').waitFor();
  await page.locator('[aria-current=step]:has-text("Klart")').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-completed');
  assert.match(String(await page.textContent('#moves + *, [aria-labelledby=moves]')), /Kan inte återkallas/);

  await page.goto(`${gateway}/plan`);
  await page
    .getByRole('button', { name: /^Markera som läst: .* är klar, Astrid Berg/ })
    .first()
    .click();
  await leave();
});

test('a library is filled and corrected, and a plan is published, by clicks alone', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts } = scene;
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 });
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).last().fill(text);
  const choose = (label: string, option: string) =>
    page.getByLabel(label, { exact: true }).last().selectOption({ label: option });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const go = (tab: string) => page.getByRole('navigation', { name: 'Bibliotekets delar' }).getByText(tab).click();
  await page.goto(`${gateway}/plan/library/concepts`);
  await fill('Namn på kodverket', 'Diabetes');
  await fill('Adress', 'https://example.org/lib/diabetes');
  await press('Lägg till kodverket');
  await page.locator('option:has-text("Diabetes")').waitFor({ state: 'attached' });
  await choose('Kodverk', 'Diabetes');
  await fill('Namn', 'Blodsocker');
  await fill('Kod (frivilligt)', 'glucose');
  await choose('Svaret är', 'Mätvärde');
  await press('Lägg till begreppet');
  await page.waitForSelector('li:has-text("Blodsocker")');
  await go('Aktiviteter');
  await fill('Aktivitetens namn', 'Mät blodsocker');
  await fill('Sök begrepp', 'blods');
  await page.locator('option:has-text("Blodsocker")').waitFor({ state: 'attached' });
  await choose('Begrepp', 'Blodsocker (Diabetes)');
  await press('Lägg till aktiviteten');
  const card = page.locator('li.card:has-text("Mät blodsocker")');
  await card.getByRole('button', { name: 'Lägg till ett steg' }).click();
  await card.getByLabel('Vad ska göras?').fill('Före frukost');
  await card.getByLabel('Begrepp', { exact: true }).selectOption({ label: 'Blodsocker (Diabetes)' });
  await card.getByLabel('Tid', { exact: true }).selectOption({ label: 'veckor' });
  await card.getByLabel('måndag').check();
  await card.getByLabel('När på dagen?').selectOption({ label: 'på morgonen' });
  await card.getByText('en gång i veckan, på morgonen: måndag').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-step');
  await card.getByRole('button', { name: 'Spara steget' }).click();
  await card.getByText('Före frukost').waitFor();
  await correctStep(page);
  await go('Mål');
  await fill('Målet i ord', 'Blodsocker undr 7');
  await fill('Sök begrepp', 'blods');
  await page.locator('option:has-text("Blodsocker")').waitFor({ state: 'attached' });
  await choose('Begrepp', 'Blodsocker (Diabetes)');
  await fill('Värde (frivilligt)', '7,0');
  await page.getByLabel('Mät blodsocker').check();
  await press('Lägg till målet');
  await correctGoal(page, { addresses, accounts });
  await renameCodeSystem(page, { addresses, accounts });
  await go('Planer');
  await page.getByRole('link', { name: 'Bygg en ny plan' }).click();
  await fill('Planens namn', 'Diabetes hemma');
  await page.getByLabel('Väg patienten').check();
  await page.getByLabel('Mät blodsocker').check();
  await page.getByRole('button', { name: 'Flytta upp: Mät blodsocker' }).focus();
  await page.keyboard.press('Enter');
  await reload(page);
  await page.getByLabel('Blodsocker under 7').check();
  assert.deepEqual(await page.locator('.ordered li > span:first-child').allTextContents(), [
    'Mät blodsocker',
    'Väg patienten',
  ]);
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-builder');
  await press('Publicera …');
  await press('Publicera');
  await page.waitForSelector('h3:has-text("Diabetes hemma")');
  await publishNextVersion(page, { addresses, accounts });
  await picture(page, 'planner-library');
  await page.goto(`${gateway}${patient}/requests`);
  await page.getByRole('link', { name: 'Gör ett nytt uppdrag från en plan' }).click();
  await page.waitForURL(`${gateway}${patient}/plans`);
  await page.goto(`${gateway}/plan/patients`);
  await page.getByRole('link', { name: 'Ny patient' }).click();
  await press('Skapa');
  assert.equal(await page.getByText('Fyll i ett svar.').count(), 2, 'what is missing is said');
  await fill('Förnamn', 'Ny');
  await fill('Efternamn', 'Född');
  await page.getByLabel('Personen har inget svenskt personnummer', { exact: false }).check();
  await fill('Födelsedatum (frivilligt)', '2026-03-29');
  await reload(page);
  await press('Skapa');
  await page.waitForSelector('h1:has-text("Ny Född")');
  await page.getByText('2026-03-29').first().waitFor();
  await page.goto(`${gateway}/plan/patients/new`);
  await fill('Förnamn', 'Maj Britt');
  await fill('Efternamn', 'O’Hara <i>');
  await fill('Personnummer', '121212+1213');
  await page.getByText('Det är inget giltigt personnummer').waitFor();
  await fill('Personnummer', '121212+1212');
  await page.getByText('Född 1912-12-12').waitFor();
  await press('Skapa');
  await page.waitForSelector('h1:has-text("Maj Britt O’Hara <i>")');
  assert.equal(await page.getByText('Det finns redan en journal').count(), 0);
  // Dispatch tells identity of a new record by a job.
  const headers = { authorization: `Bearer ${accounts.planner}`, 'content-type': 'application/json' };
  const lookup = { method: 'POST', headers, body: JSON.stringify({ personnummer: '19121212-1212' }) };
  await eventually(
    'identity knows the record',
    async () => (await fetch(`${addresses.identity}/api/patients/lookup`, lookup)).ok || undefined,
  );
  await page.goto(`${gateway}/plan/patients/new`);
  await fill('Förnamn', 'Någon');
  await fill('Efternamn', 'Annan');
  await fill('Personnummer', '19121212–1212');
  await press('Skapa');
  await page.waitForSelector('h1:has-text("Maj Britt O’Hara <i>")');
  await page.getByText('Det finns redan en journal med det personnumret').waitFor();
  await page.getByRole('link', { name: 'Planer' }).click();
  await choose('Från biblioteket', 'Diabetes i hemmet');
  await press('Lägg till planen');
  await page.waitForSelector('h3:has-text("Diabetes i hemmet")');
  await leave();
});

test('the palette finds and opens by the keyboard alone', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts, request } = scene;
  const as = { token: accounts.planner };
  const { body } = await call(`${addresses.dispatch}/ServiceRequest`, {
    ...as,
    json: { careplan_guid: request.carePlan },
    expect: 201,
  });
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 });
  await page.goto(`${gateway}/plan`);
  await settled(page);
  const find = async (text: string, option: RegExp, to: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Vad söker du?' }).waitFor();
    await page.keyboard.type(text);
    await page.getByRole('option', { name: option, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(to);
    await settled(page);
  };
  await find('uppf', /Uppföljning/, /\/plan\/statistics/);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Vad söker du?' }).waitFor();
  await page.keyboard.type('berg');
  await page
    .getByRole('option', { name: /uppdrag/ })
    .first()
    .waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-palette');
  await page.keyboard.press('Escape');
  await find('berg', /Astrid Berg/, /\/plan\/patients\//);
  const { code } = (await call(`${addresses.dispatch}/ServiceRequest/${body.id}`, as)).body;
  const title = String(code.concept.text);
  await find(body.id, new RegExp(title), new RegExp(`/plan/requests/${body.id}`));
  await page.goto(`${gateway}/plan`);
  await settled(page);
  await find(title.toLowerCase(), new RegExp(`${title} uppdrag`), /\/plan\/requests\//);
  // Within the title, and within a word of it.
  await page.goto(`${gateway}/plan`);
  await settled(page);
  await find(title.toLowerCase().slice(2), new RegExp(`${title} uppdrag`), /\/plan\/requests\//);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Vad söker du?' }).waitFor();
  await page.keyboard.type(title);
  await page
    .getByRole('option', { name: `${title} plan i biblioteket` })
    .first()
    .click();
  await page.waitForURL(/\/plan\/library\/plans\//);
  // The request, which has the same title, stays until the plan's screen has come.
  await page.locator('main a[href^="/plan/patients/"]').first().waitFor({ state: 'detached' });
  await page.locator('h1', { hasText: title }).waitFor();
  await settled(page);
  assert.deepEqual(await findings(page), []);
  await picture(page, 'planner-plan');
  await leave();
});

test('an administrator sends again what did not arrive', { skip }, async () => {
  const { page, context, complaints } = await visitor({ language: 'en', colorScheme: 'light', width: 390 });
  // Attempts take days until they are given up, so the answers say that they were.
  await page.route('**/api/auth/me', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), is_su_admin: true } });
  });
  await page.route('**/matches?*', async (route) => {
    const response = await route.fetch();
    const found = await response.json();
    for (const match of found.data) match.delivery = { ...match.delivery, state: 'dead', last_error: 'timeout' };
    await route.fulfill({ response, json: found });
  });
  await page.route('**/api/v1/deliveries?*', (route) => {
    assert.equal(new URL(route.request().url()).searchParams.get('status'), 'dead');
    return route.fulfill({ json: { data: [{ delivery_guid: 'dead-one' }], page: 1, per_page: 20, total: 1 } });
  });
  const sent = page.waitForRequest('**/api/v1/dead-letters/dead-one/replay');
  await page.route('**/dead-letters/*/replay', (route) => route.fulfill({ status: 202, json: { status: 'queued' } }));
  await page.goto(`${gateway}${done}`);
  await page.getByText('The recipient’s system did not answer in time.').first().waitFor();
  await page.getByRole('button', { name: 'Send again' }).first().click();
  assert.equal((await sent).method(), 'POST');
  assert.deepEqual(complaints, []);
  // Those that are read again meanwhile.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

function weight(patientGuid: string): object {
  return {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'Kroppsvikt' },
    subject: { reference: `Patient/${patientGuid}` },
    effectiveDateTime: '2026-11-24T07:30:00+01:00',
    valueQuantity: { value: 77.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  };
}
