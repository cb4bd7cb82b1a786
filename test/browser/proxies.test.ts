// Proxies in Chromium, both sides at once. They are an invitation that outlives a reload and is sent once, and its last
// day at the end of a year. Also what a proxy does not see, and a right that ends while the proxy looks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkScreen, startConsole } from '#test/support/console/set-up.ts';
import { picture, reload, type SignedIn, settled, type View } from '#test/support/console/visitor.ts';
import { PATIENT_EMAIL } from '../end-to-end/accounts.ts';
import { call } from '../end-to-end/call.ts';
import { register } from '../end-to-end/people.ts';

const { skip, scene, gateway, ...at } = await startConsole({ after });
const VIEW: View = { language: 'sv', colorScheme: 'light', width: 390 };
const PROXY = 'bertil@example.org';
/** On which a moment after midnight in Sweden is the next year. */
const LAST_DAY = `${new Date().getUTCFullYear() + 1}-12-31`;

let patient: SignedIn;
let proxy: SignedIn;
let admin: SignedIn;
/** Of the administrator's question whether the proxy sees the patient. */
let question = '';

before(async () => {
  if (scene === undefined) return;
  await register({ ...scene, secrets: new Set() }, 'Bertil');
  patient = await at.signIn(PATIENT_EMAIL, '/my');
  proxy = await at.signIn(PROXY, '/my');
  const { addresses, accounts } = scene;
  admin = await at.signIn(addresses.admin.email, '/admin', addresses.admin.password);
  const found = await call(`${addresses.identity}/api/admin/user-search?search=${PROXY}`, { token: accounts.admin });
  question = `/admin/access?who=user&guid=${found.body.data[0].user_guid}&what=Patient&id=${accounts.patientGuid}`;
});

test('one is named once, sees what a proxy may see, and is told when it is over', { skip }, async () => {
  const [own, others] = [await at.visitor(VIEW, patient), await at.visitor(VIEW, proxy)];
  const asking = await at.visitor(VIEW, admin);
  const { page } = own;
  await page.goto(`${gateway}/my/proxies`);
  const whom = page.getByLabel('Personnummer eller e-postadress');
  const send = page.getByRole('button', { name: 'Skicka förfrågan' });
  await whom.fill(PATIENT_EMAIL.toUpperCase());
  await page.getByLabel('Sista dagen').fill('2020-01-01');
  await send.click();
  await page.getByText('Du kan inte vara ditt eget ombud.').waitFor();
  await page.getByText('Dagen har redan varit.').waitFor();
  await whom.fill(PROXY);
  await page.getByLabel('Sista dagen').fill(LAST_DAY);
  await reload(page);
  assert.equal(await whom.inputValue(), PROXY, 'what was typed outlives a reload');
  await page.getByText('Personen behöver ett eget konto i Kedja').waitFor();
  const isSent = page.getByText('Förfrågan är skickad.');
  await send.click();
  await isSent.waitFor();
  await page.getByRole('button', { name: 'Avsluta' }).click();
  await isSent.waitFor({ state: 'detached' });
  await whom.fill(PROXY);
  await page.getByLabel('Sista dagen').fill(LAST_DAY);
  await send.click();
  await page.getByText(`Till och med ${LAST_DAY}`).waitFor();
  await whom.fill(PROXY);
  await page.getByLabel('Sista dagen').fill(LAST_DAY);
  await send.click();
  await page.getByText('Du har redan frågat den här personen.').waitFor();
  await checkScreen(page, 'proxies', VIEW.width);
  await picture(page, 'proxy-asked');

  const other = others.page;
  const refused: string[] = [];
  other.on('response', (response) => {
    if (response.status() === 403) refused.push(new URL(response.url()).pathname);
  });
  await other.goto(`${gateway}/my`);
  await other.getByText(`${PATIENT_EMAIL} vill att du är ombud.`).waitFor();
  await other.getByRole('link', { name: 'Svara' }).click();
  await other.getByRole('button', { name: 'Tacka ja' }).waitFor();
  const headings = (seen: typeof page) => seen.getByRole('heading', { level: 2 }).allInnerTexts();
  assert.equal((await headings(other))[0], 'Jag är ombud för', 'an invitation is not below the form');
  assert.equal((await headings(page))[0], 'Mina ombud');
  await other.getByRole('button', { name: 'Tacka ja' }).click();
  await other.getByRole('button', { name: `Se uppgifter om ${PATIENT_EMAIL}` }).click();
  await other.getByText(`Du ser uppgifter om Astrid Berg (${PATIENT_EMAIL})`).waitFor();
  await other.goto(`${gateway}/my/carers`);
  await other.getByText('Har tagit på sig vården').waitFor();
  assert.equal(await other.getByText('Du är registrerad hos').count(), 0, 'the proxy’s own unit is not the patient’s');
  await other.getByRole('button', { name: 'Meny' }).click();
  await other.getByRole('link', { name: 'Mina värden' }).waitFor();
  for (const name of ['Samtycken', 'Ombud']) assert.equal(await other.getByRole('link', { name }).count(), 0, name);

  assert.deepEqual(refused, [], 'the console asks for nothing that a proxy may not see');

  await asking.page.goto(`${gateway}${question}`);
  const records = asking.page.getByRole('region', { name: 'Uppdrag och vårdplaner' });
  await records.getByRole('heading', { name: 'Som ombud för' }).waitFor();
  await records.getByText(`Får läsa. Till och med ${LAST_DAY}.`).waitFor();
  await checkScreen(asking.page, 'access-proxy', VIEW.width);
  await picture(asking.page, 'access-proxy');

  await page.reload();
  await page.getByRole('button', { name: 'Avsluta' }).click();
  await page.getByText('Du har inget ombud.').waitFor();
  await other.goto(`${gateway}/my/plan`);
  const dialog = other.getByRole('dialog');
  await dialog.getByText(`Du är inte längre ombud för ${PATIENT_EMAIL}`).waitFor();
  await checkScreen(other, 'ended', VIEW.width);
  await picture(other, 'proxy-ended');
  const back = dialog.getByRole('button', { name: 'Tillbaka till mina egna uppgifter' });
  const isWhole = await back.locator('.mantine-Button-label').evaluate((text) => text.scrollWidth <= text.clientWidth);
  assert.ok(isWhole, 'what a button says is not cut off');
  await back.click();
  await other.waitForURL(`${gateway}/my`);
  await settled(other);
  assert.equal(await other.getByText('Du ser uppgifter om').count(), 0);
  await asking.page.reload();
  await records.getByText('Patienten har avslutat ombudets rätt.').waitFor();
  for (const each of [own, others, asking]) await each.leave();
});

test('a part of the first screen that fails is asked for once, and the others are shown', { skip }, async () => {
  const { page, context } = await at.visitor(VIEW, proxy);
  const asked = new Map<string, number>();
  for (const address of ['/api/patient/proxies', '/api/v1/notifications?']) {
    await context.route(
      (url) => url.href.includes(address),
      (route) => {
        asked.set(address, (asked.get(address) ?? 0) + 1);
        return route.fulfill({ status: 403, json: { error: 'forbidden', message: 'no' } });
      },
    );
  }
  // The gateway renders no first view of an address with a query: the browser asks.
  await page.goto(`${gateway}/my?asked=here`);
  await page.getByRole('heading', { name: 'Att göra' }).waitFor();
  await settled(page);
  assert.deepEqual([...asked.values()], [1, 1]);
  await context.close();
});
