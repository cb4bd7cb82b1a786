// The form builder in Chromium, with the whole system: somebody without technical knowledge makes a form by clicks and
// by the keyboard, sees it beside, publishes it, and gives it with a request; two who change the same form are told.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { checkScreen, startConsole } from '#test/support/console/set-up.ts';
import { picture, settled } from '#test/support/console/visitor.ts';
import { eventually } from '#test/support/http.ts';
import { findings } from '#test/support/system/browser.ts';
import { call } from '../end-to-end/call.ts';

const person = { email: 'karin.lind@example.org', home: '/plan' };
const { skip, scene, gateway, visitor } = await startConsole({ after }, person);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const labelled = (page: Page, label: string) => page.locator('.item-editor').getByLabel(label, { exact: true });

/** Adds an item to the form, or to the group. */
async function add(page: Page, kind: string, text: string, to = 'Lägg till en fråga'): Promise<void> {
  await button(page, to).click();
  await page.getByRole('dialog').locator(`button:has(strong:text-is("${kind}"))`).click();
  // The new question has the focus.
  await page.locator('.item-editor input:focus, .item-editor textarea:focus').waitFor();
  await page.keyboard.type(text);
}

const titles = (page: Page) => page.locator('.item-title > span:first-child').allTextContents();

test('a form is made by somebody without technical knowledge, and published', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, context, complaints } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 });
  await page.goto(`${gateway}/plan/library/forms`);
  await settled(page);
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-list');
  await page.getByRole('link', { name: 'Gör ett nytt formulär' }).click();
  await page.getByLabel('Formulärets namn').fill('Hälsosamtal');
  const preview = page.locator('#preview');

  await button(page, 'Lägg till en fråga').click();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-kinds');
  await page.keyboard.press('Escape');
  await add(page, 'Ja eller nej', 'Röker du?');
  await labelled(page, 'Måste besvaras').check();
  await add(page, 'Välj bland svar', 'Vad röker du?');
  await labelled(page, 'Svar 1').fill('Cigaretter');
  await labelled(page, 'Svar 2').fill('Pipa');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Annat');
  await labelled(page, 'Flera svar får väljas').check();
  await button(page, 'Visa bara ibland').click();
  await labelled(page, 'Fråga').selectOption({ label: 'Röker du?' });
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-rule');
  await add(page, 'Grupp av frågor', 'Mått');
  await add(page, 'Mätvärde med enhet', 'Vikt', 'Lägg till en fråga i Mått');
  await labelled(page, 'Lägg till en enhet').locator('option').nth(1).waitFor({ state: 'attached' });
  await labelled(page, 'Lägg till en enhet').selectOption({ index: 1 });
  await labelled(page, 'Minst').fill('30,5');
  await labelled(page, 'Högst').fill('20');
  await page.getByText('Det högsta är lägre än det minsta.').waitFor();
  await labelled(page, 'Högst').fill('300');
  await add(page, 'Kort text', 'Postnummer');
  await labelled(page, 'Hur ska det skrivas?').selectOption({ label: 'Postnummer' });
  await add(page, 'Datum', 'När började det?');

  assert.equal(await preview.getByText('Cigaretter').count(), 0, 'it is shown only to who smokes');
  await preview.getByRole('group', { name: 'Röker du?' }).getByText('Ja').click();
  await preview.getByLabel('Cigaretter').check();
  await button(page, 'Kontrollera svaren').click();
  await preview.getByText('Svaren kan skickas som de är.').waitFor();

  // By the keyboard alone: into the group and out of it.
  await page.getByRole('button', { name: /^När började det\?/ }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  await eventually('it is in the group', async () =>
    (await page.locator('.items .items .item-title:has-text("När började det?")').count()) === 1 ? true : undefined,
  );
  await button(page, 'Flytta upp: Postnummer').click();
  await button(page, 'Flytta upp: Postnummer').click();
  // And by dragging: the last of the group to the beginning.
  await page
    .locator('.handle')
    .first()
    .dragTo(page.locator('.item-row').nth(1), { targetPosition: { x: 40, y: 60 } });
  await eventually('it was moved', async () => ((await titles(page))[0] === 'Vad röker du?' ? true : undefined));
  await button(page, 'Ångra').click();
  await eventually('it is undone', async () => ((await titles(page))[0] === 'Röker du?' ? true : undefined));
  const before = await titles(page);
  await page.reload();
  await settled(page);
  assert.deepEqual(await titles(page), before, 'nothing is lost by a reload');

  await page.getByLabel('Också på engelska').check();
  await button(page, 'Publicera …').click();
  await page.getByRole('alert').getByText('Översättningen saknas.').first().waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-missing');
  await page.getByLabel('Formulärets namn på engelska').fill('Health talk');
  await page.getByLabel('Också på engelska').uncheck();
  await page.getByLabel('Formulärets namn på engelska').waitFor({ state: 'detached' });
  await button(page, 'Spara utkast').click();
  await page.getByText('Utkastet är sparat.').waitFor();
  await page.waitForURL(/\/plan\/forms\/[0-9a-f-]{36}$/);
  await page.locator('.item-title').nth(5).waitFor();
  await button(page, 'Publicera …').click();
  await button(page, 'Publicera').click();
  await page.getByText('Formuläret är publicerat.').waitFor();
  await picture(page, 'forms-published');

  const id = page.url().split('/').at(-1) ?? '';
  const { addresses, accounts, request } = scene;
  const as = { token: accounts.planner };
  const { body: form } = await call(`${addresses.dispatch}/Form/${id}`, as);
  assert.deepEqual([form.title, form.status, form.version], ['Hälsosamtal', 'active', '1']);
  assert.equal(form.render_ready.translations, undefined);
  const json = { careplan_guid: request.carePlan };
  const { body: draft } = await call(`${addresses.dispatch}/ServiceRequest`, { ...as, json, expect: 201 });
  await page.goto(`${gateway}/plan/requests/${draft.id}`);
  await page.getByLabel('Lägg till ett formulär').selectOption({ label: 'Hälsosamtal' });
  await button(page, 'Lägg till').click();
  await page.getByRole('button', { name: 'Ta bort: Hälsosamtal' }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a code list is found by typing, and its codes when it is answered; two who change a form are told', {
  skip,
}, async () => {
  assert.ok(scene !== undefined);
  const { page, context, complaints } = await visitor({ language: 'en', colorScheme: 'dark', width: 320 });
  const { addresses, accounts } = scene;
  const id = 'form-of-two';
  const url = `${addresses.engine}/Questionnaire/${id}`;
  const item = [{ linkId: 'a', type: 'string', text: 'First <b>bold</b>' }];
  const stored = {
    resourceType: 'Questionnaire',
    id,
    status: 'active',
    version: '1',
    title: 'Two at once',
    language: 'en',
    item,
  };
  await call(url, { token: accounts.planner, method: 'PUT', json: stored, expect: 201 });
  await page.goto(`${gateway}/plan/forms/${id}`);
  await settled(page);
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Add a question', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Choose among answers' }).click();
  await page.keyboard.type('Sex');
  await page.getByLabel('In a code list').check();
  await page.getByRole('combobox', { name: 'Find a code list' }).fill('administrativegen');
  await page.getByRole('option', { name: 'AdministrativeGender' }).first().waitFor();
  assert.deepEqual(await findings(page), []);
  await page.keyboard.press('Enter');
  await page.getByText('The list has, among others: Male').waitFor();
  const answer = page.locator('#preview').getByRole('combobox', { name: 'Sex (optional)' });
  await answer.fill('fem');
  await page.getByRole('option', { name: /^Female/ }).waitFor();
  await page.getByRole('option', { name: /^Male/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  assert.equal(await answer.inputValue(), 'Female');
  await picture(page, 'forms-code-list');
  await checkScreen(page, 'the builder', 320);

  const theirs = { ...stored, title: 'Theirs', item: [{ ...item[0], required: true }] };
  await call(url, { token: accounts.planner, method: 'PUT', json: theirs });
  await page.getByRole('button', { name: 'Publish the change …' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Somebody else has changed the form').waitFor();
  await page.getByText('Only in yours: ”Sex”').waitFor();
  await page.getByText('Different: ”First <b>bold</b>”').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-conflict');
  await page.getByRole('button', { name: 'Keep mine and save' }).click();
  await page.getByText('The form is published.').waitFor();
  const { body: now } = await call(url, { token: accounts.planner });
  assert.deepEqual([now.title, now.version, now.item.length], ['Two at once', '2', 2]);
  await page.goto(`${gateway}/plan/library/forms`);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Two at once' })
    .getByRole('button', { name: 'Take out of use …' })
    .click();
  await page.getByRole('button', { name: 'Take out of use', exact: true }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Two at once' })
    .getByText('Out of use', { exact: true })
    .waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});
