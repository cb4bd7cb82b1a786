import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();
const proposer = await makeProfessional(identity);

const propose = (payload: object, headers: Record<string, string> = proposer.headers) =>
  app.inject({ method: 'POST', url: '/api/groups/proposals', headers, payload });
const decide = (proposal_guid: string, decision: string) =>
  app.inject({
    method: 'POST',
    url: '/api/admin/group-proposals',
    headers: admin,
    payload: { proposal_guid, decision },
  });
const pending = () => app.inject({ url: '/api/admin/group-proposals', headers: admin });
const catalogue = async (): Promise<Array<{ name: string; group_guid: string }>> =>
  (await app.inject('/api/public/groups')).json();

test('none → pending → approved: the SU admin sees who and what; the group is created with the proposer as its admin', async () => {
  const asked = await propose({ name: ' Wound care ', group_type: 'team', description: 'Nurses of the district' });
  const { proposal_guid } = asked.json();
  const made = { proposal_guid, name: 'Wound care', group_type: 'team', status: 'pending' };
  assert.deepEqual([asked.statusCode, asked.json()], [201, made]);
  const { created_at, ...item } = (await pending()).json().at(-1);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.deepEqual(item, {
    ...made,
    description: 'Nurses of the district',
    user_guid: proposer.userGuid,
    user_email: proposer.email,
    first_name: 'Anna',
    last_name: 'Berg',
  });
  const decided = await decide(proposal_guid, 'approved');
  const { group_guid } = decided.json();
  assert.deepEqual([decided.statusCode, decided.json()], [200, { proposal_guid, status: 'approved', group_guid }]);
  const own = (await app.inject({ url: '/api/groups', headers: proposer.headers })).json();
  assert.deepEqual(own, [
    {
      resourceType: 'Group',
      group_guid,
      name: 'Wound care',
      group_type: 'team',
      is_admin: true,
      membership_status: 'approved',
    },
  ]);
  assert.ok((await catalogue()).some((group) => group.group_guid === group_guid));
  assert.deepEqual((await pending()).json(), []);
  const events = await auditedEvents(identity);
  assert.ok(events.includes('group-proposal.submit') && events.includes('group-proposal.approved'));
});

test('pending → rejected: no group, and the name is free again', async () => {
  const body = { name: 'Falls', group_type: 'quality_registry' };
  const { proposal_guid } = (await propose(body)).json();
  const decided = await decide(proposal_guid, 'rejected');
  assert.deepEqual([decided.statusCode, decided.json()], [200, { proposal_guid, status: 'rejected' }]);
  assert.ok(!(await catalogue()).some((group) => group.name === 'Falls'));
  assert.equal((await propose(body)).statusCode, 201);
  assert.ok((await auditedEvents(identity)).includes('group-proposal.rejected'));
});

test('proposing: 400 naming every error, 409 for the name of a group of that type in whatever case', async () => {
  const invalid = await propose({ name: '  ', group_type: 'club', colour: 'red' });
  assert.deepEqual([invalid.statusCode, invalid.json().error], [400, 'validation_error']);
  for (const field of ['name', 'group_type', 'colour']) {
    assert.ok(
      invalid.json().messages.some((message: string) => message.includes(field)),
      field,
    );
  }
  const taken = await propose({ name: 'PLANNING', group_type: 'phase' });
  assert.deepEqual([taken.statusCode, taken.json().error], [409, 'conflict']);
  assert.equal((await propose({ name: 'planning', group_type: 'team' })).statusCode, 201);
});

test('of 50 proposals of one name one is made', async () => {
  const answers = await fifty((index) => propose({ name: index % 2 ? 'Same' : 'SAME', group_type: 'team' }));
  assert.equal(answers.filter((answer) => answer.statusCode === 201).length, 1);
  assert.equal(answers.filter((answer) => answer.json().error === 'conflict').length, 49);
});

test('deciding: 404, 400 for another literal, and of 50 decisions one holds', async () => {
  assert.equal((await decide('none', 'approved')).statusCode, 404);
  assert.equal((await decide('01900000-0000-7000-8000-000000000000', 'approved')).statusCode, 404);
  const { proposal_guid } = (await propose({ name: 'Raced', group_type: 'team' })).json();
  assert.equal((await decide(proposal_guid, 'endorsed')).json().error, 'validation_error');
  const answers = await fifty((index) => decide(proposal_guid, index % 2 === 0 ? 'approved' : 'rejected'));
  const [held] = answers.filter((answer) => answer.statusCode === 200);
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.equal(answers.filter((answer) => answer.json().error === 'conflict').length, 49);
  const groups = (await catalogue()).filter((group) => group.name === 'Raced').length;
  assert.equal(groups, held?.json().status === 'approved' ? 1 : 0);
});
