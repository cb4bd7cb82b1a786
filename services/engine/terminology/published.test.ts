// Definitions that HL7 publishes, and code systems of canonical libraries, as resources. They are read by id, search by
// `url` and `_id`, and their entries in the TerminologyCapabilities (docs/adr/0017).
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

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
    ['/ValueSet?url:below=http://hl7.org/fhir/ValueSet&_summary=count', 788, []],
    [`/ValueSet?url:below=${GENDER}`, 1, ['administrative-gender 5.0.0']],
    [`/ValueSet?url:above=${GENDER}/more`, 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?url:contains=T/administrative-gender', 0, []],
    ['/ValueSet?url:contains=t/administrative-gender', 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?name=administrativegender', 2, ['administrative-gender 5.0.0', 'v3-AdministrativeGender 3.0.0']],
    ['/ValueSet?name:exact=AdministrativeGender&version=5.0.0', 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?name:exact=administrativegender', 0, []],
    ['/ValueSet?name:contains=strativegend&version=5.0.0', 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?name=strativegend', 0, []],
    ['/ValueSet?title=administrativeg&url:below=http://hl7.org/fhir', 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?title=AdministrativeGender&version=5.0.0&status=active', 1, ['administrative-gender 5.0.0']],
    ['/ValueSet?title=AdministrativeGender&status:not=active', 0, []],
    ['/ValueSet?title:missing=true&name=administrativegender', 0, []],
    ['/ValueSet?name=administrativegender&publisher=HL7', 0, []],
    ['/CodeSystem?name:exact=AdministrativeGender&version=5.0.0', 1, ['administrative-gender 5.0.0']],
    // Both packages have the id; it names R5's.
    ['/ValueSet?name=studydesign&_sort=_id&_elements=version', 2, ['study-design 5.0.0', 'study-design-tho 1.0.0']],
    ['/ValueSet?status=active', 0, []],
    ['/ValueSet?title:missing=false', 0, []],
    ['/Patient?_id=administrative-gender', 0, []],
  ];
  for (const [address, total, entries] of rows) {
    test(address, async () => assert.deepEqual(await found(address), [total, entries]));
  }

  /** Every page of a search, by the next links: the ids, page by page, and the totals. */
  async function pagesOf(address: string): Promise<{ pages: string[][]; totals: unknown[] }> {
    const [pages, totals]: [string[][], unknown[]] = [[], []];
    for (let next: string | undefined = address; next !== undefined; ) {
      const { status, body, text } = await call('planner', 'GET', next);
      assert.equal(status, 200, text);
      pages.push(body.entry.map((entry: { resource: { id: string } }) => entry.resource.id));
      totals.push(body.total);
      const link = body.link.find(({ relation }: { relation: string }) => relation === 'next');
      next = link?.url.replace(/^.*(?=\/ValueSet)/, '');
    }
    return { pages, totals };
  }

  test('are paged, each once', async () => {
    const { pages, totals } = await pagesOf(
      '/ValueSet?url:below=http://hl7.org/fhir/ValueSet&_count=300&_elements=url',
    );
    assert.deepEqual(
      pages.map(({ length }) => length),
      [300, 300, 188],
    );
    assert.equal(new Set(pages.flat()).size, 788);
    assert.deepEqual(totals, [788, 788, 788]);
  });

  test('are sorted together with stored ones, for any page size', async () => {
    const stored: readonly (readonly [id: string, name: string, title?: string])[] = [
      ['mix-1', 'GenderIdentity2', 'Zebra'],
      ['mix-2', 'AdministrativeGender', 'Administrative Gender'],
      ['mix-3', 'Gender', 'Åre'],
      ['mix-4', 'GENDERS'],
    ];
    for (const [id, name, title] of stored) {
      const resource = { resourceType: 'ValueSet', id, url: `http://x.org/${id}`, status: 'draft', name, title };
      assert.equal((await call('planner', 'PUT', `/ValueSet/${id}`, resource)).status, 201);
    }
    const all = '/ValueSet?name:contains=gender';
    const sorted = {
      '_sort=name': ['mix-2', 'administrative-gender', 'v3-AdministrativeGender', 'mix-3', 'mix-1', 'mix-4'],
      '_sort=-name': ['mix-4', 'mix-1', 'mix-3', 'mix-2', 'administrative-gender', 'v3-AdministrativeGender'],
      '_sort=status,-title': ['administrative-gender', 'mix-2', 'mix-4'],
      '_sort=_id': ['administrative-gender', 'mix-1', 'mix-2'],
      '_sort=-_lastUpdated': ['mix-2', 'mix-3', 'mix-1', 'mix-4', 'administrative-gender'],
      '': ['mix-2', 'mix-3', 'mix-1', 'mix-4', 'administrative-gender'],
    };
    for (const [sort, expected] of Object.entries(sorted)) {
      const whole = await pagesOf(`${all}&${sort}&_count=100`);
      const ids = whole.pages.flat();
      assert.equal(ids.length, whole.totals[0], sort);
      // The others are named by what HL7 publishes, which may grow.
      const known = new Set(expected);
      assert.deepEqual(
        ids.filter((id) => known.has(id)),
        expected,
        sort,
      );
      for (const count of [1, 2, 3]) {
        const { pages, totals } = await pagesOf(`${all}&${sort}&_count=${count}`);
        assert.deepEqual(pages.flat(), ids, `${sort} by ${count}`);
        assert.ok(pages.slice(0, -1).every(({ length }) => length === count));
        assert.ok(totals.every((total) => total === ids.length));
      }
    }
    for (const [id] of stored) assert.equal((await call('planner', 'DELETE', `/ValueSet/${id}`)).status, 204);
  });

  test('a cursor of another search is refused', async () => {
    const { body } = await call('planner', 'GET', '/ValueSet?name=gender&_count=1');
    const next = body.link.find(({ relation }: { relation: string }) => relation === 'next').url;
    const cursor = new URL(next).searchParams.get('_cursor') ?? '';
    for (const address of [
      `/ValueSet?status=active&_cursor=${cursor}`,
      `/ValueSet?name=gender&_sort=name&_cursor=${cursor}`,
      '/ValueSet?name=gender&_cursor=~administrative-gender',
    ]) {
      assert.equal((await call('planner', 'GET', address)).status, 400, address);
    }
  });

  test('included resources belong to the page', async () => {
    const put = (id: string, more: object) =>
      call('planner', 'PUT', `/ValueSet/${id}`, {
        resourceType: 'ValueSet',
        id,
        url: `http://x.org/${id}`,
        status: 'active',
        ...more,
      });
    const from = (id: string) => ({ relatedArtifact: [{ type: 'derived-from', resource: `http://x.org/${id}` }] });
    assert.equal((await put('base-1', {})).status, 201);
    assert.equal((await put('base-2', {})).status, 201);
    assert.equal((await put('derived-1', { name: 'AdministrativeGende', ...from('base-1') })).status, 201);
    assert.equal((await put('derived-2', { name: 'AdministrativeGenderZ', ...from('base-2') })).status, 201);
    const address =
      '/ValueSet?_id=derived-1,derived-2,administrative-gender&_sort=name&_include=ValueSet:derived-from&_count=2';
    assert.deepEqual((await pagesOf(address)).pages, [
      ['derived-1', 'administrative-gender', 'base-1'],
      ['derived-2', 'base-2'],
    ]);
    for (const id of ['derived-1', 'derived-2', 'base-1', 'base-2']) {
      assert.equal((await call('planner', 'DELETE', `/ValueSet/${id}`)).status, 204);
    }
  });

  test('are read by id, whole or in part, without elements that are not about codes', async () => {
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

test('the TerminologyCapabilities list the code systems and the supported operations', async () => {
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
  assert.deepEqual(await systemOf('http://unitsofmeasure.org'), {
    uri: 'http://unitsofmeasure.org',
    content: 'not-present',
    subsumption: false,
  });
  // Without the mode it is the CapabilityStatement.
  const { body: statement } = await call('planner', 'GET', '/metadata');
  assert.equal(statement.resourceType, 'CapabilityStatement');
  assert.deepEqual(statement.instantiates, ['http://hl7.org/fhir/CapabilityStatement/terminology-server']);
  assert.match(JSON.stringify(statement.extension), /CodeSystemAsParameter/);
  assert.deepEqual(statement.rest[0].security.service, [{ text: 'Bearer token' }]);
});

test('$versions has the versions of FHIR, for everybody', async () => {
  const { status, body } = await call(undefined, 'GET', '/$versions');
  assert.equal(status, 200);
  assert.deepEqual(body.parameter[0], { name: 'version', valueString: '5.0' });
});
