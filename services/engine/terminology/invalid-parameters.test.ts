// Invalid, repeated and conflicting parameters of terminology operations, and codings of another version than the value
// set's (decision E5; HL7's tx-ecosystem).
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after });
const GENDER = 'http://hl7.org/fhir/administrative-gender';
const SET = 'http://hl7.org/fhir/ValueSet/administrative-gender';

type Part = { readonly name: string; readonly [member: string]: unknown };

describe('what may be given once is refused when it is given again, and reported with all other errors', () => {
  const REFUSED: readonly (readonly [address: string, fields: readonly string[]])[] = [
    [`/ValueSet/$expand?url=${SET}&url=http://hl7.org/fhir/ValueSet/mimetypes`, ['url']],
    [
      `/ValueSet/$expand?url=${SET}&count=2&count=3&filter=a&filter=b&activeOnly=maybe`,
      ['activeOnly', 'count', 'filter'],
    ],
    [`/CodeSystem/$lookup?system=${GENDER}&code=male&code=female`, ['code']],
    [`/CodeSystem/$subsumes?system=${GENDER}&codeA=male&codeA=other&codeB=female&codeB=other`, ['codeA', 'codeB']],
    [
      `/ValueSet/$validate-code?url=${SET}&system=${GENDER}&system=urn:s&code=male&display=a&display=b`,
      ['display', 'system'],
    ],
    [`/ConceptMap/$translate?sourceCode=a&sourceCode=b&system=urn:s`, ['sourceCode']],
  ];
  for (const [address, fields] of REFUSED) {
    test(address, async () => {
      const { status, body, text } = await call('planner', 'GET', address);
      assert.equal(status, 400, text);
      assert.deepEqual(
        body.issue.flatMap(({ expression }: { expression: string[] }) => expression).sort(),
        fields,
        text,
      );
    });
  }

  test('in the body, and in the body and the address', async () => {
    const parameters = { resourceType: 'Parameters', parameter: [{ name: 'url', valueUri: SET }] };
    const twice = await call('planner', 'POST', `/ValueSet/$expand?url=${SET}`, parameters);
    assert.deepEqual([twice.status, twice.body.issue[0].expression], [400, ['url']]);
    const coding = { name: 'coding', valueCoding: { system: GENDER, code: 'male' } };
    const asked = { ...parameters, parameter: [...parameters.parameter, coding, coding] };
    const again = await call('planner', 'POST', '/ValueSet/$validate-code', asked);
    assert.deepEqual([again.status, again.body.issue[0].expression], [400, ['coding']], again.text);
    assert.match(again.text, /coding must be given once/);
  });

  test('list parameters may repeat, and empty ones are ignored', async () => {
    const lists = 'property=definition&property=status&designation=sv&designation=de&filter=&';
    const { status, text } = await call('planner', 'GET', `/ValueSet/$expand?url=${SET}&${lists}count=&count=2`);
    assert.equal(status, 200, text);
  });

  test('in a batch each goes before what holds for all', async () => {
    const one = (...parameter: object[]) => ({
      name: 'validation',
      resource: { resourceType: 'Parameters', parameter },
    });
    const code = { name: 'code', valueCode: 'male' };
    const answer = await call('planner', 'POST', '/ValueSet/$batch-validate-code', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'url', valueUri: SET },
        { name: 'system', valueUri: 'urn:none' },
        one(code, { name: 'system', valueUri: GENDER }),
        one(code),
        one(code, code, { name: 'system', valueUri: GENDER }),
      ],
    });
    assert.equal(answer.status, 200, answer.text);
    const reported = answer.body.parameter.map(
      ({ resource }: { resource: { parameter?: Part[]; issue?: object[] } }) =>
        resource.parameter === undefined ? resource.issue : resource.parameter[0]?.['valueBoolean'],
    );
    assert.deepEqual(reported.slice(0, 2), [true, false]);
    assert.deepEqual(
      reported[2].map(({ expression }: { expression: string[] }) => expression),
      [['code']],
    );
  });
});

test('missing parameters are reported together with invalid ones', async () => {
  const { status, body, text } = await call('planner', 'GET', '/ValueSet/$expand?count=-4&activeOnly=si&offset=x');
  assert.equal(status, 400, text);
  assert.deepEqual(
    body.issue.map(({ code, expression = [] }: { code: string; expression?: string[] }) =>
      [code, ...expression].join(' '),
    ),
    ['value activeOnly', 'value count', 'value offset', 'required'],
  );
  const nothing = { resourceType: 'ValueSet', status: 'active' };
  const empty = await call('planner', 'POST', '/ValueSet/$expand', nothing);
  assert.deepEqual([empty.status, empty.body.issue[0].code], [422, 'invalid']);
  assert.match(empty.text, /The value set without url says nothing of its codes/);
});

describe('one way says what is meant', () => {
  const coding = { system: GENDER, code: 'male' };
  const CASES: readonly (readonly [operation: string, parameters: readonly object[], fields: readonly string[]])[] = [
    [
      '/ValueSet/$validate-code',
      [
        { name: 'url', valueUri: SET },
        { name: 'codeableConcept', valueCodeableConcept: { coding: [coding] } },
        { name: 'coding', valueCoding: coding },
        { name: 'code', valueCode: 'male' },
      ],
      ['coding', 'code'],
    ],
    [
      '/CodeSystem/$lookup',
      [
        { name: 'coding', valueCoding: coding },
        { name: 'code', valueCode: 'male' },
      ],
      ['code'],
    ],
    [
      '/CodeSystem/$subsumes',
      [
        { name: 'system', valueUri: GENDER },
        { name: 'codingA', valueCoding: coding },
        { name: 'codeA', valueCode: 'male' },
        { name: 'codeB', valueCode: 'female' },
      ],
      ['codeA'],
    ],
  ];
  for (const [operation, parameter, fields] of CASES) {
    test(operation, async () => {
      const { status, body, text } = await call('planner', 'POST', operation, {
        resourceType: 'Parameters',
        parameter,
      });
      assert.equal(status, 400, text);
      assert.deepEqual(
        body.issue.flatMap(({ expression }: { expression: string[] }) => expression),
        fields,
        text,
      );
    });
  }
});

describe('a coding of another version than the value set names', () => {
  const URL = 'http://x.org/versions';
  const system = (version: string, ...codes: string[]) => ({
    name: 'tx-resource',
    resource: {
      resourceType: 'CodeSystem',
      url: URL,
      version,
      status: 'active',
      content: 'complete',
      concept: codes.map((code) => ({ code, display: `${code} of ${version}` })),
    },
  });
  const ask = async (versions: readonly (string | undefined)[], coding: object, ...more: object[]) => {
    const include = versions.map((version) => (version === undefined ? { system: URL } : { system: URL, version }));
    const resource = { resourceType: 'ValueSet', url: 'http://x.org/some', status: 'active', compose: { include } };
    const { status, body, text } = await call('planner', 'POST', '/ValueSet/$validate-code', {
      resourceType: 'Parameters',
      parameter: [
        system('1.0.0', 'a', 'b'),
        system('1.2.0', 'a', 'c'),
        { name: 'valueSet', resource },
        { name: 'coding', valueCoding: { system: URL, ...coding } },
        ...more,
      ],
    });
    assert.equal(status, 200, text);
    const parameters: readonly Part[] = body.parameter;
    const issues = parameters.find(({ name }) => name === 'issues')?.['resource'] as
      | { issue: { details: { coding: { code: string }[]; text: string }; expression: string[] }[] }
      | undefined;
    const kinds = issues?.issue.map(({ details, expression }) => `${details.coding[0]?.code} ${expression[0]}`) ?? [];
    return [parameters[0]?.['valueBoolean'], ...kinds];
  };
  const OTHER = 'vs-invalid Coding.version';

  test('is not in it, and one of its own version, of a pattern or of none is', async () => {
    assert.deepEqual(await ask(['1.0.0'], { code: 'a', version: '1.2.0' }), [false, OTHER]);
    assert.deepEqual(await ask(['1.0.0'], { code: 'a', version: '1.0.0' }), [true]);
    assert.deepEqual(await ask(['1.0.x'], { code: 'a', version: '1.0.0' }), [true]);
    assert.deepEqual(await ask(['1.0.0'], { code: 'a', version: '1.x' }), [false, OTHER]);
    assert.deepEqual(await ask(['1.0.0'], { code: 'a' }), [true]);
    assert.deepEqual(await ask([undefined], { code: 'a', version: '1.0.0' }), [true]);
  });

  test('is in it where one of several versions is its own', async () => {
    assert.deepEqual(await ask(['1.0.0', '1.2.0'], { code: 'a', version: '1.2.0' }), [true]);
    assert.deepEqual(await ask(['1.0.0', undefined], { code: 'a', version: '1.0.0' }), [true]);
    assert.deepEqual(await ask(['1.0.0', '1.2.0'], { code: 'b', version: '1.2.0' }), [
      false,
      'invalid-code Coding.code',
      'not-in-vs Coding.code',
    ]);
  });

  test('and where one version is forced, it is the same of both', async () => {
    const forced = { name: 'force-system-version', valueUri: `${URL}|1.0.0` };
    assert.deepEqual(await ask(['1.2.0'], { code: 'a', version: '1.0.0' }, forced), [true]);
  });

  test('an unknown version is reported with the known ones', async () => {
    const { body } = await call('planner', 'POST', '/CodeSystem/$validate-code', {
      resourceType: 'Parameters',
      parameter: [
        system('1.0.0', 'a'),
        system('1.2.0', 'a'),
        { name: 'coding', valueCoding: { system: URL, version: '9', code: 'a' } },
      ],
    });
    assert.match(JSON.stringify(body), /Valid versions: 1\.0\.0 or 1\.2\.0/);
  });
});
