// Terminology responses are sent before routing, cached (docs/adr/0032) or computed (docs/adr/0089). They are sent only
// to callers with the permission, in the requested language, and never after a definition has changed.
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
  const ask = (headers: Record<string, string>, more = '') =>
    get(`CodeSystem/$lookup?system=${URL}&code=iron${more}`, headers);
  const get = async (target: string, headers: Record<string, string>) => {
    const answer = await fetch(`${address}/api/v1/${target}`, {
      headers: { 'accept-encoding': 'identity', ...headers },
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    const vary = answer.headers.get('vary');
    return { status: answer.status, type, vary, text, display: /"display","valueString":"(.*?)"/.exec(text)?.[1] };
  };
  const makeKey = async (...scopes: readonly string[]) => {
    const { body } = await site.call('admin', 'POST', '/api-keys', { name: 'k', scopes });
    return { 'x-api-key': String(body.key), guid: String(body.key_guid) };
  };
  return { ...site, ask, get, makeKey, routed: () => mock.callCount() };
}

async function put({ call }: Pick<Awaited<ReturnType<typeof startTestEngine>>, 'call'>, display: string) {
  const { status, text } = await call('planner', 'PUT', '/CodeSystem/ores', ores(display));
  assert.ok(status < 300, text);
}

test('each permitted caller gets responses without the router, of the present definitions', async (context) => {
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
  assert.equal((await ask(other)).display, 'Pig iron');
  assert.equal(routed(), 2);
});

test('responses differ by language and format, cached or not', async (context) => {
  const { ask, makeKey, routed } = await startListening(context);
  const { guid: _, ...key } = await makeKey('system/*.cruds');
  for (const isAgain of [false, true, true]) {
    assert.equal((await ask({ ...key, 'accept-language': 'en' })).display, 'Iron');
    assert.equal((await ask({ ...key, 'accept-language': 'sv' })).display, 'Järn');
    // The first one came to the router, which admits the caller.
    assert.equal(routed(), 1, String(isAgain));
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

/** What differs from one response to the next. */
const plain = (text: string) => text.replace(/"urn:uuid:[^"]+"|"timestamp":"[^"]+"|"id":"[^"]+"/g, '""');

test('the router gives the same responses', async (context) => {
  const { get, makeKey, routed } = await startListening(context);
  const { guid: _, ...key } = await makeKey('system/*.cruds');
  const targets = [
    `CodeSystem/$lookup?system=${URL}&code=iron`,
    `CodeSystem/$lookup?system=${encodeURIComponent(URL)}&code=iron&displayLanguage=sv`,
    `CodeSystem/$lookup?code=iron&&system=${URL}&property=designation&x-mine=1`,
    `CodeSystem/$validate-code?url=${URL}&code=iron&display=Rusty+iron%21`,
    `CodeSystem/$subsumes?system=${URL}&codeA=iron&codeB=iron`,
    `ValueSet/$validate-code?url=${URL}/vs&system=${URL}&code=iron`,
    'ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender&count=2&filter=ma',
    // Longer than 8 kB.
    'ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/resource-types',
    // Refused.
    `CodeSystem/$lookup?system=${URL}&code=gold`,
    `CodeSystem/$lookup?system=${URL}&cod=iron`,
    `CodeSystem/$lookup?system=${URL}`,
    'CodeSystem/$lookup?system=%zz&code=iron',
    'CodeSystem/$lookup',
    `ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender&count=-1&offset=x`,
    'ConceptMap/$translate?sourceCode=iron',
  ];
  // The router admits the caller to each operation.
  for (const target of targets) await get(target, key);
  for (const target of targets) {
    const before = routed();
    const direct = await get(target, key);
    const isDirect = routed() === before;
    const byRouter = await get(target, { ...key, 'x-other': '1' });
    assert.deepEqual({ ...direct, text: plain(direct.text) }, { ...byRouter, text: plain(byRouter.text) }, target);
    assert.equal(isDirect, direct.status === 200, target);
  }
});
