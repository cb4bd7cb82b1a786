// Forms at the page for providers without a system in Chromium without scripts (decision L8). The tests cover every
// type of question, rows, conditions, pages, errors, conflict, summary and sending, in both languages, light and dark,
// at 320 px. axe finds nothing.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { PLAN } from '#services/dispatch/testing/samples.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { findings, skipReason, startBrowser } from '#test/support/system/browser.ts';
import { freePorts } from '#test/support/system/free-ports.ts';

const skip = skipReason() ?? false;
const [port = 0] = await freePorts(1);
const origin = `http://127.0.0.1:${port}`;
const contract = await startDispatchContract({ after });
await contract.app.listen({ port, host: '127.0.0.1' });
const browser = skip === false ? await startBrowser({ after }) : undefined;
/** Where pictures of every page go, when somebody wants to look at them. */
const pictures = process.env['KEDJA_TEST_PICTURES'];

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const kilograms = { system: 'http://unitsofmeasure.org', code: 'kg', display: 'kg' };
const control = (code: string) => ({
  url: `${CORE}questionnaire-itemControl`,
  valueCodeableConcept: { coding: [{ system: 'http://hl7.org/fhir/questionnaire-item-control', code }] },
});
const choices = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ valueCoding: { code: `c${index}`, display: `Choice ${index}` } }));

const WOUND = {
  resourceType: 'Questionnaire',
  id: '019a0000-0000-7000-8000-0000000000d1',
  url: 'https://kedja.dev/forms/wound',
  title: 'Sårvård <b>',
  status: 'active',
  description: 'Fyll i efter varje besök.',
  item: [
    {
      linkId: 'a',
      type: 'group',
      prefix: 'A.',
      text: 'Såret',
      item: [
        { linkId: 'a1', type: 'boolean', text: 'Är såret infekterat?', required: true },
        {
          linkId: 'a2',
          type: 'coding',
          text: 'Hur ser det ut?',
          required: true,
          answerOption: choices(4),
          answerConstraint: 'optionsOrString',
        },
        { linkId: 'a3', type: 'coding', text: 'Vilken typ?', answerOption: choices(12) },
        { linkId: 'a4', type: 'coding', text: 'Tecken', repeats: true, answerOption: choices(5) },
        {
          linkId: 'a5',
          type: 'string',
          text: 'Vad odlades?',
          required: true,
          enableWhen: [{ question: 'a1', operator: '=', answerBoolean: true }],
          item: [{ linkId: 'a5h', type: 'display', text: 'Skriv provets namn.', extension: [control('help')] }],
        },
        { linkId: 'a6', type: 'coding', text: 'Förband', answerOption: choices(150) },
      ],
    },
    {
      linkId: 'b',
      type: 'group',
      text: 'Mått',
      item: [
        {
          linkId: 'b1',
          type: 'quantity',
          text: 'Vikt',
          extension: [
            { url: `${CORE}questionnaire-unitOption`, valueCoding: kilograms },
            { url: `${CORE}questionnaire-unitOption`, valueCoding: { ...kilograms, code: 'g', display: 'g' } },
          ],
        },
        { linkId: 'b2', type: 'decimal', text: 'Djup', extension: [{ url: `${CORE}maxValue`, valueDecimal: 9.5 }] },
        { linkId: 'b3', type: 'integer', text: 'Antal' },
        { linkId: 'b4', type: 'date', text: 'Första dagen' },
        { linkId: 'b5', type: 'dateTime', text: 'Senaste besök' },
        { linkId: 'b6', type: 'time', text: 'Klockan' },
        { linkId: 'b7', type: 'quantity', text: 'Annat mått' },
      ],
    },
    {
      linkId: 'c',
      type: 'group',
      text: 'Läkemedel',
      repeats: true,
      item: [
        { linkId: 'c1', type: 'string', text: 'Namn', required: true },
        { linkId: 'c2', type: 'string', text: 'Anmärkning', repeats: true },
      ],
    },
    {
      linkId: 'd',
      type: 'group',
      text: 'Övrigt',
      item: [
        { linkId: 'd1', type: 'text', text: 'Beskriv' },
        { linkId: 'd2', type: 'url', text: 'Länk' },
        { linkId: 'd3', type: 'attachment', text: 'Bild' },
        { linkId: 'd4', type: 'reference', text: 'Ansvarig' },
        { linkId: 'd5', type: 'display', text: 'Tack för hjälpen.' },
        { linkId: 'd6', type: 'string', text: 'Avdelning', readOnly: true, initial: [{ valueString: 'Kirurgen' }] },
      ],
    },
  ],
};

/** An accepted request with the form; returns its token. */
async function accepted(): Promise<string> {
  const id = await contract.draft();
  if (!contract.world.resources.includes(WOUND)) contract.world.resources.push(WOUND);
  const attached = await contract.ask(`POST /ServiceRequest/${id}/forms`, { body: { form_guid: WOUND.id } });
  assert.equal(attached.status, 201, attached.text);
  const finalized = await contract.ask(`POST /ServiceRequest/${id}/finalize`);
  assert.equal(finalized.status, 200, finalized.text);
  const { body } = await contract.ask(`POST /ServiceRequest/${id}/match`);
  const [match] = body['matches'] as { match_guid: string }[];
  const subject = { reference: 'Patient/p1' };
  const consent = { resourceType: 'Consent', id: 'consent-1', status: 'active', subject, decision: 'permit' };
  await contract.ask('PUT /Consent/consent-1', { body: consent });
  await contract.ask(`POST /ServiceRequest/${id}/push`);
  const link = await contract.ask(`POST /ServiceRequest/${id}/matches/${match?.match_guid}/link`);
  const token = String(link.body['link']).split('#')[1] ?? '';
  await contract.ask(`POST /ServiceRequest/receipt/${token}/respond`, { body: { decision: 'accepted' } });
  return token;
}

const go = (page: Page, value: string) => page.click(`button[name=go][value="${value}"]:not([hidden])`);

async function openTask(page: Page, token: string): Promise<void> {
  await page.goto(`${origin}/receipt`);
  await page.fill('#token', token);
  await page.click('main button');
}

async function openForm(page: Page, token: string, index = 0): Promise<void> {
  await openTask(page, token);
  await page.click(`.forms li:nth-child(${index + 1}) button`);
  await page.waitForSelector('#form');
}

async function fillFirst(page: Page): Promise<void> {
  await page.check('input[name="f-0-0"][value=false]');
  await page.check('input[name="f-0-1"][value=o1]');
}

const STATES: readonly { name: string; reach: (page: Page) => Promise<unknown>; shows: string }[] = [
  { name: 'task', reach: async (page) => openTask(page, await accepted()), shows: '.forms' },
  { name: 'first-page', reach: async (page) => openForm(page, await accepted()), shows: '#f-0-1' },
  {
    name: 'errors',
    reach: async (page) => {
      await openForm(page, await accepted());
      await go(page, 'next');
    },
    shows: '.alert',
  },
  {
    name: 'found',
    reach: async (page) => {
      await openForm(page, await accepted());
      await page.fill('[id="f-0-5.find"]', 'Choice 14');
      await page.click('.search button');
    },
    shows: 'input[name="f-0-5"][value=o14]',
  },
  {
    name: 'conditions',
    reach: async (page) => {
      await openForm(page, await accepted());
      await page.check('input[name="f-0-0"][value=true]');
      await go(page, 'refresh');
    },
    shows: '#f-0-4',
  },
  {
    name: 'measures-of-group',
    reach: async (page) => {
      await openForm(page, await accepted());
      await fillFirst(page);
      await go(page, 'next');
    },
    shows: '#f-1-0',
  },
  {
    name: 'rows',
    reach: async (page) => {
      await openForm(page, await accepted());
      await fillFirst(page);
      await go(page, 'next');
      await go(page, 'next');
      await page.fill('#f-2_0-0', 'Alvedon');
      await go(page, 'add:f-2');
      await go(page, 'add:f-2_0-1');
    },
    shows: '#f-2_0-1_1',
  },
  {
    name: 'saved',
    reach: async (page) => {
      await openForm(page, await accepted());
      await go(page, 'save');
    },
    shows: '[role=status]',
  },
  {
    name: 'conflict',
    reach: async (page) => {
      const token = await accepted();
      await openForm(page, token);
      const other = await page.context().newPage();
      await openForm(other, token);
      await go(other, 'save');
      await other.waitForSelector('[role=status]');
      await other.close();
      await fillFirst(page);
      await go(page, 'save');
    },
    shows: '.alert',
  },
  {
    name: 'review-faulty',
    reach: async (page) => {
      await openForm(page, await accepted());
      await go(page, 'next');
      for (let left = 4; left > 0; left -= 1) await go(page, (await page.$('button[value=skip]')) ? 'skip' : 'next');
    },
    shows: 'dd.error',
  },
  {
    name: 'measures',
    reach: async (page) => openForm(page, await accepted(), 1),
    shows: '#f-1-0',
  },
  {
    name: 'unconfirmed',
    reach: async (page) => {
      await openForm(page, await accepted(), 1);
      await page.fill('#f-1-0', '120,5');
      await go(page, 'next');
      await go(page, 'send');
    },
    shows: '#confirm-error',
  },
  {
    name: 'sent',
    reach: async (page) => {
      await openForm(page, await accepted(), 1);
      await page.fill('#f-1-0', '80,5');
      await go(page, 'next');
      await go(page, 'send');
    },
    shows: 'h1:has-text("skick"), h1:has-text("sent")',
  },
];

const definition = PLAN.contained.find(({ resourceType }) => resourceType === 'ObservationDefinition');
const usual = { rangeCategory: 'reference', range: { low: { value: 50 }, high: { value: 90 } } };
Object.assign(definition ?? {}, { qualifiedValue: [usual] });

const VIEWS = [
  { locale: 'sv', colorScheme: 'light', width: 320 },
  { locale: 'en', colorScheme: 'dark', width: 1280 },
] as const;

for (const { locale, colorScheme, width } of VIEWS) {
  test(`every state of a form in ${locale}, ${colorScheme}, ${width} px, without scripts: no finding, no sideways scrolling`, {
    skip,
  }, async () => {
    const options = { locale, colorScheme, viewport: { width, height: 900 }, javaScriptEnabled: false };
    const context = await (browser as Browser).newContext(options);
    // axe is a script: it looks at the same document where scripts may run.
    const watched = await (browser as Browser).newContext({ ...options, javaScriptEnabled: true, bypassCSP: true });
    const [page, copy] = [await context.newPage(), await watched.newPage()];
    for (const state of STATES) {
      await context.clearCookies();
      await state.reach(page);
      await page.waitForSelector(state.shows, { state: 'attached' });
      await page.waitForLoadState();
      if (pictures !== undefined) {
        await mkdir(pictures, { recursive: true });
        await page.screenshot({ path: path.join(pictures, `${state.name}-${locale}.png`), fullPage: true });
      }
      await copy.goto('about:blank');
      await copy.setContent(await page.content());
      assert.deepEqual(await findings(copy), [], state.name);
      const needed = Number(await copy.evaluate('document.documentElement.scrollWidth'));
      assert.ok(needed <= width, `${state.name} needs ${needed} px`);
      assert.equal(page.url(), `${origin}/receipt`, 'no address names the token');
    }
    await watched.close();
    await context.close();
  });
}

test('on a phone a date and its time are beside each other', { skip }, async () => {
  const context = await (browser as Browser).newContext({ locale: 'sv', viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await openForm(page, await accepted());
  await fillFirst(page);
  await go(page, 'next');
  await page.waitForSelector('#f-1-4');
  const tops = await page.$$eval('#f-1-4,[id="f-1-4.time"]', (fields) => fields.map((field) => field.offsetTop));
  assert.equal(tops.length, 2);
  assert.equal(new Set(tops).size, 1);
  await context.close();
});

test('the keyboard alone fills in, saves by Enter, changes the language without losing what was typed, and sends', {
  skip,
}, async () => {
  const context = await (browser as Browser).newContext({ locale: 'sv', javaScriptEnabled: false });
  const page = await context.newPage();
  await openForm(page, await accepted(), 1);
  await page.focus('#f-1-0');
  await page.keyboard.insertText('80,5');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=status]');
  assert.equal(await page.inputValue('#f-1-0'), '80,5');
  await page.fill('#f-1-0', '81,5');
  await page.focus('.bar button.link');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:has-text("Measurements")');
  assert.equal(await page.inputValue('#f-1-0'), '81,5');
  await page.focus('button[value=next]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('button[value=send]');
  await page.focus('#final');
  await page.keyboard.press('Space');
  await page.focus('button[value=send]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:has-text("The answers are sent")');
  await context.close();
});

test('going back and loading again shows a page with what was kept, and no address names the token', {
  skip,
}, async () => {
  const context = await (browser as Browser).newContext({ locale: 'sv' });
  const page = await context.newPage();
  const token = await accepted();
  await page.goto(`${origin}/receipt#${token}`);
  await page.waitForSelector('.forms');
  await page.click('.forms li:nth-child(2) button');
  await page.fill('#f-1-0', '80,5');
  await go(page, 'next');
  await page.waitForSelector('button[value=send]');
  await page.goBack();
  await page.waitForSelector('#f-1-0');
  assert.equal(await page.inputValue('#f-1-0'), '80,5', 'the form as its draft has it');
  await page.reload();
  await page.waitForSelector('#f-1-0');
  await page.goBack();
  await page.waitForSelector('.forms');
  assert.equal(page.url(), `${origin}/receipt`);
  await context.close();
});
