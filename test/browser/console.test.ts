// The console in Chromium, with the whole system. A patient uses it on a phone and on a wide screen, in both languages.
// Also tested: what a script can read; the session that is renewed, ends and leads back; no connection.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkScreen, FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { fillIn, picture, reload, settled } from '#test/support/console/visitor.ts';
import { eventually } from '#test/support/http.ts';
import { findings } from '#test/support/system/browser.ts';
import { PATIENT_EMAIL } from '../end-to-end/accounts.ts';
import { call } from '../end-to-end/call.ts';

const { skip, gateway, scene, signIn, visitor } = await startConsole({ after }, { email: PATIENT_EMAIL, home: '/my' });

const SCREENS = ['', '/plan', '/forms', '/values', '/values/new', '/carers', '/consents', '/log', '/proxies'].map(
  (end) => `/my${end}`,
);

for (const view of FACE_VIEWS) {
  test(`a patient's screens in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const opened = await visitor(view);
    const { page, context } = opened;
    await walkScreens(opened, { gateway, view, screens: [...SCREENS, '/account', '/my/nowhere'] });
    const cookies = String(await page.evaluate('document.cookie'));
    assert.match(cookies, /^kedja-view=browser\.auto\.[\w/]+$/, 'no script reads another cookie');
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    assert.doesNotMatch(String(stored), /eyJ/, 'nor a token');
    await context.close();
  });
}

test('the console opens in the language in which one signed in, until another one is chosen there', {
  skip,
}, async () => {
  const view = { language: 'sv', colorScheme: 'light', width: 1280 } as const;
  const opened = await visitor(view, { cookies: [], origins: [] });
  const { page, context } = opened;
  await page.goto(`${gateway}/auth/login?return_to=/my`);
  await page.getByRole('link', { name: 'In English' }).click();
  await fillIn(page, PATIENT_EMAIL);
  await page.waitForURL(`${gateway}/my`);
  await settled(page);
  const language = () => page.evaluate('document.documentElement.lang');
  assert.equal(await language(), 'en');
  await picture(page, 'language-of-sign-in');
  await reload(page);
  await settled(page);
  assert.equal(await language(), 'en');
  await page.goto(`${gateway}/account`);
  await settled(page);
  await page.locator('.bar').getByRole('button', { name: 'Svenska' }).click();
  await page.waitForSelector('html[lang=sv]');
  await context.clearCookies({ name: /kedja-(?:console|session)/ });
  await page.goto(`${gateway}/auth/login?lang=en&return_to=/my`);
  await fillIn(page, PATIENT_EMAIL);
  await page.waitForURL(`${gateway}/my`);
  await settled(page);
  assert.equal(await language(), 'sv', 'what was chosen in the console counts');
  await opened.leave();
});

test('the plan, the values and the caregiver are told in words', { skip }, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const shows = async (address: string, ...texts: readonly string[]) => {
    await page.goto(`${gateway}${address}`);
    for (const text of texts) await page.getByText(text, { exact: false }).first().waitFor();
  };
  await shows('/my', 'Andning', 'Vikt varje morgon');
  await shows('/my/plan', 'Hjärtsvikt', 'Vikt under 80 kg', 'Varje dag');
  await shows(
    '/my/values',
    'Senast 78,5 kg, 2026-11-20.',
    'utanför det normala',
    'Normalt: 60–75 kg.',
    'Mål: under 80',
  );
  const picture = page.locator('svg[role=img]');
  assert.equal(await picture.count(), 1);
  // Drawn for the width that it has, so that its texts are as large as on a desk.
  await eventually('the picture has its width', async () => {
    const drawn = Number((await picture.getAttribute('viewBox'))?.split(' ')[2]);
    return Math.abs(drawn - ((await picture.boundingBox())?.width ?? 0)) <= 1 || undefined;
  });
  await page.click('summary');
  assert.equal(await page.locator('tbody tr').count(), 2);
  await shows('/my/carers', 'Region Norr', 'Klart');
  await shows('/my/log', 'Karin Lind');
  // The audit log has who reads the list of sessions, so it is read by who opens it and not by each page.
  await eventually('the end of the session was asked for', async () =>
    asked.includes('/identity/api/auth/sessions/current') ? true : undefined,
  );
  assert.ok(!asked.includes('/identity/api/auth/sessions'));
  await leave();
});

test('an administrator sees who has looked at a patient, alike entries as one', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { email, password } = scene.addresses.admin;
  const { page, leave } = await visitor(
    { language: 'sv', colorScheme: 'light', width: 390 },
    await signIn(email, '/admin', password),
  );
  for (const _ of [1, 2, 3])
    await call(`${scene.addresses.dispatch}/Patient/${scene.accounts.patientGuid}`, { token: scene.accounts.planner });
  const log = `/plan/patients/${scene.accounts.patientGuid}/log`;
  await page.goto(`${gateway}${log}`);
  const group = page.locator('main .cards > li:has(summary):has-text("Karin Lind")').first();
  await eventually('the accesses are on record', async () => {
    await page.reload();
    await settled(page);
    return (await group.count()) > 0 || undefined;
  });
  const count = Number((await group.locator('summary').textContent())?.split(' ')[0]);
  await group.locator('summary').click();
  assert.equal((await group.locator('details p').textContent())?.split(', ').length, count);
  await checkScreen(page, log, 390);
  await picture(page, 'admin-patient-log');
  await leave();
});

test('an account shows the name, and leads to the statement of accessibility in the language of its reader', {
  skip,
}, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  assert.ok(scene !== undefined);
  const name = { first_name: 'Åsa', last_name: 'Ek' };
  const account = `${scene.addresses.identity}/api/auth/account`;
  await call(account, { method: 'PATCH', token: scene.accounts.patient, json: name });
  await page.goto(`${gateway}/account`);
  await page.locator('dd:text-is("Åsa Ek")').waitFor();
  await page.getByRole('link', { name: 'Hur tillgänglig tjänsten är, och hur du anmäler ett hinder' }).click();
  await page.waitForURL(`${gateway}/accessibility?lang=sv`);
  await page.getByRole('heading', { level: 1, name: 'Tillgänglighet' }).waitFor();
  await leave();
});

test('a privacy officer signs in by a link with their address, finds a patient by number, and reads the log', {
  skip,
}, async () => {
  assert.ok(scene !== undefined);
  const { addresses, accounts } = scene;
  const { body: me } = await call(`${addresses.identity}/api/auth/me`, { token: accounts.stranger });
  const user = `${addresses.identity}/api/admin/users/${me.user_guid}`;
  await call(user, { method: 'PATCH', token: accounts.admin, json: { is_privacy_officer: true } });
  await call(`${addresses.dispatch}/Patient/${accounts.patientGuid}`, { token: accounts.planner });
  const view = { language: 'sv', colorScheme: 'dark', width: 320 } as const;
  // The browser has a session of a patient, which is not the officer's. It ends, so it is not that of the other tests.
  const { page, leave } = await visitor(view, await signIn(PATIENT_EMAIL, '/my'));
  await page.goto(`${gateway}/auth/login?return_to=/review&login_hint=olle.ek@example.org`);
  assert.equal(await page.inputValue('#email'), 'olle.ek@example.org');
  await fillIn(page, 'olle.ek@example.org');
  await page.waitForURL(`${gateway}/review`);
  await settled(page);
  const number = page.getByLabel('Personnummer eller samordningsnummer');
  const show = page.getByRole('button', { name: 'Visa loggen' });
  for (const [typed, said] of [
    ['Astrid', 'Skriv ett personnummer'],
    ['900118-9812', 'Skriv ett personnummer'],
    ['19811228-9874', 'Ingen patient har det numret.'],
  ] as const) {
    await number.fill(typed);
    await show.click();
    await page.locator(`main .mantine-InputWrapper-error:has-text("${said}")`).waitFor();
  }
  await checkScreen(page, '/review', 320);
  await picture(page, 'review-find');
  await number.fill('900118-9811');
  await number.press('Enter');
  await page.waitForURL(/\/review\/[0-9a-f-]{36}$/);
  const karin = page.locator('main .cards > li:has-text("Karin Lind")').first();
  await eventually('the accesses are on record', async () => {
    await page.reload();
    await settled(page);
    return (await karin.count()) > 0 || undefined;
  });
  await page.getByLabel('Vem', { exact: true }).fill('Olle');
  await page.getByLabel('Från och med').fill('2026-01-01');
  const filter = page.getByRole('button', { name: 'Filtrera' });
  const hasFocus = async () => (await page.locator(':focus').textContent()) === 'Filtrera';
  await filter.press('Enter');
  await page.waitForURL(/person=Olle/);
  assert.ok(await hasFocus(), 'the focus stays');
  await karin.waitFor({ state: 'detached' });
  await page.reload();
  await settled(page);
  assert.equal(await page.getByLabel('Vem', { exact: true }).inputValue(), 'Olle');
  await checkScreen(page, '/review/$id', 320);
  await picture(page, 'review-log');
  await page.getByRole('button', { name: 'Visa alla' }).press('Enter');
  assert.ok(await hasFocus(), 'the focus stays in the form');
  await karin.waitFor();
  assert.doesNotMatch(String(await page.textContent('main')), /Astrid Berg/, 'of the patient only the id is shown');
  await leave();
});

test('a form by the keyboard: the draft outlives a reload, what is missing leads to its question, the answer is sent once', {
  skip,
}, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  await page.goto(`${gateway}/my/forms`);
  await page.getByRole('link', { name: 'Andning' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:has-text("Andning")');
  assert.equal(await page.evaluate('document.activeElement?.id'), 'main', 'the focus follows');
  await page.getByRole('button', { name: 'Skicka svaret' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=alert]:has-text("Ett svar behöver ses över")');
  assert.deepEqual(await findings(page), []);
  await picture(page, 'form-issues');
  await page.getByRole('alert').getByRole('link').click();
  await page.getByLabel('Dålig').focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Sedan när?').fill('2026-11-20');
  await page.waitForSelector('text=Du kan fortsätta senare');
  await page.reload();
  await page.waitForSelector('h1:has-text("Andning")');
  assert.equal(await page.getByLabel('Sedan när?').inputValue(), '2026-11-20');
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  assert.equal(await page.getByLabel('Sedan när?').inputValue(), '2026-11-20', 'the service has it, too');
  await page.getByRole('button', { name: 'Skicka svaret' }).dblclick();
  await page.waitForURL(`${gateway}/my/forms`);
  await page.waitForSelector('text=Besvarade');
  await page.getByRole('status').getByText('Svaret är skickat.').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole('link', { name: 'Andning' }).click();
  await page.getByRole('button', { name: 'Ta tillbaka svaret' }).click();
  await page.waitForSelector('button:has-text("Skicka svaret")');
  await leave();
});

test('a decision is told before it is saved, and is ended', { skip }, async () => {
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  await page.goto(`${gateway}/my/consents`);
  await page.getByRole('heading', { name: 'Antecknat av vården' }).waitFor();
  await page.getByText('Ja till att uppgifter lämnas till vårdgivare').waitFor();
  await page.getByRole('button', { name: 'Nytt beslut' }).click();
  await page.getByRole('button', { name: 'Visa vad som händer' }).click();
  await page.waitForSelector('.bad');
  await page.getByLabel('Nej, uppgifterna får inte lämnas').check();
  await page.locator('.bad').waitFor({ state: 'detached' });
  await reload(page);
  assert.ok(await page.getByLabel('Nej, uppgifterna får inte lämnas').isChecked(), 'what was begun outlives a reload');
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Visa vad som händer' }).click();
  await page.waitForSelector('h2:has-text("Det här händer")');
  await page.getByText('Du säger nej till: alla. Så länge beslutet gäller skickas inga nya').waitFor();
  await picture(page, 'consent-preview');
  await page.getByRole('button', { name: 'Spara beslutet' }).click();
  await page.waitForSelector('text=Du säger nej till: alla');
  await page.getByRole('button', { name: 'Avsluta' }).click();
  await page.getByRole('button', { name: 'Avsluta beslutet' }).click();
  await page.waitForSelector('h2:has-text("Har upphört")');
  // One that is over is not made, and one of next year is not said to be in force.
  await page.getByRole('button', { name: 'Nytt beslut' }).click();
  await page.getByLabel('Nej, uppgifterna får inte lämnas').check();
  await page.getByLabel('Till och med (frivilligt)').fill('2026-01-01');
  await page.getByRole('button', { name: 'Visa vad som händer' }).click();
  await page.getByText('Dagen har redan varit.').waitFor();
  const year = new Date().getUTCFullYear() + 1;
  await page.getByLabel('Från och med (frivilligt)').fill(`${year}-02-01`);
  await page.getByLabel('Till och med (frivilligt)').fill(`${year}-03-01`);
  await page.getByRole('button', { name: 'Visa vad som händer' }).click();
  await page.getByRole('button', { name: 'Spara beslutet' }).click();
  await page.getByRole('heading', { name: 'Gäller senare' }).waitFor();
  await page.getByText('Du har inte bestämt något själv.').waitFor();
  await checkScreen(page, 'consents', 390);
  await picture(page, 'consents-later');
  await page.getByRole('button', { name: 'Avsluta' }).click();
  await page.getByRole('button', { name: 'Avsluta beslutet' }).click();
  await page.getByRole('heading', { name: 'Gäller senare' }).waitFor({ state: 'detached' });
  await leave();
});

test('a caregiver that has received nothing is found by its name, by the keyboard alone', { skip }, async () => {
  const enlist = (name: string, status: string) =>
    call(`${scene?.addresses.engine}/providers`, {
      token: scene?.accounts.admin,
      json: { name, region: 'Norr', status },
      expect: 201,
    });
  await enlist('Vårdcentralen Åsen', 'active');
  await enlist('Åsens stängda', 'inactive');
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  await page.goto(`${gateway}/my/consents`);
  await page.getByRole('button', { name: 'Nytt beslut' }).press('Enter');
  await page.getByLabel('Nej, uppgifterna får inte lämnas').press('Space');
  await page.getByLabel('En viss vårdgivare eller organisation').press('Space');
  const whom = page.getByRole('combobox', { name: 'Vårdgivare eller organisation' });
  await page.keyboard.press('Tab');
  await page.keyboard.type('ingen alls');
  await page.getByText('Ingen passar.').waitFor();
  await page.getByLabel('Från och med (frivilligt)').focus();
  await page.getByRole('button', { name: 'Visa vad som händer' }).press('Enter');
  await page.getByText('Välj en ur listan.').waitFor();
  assert.deepEqual(await findings(page), []);
  await whom.focus();
  await page.keyboard.type('norr åsen');
  await page.getByRole('option', { name: 'Vårdcentralen Åsen Norr' }).waitFor();
  await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
  assert.deepEqual(await findings(page), []);
  await picture(page, 'consent-recipient');
  await page.keyboard.press('Enter');
  assert.equal(await whom.inputValue(), 'Vårdcentralen Åsen');
  await reload(page);
  assert.equal(await whom.inputValue(), 'Vårdcentralen Åsen', 'the choice outlives a reload');
  await checkScreen(page, 'consents', 390);
  await page.getByRole('button', { name: 'Visa vad som händer' }).press('Enter');
  await page.getByText('Du säger nej till: Vårdcentralen Åsen. Så länge').waitFor();
  await page.getByRole('button', { name: 'Spara beslutet' }).dblclick();
  await page.getByText('Du säger nej till: Vårdcentralen Åsen', { exact: true }).waitFor();
  await reload(page);
  const decided = page.getByText('Du säger nej till: Vårdcentralen Åsen', { exact: true });
  await decided.waitFor();
  assert.equal(await decided.count(), 1, 'decided once, and named afterwards');
  await picture(page, 'consent-recipient-decided');
  await page.getByRole('button', { name: 'Avsluta' }).click();
  await page.getByRole('button', { name: 'Avsluta beslutet' }).click();
  await page.getByRole('button', { name: 'Avsluta' }).waitFor({ state: 'detached' });
  await leave();
});

test('without a connection the console says so, and goes on afterwards; another language and look are kept', {
  skip,
}, async () => {
  const { page, context } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 });
  await page.goto(`${gateway}/my`);
  await page.locator('.bar').getByRole('button', { name: 'English' }).click();
  await page.waitForSelector('h1:has-text("My care")');
  for (let press = 0; press < 2; press += 1)
    await page
      .locator('.bar')
      .getByRole('button', { name: /Appearance/ })
      .click();
  await page.goto(`${gateway}/my/plan`);
  await page.waitForSelector('h1:has-text("My plan")');
  assert.equal(await page.getAttribute('html', 'data-mantine-color-scheme'), 'dark');
  // The pointer alone loads the screen's script.
  await Promise.all([
    page.waitForResponse(/\/assets\/log-page-/),
    page.getByRole('link', { name: 'Who has looked' }).hover(),
  ]);
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Who has looked' }).click();
  await page.waitForSelector('.banner:has-text("No connection")');
  await context.setOffline(false);
  await page.waitForSelector('text=Karin Lind');
  assert.equal(await page.textContent('.banner'), '');
  await context.close();
});

test('an expired token is renewed without a word; a session that has ended leads to the sign-in and back', {
  skip,
}, async () => {
  const { page, context, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 390 });
  await page.goto(`${gateway}/my`);
  await settled(page);
  await context.clearCookies({ name: 'kedja-console' });
  await page.getByRole('button', { name: 'Meny' }).click();
  await page.getByRole('link', { name: 'Mina värden' }).click();
  await page.waitForSelector('text=Kroppsvikt');
  assert.ok(
    (await context.cookies()).some(({ name }) => name === 'kedja-console'),
    'renewed',
  );
  assert.equal(await page.locator('dialog').count(), 0);
  const second = await context.newPage();
  await second.goto(`${gateway}/account`);
  await second.getByRole('button', { name: 'Meny' }).click();
  await second.locator('.nav').getByRole('button', { name: 'Logga ut', exact: true }).click();
  await second.waitForSelector('h1:has-text("Kedja")');
  await page.getByRole('button', { name: 'Meny' }).click();
  await page.getByRole('link', { name: 'Samtycken' }).click();
  await page.waitForSelector('dialog:has-text("Du är utloggad")');
  assert.deepEqual(await findings(page), []);
  await page.getByRole('link', { name: 'Logga in' }).click();
  await fillIn(page, PATIENT_EMAIL);
  await page.waitForURL(`${gateway}/my/consents`);
  await page.waitForSelector('h1:has-text("Samtycken")');
  await leave();
});
