// The form builder in Chromium, with the whole system. Somebody without technical knowledge makes a form by clicks and
// by the keyboard, and sees it beside. They publish it and give it with a request. Two who change the same form are
// notified.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { checkScreen, startConsole } from '#test/support/console/set-up.ts';
import { picture, reload, settled } from '#test/support/console/visitor.ts';
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
  const { page, leave } = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 });
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
  await reload(page);
  await settled(page);
  assert.deepEqual(await titles(page), before, 'nothing is lost by a reload');
  await page.goto(`${gateway}/plan/forms/new`);
  await settled(page);
  assert.equal(await page.getByLabel('Formulärets namn').inputValue(), '', 'a second one begins empty');
  await page.getByLabel('Formulärets namn').fill('Ett till');
  await page.goto(`${gateway}/plan/library/forms`);
  await settled(page);
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-unsaved');
  await button(page, 'Kasta …: Ett till').click();
  await button(page, 'Kasta').click();
  await button(page, 'Kasta …: Ett till').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Hälsosamtal', exact: true }).click();
  await page.locator('.item-title').nth(5).waitFor();
  assert.deepEqual(await titles(page), before, 'the first one is as it was');

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
  await leave();
});

test('a code list is found by typing, and its codes when it is answered; two who change a form are told', {
  skip,
}, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await visitor({ language: 'en', colorScheme: 'dark', width: 320 });
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
  await leave();
});

/** A new form of that name, in a wide window of its own. */
async function beginForm(name: string): ReturnType<typeof visitor> {
  const visit = await visitor({ language: 'sv', colorScheme: 'light', width: 1280 });
  await visit.page.goto(`${gateway}/plan/forms/new`);
  await settled(visit.page);
  await visit.page.getByLabel('Formulärets namn').fill(name);
  return visit;
}

const section = (page: Page, name: string) => page.locator('.item-editor summary', { hasText: name });

test('answers are prefilled, calculated and demanded, on scales and in tables, and the form beside does so at once', {
  skip,
}, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await beginForm('Smärta');
  const preview = page.locator('#preview');

  await add(page, 'Heltal', 'Smärta i vila');
  await labelled(page, 'Minst').fill('0');
  await section(page, 'Hjälp och utseende').click();
  await labelled(page, 'Hur svaret ges').selectOption({ label: 'Skala att dra i' });
  await page.getByText('En skala behöver både minst och högst').waitFor();
  await labelled(page, 'Högst').fill('10');
  await labelled(page, 'Hjälptext (frivilligt)').fill('0 är ingen smärta.');
  await labelled(page, 'Sida att läsa mer på (frivilligt)').fill('https://www.1177.se/smarta');
  await section(page, 'Förifyllt svar').click();
  await labelled(page, 'Vad står där från början?').selectOption({ label: 'Ett svar som jag skriver' });
  await labelled(page, 'Förifyllt svar').fill('två');
  await page.getByText('Det förifyllda svaret passar inte frågan.').waitFor();
  await labelled(page, 'Förifyllt svar').fill('2');
  assert.deepEqual(await findings(page), []);
  await preview.getByText('0 är ingen smärta.').waitFor();
  await preview.getByRole('link', { name: 'Läs mer på 1177.se' }).waitFor();
  const rest = preview.getByRole('slider', { name: /^Smärta i vila/ });

  await add(page, 'Heltal', 'Smärta i rörelse');
  await section(page, 'Fler krav på svaret').click();
  await button(page, 'Lägg till ett krav').click();
  await labelled(page, 'Uttryck som ska stämma').fill('answer.all(value <= ');
  await page.getByText('Uttrycket går inte att läsa. Något är fel vid tecken').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-unreadable');
  await labelled(page, 'Uttryck som ska stämma').fill('answer.all(value <= 10)');
  await page.getByText('Uttrycket går inte att läsa.').waitFor({ state: 'detached' });
  await labelled(page, 'Meddelande').fill('Svara från 0 till 10.');

  await add(page, 'Heltal', 'Tillsammans');
  await section(page, 'Räkna ut svaret').click();
  await labelled(page, 'Hur kommer svaret till?').selectOption({ label: 'Summan av andra svar' });
  await labelled(page, 'Smärta i vila').check();
  await labelled(page, 'Smärta i rörelse').check();
  await page.getByText('Svaret blir summan av ”Smärta i vila”, ”Smärta i rörelse”.').waitFor();
  await add(page, 'Kort text', 'Vad hjälper?');
  await labelled(page, 'Måste besvaras').check();
  await labelled(page, 'Visa enligt ett eget uttryck').check();
  // The names of questions are the builder's own, so the expression counts what is answered.
  await labelled(page, 'Uttryck som ska vara sant').fill(
    '%resource.repeat(item).answer.value.ofType(integer).max() > 5',
  );
  await page.getByText('Uttrycket läser inga andra frågor. Det använder: det högsta.').waitFor();
  await picture(page, 'forms-expression');

  await button(page, 'Börja om').click();
  await eventually('it begins with the first value', async () =>
    (await rest.inputValue()) === '2' ? true : undefined,
  );
  await rest.press('ArrowRight');
  await preview.getByLabel(/^Smärta i rörelse/).fill('12');
  const total = preview.getByLabel('Tillsammans');
  await eventually('it is calculated', async () => ((await total.inputValue()) === '15' ? true : undefined));
  assert.ok(await total.isDisabled());
  await preview.getByLabel('Vad hjälper?').waitFor();
  await button(page, 'Kontrollera svaren').click();
  await preview.getByRole('alert').getByText('Svara från 0 till 10.').waitFor();
  await preview.getByRole('alert').getByText('Vad hjälper? Fyll i ett svar.').waitFor();
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-calculated');
  await preview.getByLabel(/^Smärta i rörelse/).fill('1');
  await preview.getByLabel('Vad hjälper?').waitFor({ state: 'detached' });
  await eventually('it is calculated again', async () => ((await total.inputValue()) === '4' ? true : undefined));
  await button(page, 'Kontrollera svaren').click();
  await preview.getByText('Svaren kan skickas som de är.').waitFor();

  await add(page, 'Grupp av frågor', 'Läkemedel');
  await labelled(page, 'Kan fyllas i flera gånger').check();
  await section(page, 'Hjälp och utseende').click();
  await labelled(page, 'Hur svaret ges').selectOption({ label: 'Tabell med en rad för varje gång' });
  await add(page, 'Kort text', 'Namn', 'Lägg till en fråga i Läkemedel');
  await add(page, 'Datum', 'Sedan', 'Lägg till en fråga i Läkemedel');
  await section(page, 'Förifyllt svar').click();
  await labelled(page, 'Vad står där från början?').selectOption({ label: 'Dagen då formuläret öppnas' });
  await button(page, 'Börja om').click();
  await preview.getByRole('table').getByRole('columnheader', { name: 'Namn' }).waitFor({ state: 'attached' });
  const since = preview.getByLabel(/^Sedan/);
  await eventually('the day is there', async () =>
    /^\d{4}-\d\d-\d\d$/.test(await since.first().inputValue()) ? true : undefined,
  );
  await button(page, 'Lägg till: Läkemedel').click();
  await eventually('the new row begins with the day, too', async () =>
    (await since.count()) === 2 && (await since.nth(1).inputValue()) !== '' ? true : undefined,
  );
  assert.deepEqual(await findings(page), []);
  await picture(page, 'forms-settings');
  await button(page, 'Publicera …').click();
  await button(page, 'Publicera').click();
  await page.getByText('Formuläret är publicerat.').waitFor();
  const id = page.url().split('/').at(-1) ?? '';
  const { addresses, accounts } = scene;
  const { body: form } = await call(`${addresses.dispatch}/Form/${id}`, { token: accounts.planner });
  const [first, second, third, fourth, group] = form.render_ready.items;
  assert.deepEqual([first.control, first.initial], ['slider', [{ valueInteger: 2 }]]);
  assert.equal(second.constraints[0].message, 'Svara från 0 till 10.');
  assert.match(third.calculated, /sum\(\)$/);
  assert.ok(third.read_only && fourth.enable_expression !== undefined && group.control === 'gtable');
  const { body: outcome } = await call(`${addresses.engine}/Questionnaire/${id}/$validate`, {
    token: accounts.planner,
  });
  const severities = outcome.issue.map(({ severity }: { severity: string }) => severity);
  assert.ok(!severities.includes('error') && !severities.includes('fatal'), JSON.stringify(outcome));
  await leave();

  for (const width of [1280, 390]) {
    const reader = await visitor({ language: 'sv', colorScheme: width === 390 ? 'light' : 'dark', width });
    await reader.page.goto(`${gateway}/plan/forms/${id}`);
    await settled(reader.page);
    await reader.page.locator('#preview').getByRole('slider').waitFor();
    await reader.page.getByRole('button', { name: /^Tillsammans/ }).click();
    assert.deepEqual(await findings(reader.page), []);
    await picture(reader.page, `forms-settings-${width}`);
    await checkScreen(reader.page, 'a form with settings', width);
    assert.deepEqual(reader.complaints, []);
    await reader.context.close();
  }
});

test('an expression that never ends does not hold up the page, and the form is filled in without it', {
  skip,
}, async () => {
  assert.ok(scene !== undefined);
  const { page, leave } = await beginForm('Utan slut');
  await add(page, 'Kort text', 'Ord');
  await section(page, 'Fler krav på svaret').click();
  await button(page, 'Lägg till ett krav').click();
  await labelled(page, 'Uttryck som ska stämma').fill(`'${'a'.repeat(60)}!'.matches('^(a+)+$')`);
  await labelled(page, 'Meddelande').fill('Aldrig.');
  const word = page.locator('#preview').getByLabel(/^Ord/);
  await word.fill('ett');
  assert.equal(await word.inputValue(), 'ett', 'the page answers while the worker does not');
  await word.fill('ett ord');
  await eventually('it is given up', async () => {
    await button(page, 'Kontrollera svaren').click();
    return (await page.getByText('Svaren kan skickas som de är.').count()) === 1 ? true : undefined;
  });
  assert.equal(await word.inputValue(), 'ett ord');
  await leave();
});
