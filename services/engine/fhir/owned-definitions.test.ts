// Definitions, directories and the library have owners (docs/adr/0050). Everybody reads. Only the author's organisation
// and administrators write, by any interaction. Nobody else can use a definition's url.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ORGANISATION, OTHER_ORGANISATION, startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const phases = new Set(['planning']);
const roles = ['professional', 'clinician'] as const;
const colleague = makePrincipal(roles, { organisationGuids: [OTHER_ORGANISATION, ORGANISATION], phases });
const { call } = await startTestEngine({ after }, { callers: { colleague } });

const at = (type: string, id: string) => `http://example.org/${type}/${id}`;

type Json = Readonly<Record<string, unknown>>;

const DEFINITIONS: readonly Json[] = [
  { resourceType: 'Questionnaire', status: 'active', title: 'x' },
  { resourceType: 'PlanDefinition', status: 'draft', title: 'x' },
  { resourceType: 'ActivityDefinition', status: 'active', version: '1', title: 'x' },
  { resourceType: 'ValueSet', status: 'active', title: 'x' },
  { resourceType: 'CodeSystem', status: 'active', content: 'complete', title: 'x' },
  { resourceType: 'ConceptMap', status: 'active', title: 'x' },
  { resourceType: 'Library', status: 'active', type: { text: 'x' }, title: 'x' },
];
const DIRECTORIES: readonly Json[] = [
  { resourceType: 'Practitioner', active: true },
  { resourceType: 'Organization', name: 'x' },
  { resourceType: 'Location', name: 'x' },
];

const withId = (resource: Json, id: string, more: Json = {}): Json => {
  const type = String(resource['resourceType']);
  const isNamed = DEFINITIONS.includes(resource);
  return { ...resource, id, ...(isNamed ? { url: at(type, id) } : {}), ...more };
};

/** Every way to change the resource of an address, with the status of each. */
async function waysToChange(caller: string, resource: Json): Promise<readonly [string, number][]> {
  const address = `/${resource['resourceType']}/${resource['id']}`;
  const changed = { ...resource, language: 'sv' };
  const bundle = (type: string, request: Json, body?: Json) => ({
    resourceType: 'Bundle',
    type,
    entry: [{ request, ...(body === undefined ? {} : { resource: body }) }],
  });
  const put = { method: 'PUT', url: address.slice(1) };
  const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'mine' }] } }] };
  const operation = [
    { name: 'type', valueCode: 'add' },
    { name: 'path', valueString: String(resource['resourceType']) },
    { name: 'name', valueString: 'language' },
    { name: 'value', valueCode: 'sv' },
  ];
  const patch = { resourceType: 'Parameters', parameter: [{ name: 'operation', part: operation }] };
  const inside = async (body: Json) => {
    const answer = await call(caller, 'POST', '/', body);
    const status = answer.body.entry?.[0]?.response?.status;
    return status === undefined ? answer.status : Number.parseInt(status, 10);
  };
  const answers: [string, number][] = [
    ['put', (await call(caller, 'PUT', address, changed)).status],
    ['patch', (await call(caller, 'PATCH', address, patch)).status],
    [
      'put by condition',
      (await call(caller, 'PUT', `/${resource['resourceType']}?_id=${resource['id']}`, changed)).status,
    ],
    ['meta', (await call(caller, 'POST', `${address}/$meta-add`, meta)).status],
    ['batch', await inside(bundle('batch', put, changed))],
    ['transaction', await inside(bundle('transaction', put, changed))],
    ['transaction delete', await inside(bundle('transaction', { method: 'DELETE', url: address.slice(1) }))],
    ['delete', (await call(caller, 'DELETE', address)).status],
  ];
  return answers;
}

for (const resource of [...DEFINITIONS, ...DIRECTORIES]) {
  const type = String(resource['resourceType']);
  test(`${type}: others read it, the owner's organisation and administrators write it`, async () => {
    const own = withId(resource, 'owned');
    const made = await call('planner', 'PUT', `/${type}/owned`, own);
    assert.equal(made.status, 201, made.text);
    assert.equal((await call('stranger', 'GET', `/${type}/owned`)).status, 200);
    for (const [way, status] of await waysToChange('stranger', own)) assert.equal(status, 403, `${type} ${way}`);
    assert.equal((await call('planner', 'GET', `/${type}/owned`)).body.meta.versionId, '1');
    for (const caller of ['planner', 'colleague', 'admin']) {
      const answer = await call(caller, 'PUT', `/${type}/owned`, { ...own, meta: { tag: [{ code: caller }] } });
      assert.equal(answer.status, 200, `${caller} ${answer.text}`);
    }
    // It stays its owner's, even if another changed it last.
    assert.equal((await call('stranger', 'DELETE', `/${type}/owned`)).status, 403);
  });
}

test('what an administrator makes belongs to the whole system', async () => {
  const form = withId(DEFINITIONS[0] ?? {}, 'common');
  assert.equal((await call('admin', 'PUT', '/Questionnaire/common', form)).status, 201);
  assert.equal((await call('planner', 'GET', '/Questionnaire/common')).status, 200);
  for (const [way, status] of await waysToChange('planner', form)) assert.equal(status, 403, way);
  assert.equal((await call('admin', 'DELETE', '/Questionnaire/common')).status, 204);
});

test('a url is its owner’s, whichever way another would take it', async () => {
  for (const resource of DEFINITIONS) {
    const type = String(resource['resourceType']);
    const own = withId(resource, 'first', { version: '1' });
    assert.equal((await call('planner', 'PUT', `/${type}/first`, own)).status, 201);
    const taken = { ...own, id: 'second', version: '2' };
    const { id: _, ...posted } = taken;
    const entry = [{ request: { method: 'POST', url: type }, resource: posted }];
    const answers = [
      await call('stranger', 'PUT', `/${type}/second`, taken),
      await call('stranger', 'POST', `/${type}`, posted),
      await call('stranger', 'POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 403, `${type} ${text}`);
      assert.match(text, /belongs to/);
    }
    // Neither by changing the url of what is there already.
    const theirs = withId(resource, 'theirs');
    assert.equal((await call('stranger', 'PUT', `/${type}/theirs`, theirs)).status, 201);
    const moved = await call('stranger', 'PUT', `/${type}/theirs`, { ...theirs, url: own['url'] });
    assert.ok([403, 409].includes(moved.status), `${type} ${moved.text}`);
    assert.equal((await call('planner', 'PUT', `/${type}/second`, taken)).status, 201);
  }
});

/** Makes one of each entry of the library as the caller, and answers their addresses with bodies that replace them. */
async function makeLibrary(caller: string, name: string): Promise<Record<string, readonly [string, Json]>> {
  const make = async (path: string, body: Json): Promise<string> => {
    const answer = await call(caller, 'POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return String(answer.headers['location']).split('/').at(-1) ?? '';
  };
  const bodies = {
    lib: { name, url: `urn:${name}` },
    type: { name },
    response: { name, fhir_type: 'Quantity' },
    unit: { name, ucum_code: 'kg' },
  };
  const lib = await make('/canonical-libs', bodies.lib);
  const concept = { canonical_lib: lib, concept_name: name };
  const conceptGuid = await make('/concepts', concept);
  const activity = { name, concept: conceptGuid, status: 'active' };
  const activityGuid = await make('/activities', activity);
  const step = { name, concept: conceptGuid };
  const goal = { name, concept: conceptGuid, target: { value: 1 } };
  return {
    transaction: [`/transactions/${await make(`/activities/${activityGuid}/transactions`, step)}`, step],
    goal: [`/goals/${await make('/goals', goal)}`, goal],
    activity: [`/activities/${activityGuid}`, activity],
    concept: [`/concepts/${conceptGuid}`, concept],
    lib: [`/canonical-libs/${lib}`, bodies.lib],
    type: [`/concept-types/${await make('/concept-types', bodies.type)}`, bodies.type],
    response: [`/response-types/${await make('/response-types', bodies.response)}`, bodies.response],
    unit: [`/units/${await make('/units', bodies.unit)}`, bodies.unit],
  };
}

const DELETED = ['transaction', 'goal', 'activity', 'concept', 'lib'];

test('entries of the library are changed by their owner alone', async () => {
  const library = await makeLibrary('planner', 'owned');
  for (const [kind, [address, body]] of Object.entries(library)) {
    const isRead = kind !== 'transaction';
    if (isRead) assert.equal((await call('stranger', 'GET', address)).status, 200, kind);
    const refused = await call('stranger', 'PUT', address, body);
    assert.deepEqual([refused.status, refused.body.error], [403, 'forbidden'], kind);
    if (DELETED.includes(kind)) assert.equal((await call('stranger', 'DELETE', address)).status, 403, kind);
    for (const caller of ['planner', 'colleague', 'admin'])
      assert.equal((await call(caller, 'PUT', address, body)).status, 200, `${kind} ${caller}`);
  }
  const [activity = ''] = library['activity'] ?? [];
  const [concept = ''] = library['concept'] ?? [];
  const step = { name: 'x', concept: concept.split('/').at(-1) };
  assert.equal((await call('stranger', 'POST', `${activity}/transactions`, step)).status, 403);
  for (const kind of DELETED)
    assert.equal((await call('planner', 'DELETE', library[kind]?.[0] ?? '')).status, 204, kind);
  assert.equal((await call('stranger', 'PUT', library['goal']?.[0] ?? '', library['goal']?.[1])).status, 400);
});

test('a library of another organisation takes no concepts, and a common one does', async () => {
  const own = await makeLibrary('planner', 'closed');
  const common = await makeLibrary('admin', 'common');
  const inLib = (library: typeof own) => ({
    canonical_lib: library['lib']?.[0].split('/').at(-1),
    concept_name: 'new',
  });
  assert.equal((await call('stranger', 'POST', '/concepts', inLib(own))).status, 403);
  const added = await call('stranger', 'POST', '/concepts', inLib(common));
  assert.equal(added.status, 201, added.text);
  const address = `/concepts/${added.body.concept_guid}`;
  assert.equal((await call('stranger', 'PUT', address, inLib(own))).status, 403);
  assert.equal((await call('planner', 'PUT', address, inLib(common))).status, 403);
  for (const [kind, [path, body]] of Object.entries(common))
    assert.equal((await call('planner', 'PUT', path, body)).status, 403, kind);
});

test('a published plan is its publisher’s organisation’s', async () => {
  const library = await makeLibrary('planner', 'published');
  const activities = [library['activity']?.[0].split('/').at(-1)];
  const plan = await call('planner', 'POST', '/plan-definitions', { title: 'A plan', activities, goals: [] });
  assert.equal(plan.status, 201, plan.text);
  const { plan_definition_id: id, url } = plan.body;
  const taken = await call('stranger', 'POST', '/plan-definitions', { title: 'Another', activities, goals: [], url });
  assert.equal(taken.status, 403, taken.text);
  const stored = (await call('stranger', 'GET', `/PlanDefinition/${id}`)).body;
  const retired = { ...stored, status: 'retired' };
  assert.equal((await call('stranger', 'PUT', `/PlanDefinition/${id}`, retired)).status, 403);
  assert.equal((await call('planner', 'PUT', `/PlanDefinition/${id}`, retired)).status, 200);
});
