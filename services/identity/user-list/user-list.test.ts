// The list of users (contract: identity, Admin; decisions G5 and I10).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADMIN, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;
const identity = await startIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();
const list = (query = '') => app.inject({ url: `/api/admin/users${query}`, headers: admin });

test('professionals come with their memberships, patients with their data, all with their organisations', async () => {
  const member = await makeProfessional(identity, ['planning']);
  const registered = await makePatient(identity);
  const answer = await list();
  assert.equal(answer.statusCode, 200);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  const [first, professional, patient, ...others] = answer.json();
  assert.deepEqual([first.email, first.is_su_admin, others], [ADMIN.email, true, []]);
  const [{ membership_guid, group_guid }] = professional.professional.memberships;
  assert.match(professional.created_at, TIME);
  assert.match(professional.last_login_at, TIME);
  const membership = { membership_guid, group_guid, group_name: 'planning', group_type: 'phase' };
  assert.deepEqual(professional, {
    user_guid: member.userGuid,
    email: member.email,
    user_type: 'professional',
    is_su_admin: false,
    first_name: 'Anna',
    last_name: 'Berg',
    created_at: professional.created_at,
    last_login_at: professional.last_login_at,
    professional: {
      professional_guid: professional.professional.professional_guid,
      professional_role: 'nurse',
      memberships: [{ ...membership, status: 'approved', is_admin: false }],
    },
    organisations: [{ organisation_guid: member.organisationGuid, name: professional.organisations[0].name }],
  });
  const { user_guid, patient_guid, organisation_guid } = registered.answer;
  assert.deepEqual([patient.user_guid, patient.user_type, patient.first_name], [user_guid, 'patient', null]);
  assert.deepEqual(patient.patient, { patient_guid, organisation_guid, in_registry: false, registries: [] });
  assert.equal(patient.organisations[0].organisation_guid, organisation_guid);
  assert.ok(!answer.body.includes('password') && (await auditedEvents(identity)).includes('users.list'));
});

test('pages carry Link and X-Total-Count, and bad ones are refused', async () => {
  const everybody = (await list()).json();
  const page = await list('?page=2&per_page=1');
  assert.deepEqual(page.json(), [everybody[1]]);
  assert.equal(page.headers['x-total-count'], String(everybody.length));
  assert.match(String(page.headers.link), /page=3/);
  for (const query of ['?per_page=201', '?page=0', '?name=x']) assert.equal((await list(query)).statusCode, 400, query);
});

test('users beyond one chunk are each listed once', async () => {
  await database.query(
    `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, created_at)
     SELECT gen_random_uuid(), 'professional', n || '@many.example', n || '@many.example', 'x', now() FROM generate_series(1, 1500) n`,
  );
  await database.query(
    `INSERT INTO professional (user_guid, professional_guid, professional_role)
     SELECT user_guid, gen_random_uuid(), 'other' FROM app_user WHERE email LIKE '%@many.example'`,
  );
  const guids = (await list()).json().map((user: { user_guid: string }) => user.user_guid);
  const { rows } = await database.query<{ user_guid: string }>('SELECT user_guid FROM app_user ORDER BY user_guid');
  assert.deepEqual(
    guids,
    rows.map((row) => row.user_guid),
  );
});

test('every page is the right part of the whole, from both ends, and the count follows every change', async () => {
  const whole = async () => (await list()).json();
  const expectPages = async (perPage: number) => {
    const everybody = await whole();
    const last = Math.ceil(everybody.length / perPage);
    for (const page of [1, 2, Math.floor(last / 2), Math.ceil(last / 2) + 1, last - 1, last, last + 1]) {
      const answer = await list(`?page=${page}&per_page=${perPage}`);
      assert.deepEqual(answer.json(), everybody.slice((page - 1) * perPage, page * perPage), `page ${page}`);
      assert.equal(answer.headers['x-total-count'], String(everybody.length));
    }
  };
  await expectPages(200);
  await database.query(`DELETE FROM app_user WHERE email LIKE '%7@many.example'`);
  await expectPages(37);
  await database.query(`DELETE FROM app_user WHERE email = 'nobody'`);
  await assert.rejects(
    database.transaction(async (tx) => {
      await tx.query(`DELETE FROM app_user WHERE email LIKE '%8@many.example'`);
      throw new Error('not after all');
    }),
  );
  await expectPages(200);
  const { rows } = await database.query(
    'SELECT sum(users)::bigint AS kept, (SELECT count(*) FROM app_user) AS counted FROM user_count',
  );
  assert.equal(rows[0]?.['kept'], rows[0]?.['counted']);
});
