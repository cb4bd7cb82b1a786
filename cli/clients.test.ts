// `kedja clients` as an operator runs it, beside a node of identity, which sees each change.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { credentialsOf } from '#test/support/identity/identity-clients.ts';
import { auditedEvents } from '#test/support/identity/identity-people.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
const identity = await startIdentity(hooks, { on });
const environment = { KEDJA_DATABASE_URL: on.url, KEDJA_SSO_CLIENTS: 'journal:x' };
const clients = (...args: string[]) => startCommand(['clients', ...args], environment).ended;

async function becomes(secret: string, status: number): Promise<void> {
  const headers = { ...(await identity.asAdmin()), ...credentialsOf('records', secret) };
  await eventually(`the node answers ${status}`, async () => {
    const answer = await identity.app.inject({ url: '/api/auth/me/service', headers });
    return answer.statusCode === status || undefined;
  });
}

test('a client is created, listed, rotated, disabled, enabled and deleted; the running node applies each change', async () => {
  const address = 'https://records.example.org/cb';
  const made = await clients('create', 'records', '--kind', 'application', '--name', 'Records', '--redirect', address);
  assert.deepEqual([made.code, made.stderr], [0, 'Client records is on record.\n']);
  const first = made.stdout.trimEnd();
  assert.match(first, /^kedja_client_[\w-]{43}$/, 'the secret alone');
  await becomes(first, 200);
  const rotated = await clients('rotate', 'records', '--grace-hours', '1');
  assert.match(rotated.stderr, /^Client records has a new secret\. The one before holds until \d{4}-\S+Z\.\n$/);
  const second = rotated.stdout.trimEnd();
  await becomes(second, 200);
  await becomes(first, 200);
  assert.equal((await clients('disable', 'records')).code, 0);
  await becomes(second, 403);
  const listed = (await clients('list')).stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    listed.map((cells) => cells.slice(0, 4)),
    [
      ['CLIENT', 'KIND', 'STATE', 'AUDIENCE'],
      ...['identity', 'dispatch', 'engine'].map((id) => [id, 'service', 'configured', 'kedja']),
      ['journal', 'application', 'configured', 'kedja'],
      ['records', 'application', 'disabled', 'kedja'],
    ],
  );
  assert.equal((await clients('enable', 'records')).code, 0);
  await becomes(second, 200);
  assert.deepEqual((await clients('delete', 'records')).stderr, 'Client records is deleted.\n');
  await becomes(second, 403);
  const events = new Set(await auditedEvents(identity));
  for (const event of ['create', 'rotate-secret', 'disable', 'enable', 'delete'])
    assert.ok(events.has(`client.${event}`));
});

test('errors are printed as messages, every error of a client by name', async () => {
  const invalid = await clients(
    'create',
    'a b',
    '--kind',
    'application',
    '--name',
    ' ',
    '--redirect',
    'http://evil.example/',
  );
  assert.deepEqual([invalid.code, invalid.stdout], [1, '']);
  for (const field of ['client_id', 'name', 'redirects[0]'])
    assert.ok(invalid.stderr.includes(`'${field}'`), invalid.stderr);
  for (const [args, said] of [
    [['disable', 'nobody'], /^Client not found\n$/],
    [['delete', 'engine'], /managed by configuration/],
    [['create', 'journal', '--kind', 'service', '--name', 'x'], /A client of that id exists/],
    [['create', 'x', '--kind', 'other', '--name', 'x'], /--kind must be application or service, not "other"/],
    [['create', 'x', '--kind', 'service', '--name', 'x', '--call', 'all'], /--call must be one of user:read, /],
    [['rotate', 'x', '--grace-hours', 'long'], /--grace-hours must be 0 to 720/],
    [['create', 'x'], /usage: kedja clients/],
    [['list', 'x'], /usage: kedja clients/],
    [[], /usage: kedja clients/],
  ] as const) {
    const { code, stderr } = await clients(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, said);
  }
});
