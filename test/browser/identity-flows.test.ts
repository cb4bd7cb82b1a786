// The flows through identity's pages in Chromium by keyboard alone and with scripts disabled, behind the gateway's
// prefix.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { nextEmail, nextPersonnummer, PASSWORD } from '#test/support/identity/identity-people.ts';
import { STATE, startVisit, type Visit } from '#test/support/identity/identity-visit.ts';
import { skipReason } from '#test/support/system/browser.ts';

const skip = skipReason() ?? false;
const visit = skip === false ? await startVisit({ after }, { isBehindGateway: true }) : undefined;
const VIEW = { language: 'sv', colorScheme: 'light', width: 1024, javaScriptEnabled: false } as const;
const NEW_PASSWORD = 'another long enough phrase';

async function withPage(use: (page: Page, visit: Visit) => Promise<void>): Promise<void> {
  const { page, complaints, requestsElsewhere, close } = await visit!.open(VIEW);
  await use(page, visit!);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requestsElsewhere, []);
  await close();
}

/** Presses Tab until the element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab never reached ${selector} on ${page.url()}`);
}

async function follow(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Types into the fields in order and sends the form by Enter in the last one. */
async function fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    await tabTo(page, `#${name}`);
    await page.keyboard.type(text);
  }
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Where a sign-in has led: the parameters of the application's address. */
function arrivedWith(page: Page): URLSearchParams {
  assert.ok(page.url().startsWith(`${visit!.next}?`), page.url());
  return new URL(page.url()).searchParams;
}

async function whoIs(token: string | null): Promise<{ status: number; email: string }> {
  const answer = await visit!.identity.app.inject({
    url: '/api/auth/me',
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.statusCode, email: answer.json().email };
}

test('a patient registers from the sign-in page, signs in and comes back with token and state', { skip }, () =>
  withPage(async (page, { href, identity, organisation }) => {
    const email = nextEmail();
    await page.goto(href('login'));
    await follow(page, 'a[href^="register"]');
    await tabTo(page, '#search');
    await page.keyboard.type('care UNIT');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await follow(page, `.choices a[href*="${organisation}"]`);
    const password = { password: PASSWORD, password_again: PASSWORD };
    await fillIn(page, { email, personnummer: nextPersonnummer(), ...password });
    assert.match(page.url(), /\/identity\/register\/done\?/);
    await follow(page, 'main a');
    await fillIn(page, { email, password: PASSWORD });
    const arrived = arrivedWith(page);
    assert.equal(arrived.get('state'), STATE);
    assert.deepEqual(await whoIs(arrived.get('token')), { status: 200, email });
    const { rows } = await identity.database.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM audit_event WHERE resource LIKE '%patient.register%'`,
    );
    assert.equal(rows[0]?.n, 1);
  }),
);

test(
  'a professional asks for access with role and phases, an administrator approves, and the sign-in works',
  { skip },
  () =>
    withPage(async (page, { href, identity, organisation, leader }) => {
      const email = nextEmail();
      await page.goto(href('login'));
      await follow(page, 'a[href^="access-request"]');
      await follow(page, `.choices a[href*="${organisation}"]`);
      await follow(page, `.choices a[href*="${leader}"]`);
      for (const [name, text] of Object.entries({ first_name: 'Åsa', last_name: 'Öst', email })) {
        await tabTo(page, `#${name}`);
        await page.keyboard.type(text);
      }
      await tabTo(page, '#professional_role');
      await page.keyboard.press('ArrowDown');
      await tabTo(page, '#requested_phases');
      await page.keyboard.press('Space');
      await fillIn(page, { password: PASSWORD, password_again: PASSWORD });
      assert.match(page.url(), /\/identity\/access-request\/done\?/);
      const headers = await identity.asAdmin();
      const open = (await identity.app.inject({ url: '/api/admin/access-requests', headers })).json();
      assert.equal(open.length, 1);
      const { first_name, last_name, professional_role, requested_phases, access_request_guid } = open[0];
      assert.deepEqual([first_name, last_name, professional_role], ['Åsa', 'Öst', 'nurse']);
      assert.deepEqual(requested_phases, ['planning']);
      const payload = { access_request_guid, decision: 'approved' };
      await identity.app.inject({ method: 'POST', url: '/api/admin/access-requests', headers, payload });
      await follow(page, 'main a');
      await fillIn(page, { email, password: PASSWORD });
      assert.equal((await whoIs(arrivedWith(page).get('token'))).email, email);
    }),
);

test('a sign-in with a temporary password leads through changing it to where it was going', { skip }, () =>
  withPage(async (page, visit) => {
    const { email, password } = await visit.withTemporaryPassword();
    await page.goto(visit.href('login', { response_mode: 'code' }));
    await fillIn(page, { email, password });
    assert.equal(await page.inputValue('#email'), email);
    await fillIn(page, { current_password: password, new_password: password, new_password_again: password });
    assert.match(await page.innerText('#new_password-error'), /annat lösenord än det tillfälliga/);
    const repeated = { new_password: NEW_PASSWORD, new_password_again: NEW_PASSWORD };
    await fillIn(page, { current_password: password, ...repeated });
    const arrived = arrivedWith(page);
    assert.equal(arrived.get('state'), STATE);
    const payload = { code: arrived.get('code'), next: visit.next };
    const exchanged = await visit.identity.app.inject({ method: 'POST', url: '/api/auth/token', payload });
    assert.equal(exchanged.json().must_change_password, undefined);
    assert.deepEqual(await whoIs(exchanged.json().token), { status: 200, email });
  }),
);

test(
  'with errors the summary has the focus, its links lead to the fields, and all but passwords is kept',
  { skip },
  () =>
    withPage(async (page, visit) => {
      await page.goto(visit.registration());
      await fillIn(page, { email: 'no address', personnummer: '123', password: 'short', password_again: 'other' });
      assert.equal(await page.locator('section.alert:focus').count(), 1);
      assert.equal(await page.locator('.alert li').count(), 4);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      assert.equal(await page.locator('#personnummer:focus').count(), 1);
      assert.deepEqual(
        await Promise.all(['#email', '#personnummer', '#password', '#password_again'].map((id) => page.inputValue(id))),
        ['no address', '123', '', ''],
      );
      for (const name of ['email', 'personnummer', 'password', 'password_again']) {
        const described = (await page.getAttribute(`#${name}`, 'aria-describedby')) ?? '';
        assert.ok(described.split(' ').includes(`${name}-error`), name);
        assert.equal(await page.getAttribute(`#${name}`, 'aria-invalid'), 'true');
      }
    }),
);

test('the other language is one link away, with everything that was chosen', { skip }, () =>
  withPage(async (page, visit) => {
    await page.goto(visit.accessRequest());
    await follow(page, 'nav a');
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.equal(await page.inputValue('[name=chosen_leader_guid]'), visit.leader);
    assert.equal(await page.inputValue('[name=state]'), STATE);
  }),
);
