// The second factor in Chromium, for an SU admin who must have one: the set-up during the sign-in, the recovery codes,
// and the next sign-in. axe finds nothing on any of the pages, and the flow works without scripts too.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { STATE, startVisit, type Visit } from '#test/support/identity/identity-visit.ts';
import { codeAt } from '#test/support/identity/totp.ts';
import { findings, skipReason } from '#test/support/system/browser.ts';

const skip = skipReason() ?? false;
const visit = skip === false ? await startVisit({ after }, { config: { secondFactor: 'su-admins' } }) : undefined;

const VIEWS = [
  { language: 'sv', colorScheme: 'dark', width: 320, titles: [/^Ställ in/, /^Spara dina/, /^Ange koden/] },
  { language: 'en', colorScheme: 'light', width: 1280, titles: [/^Set up/, /^Keep your/, /^Enter the code/] },
] as const;

async function makeSuAdmin({ identity }: Visit): Promise<string> {
  const { email, userGuid } = await makeProfessional(identity);
  await identity.database.query('UPDATE app_user SET is_su_admin = true WHERE user_guid = $1', [userGuid]);
  return email;
}

async function signIn(page: Page, email: string, { href }: Visit): Promise<void> {
  // A browser that has signed in is not asked again.
  await page.context().clearCookies();
  await page.goto(href('login'));
  await page.fill('#email', email);
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.fill('#code', code);
  await page.press('#code', 'Enter');
}

/** Sets the second factor up and answers a recovery code; `inspect` is called at each page. */
async function setUp(page: Page, inspect: (title: number) => Promise<void>): Promise<string> {
  await inspect(0);
  await typeCode(page, 'wrong');
  await inspect(0);
  assert.match((await page.textContent('#code-error')) ?? '', /\.$/);
  const secret = ((await page.textContent('main code')) ?? '').replaceAll(' ', '');
  await typeCode(page, codeAt(secret, Date.now()));
  await inspect(1);
  const codes = await page.$$eval('.codes code', (elements) => elements.map((element) => element.textContent));
  assert.equal(codes.length, 10);
  await page.click('main form button');
  return codes[0] ?? '';
}

async function useRecoveryCode(page: Page, code: string, inspect: (title: number) => Promise<void>): Promise<void> {
  await inspect(2);
  await typeCode(page, '000');
  await inspect(2);
  await page.focus('summary');
  await page.keyboard.press('Enter');
  await page.fill('#recovery_code', 'ABCD');
  await page.press('#recovery_code', 'Enter');
  await inspect(2);
  assert.ok(await page.isVisible('#recovery_code'), 'open where the error is');
  await page.fill('#recovery_code', code);
  await page.press('#recovery_code', 'Enter');
}

function assertArrived(page: Page, { next }: Visit): void {
  const url = new URL(page.url());
  assert.equal(`${url.origin}${url.pathname}`, next);
  assert.equal(url.searchParams.get('state'), STATE);
  assert.ok(url.searchParams.get('token'));
}

for (const { titles, ...view } of VIEWS) {
  test(`set up and used in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const here = visit!.speaking(view.language);
    const { page, complaints, requestsElsewhere, close } = await visit!.open(view);
    const inspect = async (title: number) => {
      const found = (await page.title()).replace(/^(Fel|Error): /, '');
      assert.match(found, titles[title] ?? /nothing/);
      assert.deepEqual(await findings(page), []);
      const widthNeeded = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(widthNeeded <= view.width, `${found} needs ${widthNeeded} px`);
    };
    const email = await makeSuAdmin(here);
    await signIn(page, email, here);
    const recoveryCode = await setUp(page, inspect);
    assertArrived(page, here);
    await signIn(page, email, here);
    await useRecoveryCode(page, recoveryCode, inspect);
    assertArrived(page, here);
    assert.deepEqual([complaints, requestsElsewhere], [[], []]);
    await close();
  });
}

test('without scripts', { skip }, async () => {
  const view = { language: 'sv', colorScheme: 'light', width: 400, javaScriptEnabled: false } as const;
  const { page, close } = await visit!.open(view);
  const inspect = async () => undefined;
  const email = await makeSuAdmin(visit!);
  await signIn(page, email, visit!);
  const recoveryCode = await setUp(page, inspect);
  assertArrived(page, visit!);
  await signIn(page, email, visit!);
  await useRecoveryCode(page, recoveryCode, inspect);
  assertArrived(page, visit!);
  await close();
});
