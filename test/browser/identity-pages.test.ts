// Identity's pages in Chromium. axe finds nothing (WCAG 2.2 A and AA, best practices) on any page and in any state.
// That holds in both languages, light and dark, at 320 px and wide. The policy is never violated, and nothing is asked
// of another server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN } from '#test/support/identity/identity.ts';
import { startVisit, type Visit } from '#test/support/identity/identity-visit.ts';
import { checkView, findings, skipReason, VIEWS } from '#test/support/system/browser.ts';

const skip = skipReason() ?? false;
const visit = skip === false ? await startVisit({ after }) : undefined;

interface State {
  readonly name: string;
  /** Brings the page from its first opening into the state. */
  readonly reach: (page: Page, visit: Visit) => Promise<unknown>;
  readonly title: { readonly sv: RegExp; readonly en: RegExp };
}

const submit = (page: Page) => page.click('form[method=post] button');
const languageOf = (href: Visit['href']) => new URL(href('login')).searchParams.get('lang') ?? '';
const open =
  (path: string) =>
  (page: Page, { href }: Visit) =>
    page.goto(href(path));

const STATES: readonly State[] = [
  { name: 'sign-in', reach: open('login'), title: { sv: /^Logga in/, en: /^Sign in/ } },
  {
    name: 'sign-in, with errors',
    reach: async (page, { href }) => {
      await page.goto(href('login'));
      await submit(page);
    },
    title: { sv: /^Fel: Logga in/, en: /^Error: Sign in/ },
  },
  {
    name: 'sign-in, wrong password',
    reach: async (page, { href }) => {
      await page.goto(href('login'));
      await page.fill('#email', 'nobody@example.org');
      await page.fill('#password', 'wrong');
      await submit(page);
    },
    title: { sv: /^Fel: Logga in/, en: /^Error: Sign in/ },
  },
  {
    name: 'sign-in, refused',
    reach: (page, { origin }) => page.goto(`${origin}/login`),
    title: { sv: /härifrån/, en: /from here/ },
  },
  { name: 'registration, choice', reach: open('register'), title: { sv: /^Var får du/, en: /^Where do you receive/ } },
  {
    name: 'registration, nothing found',
    reach: async (page, { href }) => {
      await page.goto(href('register'));
      await page.fill('#search', 'nowhere at all');
      await page.click('.search button');
    },
    title: { sv: /^Var får du/, en: /^Where do you receive/ },
  },
  {
    name: 'registration, unit gone',
    reach: (page, { href }) => page.goto(href('register', { organisation_guid: 'gone' })),
    title: { sv: /^Fel: Var får du/, en: /^Error: Where do you receive/ },
  },
  {
    name: 'registration, form',
    reach: (page, visit) => page.goto(visit.registration()),
    title: { sv: /^Registrera/, en: /^Register/ },
  },
  {
    name: 'registration, with errors',
    reach: async (page, visit) => {
      await page.goto(visit.registration());
      await page.fill('#email', 'no address');
      await page.fill('#password', 'password');
      await submit(page);
    },
    title: { sv: /^Fel: Registrera/, en: /^Error: Register/ },
  },
  { name: 'registration, done', reach: open('register/done'), title: { sv: /registrerad/, en: /registered/ } },
  {
    name: 'access request, organisation',
    reach: open('access-request'),
    title: { sv: /^Var arbetar/, en: /^Where do you work/ },
  },
  {
    name: 'access request, leader',
    reach: (page, { href, organisation }) => page.goto(href('access-request', { organisation_guid: organisation })),
    title: { sv: /^Vem leder/, en: /^Who leads/ },
  },
  {
    name: 'access request, form',
    reach: (page, visit) => page.goto(visit.accessRequest()),
    title: { sv: /^Begär/, en: /^Request/ },
  },
  {
    name: 'access request, with errors',
    reach: async (page, visit) => {
      await page.goto(visit.accessRequest());
      await page.check('#requested_phases');
      await submit(page);
    },
    title: { sv: /^Fel: Begär/, en: /^Error: Request/ },
  },
  { name: 'access request, done', reach: open('access-request/done'), title: { sv: /mottagen/, en: /received/ } },
  { name: 'change of password', reach: open('change-password'), title: { sv: /^Byt/, en: /^Change/ } },
  {
    name: 'change of password, with errors',
    reach: async (page, { href }) => {
      await page.goto(href('change-password'));
      await submit(page);
    },
    title: { sv: /^Fel: Byt/, en: /^Error: Change/ },
  },
  {
    name: 'change of a temporary password',
    reach: async (page, visit) => {
      const { email, password } = await visit.withTemporaryPassword();
      await page.goto(visit.href('login'));
      await page.fill('#email', email);
      await page.fill('#password', password);
      await submit(page);
    },
    title: { sv: /^Välj ett eget/, en: /^Choose a password of your own/ },
  },
  { name: 'change of password, done', reach: open('change-password/done'), title: { sv: /är bytt/, en: /is changed/ } },
  { name: 'forgotten password', reach: open('forgot-password'), title: { sv: /^Glömt/, en: /^Forgotten/ } },
  { name: 'reset by code', reach: open('reset-password'), title: { sv: /^Välj ett nytt/, en: /^Choose a new/ } },
  {
    name: 'reset by code, with errors',
    reach: async (page, { href }) => {
      await page.goto(href('reset-password'));
      await submit(page);
    },
    title: { sv: /^Fel: Välj ett nytt/, en: /^Error: Choose a new/ },
  },
  { name: 'reset, done', reach: open('reset-password/done'), title: { sv: /är bytt/, en: /is changed/ } },
  { name: 'recovery codes', reach: open('recovery-codes'), title: { sv: /^Nya åter/, en: /^New recovery/ } },
  {
    name: 'recovery codes, with errors',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/recovery-codes?lang=${new URL(href('login')).searchParams.get('lang')}`);
      await submit(page);
    },
    title: { sv: /^Fel: Nya åter/, en: /^Error: New recovery/ },
  },
  {
    name: 'not signed in',
    reach: (page, { origin, href }) => page.goto(`${origin}/session?lang=${languageOf(href)}`),
    title: { sv: /^Du är inte inloggad/, en: /^You are not signed in/ },
  },
  {
    name: 'continue as the signed-in user',
    reach: async (page, visit) => {
      await page.goto(visit.href('login', { prompt: 'login' }));
      await page.fill('#email', ADMIN.email);
      await page.fill('#password', ADMIN.password);
      await submit(page);
      await page.waitForURL(`${visit.next}**`);
      await page.goto(visit.href('login', { prompt: 'select_account' }));
    },
    title: { sv: /^Du är inloggad/, en: /^You are signed in/ },
  },
  {
    name: 'signed in',
    reach: (page, { origin, href }) => page.goto(`${origin}/session?lang=${languageOf(href)}`),
    title: { sv: /^Du är inloggad/, en: /^You are signed in/ },
  },
  {
    name: 'own account',
    reach: (page, { origin, href }) => page.goto(`${origin}/account?lang=${languageOf(href)}`),
    title: { sv: /^Ditt konto/, en: /^Your account/ },
  },
  {
    name: 'own account, with errors',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/account?lang=${languageOf(href)}`);
      await page.click('form[action$="account/email"] button');
    },
    title: { sv: /^Fel: Ditt konto/, en: /^Error: Your account/ },
  },
  {
    name: 'own second factor',
    reach: (page, { origin, href }) => page.goto(`${origin}/account/second-factor?lang=${languageOf(href)}`),
    title: { sv: /^Tvåstegsverifiering/, en: /^Second factor/ },
  },
  {
    name: 'own second factor, with errors',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/account/second-factor?lang=${languageOf(href)}`);
      await submit(page);
    },
    title: { sv: /^Fel: Tvåsteg/, en: /^Error: Second factor/ },
  },
  {
    name: 'own second factor, setting up',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/account/second-factor?lang=${languageOf(href)}`);
      await page.fill('#current_password', ADMIN.password);
      await submit(page);
    },
    title: { sv: /^Tvåstegsverifiering/, en: /^Second factor/ },
  },
  {
    name: 'guardians',
    reach: (page, { origin, href }) => page.goto(`${origin}/guardians?lang=${languageOf(href)}`),
    title: { sv: /^Vårdnadshavare/, en: /^Guardians/ },
  },
  {
    name: 'guardians, with errors',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/guardians?lang=${languageOf(href)}`);
      await submit(page);
    },
    title: { sv: /^Fel: Vårdnadshavare/, en: /^Error: Guardians/ },
  },
  {
    name: 'guardians of a child',
    reach: async (page, { origin, href, withGuardian }) =>
      page.goto(`${origin}/guardians?patient=${await withGuardian()}&done=isSet&lang=${languageOf(href)}`),
    title: { sv: /^Vårdnadshavare/, en: /^Guardians/ },
  },
  {
    name: 'proxies',
    reach: async (page, visit) => {
      const { email, password } = await visit.withProxies();
      await page.goto(visit.href('login', { prompt: 'login' }));
      await page.fill('#email', email);
      await page.fill('#password', password);
      await submit(page);
      await page.waitForURL(`${visit.next}**`);
      await page.goto(`${visit.origin}/proxies?lang=${languageOf(visit.href)}`);
    },
    title: { sv: /^Ombud/, en: /^Proxies/ },
  },
  {
    name: 'proxies, with errors',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/proxies?lang=${languageOf(href)}`);
      await page.click('form[action$="proxies"] button');
    },
    title: { sv: /^Fel: Ombud/, en: /^Error: Proxies/ },
  },
  {
    name: 'signed out',
    reach: async (page, { origin, href }) => {
      await page.goto(`${origin}/session?lang=${languageOf(href)}`);
      // Without a session there is nothing to end.
      if ((await page.locator('form[method=post]').count()) > 0) await submit(page);
      else await page.goto(`${origin}/sign-out/done?lang=${languageOf(href)}`);
    },
    title: { sv: /^Du är utloggad/, en: /^You are signed out/ },
  },
  {
    name: 'own account, signed out',
    reach: (page, { origin, href }) => page.goto(`${origin}/account?lang=${languageOf(href)}`),
    title: { sv: /^Logga in först/, en: /^Sign in first/ },
  },
  { name: 'unknown address', reach: open('nowhere'), title: { sv: /finns inte/, en: /not found/ } },
];

for (const language of ['sv', 'en'] as const) {
  test(`every page in ${language}: no finding, no sideways scrolling, no violation; what is clicked is 44 px high`, {
    skip,
  }, async () => {
    const shown = await visit!.open(VIEWS[language][0]);
    const { page } = shown;
    for (const { name, reach, title } of STATES) {
      await reach(page, visit!.speaking(language));
      assert.match(await page.title(), title[language], name);
      assert.equal(await page.getAttribute('html', 'lang'), language, name);
      for (const view of VIEWS[language]) {
        await checkView(page, view, name);
        assert.deepEqual(await smallControls(page), [], `${name}, ${view.width} px`);
      }
    }
    assert.deepEqual(shown.complaints, []);
    assert.deepEqual(shown.requestsElsewhere, []);
    await shown.close();
  });
}

/** What is clicked or filled in and is less than 44 px high, links within text and the summary aside. */
function smallControls(page: Page): Promise<string[]> {
  return page.$$eval('a, button, input:not([type=hidden])', (elements) =>
    elements
      .filter((element) => element.closest('.alert') === null)
      .map((element) => element.closest('label') ?? element)
      .filter((element) => element.getBoundingClientRect().height < 44)
      .map((element) => element.outerHTML),
  );
}

test('the search for findings, violations and requests elsewhere finds what is there', { skip }, async () => {
  const { page, complaints, requestsElsewhere, close } = await visit!.open(VIEWS.sv[0]);
  await page.route('http://elsewhere.example/**', (route) => route.abort());
  await page.goto(visit!.href('login'));
  await page.evaluate(
    `document.body.innerHTML = '<img src="http://elsewhere.example/x.png"><p style="color:#777">grey</p>'`,
  );
  assert.ok((await findings(page)).some((finding) => finding.startsWith('image-alt:')));
  assert.ok(complaints.some((complaint) => complaint.includes('Content Security Policy')));
  await page.goto('about:blank');
  await page.setContent('<img src="http://elsewhere.example/x.png" alt="">');
  assert.ok(requestsElsewhere.includes('http://elsewhere.example/x.png'));
  await close();
});
