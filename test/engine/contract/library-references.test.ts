// What the library's records refer to (decisions E6, E7). Nothing in use goes away, however many add to it and delete
// it at once. What an activity shows of others makes another version of its ActivityDefinition when it changes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineContract } from '#test/support/engine/engine-contract.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';
import { fifty } from '#test/support/system/at-once.ts';

const contract = await startEngineContract({ after });
const { ask, refuse } = contract;
const library = await makeLibrary(contract);
const as = 'planner';

let count = 0;
async function make(path: string, body: object): Promise<string> {
  count += 1;
  const { status, body: made, text } = await ask(`POST ${path}`, { as, body: { name: `N${count}`, ...body } });
  assert.equal(status, 201, text);
  return String(Object.values(made)[0]);
}
const makeLib = () => make('/canonical-libs', { url: `urn:lib:${count}` });
async function makeConcept(fields: object = {}): Promise<string> {
  const body = { canonical_lib: library.lib, concept_name: 'Held', ...fields };
  return (await ask('POST /concepts', { as, body })).body.concept_guid;
}
const makeActivity = (concept: string) => make('/activities', { concept });

/**
 * Each user who may be deleted, and everything that may refer to it: how to make a user, and how a refusal names users.
 */
const HELD: readonly {
  what: string;
  make: () => Promise<string>;
  path: string;
  use: (guid: string) => Promise<{ path: string; body: object }>;
  named: RegExp;
}[] = [
  {
    what: 'a canonical library by concepts',
    make: makeLib,
    path: '/canonical-libs',
    use: async (guid) => ({ path: '/concepts', body: { canonical_lib: guid, concept_name: 'User' } }),
    named: /^The canonical library is used by \d+ concepts? \('User'/,
  },
  {
    what: 'a concept by activities',
    make: makeConcept,
    path: '/concepts',
    use: async (guid) => ({ path: '/activities', body: { name: 'User', concept: guid } }),
    named: /^The concept is used by \d+ (activity|activities) \('User'/,
  },
  {
    what: 'a concept by transactions',
    make: makeConcept,
    path: '/concepts',
    use: async (guid) => ({
      path: `/activities/${library.question}/transactions`,
      body: { name: 'User', concept: guid },
    }),
    named: /^The concept is used by \d+ transactions? \('User'/,
  },
  {
    what: 'a concept by goals',
    make: makeConcept,
    path: '/concepts',
    use: async (guid) => ({ path: '/goals', body: { name: 'User', concept: guid } }),
    named: /^The concept is used by \d+ goals? \('User'/,
  },
  {
    what: 'an activity by goals',
    make: () => makeActivity(library.weight),
    path: '/activities',
    use: async (guid) => ({ path: '/goals', body: { name: 'User', concept: library.weight, activities: [guid] } }),
    named: /^The activity is used by \d+ goals? \('User'/,
  },
];

for (const { what, make: makeHeld, path, use, named } of HELD) {
  test(`${what}: of 50 who use it and delete it at once, either users are made or it is deleted`, async () => {
    const guid = await makeHeld();
    const user = await use(guid);
    const uses = Array.from({ length: 25 }, () => ask(`POST ${user.path}`, { as, body: user.body }));
    const deletions = Array.from({ length: 25 }, () => ask(`DELETE ${path}/${guid}`, { as }));
    const [used, deleted] = await Promise.all([Promise.all(uses), Promise.all(deletions)]);
    const isDeleted = deleted.some(({ status }) => status === 204);
    const made = used.filter(({ status }) => status === 201);
    assert.equal(made.length > 0, !isDeleted);
    if (isDeleted) {
      assert.equal(deleted.filter(({ status }) => status === 204).length, 1);
      for (const { status, body } of used) assert.deepEqual([status, body.error], [400, 'validation_error']);
    }
    for (const { status, body } of deleted) {
      if (status === 409) assert.match(body.message, named);
      else assert.ok(status === 204 || (isDeleted && status === 404), String(status));
    }
    if (!isDeleted) assert.match((await refuse(`DELETE ${path}/${guid}`, { as }, 409, 'conflict')).body.message, named);
  });
}

test('who uses something is counted, and the first five are named', async () => {
  const lib = await makeLib();
  for (const name of 'fedcbag') await ask('POST /concepts', { as, body: { canonical_lib: lib, concept_name: name } });
  const { body } = await refuse(`DELETE /canonical-libs/${lib}`, { as }, 409, 'conflict');
  assert.equal(body.message, "The canonical library is used by 7 concepts ('a', 'b', 'c', 'd', 'e' and 2 more)");
});

test('a unit is not left without a quantity: 409 naming the transactions, raced by 50', async () => {
  const response = await make('/response-types', { fhir_type: 'Quantity' });
  const concept = await makeConcept({ response_type: response });
  const activity = await makeActivity(concept);
  const transaction = { name: 'With unit', concept, unit: library.kilogram };
  const change = { as, body: { name: 'Changed', fhir_type: 'string' } };
  const conceptChange = {
    as,
    body: { canonical_lib: library.lib, concept_name: 'Held', response_type: library.choice },
  };
  const answers = await fifty((index) => {
    if (index % 3 === 0) return ask(`PUT /response-types/${response}`, change);
    if (index % 3 === 1) return ask(`PUT /concepts/${concept}`, conceptChange);
    return ask(`POST /activities/${activity}/transactions`, { as, body: transaction });
  });
  for (const { status, text } of answers) assert.ok([200, 201, 400, 409].includes(status), text);
  const changed = answers.some(({ status }) => status === 200);
  const added = answers.some(({ status }) => status === 201);
  assert.notEqual(changed, added, 'the first decides');
  if (added) {
    const { body } = await refuse(`PUT /response-types/${response}`, change, 409, 'conflict');
    assert.match(body.message, /must stay Quantity: it has a unit in \d+ transactions? \('With unit'/);
    assert.match(
      (await refuse(`PUT /concepts/${concept}`, conceptChange, 409, 'conflict')).body.message,
      /'With unit'/,
    );
  }
});

test('what an activity shows makes another version of it when it is shown otherwise, and nothing else does', async () => {
  const lib = { name: 'Shown', url: 'urn:shown', version: '1' };
  const [response, unit] = [
    { name: 'Shown type', fhir_type: 'Quantity' },
    { name: 'Shown unit', ucum_code: 'g' },
  ];
  const guids = {
    lib: await make('/canonical-libs', lib),
    response: await make('/response-types', response),
    unit: await make('/units', unit),
  };
  const concept = {
    canonical_lib: guids.lib,
    concept_name: 'Shown',
    concept_code: 'shown',
    response_type: guids.response,
  };
  const conceptGuid = await makeConcept(concept);
  const activity = await makeActivity(library.weight);
  const transaction = { name: 'T', concept: conceptGuid, unit: guids.unit };
  await ask(`POST /activities/${activity}/transactions`, { as, body: transaction });

  const definition = async () => (await ask(`GET /activities/${activity}/fhir`, { as })).text;
  const change = async (address: string, body: object) => {
    const before = await definition();
    const { status, text } = await ask(`PUT ${address}`, { as, body });
    assert.equal(status, 200, text);
    const after = await definition();
    const [old, now] = [before, after].map((each) => Number(JSON.parse(each).version));
    const isSame = before.replace(/"(version|date)":"[^"]*"/g, '') === after.replace(/"(version|date)":"[^"]*"/g, '');
    assert.equal((now ?? 0) - (old ?? 0), isSame ? 0 : 1, `${address} ${JSON.stringify(body)}`);
    return !isSame;
  };
  const ofConcept = `/concepts/${conceptGuid}`;
  assert.equal(await change(ofConcept, { ...concept, concept_name: 'Renamed' }), true);
  assert.equal(await change(ofConcept, { ...concept, concept_name: 'Renamed', concept_explain: 'More' }), false);
  assert.equal(await change(ofConcept, { ...concept, concept_display_text: 'Displayed' }), true);
  assert.equal(
    await change(ofConcept, { ...concept, concept_name: 'Hidden', concept_display_text: 'Displayed' }),
    false,
  );
  assert.equal(await change(ofConcept, { ...concept, concept_code: 'other', concept_display_text: 'Displayed' }), true);
  assert.equal(await change(`/units/${guids.unit}`, { ...unit, description: 'Not shown' }), false);
  assert.equal(await change(`/units/${guids.unit}`, { ...unit, name: 'gram' }), true);
  assert.equal(await change(`/units/${guids.unit}`, { name: 'gram', ucum_code: 'mg' }), true);
  assert.equal(await change(`/response-types/${guids.response}`, { ...response, name: 'Renamed type' }), false);
  assert.equal(await change(`/canonical-libs/${guids.lib}`, { ...lib, publisher: 'Not shown' }), false);
  assert.equal(await change(`/canonical-libs/${guids.lib}`, { ...lib, url: 'urn:moved' }), true);
  await ask(`DELETE /transactions/${await transactionOf(activity)}`, { as });
  await ask(`POST /activities/${activity}/transactions`, { as, body: { ...transaction, unit: null } });
  assert.equal(await change(`/response-types/${guids.response}`, { ...response, fhir_type: 'integer' }), true);
});

async function transactionOf(activity: string): Promise<string> {
  return (await ask(`GET /activities/${activity}`, { as })).body.transactions[0].transaction_guid;
}

test('versions that 50 make at once, of an activity and of what it shows, are each another', async () => {
  const concepts = await Promise.all([makeConcept(), makeConcept()]);
  const activities = await Promise.all([...concepts, ...concepts].map(makeActivity));
  const before = await Promise.all(activities.map(async (guid) => (await ask(`GET /activities/${guid}`, { as })).body));
  const answers = await fifty((index) => {
    const concept = concepts[index % 2] ?? '';
    if (index % 5 === 0) {
      const body = { name: `T${index}`, concept };
      return ask(`POST /activities/${activities[index % 4]}/transactions`, { as, body });
    }
    const body = { canonical_lib: library.lib, concept_name: `Name ${index}`, concept_code: `c-${index}` };
    return ask(`PUT /concepts/${concept}`, { as, body });
  });
  for (const { status, text } of answers) assert.ok(status < 300, text);
  for (const [place, { activity_guid: guid, version }] of before.entries()) {
    const renamed = answers.filter((_, index) => index % 5 !== 0 && index % 2 === place % 2).length;
    const added = answers.filter((_, index) => index % 5 === 0 && index % 4 === place).length;
    const now = (await ask(`GET /activities/${guid}`, { as })).body.version;
    assert.equal(now, version + renamed + added, `activity ${place}`);
  }
});
