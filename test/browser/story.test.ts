// The main job by clicks. Four people use four browsers at once. A nurse requests access and gets it, and a planner
// sends a request. The nurse performs and reports it, and planner and patient have the result. What others do appears
// without a reload. In Swedish on a wide screen, in English on a phone, and by the keyboard alone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { startConsole } from '#test/support/console/set-up.ts';
import { fillIn, picture, type SignedIn, type View } from '#test/support/console/visitor.ts';
import { makeOrganisation, PASSWORD, PATIENT_EMAIL } from '../end-to-end/accounts.ts';
import { call } from '../end-to-end/call.ts';

const { skip, scene, gateway, ...at } = await startConsole({ after });
const NOBODY: SignedIn = { cookies: [], origins: [] };
/** More than any page of the story has places for the focus. */
const MOST_TABS = 250;
/** More than any group of radio buttons has. */
const MOST_CHOICES = 20;

let states: Readonly<Record<'admin' | 'planner' | 'patient', SignedIn>>;
/** Of the nurses: its requests come to the engine's inbox. */
let unit = '';

before(async () => {
  if (scene === undefined) return;
  const { addresses, accounts, library } = scene;
  unit = await makeOrganisation(addresses, accounts.admin, 'Hemsjukvården Syd');
  await call(`${addresses.identity}/api/admin/organisations/${unit}/provider`, {
    method: 'PUT',
    token: accounts.admin,
    json: { provider_guid: library.hosted },
  });
  const { email, password } = addresses.admin;
  states = {
    admin: await at.signIn(email, '/admin', password),
    planner: await at.signIn('karin.lind@example.org', '/plan'),
    patient: await at.signIn(PATIENT_EMAIL, '/my'),
  };
});

interface Manner {
  readonly name: string;
  readonly view: View;
  readonly isByKeyboard?: boolean;
  readonly last: string;
  readonly weight: string;
}

const MANNERS: readonly Manner[] = [
  {
    name: 'in Swedish',
    view: { language: 'sv', colorScheme: 'light', width: 1280 },
    last: 'Alm',
    weight: '77,5',
  },
  {
    name: 'in English on a phone',
    view: { language: 'en', colorScheme: 'dark', width: 390 },
    last: 'Berg',
    weight: '78.25',
  },
  {
    name: 'by the keyboard alone',
    view: { language: 'sv', colorScheme: 'light', width: 1280 },
    isByKeyboard: true,
    last: 'Ceder',
    weight: '76,5',
  },
];

for (const manner of MANNERS) {
  test(`from the access request to the result, four people at once, ${manner.name}`, { skip }, async () => {
    const { view, last, weight } = manner;
    const say = await textsOf(view.language);
    const [admin, planner, patient, nurse] = await Promise.all([
      at.visitor(view, states.admin),
      at.visitor(view, states.planner),
      at.visitor(view, states.patient),
      at.visitor(view, NOBODY),
    ]);
    const hand = handOf(manner);
    const email = `sara.${last.toLowerCase()}@example.org`;
    await Promise.all([admin.page.goto(`${gateway}/admin`), patient.page.goto(`${gateway}/my/values`)]);

    await askForAccess(nurse.page, view, { email, last });
    await hand.press(admin.page.getByRole('button', { name: say('admin.queue.approveOf', { name: `Sara ${last}` }) }));
    const decide = say('admin.decide.now.approved_one');
    await hand.press(admin.page.getByRole('dialog').getByRole('button', { name: decide, exact: true }));
    await admin.page.getByRole('dialog').waitFor({ state: 'detached' });
    await nurse.page.click('main a');
    await fillIn(nurse.page, email, PASSWORD);
    await nurse.page.waitForURL(/\/care/);

    const request = await sendRequest(planner.page, hand, say);
    await picture(planner.page, `story-${view.language}-sent`);
    const task = nurse.page.locator('a[href^="/care/tasks/"]').first();
    await hand.press(task);
    await hand.press(nurse.page.getByRole('button', { name: say('caregiver.task.accept'), exact: true }));
    await planner.page.getByText(say('planner.match.accepted')).first().waitFor();

    await report(nurse.page, { hand, say, weight });
    await picture(nurse.page, `story-${view.language}-reported`);
    await planner.page.getByText(weight).first().waitFor();
    await patient.page.getByText(weight).first().waitFor();
    await picture(patient.page, `story-${view.language}-patient`);
    await patient.page.goto(`${gateway}/my/carers`);
    await patient.page.getByText('Region Norr').first().waitFor();
    assert.ok(planner.page.url().endsWith(request), 'nobody reloaded');
    for (const each of [admin, planner, patient, nurse]) await each.leave();
  });
}

/** Identity's pages: the unit, the leader, and the form. */
async function askForAccess(page: Page, { language }: View, who: { email: string; last: string }): Promise<void> {
  await page.goto(`${gateway}/auth/login?page=access-request&lang=${language}`);
  await page.click(`.choices a[href*="${unit}"]`);
  await page.click('.choices a');
  await page.fill('#first_name', 'Sara');
  await page.fill('#last_name', who.last);
  await page.fill('#email', who.email);
  await page.check('input[name=professional_role][value=nurse]');
  await page.check('input[name=requested_phases][value=execution]');
  await page.fill('#password', PASSWORD);
  await page.fill('#password_again', PASSWORD);
  await page.click('form[method=post] button');
  await page.waitForURL(/\/access-request\/done/);
}

/** From the patient's plan to the request that is sent; returns the path of its page. */
async function sendRequest(page: Page, hand: Hand, say: Say): Promise<string> {
  const press = (key: string) => hand.press(page.getByRole('button', { name: say(key), exact: true }).first());
  await page.goto(`${gateway}/plan/patients`);
  await hand.type(page.getByLabel(say('planner.patients.sought')), '900118-9811');
  await press('planner.patients.search');
  await page.waitForSelector('h1:has-text("Astrid Berg")');
  await hand.press(page.getByRole('link', { name: say('planner.patient.tab.plans'), exact: true }));
  await press('planner.plans.request');
  await page.waitForURL(/\/plan\/requests\/[0-9a-f-]{36}$/);
  await hand.choose(page.getByLabel(say('planner.forms.add')), 'Andning');
  await press('planner.forms.attach');
  await press('planner.ready.finalize');
  await press('planner.ready.finalizeNow');
  await press('planner.recipients.find');
  await hand.press(page.getByRole('button', { name: say('planner.push.send_other', { count: '2' }) }));
  await press('planner.push.now');
  await page.getByText(say('planner.match.pushed')).first().waitFor();
  return new URL(page.url()).pathname;
}

async function report(page: Page, { hand, say, weight }: { hand: Hand; say: Say; weight: string }): Promise<void> {
  const press = (key: string) => hand.press(page.getByRole('button', { name: say(key), exact: true }));
  await hand.press(page.getByRole('link', { name: say('caregiver.task.report'), exact: true }));
  await hand.type(page.getByLabel('Vikt varje morgon'), weight);
  await press('caregiver.report.next');
  await hand.mark(page.getByLabel('Bra', { exact: true }));
  await press('caregiver.report.next');
  await hand.mark(page.getByLabel(say('caregiver.report.final')));
  await press('caregiver.report.send');
  await page.getByText(say('caregiver.task.completed')).waitFor();
}

/** How somebody works a page: with a pointer, or with nothing but keys. */
interface Hand {
  press(what: Locator): Promise<void>;
  type(into: Locator, text: string): Promise<void>;
  mark(box: Locator): Promise<void>;
  choose(list: Locator, label: string): Promise<void>;
}

function handOf({ isByKeyboard = false }: Manner): Hand {
  if (!isByKeyboard) {
    return {
      press: (what) => what.click(),
      type: (into, text) => into.fill(text),
      mark: (box) => box.check(),
      choose: async (list, label) => void (await list.selectOption({ label })),
    };
  }
  const keys = (target: Locator) => target.page().keyboard;
  return {
    async press(what) {
      await tabTo(what);
      await keys(what).press('Enter');
    },
    async type(into, text) {
      await tabTo(into);
      await keys(into).type(text);
    },
    async mark(box) {
      const name = await box.getAttribute('name');
      await tabTo((await box.getAttribute('type')) === 'radio' ? await radioOf(box, name) : box);
      await keys(box).press('Space');
      // Within a group of radio buttons the arrows go on.
      for (let presses = 0; presses < MOST_CHOICES && !(await box.isChecked()); presses += 1)
        await keys(box).press('ArrowDown');
      assert.ok(await box.isChecked());
    },
    async choose(list, label) {
      await tabTo(list);
      await keys(list).type(label);
    },
  };
}

/** The radio button at which a group takes the focus: the checked one, or else the first. */
async function radioOf(box: Locator, name: string | null): Promise<Locator> {
  const group = box.page().locator(`input[type=radio][name="${name}"]`);
  const checked = group.and(box.page().locator(':checked'));
  return (await checked.count()) > 0 ? checked : group.first();
}

/** Presses Tab until the focus is there. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor();
  const page = target.page();
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab never reached ${target} on ${page.url()}`);
}

/** Reads a text of the console by its key, with its values put in. */
type Say = (key: string, values?: Readonly<Record<string, string>>) => string;

async function textsOf(language: string): Promise<Say> {
  const faces = ['plan', 'caregiver', 'admin'];
  const files = await Promise.all(
    faces.map((face) => readFile(new URL(`../../console/src/${face}/texts/${language}.json`, import.meta.url), 'utf8')),
  );
  const texts: unknown = Object.assign({}, ...files.map((file) => JSON.parse(file) as object));
  return (key, values = {}) => {
    const found = key.split('.').reduce((part: unknown, name) => Object(part)[name], texts);
    assert.ok(typeof found === 'string', key);
    return Object.entries(values).reduce((text, [name, value]) => text.replace(`{{${name}}}`, value), found);
  };
}
