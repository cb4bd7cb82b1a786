// The page for providers without a system in Chromium (decision D13; docs/adr/0030), by its link with scripts and by
// pasting without. Every state is shown in both languages. axe finds nothing, the policy is never violated, and the
// token stays out of every address.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newGuid } from '#lib/guid.ts';
import { createSendingBench } from '#services/dispatch/testing/sending-bench.ts';
import { checkView, complaintsOf, skipReason, startBrowser, VIEWS } from '#test/support/system/browser.ts';
import { freePorts } from '#test/support/system/free-ports.ts';

const skip = skipReason() ?? false;
const [port = 0] = await freePorts(1);
const origin = `http://127.0.0.1:${port}`;
const bench = await createSendingBench({ after }, { baseUrl: `${origin}/api/v1` });
await bench.app.listen({ port, host: '127.0.0.1' });
const browser = skip === false ? await startBrowser({ after }) : undefined;
/** Where pictures of every page go, when somebody wants to look at them. */
const pictures = process.env['KEDJA_TEST_PICTURES'];

interface Linked {
  readonly id: string;
  readonly links: readonly string[];
}

async function linked(providers = 1, options: object = {}): Promise<Linked> {
  const { id } = await bench.request(Array.from({ length: providers }, () => newGuid()));
  await bench.call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options);
  const links = [];
  for (const { matchGuid } of await bench.matches(id)) {
    const answer = await bench.call('planner', 'POST', `/api/v1/ServiceRequest/${id}/matches/${matchGuid}/link`);
    links.push(String(answer.body.link));
  }
  return { id, links };
}

interface Visitor {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** Every address that the browser asked for, as it went over the network, and the referrers that it sent. */
  readonly sent: readonly string[];
  close(): Promise<void>;
}

async function visitor(options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await (browser as Browser).newContext({
    locale: 'sv',
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url().split('#')[0] ?? '', request.headers()['referer'] ?? ''));
  return { page, complaints, sent, close: () => context.close() };
}

const heading = (page: Page) => page.textContent('h1');

async function openByLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.waitForSelector('h1:not(:has-text("Öppna")):not(:has-text("Open"))');
}

const STATES: readonly { name: string; reach: (page: Page) => Promise<unknown>; sv: RegExp; en: RegExp }[] = [
  { name: 'code', reach: (page) => page.goto(`${origin}/receipt`), sv: /^Öppna ett/, en: /^Open a/ },
  {
    name: 'code-missing',
    reach: async (page) => {
      await page.goto(`${origin}/receipt`);
      await page.click('main button');
    },
    sv: /^Öppna ett/,
    en: /^Open a/,
  },
  {
    name: 'open',
    reach: async (page) => openByLink(page, (await linked(1, { respond_by: '2026-06-17T10:00:00Z' })).links[0]!),
    sv: /^Ett uppdrag/,
    en: /^A request/,
  },
  {
    name: 'accepted',
    reach: async (page) => {
      await openByLink(page, (await linked()).links[0]!);
      await page.click('button[value=accepted]');
    },
    sv: /^Ni har tackat ja/,
    en: /^You have accepted/,
  },
  {
    name: 'report-missing',
    reach: async (page) => {
      await openByLink(page, (await linked()).links[0]!);
      await page.click('button[value=accepted]');
      await page.click('form:has(#progress) button');
      await page.waitForSelector('#progress-error');
    },
    sv: /^Ni har tackat ja/,
    en: /^You have accepted/,
  },
  {
    name: 'in-progress',
    reach: async (page) => {
      await openByLink(page, (await linked()).links[0]!);
      await page.click('button[value=accepted]');
      await page.check('input[value=in_progress]');
      await page.fill('#note', 'Vi kommer på måndag.');
      await page.click('form:has(#progress) button');
      await page.waitForSelector('h1:not(:has-text("tackat ja")):not(:has-text("accepted"))');
    },
    sv: /^Arbetet pågår/,
    en: /^The work is under way/,
  },
  {
    name: 'given-back',
    reach: async (page) => {
      await openByLink(page, (await linked()).links[0]!);
      await page.click('button[value=accepted]');
      await page.check('input[value=rejected]');
      await page.click('form:has(#progress) button');
      await page.waitForSelector('h1:not(:has-text("tackat ja")):not(:has-text("accepted"))');
    },
    sv: /^Ni har lämnat tillbaka/,
    en: /^You have given the request back/,
  },
  {
    name: 'rejected',
    reach: async (page) => {
      await openByLink(page, (await linked()).links[0]!);
      await page.fill('#reason', 'Vi har ingen tid den veckan.');
      await page.click('button[value=rejected]');
    },
    sv: /^Ni har tackat nej/,
    en: /^You have declined/,
  },
  {
    name: 'taken',
    reach: async (page) => {
      const { links } = await linked(2, { selection: 'first' });
      await openByLink(page, links[0]!);
      await bench.call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${links[1]!.split('#')[1]}/respond`, {
        decision: 'accepted',
      });
      await page.click('button[value=accepted]');
    },
    sv: /^En annan utförare/,
    en: /^Another provider/,
  },
  {
    name: 'expired',
    reach: async (page) => {
      const respondBy = new Date(bench.clock.time + 1000).toISOString();
      const { links } = await linked(1, { respond_by: respondBy });
      bench.clock.time += 2000;
      await openByLink(page, links[0]!);
    },
    sv: /^Svarstiden/,
    en: /^The time to respond/,
  },
  {
    name: 'unknown',
    reach: (page) => openByLink(page, `${origin}/receipt#${'A'.repeat(43)}`),
    sv: /^Det finns inget/,
    en: /^There is no such/,
  },
  {
    name: 'link-withdrawn',
    reach: async (page) => {
      const { id, links } = await linked();
      const [match] = await bench.matches(id);
      await bench.call('planner', 'DELETE', `/api/v1/ServiceRequest/${id}/matches/${match?.matchGuid}/link`);
      await openByLink(page, links[0]!);
    },
    sv: /^Länken gäller inte/,
    en: /^The link is no longer/,
  },
];

for (const language of ['sv', 'en'] as const) {
  test(`every state in ${language}: no finding, no sideways scrolling, no violation`, { skip }, async () => {
    const { page, complaints, close } = await visitor({ locale: language });
    for (const state of STATES) {
      await state.reach(page);
      await page.waitForLoadState();
      assert.match(String(await heading(page)), state[language], state.name);
      assert.equal(await page.getAttribute('html', 'lang'), language, state.name);
      for (const view of VIEWS[language]) {
        await checkView(page, view, state.name);
        await takePicture(page, `${state.name}-${language}-${view.colorScheme}`);
      }
    }
    assert.deepEqual(complaints, []);
    await close();
  });
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

test('a link that is clicked opens the request; its token is in no address that was asked for, shown or kept', {
  skip,
}, async () => {
  const { links } = await linked();
  const token = links[0]!.split('#')[1]!;
  const { page, sent, close } = await visitor();
  await openByLink(page, links[0]!);
  await page.click('button[value=accepted]');
  await page.waitForSelector('h1:has-text("tackat ja")');
  assert.equal(page.url(), `${origin}/receipt`);
  assert.ok(sent.every((text) => !text.includes(token)));
  // Another link in the same tab, which the browser takes for a place on the page that is there.
  const { links: further } = await linked();
  await page.goto(further[0]!);
  await page.waitForSelector('h1:has-text("Ett uppdrag till")');
  assert.equal(page.url(), `${origin}/receipt`);
  await close();
});

test('what is wrong is said at the top with the focus, and leads to its field', { skip }, async () => {
  const { page, close } = await visitor({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
  await page.goto(`${origin}/receipt`);
  await page.fill('#token', (await linked()).links[0]!);
  await page.keyboard.press('Enter');
  await page.click('button[value=accepted]');
  await page.click('form:has(#progress) button');
  const error = page.getByRole('link', { name: 'Välj vad ni vill rapportera.' });
  await error.waitFor();
  assert.equal(await page.locator(':focus').getByRole('link').count(), 1);
  await error.click();
  assert.equal(await page.getAttribute(':focus', 'id'), 'progress');
  await close();
});

test('several values of one name are a list', { skip }, async () => {
  const { page, close } = await visitor();
  await openByLink(page, (await linked()).links[0]!);
  const answer = '<dt>Given</dt><dd>79</dd><dd class="error">Too low</dd>';
  const list = `<dt>One</dt><dd>a</dd><dt>Two</dt><dd>b</dd><dd>c</dd>${answer}`;
  await page.evaluate(`document.querySelector('dl').innerHTML = ${JSON.stringify(list)}`);
  const values = "[...document.querySelector('dl').querySelectorAll('dd')]";
  const shown = await page.evaluate(`${values}.map((value) => getComputedStyle(value).display)`);
  assert.deepEqual(shown, ['block', 'list-item', 'list-item', 'block', 'block']);
  await close();
});

test('without scripts the link is pasted, answered with the keyboard alone, and read in the other language', {
  skip,
}, async () => {
  const { id, links } = await linked();
  const { page, close } = await visitor({ javaScriptEnabled: false });
  await page.goto(links[0]!);
  assert.match(String(await heading(page)), /^Öppna ett uppdrag/);
  await page.focus('#token');
  await page.keyboard.insertText(links[0]!);
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:has-text("Ett uppdrag till")');
  await page.click('.bar button');
  await page.waitForSelector('h1:has-text("A request to")');
  await page.focus('#reason');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:has-text("You have accepted")');
  assert.equal((await bench.matches(id))[0]?.status, 'accepted');
  await close();
});
