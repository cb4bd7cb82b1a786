// Types whose routes are alike share routes of Fastify (docs/adr/0094). Callers, logs, metrics and /openapi.json see a
// route of each type.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '#lib/auth/permissions.ts';
import { createServingGate } from '#lib/http/serving-gate.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { createRouteTable, type RowList } from './route-table.ts';

const ALIKE = ['Account', 'Basic', 'Claim', 'Device', 'Endpoint', 'Flag', 'Goal', 'Group', 'List', 'Media', 'Task'];
const CALLERS = {
  admin: makePrincipal(['admin']),
  patient: makePrincipal(['patient'], { patientGuid: 'p1' }),
};

async function makeApp(types: readonly string[] = ALIKE) {
  const lines: string[] = [];
  const gate = createServingGate();
  const app = await makeTestApp(CALLERS, { wireFormOf: () => 'fhir', logger: makeTestLogger(lines), gate });
  const urls: string[] = [];
  const made: string[] = [];
  await app.register(
    async (scope) => {
      scope.addHook('onRoute', ({ method, url }) => void urls.push(`${method} ${url}`));
      const table = createRouteTable();
      const addTo = (list: RowList) => (method: 'GET' | 'POST', url: string, type: string, permission: Permission) =>
        list.add(
          method,
          url,
          { config: { permission, searched: { type } }, schema: { tags: [type], summary: `${method} ${url}` } },
          (request: FastifyRequest<{ Params: { id?: string } }>, reply: FastifyReply) =>
            reply.send({ type, id: request.params.id, served: request.served }),
        );
      addTo(table)('GET', '/_history', '', 'fhir:operate');
      const served = [...types, 'Patient'].map((type) => ({ type }));
      table.addTypes(served, (list, { type }) => {
        made.push(type);
        const add = addTo(list);
        const permission = type === 'Flag' ? 'directory:administer' : 'patient-record:read';
        add('GET', `/${type}/:id`, type, permission);
        if (type === 'Patient') return add('GET', '/Patient/:id/$everything', 'Patient', 'patient-record:read');
        add('GET', `/${type}/_history`, type, permission);
        add('POST', `/${type}`, type, permission);
      });
      table.mount(scope, (url) => () => ({ operationId: url }));
    },
    { prefix: '/api' },
  );
  const call = async (method: 'GET' | 'HEAD' | 'POST' | 'PUT', url: string, as: keyof typeof CALLERS = 'admin') => {
    const answer = await app.inject({ method, url, headers: { authorization: `Bearer ${as}` } });
    return { status: answer.statusCode, allow: answer.headers.allow, body: answer.body && answer.json() };
  };
  return { app, gate, lines, urls, made, call };
}

test('types that are alike share routes; others, and a few that are alike, have their own', async () => {
  const { urls } = await makeApp();
  const shared = urls.filter((url) => url.includes('familyMember'));
  assert.equal(shared.length, 5, shared.join('\n'));
  assert.equal(urls.filter((url) => url.includes('/Account/')).length, 0);
  assert.ok(urls.includes('GET /api/Patient/:id'));
  const few = await makeApp(['Account', 'Basic']);
  assert.ok(few.urls.includes('GET /api/Account/:id'));
});

test('each type has its own handler, permission and description', async () => {
  const { gate, call } = await makeApp();
  gate.open();
  const { body } = await call('GET', '/api/Task/7');
  const served = { url: '/api/Task/:id', permission: 'patient-record:read', caching: 'unstored' };
  assert.deepEqual(body, { type: 'Task', id: '7', served: { ...served, searched: { type: 'Task' } } });
  assert.equal((await call('GET', '/api/Account/_history')).body.served.url, '/api/Account/_history');
  assert.equal((await call('GET', '/api/Patient/7/$everything')).body.type, 'Patient');
  assert.equal((await call('HEAD', '/api/Task/7')).status, 200);
  assert.equal((await call('GET', '/api/Task/7', 'patient')).status, 200);
  assert.equal((await call('GET', '/api/Flag/7', 'patient')).status, 403);
  assert.equal((await call('HEAD', '/api/Flag/7', 'patient')).status, 403);
});

test('the rows of a type are made when it is asked for, and of no other', async () => {
  const { gate, made, call } = await makeApp();
  gate.open();
  // All are made to find which are alike, and given up. Those of a request are, too, when garbage is collected.
  assert.deepEqual(made.splice(0), [...ALIKE, 'Patient']);
  await Promise.all([call('GET', '/api/Task/7'), call('GET', '/api/Task/8'), call('GET', '/api/Task/_history')]);
  await Promise.all([call('GET', '/api/Patient/7'), call('GET', '/api/Patient/7/$everything')]);
  assert.deepEqual([...new Set(made)], ['Task', 'Patient']);
});

test('rows of another type than the one they are added to are refused', async () => {
  const table = createRouteTable();
  const options = { config: { permission: 'fhir:operate' as const }, schema: { tags: [], summary: '' } };
  const types = ALIKE.map((type) => ({ type }));
  table.addTypes(types, (list) => list.add('GET', '/Taskx/:id', options, () => undefined));
  const app = await makeTestApp(CALLERS, { wireFormOf: () => 'fhir' });
  assert.throws(() => table.mount(app, (url) => () => ({ operationId: url })), /\/Taskx\/:id is not of Account/);
});

test('other methods and other types are refused as before', async () => {
  const { gate, call } = await makeApp();
  gate.open();
  const wrong = await call('PUT', '/api/Account/7');
  assert.deepEqual([wrong.status, wrong.allow], [405, 'GET, HEAD']);
  assert.deepEqual((await call('GET', '/api/Account')).allow, 'POST');
  for (const url of ['/api/Accoun/7', '/api/Accounts/7', '/api/account/7', '/api/constructor/7', '/api/Patient']) {
    assert.equal((await call('GET', url)).status, 404, url);
  }
});

test('a line of the log names the route of the type and its record, also before the route has begun', async () => {
  const { gate, lines, call } = await makeApp();
  const id = '01900000-0000-7000-8000-00000000aaaa';
  assert.equal((await call('GET', `/api/Task/${id}`)).status, 503);
  gate.open();
  assert.equal((await call('GET', `/api/Goal/${id}`)).status, 200);
  const [closed, open] = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request.completed');
  assert.deepEqual([closed.route, closed.status, closed.target], ['/api/Task/:id', 503, `Task/${id}`]);
  assert.deepEqual([open.route, open.status, open.target], ['/api/Goal/:id', 200, `Goal/${id}`]);
});

test('the document has a path for each row, in the order of the table', async () => {
  const { app } = await makeApp();
  await app.ready();
  const operations = (await app.apiDocument.operations()).filter(({ path }) => path.startsWith('/api/'));
  assert.equal(operations.length, 1 + 3 * ALIKE.length + 2);
  assert.deepEqual(
    operations.slice(0, 4).map(({ method, path, id, tag }) => [method, path, id, tag]),
    [
      ['get', '/api/_history', '/_history', ''],
      ['get', '/api/Account/{id}', '/Account/:id', 'Account'],
      ['get', '/api/Account/_history', '/Account/_history', 'Account'],
      ['post', '/api/Account', '/Account', 'Account'],
    ],
  );
});
