// The face of leaders and administrators in Chromium, with the whole system. It shows every screen in both languages
// and themes. The errands are done by clicks. A leader decides about two memberships, an administrator about many
// requests.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { walkContracts, walkPlace, walkRegistry } from '#test/support/console/administration.ts';
import { changeContractAtOnce, changeProviderAtOnce } from '#test/support/console/changed-meanwhile.ts';
import { fillDecisions } from '#test/support/console/decisions.ts';
import { checkScreen, FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { fileOfForty } from '#test/support/console/user-file.ts';
import { picture, reload, type SignedIn, settled } from '#test/support/console/visitor.ts';
import { eventually } from '#test/support/http.ts';
import { call } from '../end-to-end/call.ts';

/** What cannot be delivered is given up after two attempts. */
const environment = { KEDJA_WEBHOOK_RETRY_SECONDS: '1' };
const { skip, scene, gateway, ...at } = await startConsole({ after }, undefined, environment);

interface Cast {
  readonly admin: SignedIn;
  /** Leads the group, and is no administrator. */
  readonly leader: SignedIn;
  /** A nurse, and the group. */
  readonly user: string;
  readonly group: string;
}
let cast: Cast;

before(async () => {
  if (scene === undefined) return;
  const { addresses, accounts } = scene;
  const { group } = await fillDecisions(scene);
  const { email, password } = addresses.admin;
  const [admin, leader] = [
    await at.signIn(email, '/admin', password),
    await at.signIn('karin.lind@example.org', '/plan'),
  ];
  const found = await call(`${addresses.identity}/api/admin/user-search?search=nils.ek`, { token: accounts.admin });
  cast = { admin, leader, user: found.body.data[0].user_guid, group };
});

for (const view of FACE_VIEWS) {
  test(`an administrator's screens in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const opened = await at.visitor(view, cast.admin);
    const { user, group } = cast;
    const screens = [
      ...['/admin', '/admin?kind=access_request&days=7&order=newest', '/admin?q=Alm'],
      ...['/admin/users', '/admin/users?type=patient&state=active', `/admin/users?q=Ek&user=${user}`],
      ...['/admin/groups', `/admin/groups/${group}`, '/admin/organisations', '/account/join?invite=x'],
      ...['/admin/import', '/admin/providers', `/admin/providers/${scene?.library.outside}`],
      ...['/admin/letters?hours=24', '/admin/keys', '/admin/access', accessOf(user)],
      // Other settings are explained in the words of technicians.
      ...['/admin/settings?q=RATE_LIMIT', '/admin/services', '/admin/audit?outcome=failure&since=2026-01-01'],
    ];
    await walkScreens(opened, { gateway, view, screens });
    await opened.context.close();
  });
}

/** What the nurse may do with the patient's record. */
function accessOf(user: string): string {
  return `/admin/access?who=user&guid=${user}&what=Patient&id=${scene?.accounts.patientGuid}`;
}

test('a leader approves one membership and rejects another, and sees no more than that', { skip }, async () => {
  const { page, leave } = await at.visitor({ language: 'sv', colorScheme: 'light', width: 390 }, cast.leader);
  await page.goto(`${gateway}/plan`);
  await page.getByRole('button', { name: 'Meny' }).click();
  await page.getByRole('link', { name: 'Att besluta' }).click();
  await page.waitForSelector('text=Nils O’Ek <b>');
  assert.equal(await page.locator('main .cards > li').count(), 2);
  await page.getByRole('button', { name: 'Godkänn Eva Holm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 person blir medlem i sin grupp').waitFor();
  await checkScreen(page, 'approval', 390);
  await picture(page, 'admin-approve');
  await dialog.getByRole('button', { name: 'Godkänn' }).click();
  await page.waitForSelector('text=1 begäran är godkänd.');
  await page.getByRole('button', { name: 'Avslå Nils O’Ek <b>' }).click();
  await dialog.getByLabel('Skäl (frivilligt)').fill('Fel <grupp>');
  await reload(page);
  await page.getByRole('button', { name: 'Avslå Nils O’Ek <b>' }).click();
  assert.equal(await dialog.getByLabel('Skäl (frivilligt)').inputValue(), 'Fel <grupp>', 'what was typed is kept');
  await dialog.getByRole('button', { name: 'Avslå' }).click();
  await page.waitForSelector('text=Ingenting väntar på beslut.');
  await page.getByRole('link', { name: 'Till grupperna' }).waitFor();
  await leave();
});

test('an administrator finds a user, changes, blocks and deletes, and is told what each does', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await at.visitor({ language: 'sv', colorScheme: 'light', width: 1280 }, cast.admin);
  const dialog = page.getByRole('dialog');
  const panel = page.getByRole('complementary');
  const press = (name: string) => panel.getByRole('button', { name, exact: true }).click();
  await page.goto(`${gateway}/admin/users`);
  await page.getByLabel('Namn, e-post eller id').fill('eva.holm');
  await page.getByRole('button', { name: 'Sök', exact: true }).click();
  await page.getByRole('link', { name: 'Eva Holm' }).click();
  await panel.getByText('eva.holm@example.org').waitFor();
  await press('Ändra …');
  await dialog.getByLabel('Efternamn').fill('Holm-Å <b>');
  await dialog.getByLabel('utförande').check();
  await dialog.getByRole('button', { name: 'Ta bort' }).click();
  await dialog.getByText('Utan organisation ser personen inga patienter').waitFor();
  await dialog.getByLabel('Lägg till').selectOption({ label: 'Region Norr' });
  await dialog.getByLabel('Sök organisation').fill('Syd');
  await dialog.getByLabel('Lägg till').selectOption({ label: 'Region Syd' });
  await checkScreen(page, 'change', 1280);
  await picture(page, 'admin-change');
  await dialog.getByRole('button', { name: 'Spara' }).click();
  await panel.getByRole('heading', { name: 'Eva Holm-Å <b>' }).waitFor();
  await panel.getByText('Region Norr, Region Syd').waitFor();
  await press('Kod för nytt lösenord …');
  await dialog.getByRole('button', { name: 'Skapa koden' }).click();
  await dialog.locator('code').waitFor();
  await dialog.getByRole('button', { name: 'Klart' }).click();
  await press('Spärra …');
  await dialog.getByRole('button', { name: 'Spärra', exact: true }).click();
  await panel.getByText('Spärrat sedan').waitFor();
  await picture(page, 'admin-user');
  await press('Häv spärren …');
  await dialog.getByRole('button', { name: 'Häv spärren' }).click();
  await panel.getByRole('button', { name: 'Spärra …' }).waitFor();
  await panel.getByRole('link', { name: 'Visa i loggen' }).click();
  await page.getByText('user.unblock').waitFor();
  await checkScreen(page, 'audit', 1280);
  await picture(page, 'admin-audit');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Spara som fil' }).click(),
  ]);
  const recorded = await readFile(await saved.path(), 'utf8');
  assert.match(recorded, /;user\.block;success;admin@example\.org;eva\.holm@example\.org;/);
  await page.goBack();
  await press('Radera …');
  await dialog.getByText('medlemskap tas bort').waitFor();
  const remove = dialog.getByRole('button', { name: 'Radera' });
  assert.ok(await remove.isDisabled());
  await dialog.getByLabel('Skriv eva.holm@example.org för att bekräfta').fill('Eva.Holm@example.org');
  await checkScreen(page, 'deletion', 1280);
  await picture(page, 'admin-delete');
  await remove.click();
  await page.waitForSelector('text=Ingen användare passar.');
  await leave();
});

test('a leader invites by a link, which is revoked', { skip }, async () => {
  const { page, leave } = await at.visitor({ language: 'sv', colorScheme: 'dark', width: 390 }, cast.leader);
  await page.goto(`${gateway}/admin/groups`);
  await page.getByRole('link', { name: 'Sårvård <i>' }).waitFor();
  assert.equal(await page.locator('main .cards > li').count(), 1, 'the own group alone');
  await page.getByRole('link', { name: 'Sårvård <i>' }).click();
  await page.getByRole('button', { name: 'Skapa en inbjudan' }).click();
  await page.waitForSelector('img[alt="Inbjudan som QR-kod"]');
  const link = String(await page.locator('.note code').textContent());
  await checkScreen(page, 'invite', 390);
  await picture(page, 'admin-invite');
  await page.getByRole('button', { name: /^Återkalla inbjudan/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Återkalla' }).click();
  await page.getByRole('button', { name: /^Återkalla inbjudan/ }).waitFor({ state: 'detached' });
  await page.goto(link);
  await page.getByRole('button', { name: 'Be om att bli medlem' }).click();
  await page.waitForSelector('text=Inbjudan gäller inte längre.');
  await leave();
});

test('an administrator asks who sees what, and learns which rule decides', { skip }, async () => {
  const { page, leave } = await at.visitor({ language: 'sv', colorScheme: 'light', width: 390 }, cast.admin);
  await page.goto(`${gateway}/admin/access`);
  await page.getByRole('combobox', { name: 'Namn eller e-post' }).fill('nils.ek');
  await page.getByRole('option', { name: /nils\.ek/ }).click();
  await page.getByLabel('Vad', { exact: true }).selectOption({ label: 'Uppdrag' });
  await page.getByRole('combobox', { name: 'Uppdrag till patienten' }).fill('Berg');
  await page.locator('[role=listbox]:not([hidden]) [role=option]').first().click();
  await page.getByRole('button', { name: 'Visa', exact: true }).click();
  const requests = page.getByRole('region', { name: 'Uppdrag och vårdplaner' });
  await requests.getByText('Arbetsområdet saknas.').first().waitFor();
  await page.getByText('Finns inte här, eller är dold för dig.').waitFor();
  await checkScreen(page, 'access', 390);
  await picture(page, 'admin-access');
  const request = `what=ServiceRequest&id=${scene?.request.id}`;
  await page.goto(`${gateway}/admin/access?who=provider&guid=${scene?.library.hosted}&${request}`);
  await requests.getByText('Patienten samtycker.').first().waitFor();
  await picture(page, 'admin-access-provider');
  await leave();
});

test('the administration in one piece: an import, decisions, a key that calls the service, what was given up is sent again', {
  skip,
}, async () => {
  const view = { language: 'sv', colorScheme: 'light', width: 390 } as const;
  const { page, leave } = await at.visitor(view, cast.admin);
  await importUsers(page);
  await decideAboutMany(page);
  await makeKey(page);
  await sendAgain(page);
  await leave();
});

/** Forty, of whom some have errors, over a connection that breaks. */
async function importUsers(page: Page): Promise<void> {
  assert.ok(scene !== undefined);
  await page.goto(`${gateway}/admin/import`);
  const file = { name: 'nya.csv', mimeType: 'text/csv', buffer: Buffer.from(fileOfForty(), 'latin1') };
  await page.getByLabel('Fil med användare').setInputFiles(file);
  await page.getByText('Till exempel: Region Norr').waitFor();
  await page.getByRole('button', { name: 'Visa vad som händer' }).click();
  await page.getByRole('button', { name: '36 skapas' }).waitFor();
  await page.getByRole('button', { name: '2 hoppas över' }).waitFor();
  await page.getByRole('button', { name: '2 har fel' }).click();
  await page.getByText('Organisationen Ingenstans finns inte.').waitFor();
  await page.getByText('E-post saknas eller stämmer inte.').waitFor();
  await checkScreen(page, 'import preview', 390);
  await picture(page, 'admin-import');
  // The first answer is lost after the service has made the users.
  await page.route('**/import-users?*dry_run=false*', async (route) => {
    await route.fetch();
    await route.abort();
    await page.unroute('**/import-users?*dry_run=false*');
  });
  await page.getByRole('button', { name: 'Skapa 36 användare' }).click();
  await page.getByRole('button', { name: 'Fortsätt' }).click();
  await page.getByText('36 användare är skapade.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Spara resultatet som fil' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines.length, 41);
  assert.equal(lines[40], '41;ingen adress;Fel;E-post saknas eller stämmer inte. Förnamn saknas eller stämmer inte.');
  await checkScreen(page, 'import result', 390);
  await picture(page, 'admin-imported');
  const { body } = await call(`${scene.addresses.identity}/api/admin/user-search?search=nilsson`, {
    token: scene.accounts.admin,
  });
  assert.equal(body.total, 36);
}

/** Some of which somebody else was first with. */
async function decideAboutMany(page: Page): Promise<void> {
  assert.ok(scene !== undefined);
  await page.goto(`${gateway}/admin`);
  await page.getByLabel('Vad det gäller').selectOption({ label: 'Begäran om åtkomst (3)' });
  await page.waitForURL(/kind=access_request/);
  await page.waitForSelector('text=3 väntar');
  await page.getByRole('button', { name: 'Markera alla på sidan' }).click();
  await page.getByRole('button', { name: 'Godkänn …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 konton skapas').waitFor();
  await dialog.getByText('6 arbetsområden').waitFor();
  await checkScreen(page, 'bulk approval', 390);
  await picture(page, 'admin-bulk');
  const { identity } = scene.addresses;
  const as = { token: scene.accounts.admin };
  const open = (await call(`${identity}/api/admin/access-requests`, as)).body;
  const theirs = open.find(({ last_name }: { last_name: string }) => last_name === 'Borg');
  await call(`${identity}/api/admin/access-requests`, {
    ...as,
    json: { access_request_guid: theirs.access_request_guid, decision: 'rejected' },
  });
  await dialog.getByRole('button', { name: 'Godkänn 3' }).click();
  await dialog.getByText('Ada Borg').waitFor();
  await page.getByRole('heading', { name: '2 beslut är fattade' }).waitFor();
  await dialog.getByRole('button', { name: 'Stäng' }).click();
  await page.waitForSelector('text=2 begäranden är godkända.');
  await page.waitForSelector('text=Ingenting som väntar passar filtret.');
  await page.goto(`${gateway}/admin?q=natt`);
  await page.getByRole('button', { name: 'Godkänn Karin Lind', exact: false }).click();
  await dialog.getByText('1 grupp skapas').waitFor();
  await dialog.getByRole('button', { name: 'Avbryt' }).click();
}

/** It is shown once, replaced, and calls the service. */
async function makeKey(page: Page): Promise<void> {
  assert.ok(scene !== undefined);
  const dialog = page.getByRole('dialog');
  await page.goto(`${gateway}/admin/keys`);
  await page.getByRole('button', { name: 'Skapa nyckeln' }).click();
  await page.getByText('Ge nyckeln ett namn.').waitFor();
  await page.getByText('Välj vems uppgifter nyckeln ska läsa.').waitFor();
  await page.getByLabel('Namn').fill('Labbet <b>');
  await page.getByLabel('Välj organisation').selectOption({ label: 'Region Norr' });
  await page.getByLabel('Vad får den göra?').fill('system/Patient.rs system/Banan.rs läsa');
  await page.getByRole('button', { name: 'Skapa nyckeln' }).click();
  await page.getByText(/Det här är inga rättigheter: .*läsa\./).waitFor();
  assert.equal(await page.locator('main [lang=en]').count(), 0, 'nothing is said in English');
  await page.getByLabel('Vad får den göra?').fill('system/Patient.rs system/Banan.rs');
  await page.getByRole('button', { name: 'Skapa nyckeln' }).click();
  await page.getByText('Det här är inga rättigheter: system/Banan.rs.').waitFor();
  await page.getByLabel('Vad får den göra?').fill('system/Patient.rs');
  await reload(page);
  assert.equal(await page.getByLabel('Namn').inputValue(), 'Labbet <b>', 'what was typed is kept');
  await page.getByRole('listitem').getByText('Region Norr').waitFor();
  await page.getByRole('button', { name: 'Skapa nyckeln' }).click();
  const first = String(await dialog.locator('code').textContent());
  await checkScreen(page, 'key', 390);
  await picture(page, 'admin-key');
  await dialog.getByRole('button', { name: 'Jag har sparat den' }).click();
  await page.getByRole('button', { name: 'Byt nyckeln Labbet <b>' }).click();
  await dialog.getByRole('button', { name: 'Byt', exact: true }).click();
  await dialog.getByText('Nyckeln visas bara nu.').waitFor();
  const second = String(await dialog.locator('code').textContent());
  assert.notEqual(second, first);
  for (const apiKey of [first, second]) await call(`${scene.addresses.engine}/Patient`, { apiKey });
  await dialog.getByRole('button', { name: 'Jag har sparat den' }).click();
  assert.ok(!(await page.content()).includes(second), 'it is not shown again');
  await page.locator('li.card:has-text("Labbet")').getByText('Region Norr').first().waitFor();
}

/** One by itself, and then all of a cause. */
async function sendAgain(page: Page): Promise<void> {
  assert.ok(scene !== undefined);
  const { addresses, accounts, library } = scene;
  const as = { token: accounts.admin };
  addresses.receiver.behave((_arrival, response) => void response.writeHead(500).end());
  const ping = `${addresses.dispatch}/providers/${library.outside}/endpoint/ping`;
  for (const _ of [1, 2, 3, 4]) await call(ping, { ...as, method: 'POST', expect: 202 });
  await eventually('they were given up', async () => {
    const { body } = await call(`${addresses.dispatch}/dead-letters`, as);
    return body.total === 4 ? true : undefined;
  });
  addresses.receiver.behave(undefined);
  await page.goto(`${gateway}/admin/letters`);
  await page.getByRole('link', { name: /: Mottagarens system svarade med ett fel\.$/ }).click();
  const giveUp = page.getByRole('button', { name: /^Ge upp meddelandet/ });
  await giveUp.first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Varför?').fill('Mottagaren har <stängt>');
  await checkScreen(page, 'discard', 390);
  await picture(page, 'admin-discard');
  await dialog.getByRole('button', { name: 'Ge upp' }).click();
  await page.getByRole('button', { name: 'Skicka 3 igen …' }).waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /mellan (\S+ \S+) och \1/);
  await checkScreen(page, 'dead letters', 390);
  await picture(page, 'admin-letters');
  const again = page.getByRole('button', { name: /^Skicka igen till/ });
  await again.first().click();
  await page.getByText('1 meddelande skickas igen.').waitFor();
  await page.getByRole('button', { name: 'Skicka 2 igen …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Skicka igen' }).click();
  await page.getByText('2 meddelanden skickas igen.').waitFor();
  await page.getByText(/^Inget (i urvalet )?är uppgivet nu\./).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Skicka 0 igen/ }).count(), 0);
  await picture(page, 'admin-letters-sent');
  await eventually('they arrived', async () => {
    const { body } = await call(`${addresses.dispatch}/deliveries?status=delivered&type=ping`, as);
    return body.total === 3 ? true : undefined;
  });
}

test('a contract of a provider is made, changed and deleted, and a unit works for it', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await at.visitor({ language: 'sv', colorScheme: 'dark', width: 390 }, cast.admin);
  await walkContracts(page, { gateway, scene });
  await leave();
});

test('a provider is entered in the tree of organisations, by which consents concern it', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await at.visitor({ language: 'sv', colorScheme: 'light', width: 390 }, cast.admin);
  await walkPlace(page, { gateway, scene });
  await leave();
});

test('of two who change the same provider or contract, neither overwrites the other unasked', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { email, password } = scene.addresses.admin;
  const view = { language: 'sv', colorScheme: 'light', width: 390 } as const;
  const [first, second] = [
    await at.visitor(view, cast.admin),
    await at.visitor(view, await at.signIn(email, '/admin', password)),
  ];
  const address = `${gateway}/admin/providers/${scene.library.outside}`;
  await changeProviderAtOnce({ first: first.page, second: second.page, address });
  await changeContractAtOnce({ first: first.page, second: second.page, address });
  await first.leave();
  await second.leave();
});

test('settings are shown with their source, and the registry is changed by one of two', { skip }, async () => {
  assert.ok(scene !== undefined);
  const view = { language: 'sv', colorScheme: 'light', width: 390 } as const;
  const { page, leave } = await at.visitor(view, cast.admin);
  await page.goto(`${gateway}/admin`);
  await settled(page);
  for (const name of ['KEDJA_PUBLIC_URL', 'KEDJA_STAFF_PASSWORD_LENGTH']) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Vad söker du?' }).fill(name.toLowerCase());
    await page.getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/admin/settings\\?service=\\w+#${name}$`));
    await page.locator(`#${name}:focus`).waitFor();
  }
  await walkRegistry(page, { gateway, scene });
  await leave();
});
