// Every list of names of identity is in Swedish order, as a whole and in pages (docs/adr/0063).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional } from '#test/support/identity/identity-people.ts';
import { inPagesOfTwo, MIXED_NAMES, SWEDISH_NAMES } from '#test/support/swedish-names.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();
const person = await makeProfessional(identity);
const guids = (kind: string) => MIXED_NAMES.map((_, index) => `01900000-0000-7000-8000-00${kind}000000${index}`);

await database.query('DELETE FROM membership');
await database.query(
  `INSERT INTO organisation (organisation_guid, name, created_at) SELECT *, now() FROM unnest($1::uuid[], $2::text[])`,
  [guids('0a1'), MIXED_NAMES],
);
await database.query(
  `INSERT INTO care_group (group_guid, name, group_type, created_at) SELECT *, 'team', now() FROM unnest($1::uuid[], $2::text[])`,
  [guids('0a2'), MIXED_NAMES],
);
await database.query(
  `INSERT INTO membership (membership_guid, user_guid, group_guid, status, created_at)
   SELECT group_guid, $1, group_guid, 'approved', now() FROM care_group WHERE group_type = 'team'`,
  [person.userGuid],
);
await database.query(
  `INSERT INTO professional_organisation (user_guid, organisation_guid)
   SELECT $1, organisation_guid FROM organisation WHERE name = ANY ($2::text[])`,
  [person.userGuid, MIXED_NAMES],
);

async function listed<Item>(url: string, headers: Record<string, string> = admin): Promise<Item[]> {
  const answer = await app.inject({ url, headers });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

interface Named {
  readonly name: string;
}
const isOurs = (name: string) => SWEDISH_NAMES.includes(name);
const ours = (items: readonly Named[]) => items.map(({ name }) => name).filter(isOurs);

for (const [url, headers] of [
  ['/api/public/organisations', admin],
  ['/api/admin/organisations', admin],
  ['/api/public/groups', admin],
  ['/api/groups', person.headers],
] as const) {
  test(`${url} is in the order of Swedish`, async () => {
    assert.deepEqual(ours(await listed<Named>(url, headers)), SWEDISH_NAMES);
    const paged = await inPagesOfTwo((query) => listed<Named>(`${url}?${query}`, headers));
    assert.deepEqual(ours(paged), SWEDISH_NAMES);
  });
}

test('leaders are in the order of their last names, then of their first', async () => {
  const text = `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, is_su_admin, first_name, last_name, created_at)
    SELECT guid, 'professional', guid::text, guid::text, '', true, first, last, now() FROM unnest($1::uuid[], $2::text[], $3::text[]) AS x (guid, first, last)`;
  const last = MIXED_NAMES.map((name, index) => (index < 2 ? 'Ärlig' : name));
  await database.query(text, [guids('0a3'), MIXED_NAMES, last]);
  const expected = ['alm', 'Berg', 'ek', 'Åberg', 'åkerman', 'Ängström', 'Ärlig Zorn', 'Ärlig Östlund', 'öberg'];
  type Leader = Readonly<Record<'first_name' | 'last_name', string>>;
  const shown = (leaders: readonly Leader[]) =>
    leaders
      .filter(({ last_name: name }) => last.includes(name))
      .map((leader) => (leader.last_name === 'Ärlig' ? `Ärlig ${leader.first_name}` : leader.last_name));
  assert.deepEqual(shown(await listed<Leader>('/api/public/group-leaders')), expected);
  const paged = await inPagesOfTwo((query) => listed<Leader>(`/api/public/group-leaders?${query}`));
  assert.deepEqual(shown(paged), expected);
});

test('the groups and organisations of a user are in the order of Swedish, wherever the user is shown', async () => {
  const me = await app.inject({ url: '/api/auth/me', headers: person.headers });
  const groups: { group_name: string }[] = me.json().groups;
  assert.deepEqual(groups.map(({ group_name: name }) => name).filter(isOurs), SWEDISH_NAMES);
  type User = { user_guid: string; organisations: Named[]; professional: { memberships: { group_name: string }[] } };
  const user = (await listed<User>('/api/admin/users')).find(({ user_guid: guid }) => guid === person.userGuid);
  assert.deepEqual(ours(user?.organisations ?? []), SWEDISH_NAMES);
  assert.match(JSON.stringify(user), new RegExp(SWEDISH_NAMES.map((name) => `"group_name":"${name}"`).join('.*')));
});
