// The face of leaders and administrators in Chromium, with the whole system: every screen in both languages and themes,
// and the errands by clicks: a leader decides about two memberships, an administrator about many requests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkScreen, FACE_VIEWS, startConsole, walkScreens } from '#test/support/console/set-up.ts';
import { picture, type SignedIn } from '#test/support/console/visitor.ts';
import { admitProfessional, PASSWORD } from '../end-to-end/accounts.ts';
import { call } from '../end-to-end/call.ts';

const { skip, scene, gateway, ...at } = await startConsole({ after });

interface Cast {
  readonly admin: SignedIn;
  /** Leads the group, and is no administrator. */
  readonly leader: SignedIn;
  /** A nurse, and the group. */
  readonly user: string;
  readonly group: string;
}
let cast: Cast;

before(async () => {
  if (scene === undefined) return;
  const { addresses, accounts } = scene;
  const { identity } = addresses;
  const as = { token: accounts.admin };
  const proposal = { name: 'Sårvård <i>', group_type: 'team' };
  const proposed = await call(`${identity}/api/groups/proposals`, {
    token: accounts.planner,
    json: proposal,
    expect: 201,
  });
  const { body: group } = await call(`${identity}/api/admin/group-proposals`, {
    ...as,
    json: { proposal_guid: proposed.body.proposal_guid, decision: 'approved' },
  });
  for (const [email, first, last] of [
    ['eva.holm@example.org', 'Eva', 'Holm'],
    ['nils.ek@example.org', 'Nils', 'O’Ek <b>'],
  ] as const) {
    const applicant = {
      email,
      name: [first, last],
      role: 'nurse',
      organisation: accounts.organisationGuid,
      phases: [],
    };
    const token = await admitProfessional(addresses, accounts.admin, { ...applicant, name: [first, last] });
    const json = { group_guid: group.group_guid };
    await call(`${identity}/api/groups/request-membership`, { token, json, expect: 201 });
  }
  const planner = {
    token: accounts.stranger,
    json: { name: 'Nattpatrullen', group_type: 'team', description: 'Nätter' },
  };
  await call(`${identity}/api/groups/proposals`, { ...planner, expect: 201 });
  await call(`${identity}/api/groups/request-admin`, {
    token: accounts.stranger,
    json: { group_guid: group.group_guid },
    expect: 201,
  });
  const { email, password } = addresses.admin;
  const leaders = (await call(`${identity}/api/public/group-leaders`)).body;
  for (const last of ['Alm', 'Borg', 'Cederlund']) await ask(last, leaders[0].user_guid);
  const [admin, leader] = [
    await at.signIn(email, '/admin', password),
    await at.signIn('karin.lind@example.org', '/plan'),
  ];
  const found = await call(`${identity}/api/admin/user-search?search=nils.ek`, as);
  cast = { admin, leader, user: found.body.data[0].user_guid, group: group.group_guid };
});

async function ask(last: string, leader: string): Promise<void> {
  const json = {
    email: `${last}@example.org`,
    password: PASSWORD,
    first_name: 'Ada',
    last_name: last,
    professional_role: 'doctor',
    organisation_guid: scene?.accounts.organisationGuid,
    requested_phases: ['planning', 'analysis'],
    chosen_leader_guid: leader,
  };
  await call(`${scene?.addresses.identity}/api/public/access-request`, { json, expect: 201 });
}

for (const view of FACE_VIEWS) {
  test(`an administrator's screens in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const opened = await at.visitor(view, cast.admin);
    const { user, group } = cast;
    const screens = [
      ...['/admin', '/admin?kind=access_request&days=7&order=newest', '/admin?q=Alm'],
      ...['/admin/users', '/admin/users?type=patient&state=active', `/admin/users?q=Ek&user=${user}`],
      ...['/admin/groups', `/admin/groups/${group}`, '/admin/organisations', '/account/join?invite=x'],
    ];
    await walkScreens(opened, { gateway, view, screens });
    await opened.context.close();
  });
}

test('a leader approves one membership and rejects another, and sees no more than that', { skip }, async () => {
  const { page, context, complaints } = await at.visitor(
    { language: 'sv', colorScheme: 'light', width: 390 },
    cast.leader,
  );
  await page.goto(`${gateway}/plan`);
  await page.getByRole('button', { name: 'Meny' }).click();
  await page.getByRole('link', { name: 'Att besluta' }).click();
  await page.waitForSelector('text=Nils O’Ek <b>');
  assert.equal(await page.locator('main .cards > li').count(), 2);
  await page.getByRole('button', { name: 'Godkänn Eva Holm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 person blir medlem i sin grupp').waitFor();
  await checkScreen(page, 'approval', 390);
  await picture(page, 'admin-approve');
  await dialog.getByRole('button', { name: 'Godkänn' }).click();
  await page.waitForSelector('text=1 begäran är godkänd.');
  await page.getByRole('button', { name: 'Avslå Nils O’Ek <b>' }).click();
  await dialog.getByLabel('Skäl (frivilligt)').fill('Fel <grupp>');
  await page.reload();
  await page.getByRole('button', { name: 'Avslå Nils O’Ek <b>' }).click();
  assert.equal(await dialog.getByLabel('Skäl (frivilligt)').inputValue(), 'Fel <grupp>', 'what was typed is kept');
  await dialog.getByRole('button', { name: 'Avslå' }).click();
  await page.waitForSelector('text=Ingenting väntar på beslut.');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('an administrator decides about many at once, some of which somebody else was first with', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, context, complaints } = await at.visitor(
    { language: 'sv', colorScheme: 'dark', width: 1280 },
    cast.admin,
  );
  await page.goto(`${gateway}/admin`);
  await page.getByLabel('Vad det gäller').selectOption({ label: 'Begäran om åtkomst (3)' });
  await page.waitForURL(/kind=access_request/);
  await page.waitForSelector('text=3 väntar');
  await page.getByRole('button', { name: 'Markera alla på sidan' }).click();
  await page.getByRole('button', { name: 'Godkänn …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 konton skapas').waitFor();
  await dialog.getByText('6 arbetsområden').waitFor();
  await checkScreen(page, 'bulk approval', 1280);
  await picture(page, 'admin-bulk');
  const { identity } = scene.addresses;
  const as = { token: scene.accounts.admin };
  const open = (await call(`${identity}/api/admin/access-requests`, as)).body;
  const theirs = open.find(({ last_name }: { last_name: string }) => last_name === 'Borg');
  await call(`${identity}/api/admin/access-requests`, {
    ...as,
    json: { access_request_guid: theirs.access_request_guid, decision: 'rejected' },
  });
  await dialog.getByRole('button', { name: 'Godkänn 3' }).click();
  await dialog.getByText('Ada Borg').waitFor();
  await page.getByRole('heading', { name: '2 beslut är fattade' }).waitFor();
  await dialog.getByRole('button', { name: 'Stäng' }).click();
  await page.waitForSelector('text=2 begäranden är godkända.');
  await page.waitForSelector('text=Ingenting som väntar passar filtret.');
  await page.goto(`${gateway}/admin?q=natt`);
  await page.getByRole('button', { name: 'Godkänn Karin Lind', exact: false }).click();
  await dialog.getByText('1 grupp skapas').waitFor();
  await dialog.getByRole('button', { name: 'Avbryt' }).click();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('an administrator finds a user, changes, blocks and deletes, and is told what each does', { skip }, async () => {
  assert.ok(scene !== undefined);
  const { page, context, complaints } = await at.visitor(
    { language: 'sv', colorScheme: 'light', width: 1280 },
    cast.admin,
  );
  const dialog = page.getByRole('dialog');
  const panel = page.getByRole('complementary');
  const press = (name: string) => panel.getByRole('button', { name, exact: true }).click();
  await page.goto(`${gateway}/admin/users`);
  await page.getByLabel('Namn, e-post eller id').fill('eva.holm');
  await page.getByRole('button', { name: 'Sök' }).click();
  await page.getByRole('link', { name: 'Eva Holm' }).click();
  await panel.getByText('eva.holm@example.org').waitFor();
  await press('Ändra …');
  await dialog.getByLabel('Efternamn').fill('Holm-Å <b>');
  await dialog.getByLabel('utförande').check();
  await dialog.getByLabel('Sök organisation').fill('Syd');
  await dialog.getByLabel('Lägg till').selectOption({ label: 'Region Syd' });
  await checkScreen(page, 'change', 1280);
  await picture(page, 'admin-change');
  await dialog.getByRole('button', { name: 'Spara' }).click();
  await panel.getByRole('heading', { name: 'Eva Holm-Å <b>' }).waitFor();
  await panel.getByText('Region Norr, Region Syd').waitFor();
  await press('Kod för nytt lösenord …');
  await dialog.getByRole('button', { name: 'Skapa koden' }).click();
  await dialog.locator('code').waitFor();
  await dialog.getByRole('button', { name: 'Klart' }).click();
  await press('Spärra …');
  await dialog.getByRole('button', { name: 'Spärra', exact: true }).click();
  await panel.getByText('Spärrat sedan').waitFor();
  await picture(page, 'admin-user');
  await press('Häv spärren …');
  await dialog.getByRole('button', { name: 'Häv spärren' }).click();
  await panel.getByRole('button', { name: 'Spärra …' }).waitFor();
  await press('Radera …');
  await dialog.getByText('medlemskap tas bort').waitFor();
  const remove = dialog.getByRole('button', { name: 'Radera' });
  assert.ok(await remove.isDisabled());
  await dialog.getByLabel('Skriv eva.holm@example.org för att bekräfta').fill('Eva.Holm@example.org');
  await checkScreen(page, 'deletion', 1280);
  await picture(page, 'admin-delete');
  await remove.click();
  await page.waitForSelector('text=Ingen användare passar.');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a leader invites by a link, which is revoked', { skip }, async () => {
  const { page, context, complaints } = await at.visitor(
    { language: 'sv', colorScheme: 'dark', width: 390 },
    cast.leader,
  );
  await page.goto(`${gateway}/admin/groups`);
  await page.getByRole('link', { name: 'Sårvård <i>' }).waitFor();
  assert.equal(await page.locator('main .cards > li').count(), 1, 'the own group alone');
  await page.getByRole('link', { name: 'Sårvård <i>' }).click();
  await page.getByRole('button', { name: 'Skapa en inbjudan' }).click();
  await page.waitForSelector('img[alt="Inbjudan som QR-kod"]');
  const link = String(await page.locator('.note code').textContent());
  await checkScreen(page, 'invite', 390);
  await picture(page, 'admin-invite');
  await page.getByRole('button', { name: /^Återkalla inbjudan/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Återkalla' }).click();
  await page.getByRole('button', { name: /^Återkalla inbjudan/ }).waitFor({ state: 'detached' });
  await page.goto(link);
  await page.getByRole('button', { name: 'Be om att bli medlem' }).click();
  await page.waitForSelector('text=Inbjudan gäller inte längre.');
  assert.deepEqual(complaints, []);
  await context.close();
});
