// What the decisions promise beyond the contract's own tables, seen from outside (decisions I1, I2, I3, I5, I6, I8 and
// I11).
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { ADMIN, REDIRECT } from '#test/support/identity/identity.ts';
import { startContract } from '#test/support/identity/identity-contract.ts';
import {
  accessRequestBody,
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
  PASSWORD,
  registration,
} from '#test/support/identity/identity-people.ts';
import { assertShape, GUID } from '#test/support/shape.ts';

const { identity, su, ask, refuse, makeGroup } = await startContract({ after });
const organisation_guid = await makeOrganisation(identity);
const NEXT = `${REDIRECT}callback`;
const LOGIN = 'POST /api/auth/login';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
const tokenOf = (as: { headers: { authorization: string } }) => as.headers.authorization.slice('Bearer '.length);
const use = (token: string) => ask('GET /api/auth/me', { headers: { authorization: `Bearer ${token}` } });

test('I1: the claims of a token, and the key that it names', async () => {
  const [head, body] = tokenOf(await makePatient(identity)).split('.');
  const claims = decode(body);
  assertShape(claims, {
    iss: 'kedja-identity',
    aud: 'kedja',
    sub: GUID,
    jti: GUID,
    iat: Number,
    nbf: Number,
    exp: Number,
    user_type: 'patient',
  });
  assert.equal(claims.exp - claims.iat, 3600);
  const { keys } = (await ask('GET /.well-known/jwks.json')).body;
  assert.ok(keys.some((key: { kid: string }) => key.kid === decode(head).kid));
  assert.ok(
    keys.every((key: object) => !('d' in key)),
    'nothing private',
  );
});

test('I1: a token that is altered, unsigned, signed by another key or written sloppily is 401', async () => {
  const token = tokenOf(await makeProfessional(identity));
  const [head = '', body = '', signature = ''] = token.split('.');
  const { keys } = (await ask('GET /.well-known/jwks.json')).body;
  const confused = `${encode({ ...decode(head), alg: 'HS256' })}.${body}`;
  const hmac = createHmac('sha256', JSON.stringify(keys[0])).update(confused).digest('base64url');
  for (const wrong of [
    `${head}.${encode({ ...decode(body), sub: '01900000-0000-7000-8000-000000000000' })}.${signature}`,
    `${encode({ alg: 'none', typ: 'JWT' })}.${body}.`,
    `${encode({ alg: 'none', typ: 'JWT' })}.${body}.${signature}`,
    `${confused}.${hmac}`,
    `${head}.${body}.${randomBytes(256).toString('base64url')}`,
    `${encode({ ...decode(head), kid: 'other' })}.${body}.${signature}`,
    `${head}.${body}.${signature}=`,
    `${head}.${body}.${signature}A`,
    `${head}.${body}.${signature}.`,
    `${head}..${signature}`,
    `${head}.${body}`,
    `${head}.${body}.`,
    `.${head}.${body}.${signature}`,
    token.replace('.', ' .'),
  ]) {
    const answer = await use(wrong);
    assert.deepEqual([answer.status, answer.body?.error], [401, 'unauthorized'], wrong.slice(0, 40));
  }
  assert.equal((await use(token)).status, 200);
});

test('I1: a change of password revokes the other tokens and keeps this one', async () => {
  const one = await makeProfessional(identity);
  const other = { headers: await identity.signIn(one.email, PASSWORD) };
  const body = { current_password: PASSWORD, new_password: 'a new long phrase' };
  await ask('POST /api/auth/change-password', { as: one, body });
  assert.deepEqual([(await use(tokenOf(one))).status, (await use(tokenOf(other))).status], [200, 401]);
});

test('I2: the e-mail is compared without regard to case, also with letters beyond ASCII', async () => {
  for (const email of [ADMIN.email.toUpperCase(), ADMIN.email.toLowerCase()]) {
    assert.equal((await ask(LOGIN, { body: { ...ADMIN, email } })).status, 200);
  }
});

test('I2: common passwords are refused wherever one is chosen', async () => {
  const professional = await makeProfessional(identity);
  for (const password of ['password', 'Password1!', '12345678', 'qwertyuiop', 'Sommar2024']) {
    const patient = { ...registration(organisation_guid), password };
    await refuse('POST /api/patient/register', { body: patient }, 400, 'validation_error');
    const form = { ...(await accessRequestBody(identity)), password };
    await refuse('POST /api/public/access-request', { body: form }, 400, 'validation_error');
    const body = { current_password: PASSWORD, new_password: password };
    await refuse('POST /api/auth/change-password', { as: professional, body }, 400, 'invalid_request');
  }
});

test('I3: what carries a token is no-store and sends no referrer', async () => {
  for (const body of [ADMIN, { ...ADMIN, next: NEXT, state: 's' }]) {
    const { headers } = await ask(LOGIN, { body });
    assert.deepEqual([headers['cache-control'], headers['referrer-policy']], ['no-store', 'no-referrer']);
  }
});

for (const next of [
  'https://app.example.org.evil.example/sso/',
  'https://app.example.org@evil.example/sso/',
  'https://evil.example/https://app.example.org/sso/',
  'https://app.example.org:444/sso/',
  'http://app.example.org/sso/',
  'https://app.example.org/sso/../admin',
  'https://app.example.org/sso/%2e%2e/admin',
  'https://app.example.org/ssomore/',
  'https://app.example.org\\sso/',
  'https:\\\\app.example.org/sso/',
  '//app.example.org/sso/',
  '/sso/',
  'javascript:alert(1)//app.example.org/sso/',
  'https://app.example.org/sso/#@evil.example',
  'https://app.example.org/sso/\r\nset-cookie: a=b',
  'https://user@app.example.org/sso/',
  ' https://app.example.org/sso/',
  'https://app.example.org/sso/?token=mine',
  'https://аpp.example.org/sso/',
  'http://127.0.0.1.evil.example:8080/',
  'http://127.0.0.1:8081/',
]) {
  test(`I3: 400 invalid_redirect for next ${JSON.stringify(next)}`, async () => {
    const { headers } = await refuse(LOGIN, { body: { ...ADMIN, next, state: 's' } }, 400, 'invalid_redirect');
    assert.equal(headers['location'], undefined);
  });
}

test('I3: token and state are added to a query that is there, and state comes back as it was', async () => {
  const state = 'å b&c=d#e%20"<';
  const { headers } = await ask(LOGIN, { body: { ...ADMIN, next: `${NEXT}?tenant=1&x=%20y`, state } });
  const url = new URL(String(headers['location']));
  assert.deepEqual([url.searchParams.get('tenant'), url.searchParams.get('x')], ['1', ' y']);
  assert.equal(url.searchParams.get('state'), state);
});

test('I3: a one-time code is exchanged once, for the same next', async () => {
  const code = async () => {
    const body = { ...ADMIN, next: NEXT, state: 's', response_mode: 'code' };
    const url = new URL(String((await ask(LOGIN, { body })).headers['location']));
    assert.deepEqual([...url.searchParams.keys()], ['code', 'state']);
    return url.searchParams.get('code');
  };
  const EXCHANGE = 'POST /api/auth/token';
  const one = { code: await code(), next: NEXT };
  const { status, body } = await ask(EXCHANGE, { body: one });
  assert.deepEqual([status, Object.keys(body).sort()], [200, ['token', 'user_guid']]);
  assert.equal((await use(body.token)).status, 200);
  await refuse(EXCHANGE, { body: one }, 401, 'authentication_failed');
  await refuse(EXCHANGE, { body: { code: await code(), next: `${NEXT}/other` } }, 401, 'authentication_failed');
});

test('I5: a phase counts when its membership is approved, and only then', async () => {
  const professional = await makeProfessional(identity);
  const phases = async () => (await ask('GET /api/auth/me', { as: professional })).body.effective_phases;
  const catalogue: { name: string; group_guid: string }[] = (await ask('GET /api/public/groups')).body;
  for (const [name, decision, expected] of [
    ['execution', 'approved', ['execution']],
    ['followup', 'rejected', ['execution']],
  ] as const) {
    const group = catalogue.find((entry) => entry.name === name);
    const body = { group_guid: group?.group_guid };
    const { membership_guid } = (await ask('POST /api/groups/request-membership', { as: professional, body })).body;
    if (decision === 'approved') assert.deepEqual(await phases(), []);
    await ask('POST /api/groups/admin/decide', { as: su, body: { membership_guid, decision } });
    assert.deepEqual(await phases(), expected);
  }
});

test('I5: other groups are no phases', async () => {
  const { leader } = await makeGroup('quality_registry');
  assert.deepEqual((await ask('GET /api/auth/me', { as: leader })).body.effective_phases, []);
});

for (const [written, answered] of [
  ['19811218-9876', '198112189876'],
  ['9001029819', '199001029819'],
  ['900102+9819', '189001029819'],
  ['20000229-2381', '200002292381'],
  ['197010632391', '197010632391'],
  ['701063-2391', '197010632391'],
] as const) {
  test(`I6: ${written} is registered and answered as ${answered}`, async () => {
    await identity.database.query('DELETE FROM app_user WHERE user_type = $1', ['patient']);
    const body = { email: nextEmail(), password: PASSWORD, personnummer: written, organisation_guid };
    const answer = await ask('POST /api/patient/register', { body });
    assert.deepEqual([answer.status, answer.body.personnummer], [201, answered], answer.text);
  });
}

for (const written of [
  '198112189875',
  '19811318-9876',
  '19810229-9873',
  '1981-12-18-9876',
  '8112189876x',
  '21000101-0006',
  '811218',
  '19811218 9876',
  '１９８１１２１８９８７６',
]) {
  test(`I6: ${written} is no personnummer, and the answer does not repeat it`, async () => {
    const body = { email: nextEmail(), password: PASSWORD, personnummer: written, organisation_guid };
    const { text } = await refuse('POST /api/patient/register', { body }, 400, 'validation_error');
    assert.ok(!text.includes(written));
  });
}

test('I8: the token of an invite is in no table and in no log', async () => {
  const { groupGuid: group_guid, leader } = await makeGroup();
  const { token } = (await ask('POST /api/groups/admin/invite', { as: leader, body: { group_guid } })).body;
  const kept = await identity.database.query<{ row: string }>('SELECT i::text AS row FROM group_invite i');
  assert.ok(kept.rowCount > 0);
  const texts = [...kept.rows.map(({ row }) => row), ...identity.lines];
  assert.ok(texts.every((text) => !text.includes(token) && !text.includes(Buffer.from(token).toString('hex'))));
});

test('I11: the password of an access request is kept as a hash, and in no list, audit event or log', async () => {
  const body = { ...(await accessRequestBody(identity)), password: 'a phrase of its own kind' };
  await ask('POST /api/public/access-request', { body });
  const kept = await identity.database.query<{ row: string }>(
    'SELECT r::text AS row FROM access_request r UNION ALL SELECT resource FROM audit_event',
  );
  const listed = (await ask('GET /api/admin/access-requests', { as: su })).text;
  const texts = [listed, ...kept.rows.map(({ row }) => row), ...identity.lines];
  assert.ok(texts.every((text) => !text.includes(body.password)));
  assert.ok(!listed.includes('argon2'));
});

test('I11: an approval that fails makes nothing: the address was taken meanwhile', async () => {
  const form = await accessRequestBody(identity, ['planning']);
  const { access_request_guid } = (await ask('POST /api/public/access-request', { body: form })).body;
  const patient = { ...registration(organisation_guid), email: form.email };
  assert.equal((await ask('POST /api/patient/register', { body: patient })).status, 201);
  const body = { access_request_guid, decision: 'approved' };
  await refuse('POST /api/admin/access-requests', { as: su, body }, 409, 'conflict');
  const open = (await ask('GET /api/admin/access-requests', { as: su })).body;
  const [item] = open.filter((entry: Record<string, string>) => entry['access_request_guid'] === access_request_guid);
  assert.equal(item.status, 'pending');
});

test('I11: an approval whose phase is gone makes nothing, and says which', async () => {
  const { groupGuid, name } = await makeGroup('phase');
  const form = await accessRequestBody(identity, ['planning', name]);
  const { access_request_guid } = (await ask('POST /api/public/access-request', { body: form })).body;
  await ask(`DELETE /api/admin/groups/${groupGuid}`, { as: su });
  const body = { access_request_guid, decision: 'approved' };
  const { body: answer } = await refuse('POST /api/admin/access-requests', { as: su, body }, 409, 'conflict');
  assert.ok(answer.message.includes(name));
  const { email, password } = form;
  await refuse(LOGIN, { body: { email, password } }, 401, 'authentication_failed');
});
