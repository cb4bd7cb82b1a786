// Accounts that are lost and found, in Chromium through the gateway. They are a forgotten password by mail, a telephone
// with the app that is gone, and two accounts of one person that become one. Both sides: who lost it, and who helps.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { checkScreen, startConsole } from '#test/support/console/set-up.ts';
import { fillIn, picture, type SignedIn, type View } from '#test/support/console/visitor.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { codeAt } from '#test/support/identity/totp.ts';
import { SENDER, startMailServer } from '#test/support/mail.ts';
import { PASSWORD } from '../end-to-end/accounts.ts';
import { register } from '../end-to-end/people.ts';

const hooks = lastFirst({ after });
const mail = await startMailServer(hooks);
const environment = { KEDJA_SMTP_URL: mail.url, KEDJA_MAIL_FROM: SENDER };
const { skip, scene, gateway, ...at } = await startConsole(hooks, undefined, environment);
const PHONE: View = { language: 'sv', colorScheme: 'light', width: 390 };
const NOBODY: SignedIn = { cookies: [], origins: [] };
const NEW = 'skogens-grona-stigar-8';
const CODE = /^[A-Z\d]{4}(?:-[A-Z\d]{4}){3}$/;

let admin: SignedIn;

before(async () => {
  if (scene === undefined) return;
  const { email, password } = scene.addresses.admin;
  admin = await at.signIn(email, '/admin', password);
});

const known = async (name: string) => register({ ...(scene ?? assert.fail()), secrets: new Set() }, name);
const send = (page: Page) => page.click('form[method=post] button');

/** What is said after a link was asked for. */
async function askForLink(page: Page, email: string): Promise<string | null> {
  await page.goto(`${gateway}/my`);
  await page.click('a[href*="forgot-password"]');
  await page.fill('#email', email);
  await send(page);
  await page.waitForURL(/\/identity\/forgot-password\/done/);
  return page.textContent('main');
}

async function choose(page: Page, password: string): Promise<void> {
  await page.fill('#new_password', password);
  await page.fill('#new_password_again', password);
  await send(page);
}

test('a forgotten password: the same answer for everybody, a link by mail that works once, and the way on to the sign-in', {
  skip,
}, async () => {
  const { email } = await known('Greta');
  const { page, leave } = await at.visitor(PHONE, NOBODY);
  const unknown = await askForLink(page, 'nobody@example.org');
  assert.equal(await askForLink(page, email), unknown);
  await checkScreen(page, 'link-sent', PHONE.width);
  const link = /https?:\S+token=\S+/.exec((await mail.mailTo(email)).body)?.[0] ?? '';
  assert.ok(link.startsWith(`${gateway}/identity/reset-password`), link);
  assert.ok(!mail.taken.some(({ to }) => to.includes('nobody@example.org')));
  await page.goto(link);
  await choose(page, 'short');
  await page.getByText('Lösenordet måste ha minst 8 tecken.').first().waitFor();
  await choose(page, NEW);
  await page.getByRole('heading', { name: 'Lösenordet är bytt' }).waitFor();
  await checkScreen(page, 'password-changed', PHONE.width);
  await page.click('main a');
  await fillIn(page, email, NEW);
  await page.waitForURL(`${gateway}/my`);
  await page.goto(link);
  await page.getByText('Länken är redan använd eller för gammal.').waitFor();
  assert.equal(await page.locator('#new_password').count(), 0, 'nobody types a password in vain');
  await page.getByRole('link', { name: 'Be om en ny länk' }).click();
  await page.waitForURL(/forgot-password/);
  await leave();
});

/** A new telephone: the password, a recovery code, the new app's key and its code. Returns the new recovery codes. */
async function replaceTheApp(page: Page, recoveryCode: string): Promise<string[]> {
  await page.getByRole('link', { name: 'Ändra', exact: true }).click();
  await page.getByRole('link', { name: 'Byt app eller telefon' }).click();
  await checkScreen(page, 'replace-app', PHONE.width);
  await page.fill('#current_password', PASSWORD);
  await send(page);
  await page.getByText('Fyll i koden.').first().waitFor();
  await page.fill('#current_password', PASSWORD);
  await page.fill('#code', recoveryCode);
  await send(page);
  await page.getByText('Till dess gäller appen du har.').waitFor();
  await checkScreen(page, 'replace-app-key', PHONE.width);
  const secret = ((await page.textContent('main code')) ?? '').replaceAll(' ', '');
  await page.fill('#code', codeAt(secret, Date.now()));
  await send(page);
  await page.getByText('Appen är bytt, och du är utloggad på andra enheter.').waitFor();
  await checkScreen(page, 'replaced-app', PHONE.width);
  return page.locator('.codes code').allTextContents();
}

test('a lost telephone: another app takes its place, a recovery code lets in once, and an administrator takes the second factor away', {
  skip,
}, async () => {
  const { email } = await known('Helge');
  const own = await at.visitor(PHONE, await at.signIn(email, '/my'));
  const { page } = own;
  await page.goto(`${gateway}/account`);
  await page.getByRole('link', { name: 'Slå på' }).click();
  await page.fill('#current_password', PASSWORD);
  await send(page);
  const secret = ((await page.textContent('main code')) ?? '').replaceAll(' ', '');
  assert.equal(await page.getByText('Eller en återställningskod').count(), 0, 'there are none yet');
  await page.fill('#code', codeAt(secret, Date.now()));
  await send(page);
  const codes = await page.locator('.codes code').allTextContents();
  assert.ok(codes.length > 2 && codes.every((code) => CODE.test(code)), String(codes));
  await page.goto(`${gateway}/account`);
  await page.getByText(`Du har ${codes.length} återställningskoder kvar`).waitFor();
  await checkScreen(page, 'second-factor', PHONE.width);

  const replaced = await replaceTheApp(page, codes[1] ?? '');

  const lost = await at.visitor(PHONE, NOBODY);
  const enter = async (code: string) => {
    await lost.page.goto(`${gateway}/account`);
    await fillIn(lost.page, email);
    await lost.page.getByText('Jag har inte appen').click();
    await lost.page.fill('#recovery_code', code);
    await lost.page.click('details button');
  };
  await enter(replaced[0] ?? '');
  await lost.page.getByText(`Du har ${replaced.length - 1} återställningskoder kvar`).waitFor();
  await lost.context.clearCookies();
  await enter(replaced[0] ?? '');
  await lost.page.getByText('Koden stämmer inte eller är redan använd.').first().waitFor();
  await checkScreen(lost.page, 'code-used', PHONE.width);

  const helper = await at.visitor(PHONE, admin);
  await helper.page.goto(`${gateway}/admin/users?q=${email}`);
  await helper.page.locator('main .card a, main .card button').first().click();
  await helper.page.getByRole('button', { name: 'Ta bort tvåstegsverifieringen …' }).click();
  await helper.page.getByRole('dialog').getByRole('button', { name: 'Ta bort' }).click();
  await helper.page.getByRole('dialog').waitFor({ state: 'detached' });
  await picture(helper.page, 'second-factor-removed');
  await lost.context.clearCookies();
  await lost.page.goto(`${gateway}/account`);
  await fillIn(lost.page, email);
  await lost.page.getByRole('link', { name: 'Slå på' }).waitFor();
  for (const each of [own, lost, helper]) await each.leave();
});

test('two accounts of one person are merged: the old session ends, and the old password says where to go', {
  skip,
}, async () => {
  const [old, kept] = [await known('Ida'), await known('Ivar')];
  const before = await at.visitor(PHONE, await at.signIn(old.email, '/my'));
  await before.page.goto(`${gateway}/my`);
  const helper = await at.visitor(PHONE, admin);
  const { page } = helper;
  await page.goto(`${gateway}/admin/users?q=${old.email}`);
  await page.locator('main .card a, main .card button').first().click();
  await page.getByRole('button', { name: 'Slå samman …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('searchbox').fill(kept.email);
  const into = dialog.getByRole('combobox');
  await into.locator('option', { hasText: kept.email }).waitFor({ state: 'attached' });
  await into.selectOption({ label: kept.email });
  await dialog.getByText(/inloggning(?:ar)? upphör/).waitFor();
  await dialog.getByRole('button', { name: 'Slå samman', exact: true }).click();
  await page.getByText('Sammanslaget med det här kontot').waitFor();
  await page.getByRole('button', { name: old.email }).waitFor();
  await checkScreen(page, 'merged', PHONE.width);
  await picture(page, 'accounts-merged');

  await before.page.getByRole('dialog').getByText('Du är utloggad').waitFor();
  await before.context.clearCookies();
  await before.page.goto(`${gateway}/my`);
  await fillIn(before.page, old.email);
  await before.page.getByText('Det här kontot har slagits samman med ditt andra konto.').first().waitFor();
  await fillIn(before.page, kept.email);
  await before.page.waitForURL(`${gateway}/my`);
  for (const each of [before, helper]) await each.leave();
});

test('who wants a mail when something waits says so on the own account, and turns it off there', { skip }, async () => {
  const { email } = await known('Dagny');
  const { page, leave } = await at.visitor(PHONE, await at.signIn(email, '/my'));
  await page.goto(`${gateway}/account`);
  const often = page.getByLabel('Hur ofta?');
  await page.getByText(`Mejlet går till ${email}`).waitFor();
  assert.equal(await page.getByLabel('Mejlets språk').count(), 0, 'nothing to choose while it is off');
  await often.selectOption({ label: 'Varje morgon' });
  await page.getByText('Sparat.').waitFor();
  // It is said to be saved since the choice before.
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByLabel('Mejlets språk').selectOption({ label: 'Engelska' });
  await saved;
  await page.reload();
  await page.locator('option:checked:has-text("Engelska")').waitFor({ state: 'attached' });
  assert.equal(await often.inputValue(), 'daily');
  await checkScreen(page, '/account', PHONE.width);
  await picture(page, 'account-digest');
  await often.selectOption({ label: 'Inga mejl' });
  await page.getByText('Sparat.').waitFor();
  await page.reload();
  await page.getByText(`Mejlet går till ${email}`).waitFor();
  assert.equal(await often.inputValue(), 'off');
  await leave();
});
