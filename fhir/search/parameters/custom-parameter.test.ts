// Users' SearchParameter resources at run time, and every reason to refuse one.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compileParameter, type PublishedParameter } from './compile-parameter.ts';
import { readCustomParameter } from './custom-parameter.ts';
import { loadSearchParameters } from './definitions.ts';
import { r5ElementLookup } from './element-lookup.ts';

const official = loadSearchParameters();
const CORE = new URL('../../../node_modules/hl7.fhir.r5.core/', import.meta.url);
const GENERATED = new URL('./generated/search-parameters.json', import.meta.url);

test('every official expression compiles at run time to the row of the generated file', () => {
  const generated = JSON.parse(readFileSync(GENERATED, 'utf8')) as Record<string, Record<string, unknown[]>>;
  const lookup = r5ElementLookup();
  let compared = 0;
  for (const name of readdirSync(CORE).filter((file) => file.startsWith('SearchParameter-'))) {
    const parameter = JSON.parse(readFileSync(new URL(name, CORE), 'utf8')) as PublishedParameter;
    for (const base of parameter.base) {
      const row = generated[base === 'DomainResource' ? 'Resource' : base]?.[parameter.code];
      if (row?.[0] !== parameter.id) continue;
      assert.deepEqual(compileParameter(parameter, base, lookup), row, `${base}.${parameter.code}`);
      compared += 1;
    }
  }
  const rows = Object.values(generated).reduce((sum, byCode) => sum + Object.keys(byCode).length, 0);
  assert.ok(compared >= rows && compared > 1200, `${compared} of ${rows}`);
});

const GOOD = {
  resourceType: 'SearchParameter',
  url: 'http://example.org/nickname',
  status: 'active',
  code: 'nickname',
  base: ['Patient'],
  type: 'string',
  expression: "Patient.name.where(use='nickname').given",
};

test('a definition becomes one parameter for each base', () => {
  assert.deepEqual(readCustomParameter(GOOD, official), {
    parameters: [
      {
        resourceType: 'Patient',
        code: 'nickname',
        url: 'http://example.org/nickname',
        type: 'string',
        branches: [['string', 'name?use=nickname', 'given']],
        targets: [],
      },
    ],
    issues: [],
  });
  const two = {
    ...GOOD,
    code: 'calling',
    base: ['Patient', 'Person'],
    expression: 'Patient.name.given | Person.name.given',
  };
  assert.deepEqual(
    readCustomParameter(two, official).parameters.map(({ resourceType, branches }) => [resourceType, branches]),
    [
      ['Patient', [['string', 'name', 'given']]],
      ['Person', [['string', 'name', 'given']]],
    ],
  );
  const all = readCustomParameter(
    { ...GOOD, base: ['DomainResource'], expression: 'DomainResource.text.status', type: 'token' },
    official,
  );
  assert.ok(all.parameters.length > 140 && !all.parameters.some(({ resourceType }) => resourceType === 'Bundle'));
  const none = { parameters: [], issues: [] };
  for (const status of ['draft', 'retired', 'unknown']) {
    assert.deepEqual(readCustomParameter({ ...GOOD, status, expression: '!!' }, official), none);
  }
  assert.deepEqual(readCustomParameter({ resourceType: 'Patient' }, official), none);
});

test('the published definitions of built-in parameters change nothing, and are accepted', () => {
  for (const name of [
    'SearchParameter-Patient-link.json',
    'SearchParameter-clinical-code.json',
    'SearchParameter-Observation-code-value-date.json',
  ]) {
    const parameter = JSON.parse(readFileSync(new URL(name, CORE), 'utf8')) as object;
    assert.deepEqual(
      readCustomParameter({ ...parameter, status: 'active' }, official),
      { parameters: [], issues: [] },
      name,
    );
  }
});

const ISSUEY: readonly (readonly [change: object, field: string, message: RegExp])[] = [
  [{ code: 'birthdate' }, 'code', /birthdate is an official search parameter of Patient/],
  // The keys of these names collide with Observation.component-code, and with a shared key of an Observation's
  // quantities.
  [{ code: 'own-6v9d' }, 'code', /own-6v9d cannot be told apart in the index: choose another code/],
  [{ code: 'own-8kteg' }, 'code', /own-8kteg cannot be told apart in the index: choose another code/],
  [{ code: '_id' }, 'code', /begins with a letter/],
  [{ code: 'a:b' }, 'code', /begins with a letter/],
  [{ code: 'name.given' }, 'code', /begins with a letter/],
  [{ type: 'composite' }, 'type', /Composite search parameters cannot be defined/],
  [{ type: 'special' }, 'type', /type special cannot be defined/],
  [
    { base: ['Patient', 'AuditEvent'], expression: 'Patient.name.given | AuditEvent.agent.networkString' },
    'base',
    /AuditEvent has no search parameters of users/,
  ],
  [{ expression: undefined }, 'expression', /needs an expression/],
  [{ expression: 'x'.repeat(2001) }, 'expression', /at most 2000/],
  [{ processingMode: 'phonetic' }, 'processingMode', /phonetic is not supported/],
  [{ modifier: ['exact', 'above'] }, 'modifier', /no modifier above here/],
  [{ expression: 'Patient.nmae.given' }, 'expression', /Patient\.nmae\.given leads to no element of Patient/],
  [{ expression: 'Patient.name.given | Patient.nick' }, 'expression', /Patient\.nick leads to no element/],
  [{ expression: 'Person.name.given' }, 'expression', /says nothing about Patient/],
  [{ expression: 'Patient.birthDate' }, 'expression', /A string parameter cannot be made of date/],
  [{ type: 'date', expression: 'Patient.name' }, 'expression', /A date parameter cannot be made of HumanName/],
  [
    { expression: 'Patient.name.given.substring(0, 1)' },
    'expression',
    /beyond what can be searched: Unsupported function substring/,
  ],
  [
    { expression: 'Patient.name.where(given.exists())' },
    'expression',
    /beyond what can be searched: Unsupported condition/,
  ],
  [{ expression: "Patient.name.where(use='usual').where(text='x').given" }, 'expression', /Only one condition/],
  [{ expression: "Patient.name.where(used='usual').given" }, 'expression', /Unknown element used/],
  [{ expression: 'Patient.descendants()' }, 'expression', /Unsupported function descendants/],
  [{ expression: '((((' }, 'expression', /beyond what can be searched|leads to no element/],
  [{ expression: '' }, 'expression', /leads to no element|beyond/],
];

test('an active parameter that cannot be used is refused with the place and the reason', () => {
  for (const [change, field, message] of ISSUEY) {
    const { parameters, issues } = readCustomParameter({ ...GOOD, ...change }, official);
    const [issue] = issues;
    assert.deepEqual(
      [parameters.length, issues.length, issue?.field],
      [0, 1, `SearchParameter.${field}`],
      JSON.stringify([change, issues]),
    );
    assert.match(issue?.message ?? '', message);
  }
});

test('a definition of any content is read or refused', () => {
  for (const value of [
    null,
    7,
    {},
    [],
    ['x'],
    '(',
    "'",
    '(('.repeat(500),
    `${'('.repeat(900)}Patient.name${')'.repeat(900)}`,
  ]) {
    for (const key of ['base', 'code', 'type', 'expression', 'target', 'modifier', 'url']) {
      const { parameters, issues } = readCustomParameter({ ...GOOD, [key]: value }, official);
      assert.ok(parameters.length === 0 || issues.length === 0);
    }
  }
});
