// The engine's inbox may be registered where private addresses are closed to webhooks, as in production (D8, E10); the attempts
// are tested with the guarded agent and in the story.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { ENGINE, makeSite } from '../testing/site.ts';

const { call } = await makeSite({ after });

const register = (url: string) => call('PUT', `providers/${newGuid()}/endpoint`, { as: 'service', body: { url } });

test("the engine's own origin is open to webhooks, and nothing else on its host is", async () => {
  const made = await register(`${ENGINE}/api/v1/provider-tasks/inbox?provider_guid=${newGuid()}`);
  assert.equal(made.status, 201, made.text);
  for (const url of [ENGINE.replace(/\d+$/, '8081'), ENGINE.replace('http:', 'https:'), 'http://127.0.0.1/']) {
    const refused = await register(url);
    assert.deepEqual([refused.status, refused.body['error']], [400, 'validation_error'], url);
  }
});
