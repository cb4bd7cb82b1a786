// The import of users (contract: identity, Admin; decisions I13, G2 and G4): every rule of a row. Rules of a file:
// ./import-files.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import {
  auditedEvents,
  makeOrganisation,
  nextEmail,
  nextPersonnummer,
} from '#test/support/identity/identity-people.ts';
import { findUser, importRows, nurse } from '#test/support/identity/user-csv.ts';

const TEMPORARY = 'a temporary phrase';
const hooks = lastFirst({ after });
const clock = handClock();
const on = await identityDatabase(hooks);
const identity = await startIdentity(hooks, { on, clock, config: { importPassword: new Secret(TEMPORARY) } });
const { app, database } = identity;

const patient = (email: string, number: string, organisation: string) =>
  `${email},patient,Lars,Lund,,${number},${organisation},,`;

const userOf = (email: string) => findUser(identity, email);

async function namedOrganisation(): Promise<{ guid: string; name: string }> {
  const guid = await makeOrganisation(identity);
  const { rows } = await database.query<{ name: string }>(
    'SELECT name FROM organisation WHERE organisation_guid = $1',
    [guid],
  );
  return { guid, name: rows[0]?.name ?? '' };
}

async function newGroup(name: string, type: string): Promise<string> {
  const { rows } = await database.query<{ guid: string }>(
    `INSERT INTO care_group (group_guid, name, group_type, created_at) VALUES (gen_random_uuid(), $1, $2, now())
     RETURNING group_guid AS guid`,
    [name, type],
  );
  return rows[0]?.guid ?? '';
}

/** Imports one row and returns the messages of its errors. */
async function issuesOf(row: string): Promise<string[]> {
  const { status, body } = await importRows(identity, [row]);
  assert.equal(status, 200);
  assert.equal(body.created, 0);
  for (const issue of body.errors) assert.equal(issue.line, 2);
  return body.errors.map((issue: { message: string }) => issue.message);
}

test('professionals and patients are made with what belongs to them, and recorded', async () => {
  const { guid, name } = await namedOrganisation();
  const [anna, lars, number] = [nextEmail(), nextEmail(), nextPersonnummer()];
  const answer = await importRows(identity, [
    `${anna},professional,Anna,Berg,nurse,,${name.toUpperCase()};${guid},planning;analysis*,TRUE`,
    patient(lars, `${number.slice(0, 8)}-${number.slice(8)}`, guid),
  ]);
  assert.deepEqual(answer, { status: 200, body: { created: 2, skipped: 0, errors: [] } });
  const annasHeaders = await identity.signIn(anna, TEMPORARY);
  const blob = (await app.inject({ url: '/api/auth/me', headers: annasHeaders })).json();
  assert.deepEqual(
    [blob.user_type, blob.professional_role, blob.is_su_admin, blob.organization_ids, blob.effective_phases],
    ['professional', 'nurse', true, [guid], ['analysis', 'planning']],
  );
  assert.deepEqual(
    blob.groups.map((group: { group_name: string; is_admin: boolean }) => [group.group_name, group.is_admin]),
    [
      ['analysis', true],
      ['planning', false],
    ],
  );
  const users = (await app.inject({ url: '/api/admin/users', headers: await identity.asAdmin() })).json();
  const lund = users.find((user: { email: string }) => user.email === lars);
  assert.deepEqual([lund.user_type, lund.last_name, lund.patient.organisation_guid], ['patient', 'Lund', guid]);
  const events = await auditedEvents(identity);
  assert.equal(events.filter((event) => event === 'user.import').length, 2);
  assert.equal(events.filter((event) => event === 'users.import').length, 1);
});

test('the temporary password must be changed first, and stops working after 72 hours', async () => {
  const [changing, late] = [nextEmail(), nextEmail()];
  await importRows(identity, [nurse(changing, ',,,planning,'), nurse(late)]);
  const login = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email: changing, password: TEMPORARY },
  });
  assert.equal(login.json().must_change_password, true);
  const headers = { authorization: `Bearer ${login.json().token}` };
  const refused = await app.inject({ url: '/api/groups', headers });
  assert.deepEqual([refused.statusCode, refused.json().error], [403, 'password_change_required']);
  const payload = { current_password: TEMPORARY, new_password: 'one of my own choice' };
  assert.equal(
    (await app.inject({ method: 'POST', url: '/api/auth/change-password', headers, payload })).statusCode,
    200,
  );
  assert.equal((await app.inject({ url: '/api/groups', headers })).statusCode, 200);
  clock.advance(71 * 3_600_000);
  await identity.signIn(late, TEMPORARY);
  clock.advance(3_600_001);
  await assert.rejects(identity.signIn(late, TEMPORARY), /401/);
  await identity.signIn(changing, 'one of my own choice');
});

test('who has an account is skipped, whatever the case of the address and whatever else the row says', async () => {
  const email = nextEmail();
  await importRows(identity, [nurse(email)]);
  const again = await importRows(identity, [nurse(email.toUpperCase()), `${email},no such type,,,,,,,`]);
  assert.deepEqual([again.body.created, again.body.skipped], [0, 2]);
  assert.deepEqual((await userOf(email))?.first_name, 'Anna');
});

test('an account with an address that would not be taken today is skipped like any other', async () => {
  const email = nextEmail();
  await importRows(identity, [nurse(email)]);
  await database.query(`UPDATE app_user SET email = 'root@local', email_key = 'root@local' WHERE email = $1`, [email]);
  assert.deepEqual((await importRows(identity, [nurse('Root@local')])).body, { created: 0, skipped: 1, errors: [] });
});

test('an address that comes again in the file is skipped and named with its line', async () => {
  const email = nextEmail();
  const { body } = await importRows(identity, [nurse(email), nurse(email.toUpperCase())]);
  assert.deepEqual([body.created, body.skipped], [1, 1]);
  assert.deepEqual(body.errors, [
    { line: 3, email: email.toUpperCase(), message: "'email' is the one of line 2; this line is skipped" },
  ]);
});

test('it does not stop at an error, and names every one of a line', async () => {
  const { guid } = await namedOrganisation();
  const good = [nextEmail(), nextEmail()];
  const { status, body } = await importRows(identity, [
    nurse(good[0] ?? ''),
    'nobody,neither,,,,,,,perhaps',
    `${nextEmail()},patient,,,,,,planning,true`,
    patient(nextEmail(), '19121212-1213', guid),
    nurse(good[1] ?? ''),
  ]);
  assert.deepEqual([status, body.created, body.skipped], [200, 2, 0]);
  const byLine = Map.groupBy(body.errors as Array<{ line: number; message: string }>, (issue) => issue.line);
  assert.deepEqual(
    [...byLine].map(([line, issues]) => [line, issues.length]),
    [
      [3, 3],
      [4, 4],
      [5, 1],
    ],
  );
  for (const email of good) assert.ok(await userOf(email));
});

const RULES: ReadonlyArray<readonly [string, string, RegExp]> = [
  ['an address is required', ',professional,A,B,nurse,,,,', /'email' is required/],
  ['an address is one', 'not an address,professional,A,B,nurse,,,,', /'email' must be an e-mail address/],
  ['a type is required', 'x@example.org,,A,B,nurse,,,,', /'user_type' is required/],
  ['a type is one of two', 'x@example.org,robot,A,B,nurse,,,,', /'user_type' must be professional or patient/],
  ['a professional has a first name', 'x@example.org,professional,,B,nurse,,,,', /'first_name' is required/],
  ['a professional has a last name', 'x@example.org,professional,A,,nurse,,,,', /'last_name' is required/],
  ['a professional has a role', 'x@example.org,professional,A,B,,,,,', /'professional_role' is required/],
  ['a role is one of three', 'x@example.org,professional,A,B,wizard,,,,', /'professional_role' must be one of doctor/],
  [
    'a professional has no number',
    'x@example.org,professional,A,B,nurse,191212121212,,,',
    /'personnummer' must be empty/,
  ],
  ['a patient has a number', 'x@example.org,patient,,,,,planning,,', /'personnummer' is required for a patient/],
  ['a number is a real one', 'x@example.org,patient,,,,191302301234,,,', /'personnummer' must be a valid/],
  [
    'a patient has one organisation',
    'x@example.org,patient,,,,191212121212,,,',
    /'organisations' must name exactly one/,
  ],
  ['and not two', 'x@example.org,patient,,,,191212121212,A;B,,', /'organisations' must name exactly one/],
  ['a patient has no role', 'x@example.org,patient,,,nurse,191212121212,A,,', /'professional_role' must be empty/],
  ['a patient is in no group', 'x@example.org,patient,,,,191212121212,A,planning,', /'groups' must be empty/],
  ['a patient is no SU admin', 'x@example.org,patient,,,,191212121212,A,,true', /'is_su_admin' must not be true/],
  ['the mark is true or false', 'x@example.org,professional,A,B,nurse,,,,maybe', /'is_su_admin' must be true or false/],
  ['an organisation exists', 'x@example.org,professional,A,B,nurse,,Nowhere,,', /there is no organisation 'Nowhere'/],
  ['a group exists', 'x@example.org,professional,A,B,nurse,,,nothing,', /there is no group 'nothing'/],
  ['a group of that type exists', 'x@example.org,professional,A,B,nurse,,,team:planning,', /no group 'team:planning'/],
  [
    'a name is not too long',
    `x@example.org,professional,${'a'.repeat(101)},B,nurse,,,,`,
    /'first_name' must be visible/,
  ],
  [
    'a name has no control characters',
    'x@example.org,professional,A\u0007,B,nurse,,,,',
    /'first_name' must be visible/,
  ],
  ['a cell has no NUL', 'x@example.org,professional,A,B,nurse,,Un\0it,,', /'organisations' holds a NUL/],
  ['a row has all cells', 'x@example.org,professional', /the row has 2 cells, the header 9/],
  ['a row has no more cells', 'x@example.org,professional,A,B,nurse,,,,,', /the row has 10 cells, the header 9/],
  ['quotes stand around a cell', 'x@example.org,professional,A"b",B,nurse,,,,', /a quote stands inside/],
  ['nothing follows a closing quote', 'x@example.org,professional,"A"b,B,nurse,,,,', /text follows the closing quote/],
];

for (const [name, row, message] of RULES) {
  test(`a row's error: ${name}`, async () => {
    const issues = await issuesOf(row);
    assert.ok(
      issues.some((issue) => message.test(issue)),
      issues.join('; '),
    );
    assert.equal(await userOf('x@example.org'), undefined);
  });
}

test('a personnummer is one person’s: of the file and of the database', async () => {
  const { guid } = await namedOrganisation();
  const number = nextPersonnummer();
  const first = await importRows(identity, [
    patient(nextEmail(), number, guid),
    patient(nextEmail(), number.slice(2), guid),
  ]);
  assert.equal(first.body.created, 1);
  assert.deepEqual(
    first.body.errors.map((issue: { line: number; message: string }) => [issue.line, issue.message]),
    [[3, "'personnummer' is the one of line 2"]],
  );
  const issues = await issuesOf(patient(nextEmail(), number, guid));
  assert.deepEqual(issues, ["'personnummer' is registered already"]);
});

test('a group is meant by name, type and name, or guid; a name of several types is ambiguous', async () => {
  const team = await newGroup('Twice; so', 'team');
  await newGroup('Twice; so', 'quality_registry');
  const only = await newGroup('planning: the: second', 'team');
  assert.match((await issuesOf(nurse('x@example.org', ',,,Twice\\; so,')))[0] ?? '', /several types/);
  const email = nextEmail();
  const cell = `team:twice\\; SO*;${only};phase:planning;PLANNING`;
  const { body } = await importRows(identity, [nurse(email, `,,,${cell},`)]);
  assert.deepEqual(body.errors, []);
  const { rows } = await database.query(
    `SELECT m.group_guid, m.is_admin, m.status, m.decided_by_guid IS NOT NULL AS decided
     FROM membership m JOIN app_user u USING (user_guid) WHERE u.email = $1`,
    [email],
  );
  assert.equal(rows.length, 3);
  assert.ok(rows.every((row) => row['status'] === 'approved' && row['decided'] === true));
  assert.deepEqual(
    rows.map((row) => [row['group_guid'], row['is_admin']]).sort(),
    [
      [team, true],
      [only, false],
      ['00000000-0000-7000-8000-000000000001', false],
    ].sort(),
  );
});

test('a dry run says exactly what would happen, and changes nothing', async () => {
  const { guid } = await namedOrganisation();
  const [known, number] = [nextEmail(), nextPersonnummer()];
  await importRows(identity, [nurse(known)]);
  const repeated = nextEmail();
  const rows = [
    nurse(known),
    nurse(repeated),
    nurse(repeated),
    patient(nextEmail(), number, guid),
    patient(nextEmail(), number, guid),
    nurse(nextEmail(), ',,New unit;new UNIT,team:New team*,'),
    nurse(nextEmail(), ',,New unit,team:New team,'),
    'wrong,,,,,,,,',
  ];
  const counts = () =>
    database.query('SELECT (SELECT count(*) FROM app_user) u, (SELECT count(*) FROM organisation) o');
  const before = (await counts()).rows;
  const dry = await importRows(identity, rows, '?dry_run=true&create_missing=true');
  assert.deepEqual((await counts()).rows, before);
  assert.deepEqual(
    [dry.body.created, dry.body.skipped, dry.body.organisations_created, dry.body.groups_created],
    [4, 2, 1, 1],
  );
  const real = await importRows(identity, rows, '?create_missing=true');
  assert.deepEqual(dry, real);
  assert.ok((await importRows(identity, rows, '?dry_run=perhaps')).status === 400);
});

test('create_missing makes organisations and groups once, and asks for the type of a group', async () => {
  const [first, second] = [nextEmail(), nextEmail()];
  const rows = [
    nurse(first, ',,Söder \\; Väst,team:Kväll\\*;quality_registry:Kväll\\*,'),
    nurse(second, ',,SÖDER \\; VÄST,team:KVÄLL\\**,'),
    nurse(nextEmail(), ',,,Kvällen,'),
    nurse(nextEmail(), `,,${'a'.repeat(201)},,`),
  ];
  const { body } = await importRows(identity, rows, '?create_missing=true');
  assert.deepEqual([body.created, body.organisations_created, body.groups_created], [2, 1, 2]);
  assert.deepEqual(
    body.errors.map((issue: { line: number }) => issue.line),
    [4, 5],
  );
  assert.match(body.errors[0].message, /write it as type:name/);
  const { rows: groups } = await database.query(
    `SELECT g.name, g.group_type, m.is_admin FROM membership m JOIN app_user u USING (user_guid)
     JOIN care_group g USING (group_guid) WHERE u.email = $1`,
    [second],
  );
  assert.deepEqual(groups, [{ name: 'Kväll*', group_type: 'team', is_admin: true }]);
  const events = await auditedEvents(identity);
  assert.ok(events.includes('organisation.create') && events.includes('group.create'));
});

test('two imports of the same file at once make each user once', async () => {
  const { guid } = await namedOrganisation();
  const rows = Array.from({ length: 600 }, (_, index) =>
    index % 3 === 0 ? patient(nextEmail(), nextPersonnummer(), guid) : nurse(nextEmail(), ',,Shared unit,team:Shared,'),
  );
  const answers = await Promise.all(
    [rows, rows.toReversed()].map((each) => importRows(identity, each, '?create_missing=true')),
  );
  const [one, two] = answers.map((answer) => answer.body);
  assert.deepEqual([one.errors, two.errors], [[], []]);
  assert.equal(one.created + two.created, 600);
  assert.equal(one.skipped + two.skipped, 600);
  assert.deepEqual(
    [one.organisations_created + two.organisations_created, one.groups_created + two.groups_created],
    [1, 1],
  );
});

test('without a temporary password an import is refused, a dry run too', async () => {
  const bare = await startIdentity({ after });
  for (const query of ['', '?dry_run=true']) {
    const { status, body } = await importRows(bare, [nurse(nextEmail())], query);
    assert.deepEqual([status, body.error], [409, 'conflict']);
    assert.match(body.message, /KEDJA_IMPORT_PASSWORD/);
  }
});

test('a temporary password that one would try first for a person is refused for that person, whose row is named', async () => {
  const { guid, name } = await namedOrganisation();
  const site = await startIdentity(hooks, { on, clock, config: { importPassword: new Secret('Lindhagen.2026') } });
  const [own, other, address, number] = [nextEmail(), nextEmail(), nextEmail(), nextPersonnummer()];
  const rows = [
    `${own},professional,Siv,Lindhagen,nurse,,,,`,
    `${other},professional,Anna,Berg,nurse,,,,`,
    `lindhagen.${address},patient,Lars,Lund,,${number},${guid},,`,
    `${nextEmail()},professional,Eva,Ek,nurse,,${name},,`,
  ];
  const answer = await importRows(site, rows);
  assert.deepEqual([answer.status, answer.body.created], [200, 2]);
  assert.deepEqual(
    answer.body.errors.map(({ line, email }: { line: number; email: string }) => [line, email]),
    [
      [2, own],
      [4, `lindhagen.${address}`],
    ],
  );
  for (const { message } of answer.body.errors) {
    assert.match(message, /^the temporary password \(KEDJA_IMPORT_PASSWORD\) must not be made of a name, address/);
  }
  assert.deepEqual([await userOf(own), (await userOf(other))?.first_name], [undefined, 'Anna']);
});

test('so it is with the name of an organisation, given by its name, by its guid or made by the import', async () => {
  const headers = await identity.asAdmin();
  const made = await app.inject({
    method: 'POST',
    url: '/api/admin/organisations',
    headers,
    payload: { name: 'Vallgårdens hemtjänst' },
  });
  const guid = made.json().organisation_guid;
  const site = await startIdentity(hooks, { on, clock, config: { importPassword: new Secret('vallgardens1234') } });
  const rows = ['Vallgårdens hemtjänst', guid, 'Vallgårdens skola'].map(
    (organisation) => `${nextEmail()},professional,Anna,Berg,nurse,,${organisation},,`,
  );
  const answer = await importRows(site, rows, '?create_missing=true');
  assert.deepEqual([answer.body.created, answer.body.errors.length], [0, 3], JSON.stringify(answer.body));
});

test('with details the lines of skipped rows are named, in a dry run and in an import', async () => {
  const [known, fresh] = [nextEmail(), nextEmail()];
  await importRows(identity, [nurse(known)]);
  for (const query of ['?dry_run=true&details=true', '?details=true']) {
    const { body } = await importRows(identity, [nurse(fresh), nurse(known), nurse(fresh)], query);
    assert.deepEqual([body.created, body.skipped, body.skipped_lines], [1, 2, [3, 4]], query);
  }
  assert.equal('skipped_lines' in (await importRows(identity, [nurse(known)])).body, false);
});
