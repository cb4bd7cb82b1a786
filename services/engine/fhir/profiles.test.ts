// Profiles, those of R5 and those that users store, black-box and on two nodes (decision E3,
// docs/reference/engine/validation.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PATIENT, startTwoEngines, type TestEngine } from '#test/support/engine/engine.ts';
import { observationProfile } from '#test/support/fhir/observation-profile.ts';
import { promptly } from '#test/support/http.ts';

const { one, two } = await startTwoEngines({ after });

before(async () => {
  await one.engine.start();
  await two.engine.start();
  await one.call('planner', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT });
});

const R5 = 'http://hl7.org/fhir/StructureDefinition/';
const STEPS = 'http://example.org/fhir/StructureDefinition/steps';
const profile = (elements: object[], changes: object = {}) => ({
  ...observationProfile({ url: STEPS, name: 'Steps' }, [{ id: 'Observation', path: 'Observation' }, ...elements]),
  version: '1.0.0',
  ...changes,
});
const element = (path: string, rules: object) => ({ id: path, path, ...rules });
const steps = (changes: object = {}, profiles = [STEPS]) => ({
  resourceType: 'Observation',
  meta: { profile: profiles },
  status: 'final',
  code: { text: 'Steps' },
  subject: { reference: `Patient/${PATIENT}` },
  ...changes,
});

type Issue = { severity: string; code: string; expression?: string[]; details: { text: string } };
const issuesOf = (body: { issue: Issue[] }) =>
  body.issue.map(({ severity, code, expression = [] }) => [severity, code, ...expression].join(' '));

async function validated({ call }: TestEngine, resource: object, query = '') {
  const { status, body } = await call('planner', 'POST', `/$validate${query}`, resource);
  assert.equal(status, 200);
  return issuesOf(body);
}

/** Waits until every node says so; the limit is what is promised, with room for a slow machine. */
async function soon(resource: object, expected: readonly string[]): Promise<void> {
  for (const node of [one, two]) {
    const isSo = async () => ((await validated(node, resource)).join() === expected.join() ? true : undefined);
    await promptly(`a node found ${expected.join()}`, isSo, 8_000);
  }
}

/** The same for what is said. */
async function soonSaid(resource: object, text: RegExp): Promise<void> {
  for (const node of [one, two]) {
    const isSaid = async () =>
      text.test((await node.call('planner', 'POST', '/$validate', resource)).text) ? true : undefined;
    await promptly(`a node said ${text}`, isSaid, 8_000);
  }
}

async function send(method: 'POST' | 'PATCH', path: string, payload: object, headers: Record<string, string>) {
  const answer = await one.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: 'Bearer planner', 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(payload),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload, body: answer.json() };
}

test('a claim of an R5 profile is checked on create, update, patch and in transactions; an unknown one is a warning', async () => {
  const weight = steps({}, [`${R5}bodyweight`]);
  const refused = await one.call('planner', 'POST', '/Observation', weight);
  assert.equal(refused.status, 422);
  assert.ok(issuesOf(refused.body).includes('error required Observation.category'), refused.text);
  assert.match(
    refused.text,
    /slice VSCat of the profile http:\/\/hl7.org\/fhir\/StructureDefinition\/vitalsigns|bodyweight/,
  );
  const unknown = steps({}, ['http://example.org/unknown']);
  const made = await send('POST', '/Observation', unknown, { prefer: 'return=OperationOutcome' });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(issuesOf(made.body), ['warning not-found Observation.meta.profile[0]']);
  assert.match(made.text, /http:\/\/example.org\/unknown/);
  const id = String(made.headers['location']).split('/Observation/')[1]?.split('/')[0];
  const update = await one.call('planner', 'PUT', `/Observation/${id}`, { ...weight, id });
  assert.equal(update.status, 422, update.text);
  const claim = [{ op: 'replace', path: '/meta/profile', value: weight.meta.profile }];
  const patched = await send('PATCH', `/Observation/${id}`, claim, { 'content-type': 'application/json-patch+json' });
  assert.equal(patched.status, 422, patched.text);
  const bundle = {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [{ resource: weight, request: { method: 'POST', url: 'Observation' } }],
  };
  assert.equal((await one.call('planner', 'POST', '', bundle)).status, 422);
});

test('who stores, changes or deletes a profile finds that in force on the same node at once', async () => {
  const url = 'http://example.org/fhir/StructureDefinition/at-once';
  const claiming = steps({}, [url]);
  const wanted = (min: number) => profile([element('Observation.effective[x]', { min })], { id: 'at-once', url });
  const address = '/StructureDefinition/at-once';
  const unknown = ['warning not-found Observation.meta.profile[0]'];
  assert.deepEqual(await validated(one, claiming), unknown);
  assert.equal((await one.call('planner', 'PUT', address, wanted(1))).status, 201);
  assert.deepEqual(await validated(one, claiming), ['error required Observation.effective']);
  const request = { method: 'PUT', url: 'StructureDefinition/at-once' };
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry: [{ resource: wanted(0), request }] };
  assert.equal((await one.call('planner', 'POST', '', bundle)).status, 200);
  assert.deepEqual(await validated(one, claiming), ['success success']);
  assert.equal((await one.call('planner', 'DELETE', address)).status, 204);
  assert.deepEqual(await validated(one, claiming), unknown);
});

test('a profile that a user stores takes effect on every node, is changed, and is taken back', async () => {
  const made = await one.call(
    'planner',
    'POST',
    '/StructureDefinition',
    profile([element('Observation.effective[x]', { min: 1 })]),
  );
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  await soon(steps(), ['error required Observation.effective']);
  assert.equal((await two.call('planner', 'POST', '/Observation', steps())).status, 422);
  const changed = profile([element('Observation.valueInteger', { min: 1 })], { id, version: '2.0.0' });
  assert.equal((await two.call('planner', 'PUT', `/StructureDefinition/${id}`, changed)).status, 200);
  await soon(steps(), ['error required Observation.value', 'error required Observation.value']);
  assert.deepEqual(await validated(one, steps({ valueInteger: 9000 })), ['success success']);
  assert.deepEqual(await validated(one, steps({}, [`${STEPS}|1.0.0`])), [
    'warning not-found Observation.meta.profile[0]',
  ]);
  assert.equal((await one.call('planner', 'DELETE', `/StructureDefinition/${id}`)).status, 204);
  await soon(steps(), ['warning not-found Observation.meta.profile[0]']);
});

test('a definition that cannot be used is stored with a warning, and refuses no resource', async () => {
  const url = 'http://example.org/fhir/StructureDefinition/broken';
  const broken = (changes: object) => profile([], { url, ...changes });
  for (const [definition, reason] of [
    [broken({ baseDefinition: 'http://example.org/none' }), /its base http:\/\/example.org\/none is not known here/],
    [
      broken({ baseDefinition: url }),
      /it is based on itself, through http:\/\/example.org\/fhir\/StructureDefinition\/broken/,
    ],
    [profile([element('Observation.nothing', { min: 1 })], { url }), /Observation.nothing is not an element/],
    [
      profile([element('Observation.status', { min: 0 })], { url }),
      /Observation.status has a minimum of 0, below the 1 of its base/,
    ],
  ] as const) {
    const { body } = await one.call('planner', 'POST', '/StructureDefinition/$validate', definition);
    assert.match(JSON.stringify(body.issue), reason);
    assert.ok(
      body.issue.every(({ severity }: Issue) => severity === 'warning'),
      JSON.stringify(body),
    );
  }
  const made = await one.call('planner', 'POST', '/StructureDefinition', broken({ baseDefinition: url }));
  assert.equal(made.status, 201, made.text);
  await soonSaid(steps({}, [url]), /which cannot be used: it is based on itself/);
  const accepted = await one.call('planner', 'POST', '/Observation', steps({}, [url]));
  assert.equal(accepted.status, 201, accepted.text);
});

test('$validate names the profiles to follow, by GET, POST, Parameters, and with %24', async () => {
  const given = steps({}, []);
  const { meta: _meta, ...plain } = given;
  const made = await one.call('planner', 'POST', '/Observation', plain);
  const query = `?profile=${R5}vitalsigns&profile=${R5}Observation`;
  const expected = (await validated(one, plain, query)).sort();
  assert.ok(expected.includes('error required Observation.category'));
  const parameters = {
    resourceType: 'Parameters',
    parameter: [
      { name: 'resource', resource: plain },
      { name: 'mode', valueCode: 'profile' },
      { name: 'profile', valueCanonical: `${R5}vitalsigns` },
    ],
  };
  for (const [method, path, body] of [
    ['POST', '/%24validate', parameters],
    ['POST', '/Observation/$validate', parameters],
    ['POST', `/Observation/%24validate${query}`, plain],
    ['GET', `/Observation/${made.body.id}/$validate${query}&mode=profile`, undefined],
    ['GET', `/Observation/${made.body.id}/%24validate${query}`, undefined],
  ] as const) {
    const answer = await one.call('planner', method, path, body);
    assert.deepEqual([answer.status, issuesOf(answer.body).sort()], [200, expected], `${method} ${path}`);
  }
  assert.deepEqual(await validated(one, plain, '?profile=http://example.org/none'), ['error not-found']);
  assert.equal((await one.call('planner', 'POST', '/$validate?mode=profile', plain)).status, 400);
});

test('$snapshot of a stored definition, of one that is sent, and of an official one', async () => {
  const definition = profile([element('Observation.category', { min: 1 })], {
    url: 'http://example.org/fhir/StructureDefinition/s',
  });
  const made = await one.call('planner', 'POST', '/StructureDefinition', definition);
  const parameters = (parameter: object) => ({ resourceType: 'Parameters', parameter: [parameter] });
  for (const [method, path, body, min] of [
    ['GET', `/StructureDefinition/${made.body.id}/$snapshot`, undefined, 1],
    ['POST', '/StructureDefinition/$snapshot', definition, 1],
    ['POST', '/StructureDefinition/$snapshot', parameters({ name: 'definition', resource: definition }), 1],
    ['POST', '/StructureDefinition/%24snapshot', parameters({ name: 'url', valueUri: definition.url }), 1],
    ['GET', `/StructureDefinition/$snapshot?url=${R5}bp`, undefined, 1],
    ['GET', `/StructureDefinition/$snapshot?url=${R5}Observation`, undefined, 0],
  ] as const) {
    const answer = await one.call('planner', method, path, body);
    assert.equal(answer.status, 200, answer.text);
    const category = answer.body.snapshot.element.find(({ id }: { id: string }) => id === 'Observation.category');
    assert.equal(category.min, min);
    const errors = (await one.call('planner', 'POST', '/$validate', answer.body)).body.issue.filter(
      ({ severity }: Issue) => severity === 'error',
    );
    assert.deepEqual(errors, [], `${method} ${path}`);
  }
  const wrong = await one.call('planner', 'POST', '/StructureDefinition/$snapshot', {
    ...definition,
    baseDefinition: 'http://example.org/none',
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /its base http:\/\/example.org\/none is not known here/);
  assert.equal(
    (await one.call('planner', 'GET', '/StructureDefinition/$snapshot?url=http://example.org/none')).status,
    404,
  );
  assert.equal((await one.call('planner', 'GET', '/StructureDefinition/$snapshot')).status, 400);
});

test('a profile whose expression cannot be run in linear time is refused by name; a slow pattern is none', async () => {
  const constrained = (expressions: readonly string[]) =>
    profile(
      [
        element('Observation.code.text', {
          constraint: expressions.map((expression, at) => ({
            key: `t-${at}`,
            severity: 'error',
            human: 'T',
            expression,
          })),
        }),
      ],
      { url: `${STEPS}-linear` },
    );
  const refused = constrained(["matches('a')", "matches('(?=a)b')", "replaceMatches('(a)\\\\1', 'b') = ''"]);
  for (const [path, body] of [
    ['/StructureDefinition', refused],
    [
      '/',
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [{ resource: refused, request: { method: 'POST', url: 'StructureDefinition' } }],
      },
    ],
  ] as const) {
    const { status, text } = await one.call('planner', 'POST', path, body);
    assert.equal(status, 422);
    assert.match(
      text,
      /element\[1\]\.constraint\[1\]\.expression: the constraint t-1: the regular expression \(\?=a\)b/,
    );
    assert.match(text, /element\[1\]\.constraint\[2\]\.expression: the constraint t-2: the regular expression/);
    assert.doesNotMatch(text, /t-0/);
  }
  const slow = await one.call('planner', 'POST', '/StructureDefinition', constrained(["matches('^(a+)+$')"]));
  assert.equal(slow.status, 201);
  const resource = steps({ code: { text: `${'a'.repeat(100)}!` } }, [`${STEPS}-linear`]);
  assert.deepEqual(await validated(one, resource), ['error invariant Observation.code.text']);
});
