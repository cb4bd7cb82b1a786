import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Type from 'typebox';
import { lastFirst } from '#test/support/hooks.ts';
import { makePrincipal, makeTestApp } from '#test/support/http-app.ts';
import { handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { createPublishedList, dropAfterWrites } from './published-list.ts';

async function makeSite() {
  const state = { time: 0, names: ['one'], loads: 0, pause: Promise.resolve() as Promise<void>, isAway: false };
  const list = createPublishedList({ now: () => state.time });
  const app = await makeTestApp({ admin: makePrincipal(['admin']) });
  dropAfterWrites(app, [list]);
  const read = async () => {
    state.loads += 1;
    if (state.isAway) throw new Error('away');
    const found = state.names.map((name) => ({ name }));
    await state.pause;
    return found;
  };
  const response = { 200: Type.Array(Type.Object({ name: Type.String() })) };
  app.get('/list', { config: { permission: 'public' }, schema: { response } }, async (_request, reply) =>
    list.send(reply, read),
  );
  app.post('/change', { config: { permission: 'directory:administer' } }, async () => {
    state.names = ['two'];
    return {};
  });
  app.post('/open', { config: { permission: 'public' } }, async () => ({}));
  const names = async () => (await app.inject('/list')).json().map(({ name }: { name: string }) => name);
  const change = () => app.inject({ method: 'POST', url: '/change', headers: { authorization: 'Bearer admin' } });
  return { state, app, names, change };
}

test('concurrent requests share one read of the list per second, serialized by the route’s schema', async () => {
  const { state, app, names } = await makeSite();
  await Promise.all([names(), names(), names()]);
  state.names = ['elsewhere'];
  state.time += 999;
  assert.deepEqual([await names(), state.loads], [['one'], 1]);
  state.time += 1;
  assert.deepEqual([await names(), state.loads], [['elsewhere'], 2]);
  const answer = await app.inject('/list');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['content-length'], String(answer.body.length));
});

test('the next request sees a change through this node; a call without a caller drops nothing', async () => {
  const { state, app, names, change } = await makeSite();
  await names();
  await app.inject({ method: 'POST', url: '/open' });
  await names();
  assert.equal(state.loads, 1);
  await change();
  assert.deepEqual(await names(), ['two']);
});

test('a read that was in progress during the change is not cached', async () => {
  const { state, names, change } = await makeSite();
  let release: () => void = () => undefined;
  state.pause = new Promise((resolve) => {
    release = resolve;
  });
  const before = names();
  while (state.loads === 0) await new Promise((resolve) => setImmediate(resolve));
  await change();
  release();
  assert.deepEqual([await before, await names()], [['one'], ['two']]);
});

test('a failed query is not cached, and no old list is sent instead', async () => {
  const { state, app, names } = await makeSite();
  await names();
  state.time += 1_000;
  state.isAway = true;
  assert.equal((await app.inject('/list')).statusCode, 500);
  state.isAway = false;
  assert.deepEqual(await names(), ['one']);
});

test('organisations, groups and leaders that a node has changed are listed there at once, and within a second on the others', async () => {
  const hooks = lastFirst({ after });
  const clock = handClock();
  const on = await identityDatabase(hooks);
  const [here, there] = await Promise.all([1, 2].map(() => startIdentity(hooks, { on, clock })));
  assert.ok(here !== undefined && there !== undefined);
  const organisations = async (node: typeof here) => (await node.app.inject('/api/public/organisations')).json();
  const headers = await here.asAdmin();
  assert.deepEqual([await organisations(here), await organisations(there)], [[], []]);
  const payload = { name: 'Vårdcentralen' };
  await here.app.inject({ method: 'POST', url: '/api/admin/organisations', headers, payload });
  assert.equal((await organisations(here)).length, 1);
  clock.advance(1_000);
  assert.deepEqual(await organisations(there), await organisations(here));

  const groups = async () => (await here.app.inject('/api/public/groups')).json();
  const [group, ...rest] = await groups();
  await here.app.inject({ method: 'DELETE', url: `/api/admin/groups/${group.group_guid}`, headers });
  assert.deepEqual(await groups(), rest);
});
