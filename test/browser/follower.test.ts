// Professionals who analyse or follow up, and do not plan: the planner's pages to be read. What they may not do is not
// offered, and no page of theirs is refused.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admitProfessional } from '#test/end-to-end/accounts.ts';
import { call } from '#test/end-to-end/call.ts';
import { makeRequest, pushTo, taskOf } from '#test/end-to-end/request.ts';
import { FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { picture, type SignedIn, settled } from '#test/support/console/visitor.ts';
import { findings } from '#test/support/system/browser.ts';

const { skip, scene, gateway, signIn, visitor } = await startConsole({ after });
const patient = `/plan/patients/${scene?.accounts.patientGuid}`;
const request = `/plan/requests/${scene?.request.id}`;

async function admitted(email: string, phases: readonly string[]): Promise<SignedIn> {
  assert.ok(scene !== undefined);
  const { addresses, accounts } = scene;
  const applicant = { email, role: 'other', organisation: accounts.organisationGuid, phases: [...phases] } as const;
  await admitProfessional(addresses, accounts.admin, { ...applicant, name: ['Elin', 'Öberg'] });
  return signIn(email, '/plan');
}

/** What only planners are offered. */
const PLANNING =
  /Ny patient|Gör ett uppdrag|Ny plan|Återkalla|Arkivera|Pausa|^Skicka( |$)|Hitta mottagare|sagt ja|^Avsluta$|^Lägg till/;

for (const view of FACE_VIEWS) {
  test(`the screens of who analyses in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const state = await admitted(`elin.${view.language}.${view.colorScheme}@example.org`, ['analysis']);
    const opened = await visitor(view, state);
    const refused: string[] = [];
    opened.page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    const tabs = ['', '/plans', '/requests', '/values', '/forms', '/consents', '/log'];
    const screens = ['/plan', '/plan/patients', '/plan/requests', '/plan/statistics', request];
    await walkScreens(opened, { gateway, view, screens: [...screens, ...tabs.map((tab) => patient + tab)] });
    assert.deepEqual(refused, [], 'nothing is asked for that may not be read');
    await opened.context.close();
  });
}

test('who analyses reads plan and results by the navigation, and is offered nothing else', { skip }, async () => {
  const state = await admitted('analys@example.org', ['analysis', 'followup']);
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 }, state);
  await page.goto(`${gateway}/`);
  await page.waitForURL(`${gateway}/plan`);
  await settled(page);
  const navigation = page.locator('#navigation');
  await navigation.getByText('Uppföljning').first().waitFor();
  assert.equal(await navigation.getByRole('link', { name: 'Bibliotek' }).count(), 0);
  await picture(page, 'follower-home');
  await page
    .getByRole('link', { name: /^Astrid Berg: / })
    .first()
    .click();
  await page.waitForURL(/\/plan\/requests\//);
  await settled(page);
  await page.getByText('Senast 78,5 kg').waitFor();
  const offered = async () =>
    (await page.locator('main button, main a').allTextContents()).filter((name) => PLANNING.test(name));
  assert.deepEqual(await offered(), []);
  await picture(page, 'follower-request');
  await page.getByRole('link', { name: 'Astrid Berg' }).click();
  await page.getByRole('link', { name: 'Planer', exact: true }).click();
  await page.locator('summary').first().waitFor();
  assert.deepEqual(await offered(), []);
  await page.getByRole('link', { name: 'Samtycken' }).click();
  await page.waitForSelector('text=Patienten tillåter');
  assert.deepEqual(await offered(), []);
  await navigation.getByRole('link', { name: 'Patienter' }).click();
  await page.getByLabel('Namn eller födelsedatum').fill('19900118-9811');
  await page.getByRole('button', { name: 'Sök' }).click();
  await page.getByText('Sökning på personnummer är för den som planerar eller utför.').waitFor();
  assert.deepEqual(await offered(), []);
  for (const address of ['/plan/library/goals', '/plan/patients/new', '/plan/forms/new']) {
    await page.goto(`${gateway}${address}`);
    await page.getByRole('heading', { name: 'Det här är för den som planerar' }).waitFor();
    assert.deepEqual(await findings(page), [], address);
  }
  await leave();
});

test('what others do appears by itself, and what one has made is no filter for who makes nothing', {
  skip,
}, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts, library } = scene;
  const state = await admitted('direkt@example.org', ['followup']);
  const { page, context, complaints } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 }, state);
  const told = page.waitForResponse((response) => response.url().includes('/worklist/stream') && response.ok());
  await page.goto(`${gateway}/plan/requests?stage=in_work`);
  await settled(page);
  await told;
  assert.deepEqual(await page.locator('.filters .choice').allTextContents(), [
    'Bara de som inte kom fram',
    'Arkiverade',
  ]);
  await page.getByText('Inga uppdrag med de valen. Ändra ett val.', { exact: true }).waitFor();
  const made = await makeRequest(scene);
  const link = page.locator(`a[href="/plan/requests/${made.id}"]`);
  assert.equal(await link.count(), 0);
  const task = await taskOf(addresses, accounts, await pushTo(library.hosted, scene, made), 'received');
  await call(`${addresses.engine}/provider-tasks/${task.receipt_token}/accept`, { method: 'POST' });
  await link.waitFor();
  assert.deepEqual(await findings(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('who follows up alone reads plans and requests, and no results', { skip }, async () => {
  const state = await admitted('foljer@example.org', ['followup']);
  const { page, context, complaints } = await visitor({ language: 'sv', colorScheme: 'dark', width: 390 }, state);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  await page.goto(`${gateway}${patient}`);
  await settled(page);
  const tabs = await page.locator('nav.tabs a').allTextContents();
  assert.ok(tabs.includes('Planer') && !tabs.includes('Värden') && !tabs.includes('Formulär'), tabs.join());
  await page.goto(`${gateway}${request}`);
  await settled(page);
  await page.getByRole('heading', { name: 'Det här ska göras' }).waitFor();
  assert.equal(await page.locator('#results').count(), 0);
  await picture(page, 'follower-phone');
  assert.deepEqual([refused, complaints], [[], []]);
  await context.close();
});
