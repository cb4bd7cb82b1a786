// The first view of a face in Chromium, with the whole system. It is there without any script, and the console goes on
// from it (docs/adr/0130).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { startConsole } from '#test/support/console/set-up.ts';
import { type SignedIn, settled } from '#test/support/console/visitor.ts';
import { eventually } from '#test/support/http.ts';
import { PATIENT_EMAIL } from '../end-to-end/accounts.ts';

const { skip, scene, gateway, visitor, signIn } = await startConsole({ after });
const PLANNER_EMAIL = 'Karin.Lind@example.org';
const VIEW = { language: 'sv', colorScheme: 'light', width: 1280 } as const;
const people: { patient?: SignedIn; administrator?: SignedIn } = {};

/** A gateway with much to do sends pages without a view. */
async function openRendered(page: Page, path = '/my'): Promise<void> {
  await eventually('the page had a view', async () => {
    // Not until everything is loaded: in a page without a view that would wait for the scripts that are held.
    await page.goto(`${gateway}${path}`, { waitUntil: 'domcontentloaded' });
    return (await page.getAttribute('html', 'data-view')) === null ? undefined : true;
  });
}

test('the first view is in the page before any script has run, and is not read again', { skip }, async () => {
  people.patient = await signIn(PATIENT_EMAIL, '/my');
  const { page, context, complaints } = await visitor(VIEW, people.patient);
  await page.route(/\/assets\/.*\.js$/, (route) => route.abort());
  await openRendered(page);
  await page.getByText('Vikt varje morgon').first().waitFor();
  assert.equal(await page.title(), `${await page.textContent('main h1')} – Kedja`);
  assert.equal(await page.getAttribute('html', 'data-started'), null, 'no script has run');
  await page.unroute(/\/assets\/.*\.js$/);
  complaints.length = 0;
  let read: string[] = [];
  page.on('request', (request) => {
    if (/\/(?:identity|dispatch|engine)\/api\//.test(request.url())) read.push(new URL(request.url()).pathname);
  });
  // The page before it, if it had no view, may still be reading.
  let isOpening = true;
  page.on('framenavigated', () => {
    if (isOpening) read = [];
  });
  await eventually('the page had a view', async () => {
    await page.goto(`${gateway}/my`);
    return (await page.getAttribute('html', 'data-view')) === null ? undefined : true;
  });
  isOpening = false;
  await settled(page);
  await page.getByRole('link', { name: 'Min plan' }).click();
  await page.waitForURL(`${gateway}/my/plan`);
  assert.ok(!read.includes('/identity/api/auth/me'), 'it was in the page');
  assert.equal(await page.locator('[data-style]').count(), 0, 'styles are where components expect them');
  assert.deepEqual(complaints, [], 'the elements are those that the console makes');
  await context.close();
});

/** Opens a page with its view; the scripts of the console wait until the returned function is called. */
async function openHeld(page: Page, path?: string): Promise<() => void> {
  let goOn = () => undefined as unknown;
  const held = new Promise((resolve) => {
    goOn = () => resolve(undefined);
  });
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await openRendered(page, path);
  return () => void goOn();
}

test('a button that is pressed before the console has started is pressed then', { skip }, async () => {
  const { page, context } = await visitor(VIEW, people.patient);
  const goOn = await openHeld(page);
  await page.locator('.bar').getByRole('button', { name: 'English' }).click();
  assert.equal(await page.getAttribute('html', 'lang'), 'sv');
  goOn();
  await page.waitForSelector('h1:has-text("My care")');
  // The choice is in the page that comes next.
  await page.unroute(/\/assets\/.*\.js$/);
  await eventually('the next page was in English', async () => {
    const next = await (await context.request.get(`${gateway}/my`)).text();
    assert.match(next, /<html lang="en"/);
    return next.includes('<h1>My care</h1>') ? true : undefined;
  });
  await context.close();
});

test('a button that answers before the screen does is pressed once', { skip }, async () => {
  const { page, context } = await visitor({ ...VIEW, width: 390 }, people.patient);
  await page.addInitScript(`
    const send = document.dispatchEvent.bind(document);
    document.dispatchEvent = (event) => {
      if (event.type !== 'kedja-started') return send(event);
      window.announce = () => send(event);
      return true;
    };
  `);
  await openRendered(page);
  await eventually('it starts', async () => (await page.evaluate('window.announce !== undefined')) || undefined);
  const link = page.getByRole('link', { name: 'Min plan' });
  await page.getByRole('button', { name: 'Meny' }).click();
  await link.waitFor();
  await page.evaluate('window.announce()');
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  assert.ok(await link.isVisible(), 'the menu stays open');
  await context.close();
});

for (const made of ['the same', 'new']) {
  test(`what is entered before the console has started is entered then, in ${made} elements`, { skip }, async () => {
    const { email = '', password = '' } = scene?.addresses.admin ?? {};
    people.administrator ??= await signIn(email, '/admin', password);
    const { page, context } = await visitor(VIEW, people.administrator);
    // With something kept in the tab, the console does not go on from the elements of the view.
    if (made === 'new') await page.addInitScript("sessionStorage.setItem('kedja-kept:/admin note', '1')");
    const goOn = await openHeld(page, '/admin');
    const search = page.getByRole('search').getByRole('searchbox');
    await page.getByLabel('Vad det gäller').selectOption('access_request');
    await page.getByLabel('Ordning').selectOption('newest');
    await search.fill('Borg');
    await search.press('ArrowLeft');
    goOn();
    await page.waitForURL(/kind=access_request/);
    await page.waitForURL(/order=newest/);
    assert.equal(await search.inputValue(), 'Borg');
    await search.press('Enter');
    await page.waitForURL(/q=Borg/);
    assert.match(page.url(), /kind=access_request/);
    await context.close();
  });
}

test('who has scrolled before the console has started stays there', { skip }, async () => {
  const { page, context } = await visitor({ ...VIEW, width: 390 }, people.patient);
  const goOn = await openHeld(page, '/account');
  await page.getByRole('link', { name: 'Slå på' }).scrollIntoViewIfNeeded();
  const place = await page.evaluate('window.scrollTo(0, 300), window.scrollY');
  assert.ok(Number(place) > 0, 'the page is longer than the window');
  goOn();
  await settled(page);
  // The router is at its first place once another one follows.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200)))');
  assert.equal(await page.evaluate('window.scrollY'), place);
  await page.locator('main a[href="/developer"]').click();
  await page.waitForURL(`${gateway}/developer`);
  await eventually('the next screen began at its top', async () =>
    (await page.evaluate('window.scrollY')) === 0 ? true : undefined,
  );
  await context.close();
});

const LIST = /\/identity\/api\/admin\/organisation-search/;

test('a screen that the browser makes is shown when all that it reads is there', { skip }, async () => {
  const { email = '', password = '' } = scene?.addresses.admin ?? {};
  people.administrator ??= await signIn(email, '/admin', password);
  const { page, context } = await visitor(VIEW, people.administrator);
  // However slow the machine is: the time is not up after which it is shown in parts.
  await page.addInitScript(`
    const given = window.setTimeout;
    window.setTimeout = (call, ms, ...rest) => (ms === 2000 ? 0 : given(call, ms, ...rest));
  `);
  let goOn = () => undefined as unknown;
  const held = new Promise((resolve) => {
    goOn = () => resolve(undefined);
  });
  const list = page.waitForRequest(LIST);
  await page.route(LIST, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${gateway}/admin/organisations`);
  await list;
  const form = page.locator('form h2', { hasText: 'Ny organisation' });
  await form.waitFor({ state: 'attached' });
  await page.locator('main [role=status]').first().waitFor();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  assert.ok(await form.isHidden(), 'the list would move it');
  goOn();
  await form.waitFor();
  assert.ok(await page.locator('main .row, main .card').first().isVisible());
  await context.close();
});

test('what is chosen while React takes over the elements stays chosen', { skip }, async () => {
  const { email = '', password = '' } = scene?.addresses.admin ?? {};
  people.administrator ??= await signIn(email, '/admin', password);
  const { page, context } = await visitor(VIEW, people.administrator);
  // React listens already, and an event would make it take over at once, in the middle of the two events of a choice.
  await page.addInitScript(`
    const listen = EventTarget.prototype.addEventListener;
    let isChosen = false;
    EventTarget.prototype.addEventListener = function (type, ...rest) {
      listen.call(this, type, ...rest);
      if (this.id !== 'root' || type !== 'change' || isChosen) return;
      isChosen = true;
      queueMicrotask(() => {
        const select = document.querySelector('#root select:has([value=access_request])');
        select.value = 'access_request';
        for (const each of ['input', 'change']) select.dispatchEvent(new Event(each, { bubbles: true }));
      });
    };
  `);
  await openRendered(page, '/admin');
  await page.waitForURL(/kind=access_request/);
  await settled(page);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  assert.match(page.url(), /kind=access_request/);
  await context.close();
});

test('a view of another language or patient than the tab’s is never shown', { skip }, async () => {
  const { page, context } = await visitor(VIEW, people.patient);
  await page.addInitScript("sessionStorage.setItem('kedja-acting-for', '0\\nAnna')");
  await page.route(/\/assets\/.*\.js$/, (route) => route.abort());
  await openRendered(page);
  assert.ok(await page.locator('main h1').isHidden());
  await context.close();
  const other = await visitor(VIEW, people.patient);
  await other.page.addInitScript("localStorage.setItem('kedja-language', 'en')");
  await other.page.goto(`${gateway}/my`);
  await other.page.waitForSelector('h1:has-text("My care")');
  assert.deepEqual(other.complaints, []);
  await other.context.close();
});

test('views of two people in two languages, rendered at once, hold what is each one’s own', { skip }, async () => {
  const planner = await signIn(PLANNER_EMAIL, '/plan');
  const [one, other] = [await visitor(VIEW, people.patient), await visitor(VIEW, planner)];
  const open = ({ context }: { context: BrowserContext }, path: string, language: string) =>
    context.request.get(`${gateway}${path}`, { headers: { 'accept-language': language } }).then((read) => read.text());
  const isRendered = (page: string) => page.includes('id="first-view"');
  let found = 0;
  await eventually('views of both were rendered at once', async () => {
    const pages = await Promise.all(
      [0, 1, 2, 3].map((round) => {
        const languages = round % 2 === 0 ? ['sv', 'en'] : ['en', 'sv'];
        return Promise.all([open(one, '/my', languages[0] ?? ''), open(other, '/plan', languages[1] ?? '')]);
      }),
    );
    for (const [round, [my, plan]] of pages.entries()) {
      assert.ok(!my.includes(PLANNER_EMAIL) && !plan.includes(PATIENT_EMAIL));
      // The patient's page is in Swedish in these rounds, and the planner's in English.
      const isSwedish = round % 2 === 0;
      if (isRendered(my)) assert.ok(my.includes(PATIENT_EMAIL) && my.includes(isSwedish ? '>Min vård<' : '>My care<'));
      if (isRendered(plan))
        assert.ok(plan.includes(PLANNER_EMAIL) && plan.includes(isSwedish ? '>To do<' : '>Att göra<'));
      if (isRendered(my) && isRendered(plan)) found += 1;
    }
    return found >= 4 ? true : undefined;
  });
  await one.context.close();
  await other.context.close();
});

test('the start of the console leads each person to their own face', { skip }, async () => {
  const { page, context } = await visitor(VIEW, people.patient);
  await page.goto(`${gateway}/`);
  await page.waitForURL(`${gateway}/my`);
  await page.waitForSelector('html[data-started] main h1');
  await context.close();
});
