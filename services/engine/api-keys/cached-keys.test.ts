// A revoked key is refused at once by the node that revoked it, and by the other nodes within two seconds (decision
// G8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineOn, startTestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { withRealKeys } from '#test/support/key-authenticator.ts';

const hooks = lastFirst({ after });
const one = await startTestEngine(hooks, { authenticatorOf: withRealKeys });
const two = await startEngineOn(hooks, one.database, { authenticatorOf: withRealKeys });

const scopes = ['system/Patient.rs'];
const put = (path: string, body: object) => one.call('admin', 'PUT', path, body);

async function makeKey(body: object = { scopes }): Promise<{ key: string; guid: string }> {
  const { body: made } = await one.call('admin', 'POST', '/api-keys', { name: 'k', ...body });
  return { key: made.key, guid: made.key_guid };
}

async function makeProvider(): Promise<string> {
  return (await one.call('admin', 'POST', '/providers', { name: 'P', region: 'R' })).body.provider_guid;
}

const ways: Readonly<Record<string, () => Promise<{ key: string; takeAway: () => Promise<{ status: number }> }>>> = {
  deleted: async () => {
    const { key, guid } = await makeKey();
    return { key, takeAway: () => one.call('admin', 'DELETE', `/api-keys/${guid}`) };
  },
  revoked: async () => {
    const { key, guid } = await makeKey();
    return { key, takeAway: () => put(`/api-keys/${guid}`, { name: 'k', scopes, status: 'revoked' }) };
  },
  rotated: async () => {
    const { key, guid } = await makeKey();
    return { key, takeAway: () => one.call('admin', 'POST', `/api-keys/${guid}/rotate`) };
  },
  'narrowed to other scopes': async () => {
    const { key, guid } = await makeKey();
    return { key, takeAway: () => put(`/api-keys/${guid}`, { name: 'k', scopes: ['system/Group.r'] }) };
  },
  'of a provider that becomes inactive': async () => {
    const provider = await makeProvider();
    const { key } = await makeKey({ scopes, provider_guid: provider });
    return { key, takeAway: () => put(`/providers/${provider}`, { name: 'P', region: 'R', status: 'inactive' }) };
  },
};

for (const [name, make] of Object.entries(ways)) {
  test(`a key that is ${name} is refused at once where that was said, and elsewhere within two seconds`, async () => {
    const { key, takeAway } = await make();
    const read = async (node: typeof one) => (await node.call(key, 'GET', '/Patient')).status;
    assert.deepEqual([await read(one), await read(two)], [200, 200]);
    assert.equal((await takeAway()).status < 300, true);
    assert.notEqual(await read(one), 200);
    two.clock.time += 2_000;
    assert.notEqual(await read(two), 200);
  });
}
