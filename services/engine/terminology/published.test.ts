// Definitions that HL7 publishes, and code systems of canonical libraries, as resources: read by id, found by `url` and `_id`; and what the
// TerminologyCapabilities tell of all (docs/adr/0017).
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestEngine } from '#test/support/engine.ts';

const { call } = await startTestEngine({ after });

const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender';

interface Found {
  readonly total?: number;
  readonly entry?: readonly {
    readonly fullUrl: string;
    readonly resource: { readonly id: string; readonly version?: string };
  }[];
}

/** The total, and `id version` of each entry. */
async function found(address: string): Promise<[number | undefined, string[]]> {
  const { status, body, text } = await call('planner', 'GET', address);
  assert.equal(status, 200, text);
  const { total, entry = [] } = body as Found;
  return [total, entry.map(({ resource }) => `${resource.id} ${resource.version ?? ''}`.trim())];
}

describe('published definitions', () => {
  const rows: readonly (readonly [address: string, total: number, entries: readonly string[]])[] = [
    [`/ValueSet?url=${GENDER}`, 1, ['administrative-gender 5.0.0']],
    [`/ValueSet?url=${GENDER}&version=5.0.0`, 1, ['administrative-gender 5.0.0']],
    [`/ValueSet?url=${GENDER}&version=4.0.1`, 0, []],
    [`/ValueSet?url=${GENDER}&_summary=count`, 1, []],
    [
      `/ValueSet?url=${GENDER},http://hl7.org/fhir/ValueSet/days-of-week`,
      2,
      ['administrative-gender 5.0.0', 'days-of-week 5.0.0'],
    ],
    [`/ValueSet?url=${GENDER},${GENDER}`, 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?_id=administrative-gender,administrative-gender', 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?_id=administrative-gender', 1, ['administrative-gender 5.0.0']],
    [`/ValueSet?_id=administrative-gender&url=urn:other`, 0, []],
    ['/CodeSystem?url=http://hl7.org/fhir/administrative-gender', 1, ['administrative-gender 5.0.0']],
    ['/CodeSystem?url=http://hl7.org/fhir/bundle-type-de', 1, ['example-supplement-2 5.0.0']],
    [
      '/ConceptMap?url=http://hl7.org/fhir/ConceptMap/cm-administrative-gender-v3',
      1,
      ['cm-administrative-gender-v3 5.0.0'],
    ],
    ['/ValueSet?url:below=http://hl7.org/fhir/ValueSet', 0, []],
    ['/ValueSet?status=active', 0, []],
    ['/Patient?_id=administrative-gender', 0, []],
  ];
  for (const [address, total, entries] of rows) {
    test(address, async () => assert.deepEqual(await found(address), [total, entries]));
  }

  test('are read by id, whole or in part, and said to lack what is not about codes', async () => {
    const { status, body } = await call('planner', 'GET', '/CodeSystem/administrative-gender');
    assert.deepEqual([status, body.url, body.concept.length], [200, 'http://hl7.org/fhir/administrative-gender', 4]);
    assert.equal(body.meta.tag[0].code, 'SUBSETTED');
    const part = await call('planner', 'GET', '/CodeSystem/administrative-gender?_elements=url');
    assert.deepEqual([part.body.url, part.body.concept], ['http://hl7.org/fhir/administrative-gender', undefined]);
    const none = await call('planner', 'GET', '/CodeSystem/none');
    assert.equal(none.status, 404);
    assert.equal((await call(undefined, 'GET', '/CodeSystem/administrative-gender')).status, 401);
  });

  test('a stored one takes the place of the published one, until it is deleted', async () => {
    const own = { resourceType: 'ValueSet', id: 'days-of-week', url: 'http://x.org/days', status: 'draft' };
    assert.equal(
      (await call('planner', 'GET', '/ValueSet/days-of-week')).body.url,
      'http://hl7.org/fhir/ValueSet/days-of-week',
    );
    assert.equal((await call('planner', 'PUT', '/ValueSet/days-of-week', own)).status, 201);
    assert.equal((await call('planner', 'GET', '/ValueSet/days-of-week')).body.url, 'http://x.org/days');
    assert.deepEqual(await found('/ValueSet?_id=days-of-week'), [1, ['days-of-week']]);
    const same = { ...own, id: 'other-gender', url: GENDER, version: '5.0.0' };
    assert.equal((await call('planner', 'PUT', '/ValueSet/other-gender', same)).status, 201);
    assert.deepEqual(await found(`/ValueSet?url=${GENDER}`), [1, ['other-gender 5.0.0']]);
    assert.equal((await call('planner', 'DELETE', '/ValueSet/days-of-week')).status, 204);
    assert.equal((await call('planner', 'GET', '/ValueSet/days-of-week')).status, 410);
    assert.equal((await call('planner', 'DELETE', '/ValueSet/other-gender')).status, 204);
    assert.deepEqual(await found(`/ValueSet?url=${GENDER}`), [1, ['administrative-gender 5.0.0']]);
  });

  test('the code system of a canonical library is read with its concepts', async () => {
    const lib = await call('planner', 'POST', '/canonical-libs', {
      name: 'Own',
      url: 'http://x.org/own',
      version: '7',
    });
    const guid = lib.body.canonical_lib_guid;
    const concept = { canonical_lib: guid, concept_name: 'One', concept_code: 'one' };
    assert.equal((await call('planner', 'POST', '/concepts', concept)).status, 201);
    assert.deepEqual(await found('/CodeSystem?url=http://x.org/own'), [1, [`${guid} 7`]]);
    const { body } = await call('planner', 'GET', `/CodeSystem/${guid}`);
    assert.deepEqual([body.content, body.concept], ['complete', [{ code: 'one', display: 'One' }]]);
    const { body: outcome } = await call('planner', 'POST', '/$validate', body);
    assert.deepEqual(
      outcome.issue.filter(({ severity }: { severity: string }) => severity === 'error'),
      [],
    );
  });
});

test('the TerminologyCapabilities name the code systems that are here, and what can be asked', async () => {
  const read = async () => (await call('planner', 'GET', '/metadata?mode=terminology')).body;
  const systemOf = async (wanted: string) =>
    (await read()).codeSystem.find(({ uri }: { uri: string }) => uri === wanted);
  const capabilities = await read();
  assert.equal(capabilities.resourceType, 'TerminologyCapabilities');
  const { body: outcome } = await call('planner', 'POST', '/$validate', capabilities);
  assert.deepEqual(
    outcome.issue.filter(({ severity }: { severity: string }) => severity === 'error'),
    [],
  );
  assert.deepEqual(await systemOf('http://hl7.org/fhir/administrative-gender'), {
    uri: 'http://hl7.org/fhir/administrative-gender',
    version: [{ code: '5.0.0', isDefault: true }],
    content: 'complete',
    subsumption: true,
  });
  assert.equal(await systemOf('http://x.org/two'), undefined);
  const two = (id: string, version: string, content: string) => ({
    resourceType: 'CodeSystem',
    id,
    url: 'http://x.org/two',
    version,
    status: 'active',
    content,
    hierarchyMeaning: 'part-of',
    concept: [{ code: 'a' }],
  });
  for (const resource of [two('two-1', '1', 'complete'), two('two-2', '2', 'fragment')]) {
    assert.equal((await call('planner', 'PUT', `/CodeSystem/${resource.id}`, resource)).status, 201);
  }
  const stored = await systemOf('http://x.org/two');
  assert.deepEqual([stored.content, stored.subsumption], ['fragment', false]);
  assert.deepEqual(
    stored.version.toSorted((a: { code: string }, b: { code: string }) => (a.code < b.code ? -1 : 1)),
    [{ code: '1' }, { code: '2', isDefault: true }],
  );
  const names = capabilities.expansion.parameter.map(({ name }: { name: string }) => name);
  assert.ok(names.includes('filter') && names.includes('tx-resource'));
  // Without the mode it is the CapabilityStatement.
  assert.equal((await call('planner', 'GET', '/metadata')).body.resourceType, 'CapabilityStatement');
});
