// Cached terminology responses are sent before routing (docs/adr/0032): only to callers with the permission, in the
// requested language, and never after a definition has changed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { withRealKeys } from '#test/support/key-authenticator.ts';

const URL = 'http://x.org/ores';

const ores = (display: string) => ({
  resourceType: 'CodeSystem',
  id: 'ores',
  url: URL,
  status: 'active',
  language: 'en',
  content: 'complete',
  concept: [{ code: 'iron', display, designation: [{ language: 'sv', value: 'Järn' }] }],
});

/**
 * The engine as it listens, with the authenticator that services have for their keys; `routed` counts what came to the
 * router.
 */
async function startListening(context: TestContext) {
  const site = await startTestEngine(context, {
    authenticatorOf: withRealKeys,
  });
  await put(site, 'Iron');
  const address = await site.app.listen({ host: '127.0.0.1', port: 0 });
  const { mock } = context.mock.method(site.app, 'routing');
  const ask = async (headers: Record<string, string>, more = '') => {
    const answer = await fetch(`${address}/api/v1/CodeSystem/$lookup?system=${URL}&code=iron${more}`, { headers });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    return { status: answer.status, type, text, display: /"display","valueString":"(.*?)"/.exec(text)?.[1] };
  };
  const makeKey = async (...scopes: readonly string[]) => {
    const { body } = await site.call('admin', 'POST', '/api-keys', { name: 'k', scopes });
    return { 'x-api-key': String(body.key), guid: String(body.key_guid) };
  };
  return { ...site, ask, makeKey, routed: () => mock.callCount() };
}

async function put({ call }: Pick<Awaited<ReturnType<typeof startTestEngine>>, 'call'>, display: string) {
  const { status, text } = await call('planner', 'PUT', '/CodeSystem/ores', ores(display));
  assert.ok(status < 300, text);
}

test('a repeated request gets the cached response, for each permitted caller, until a definition changes', async (context) => {
  const site = await startListening(context);
  const { ask, makeKey, routed } = site;
  const { guid: _one, ...key } = await makeKey('system/*.cruds');
  const { guid: _two, ...other } = await makeKey('system/CodeSystem.r');
  const first = await ask(key);
  assert.deepEqual([first.status, first.display, routed()], [200, 'Iron', 1]);
  assert.deepEqual(await ask(key), first);
  assert.equal(routed(), 1);
  // The router finds out, for each caller, whether the operation may be asked.
  assert.deepEqual(await ask(other), first);
  assert.deepEqual(await ask(other), first);
  assert.equal(routed(), 2);
  await put(site, 'Pig iron');
  assert.equal((await ask(key)).display, 'Pig iron');
  assert.equal((await ask(other)).display, 'Pig iron');
  assert.equal(routed(), 3);
});

test('responses are cached by language and format', async (context) => {
  const { ask, makeKey, routed } = await startListening(context);
  const { guid: _, ...key } = await makeKey('system/*.cruds');
  for (const isAgain of [false, true]) {
    assert.equal((await ask({ ...key, 'accept-language': 'en' })).display, 'Iron');
    assert.equal((await ask({ ...key, 'accept-language': 'sv' })).display, 'Järn');
    assert.equal(routed(), 2, String(isAgain));
  }
  const plain = await ask({ ...key, accept: 'application/json', 'accept-language': 'sv' });
  assert.deepEqual([plain.type, plain.display], ['application/json; charset=utf-8', 'Järn']);
  assert.equal((await ask({ ...key, accept: 'application/fhir+xml', 'accept-language': 'sv' })).status, 406);
  assert.match((await ask({ ...key, 'accept-language': 'sv' }, '&_pretty=true')).text, /\n/);
});

test('a caller without the permission is refused, and a deleted key at once', async (context) => {
  const { ask, makeKey, call } = await startListening(context);
  const { guid, ...key } = await makeKey('system/*.cruds');
  const { guid: _, ...poor } = await makeKey('system/Patient.r');
  assert.equal((await ask(key)).status, 200);
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await ask(poor)).status, 403);
    assert.equal((await ask({})).status, 401);
    assert.equal((await ask({ 'x-api-key': 'kedja_nothing' })).status, 401);
    assert.equal((await ask({ ...key, authorization: 'Bearer nobody' })).status, 401);
  }
  assert.equal((await call('admin', 'DELETE', `/api-keys/${guid}`)).status, 204);
  assert.equal((await ask(key)).status, 401);
});
