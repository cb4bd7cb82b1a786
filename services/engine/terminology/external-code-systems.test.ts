// Code systems that others than HL7 publish, tested black-box. They are defined by a grammar (language tags, media
// types, units of UCUM), or by a list (currencies, countries, time zones). Contract: engine, "Terminology"; decision
// E5.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { issueKinds, type Part, parameterOf } from '#test/support/engine/parameters.ts';

const { call } = await startTestEngine({ after });
const BCP47 = 'urn:ietf:bcp:47';
const BCP13 = 'urn:ietf:bcp:13';
const UCUM = 'http://unitsofmeasure.org';
const CORE = 'http://hl7.org/fhir/ValueSet';

const CASES: readonly [valueSet: string, system: string, code: string, issues: readonly string[]][] = [
  ['ucum-units', UCUM, 'mg/dL', []],
  ['ucum-units', UCUM, 'mm[Hg]', []],
  ['ucum-units', UCUM, '{score}', []],
  ['ucum-units', UCUM, 'bogus', ['error invalid-code', 'error not-in-vs']],
  ['ucum-units', UCUM, 'MG/DL', ['error invalid-code', 'error not-in-vs']],
  ['ucum-units', UCUM, 'm'.repeat(101), ['error invalid-code', 'error not-in-vs']],
  ['ucum-units', BCP47, 'sv', ['error not-in-vs']],
  ['all-languages', BCP47, 'sv-SE', []],
  ['all-languages', BCP47, 'sv_SE', ['error invalid-code', 'error not-in-vs']],
  ['languages', BCP47, 'sv-FI', ['error not-in-vs']],
  ['mimetypes', BCP13, 'application/pdf', []],
  ['mimetypes', BCP13, 'a pdf', ['error invalid-code', 'error not-in-vs']],
];

for (const [valueSet, system, code, issues] of CASES) {
  test(`$validate-code of ${system}#${code.slice(0, 20)} in ${valueSet}`, async () => {
    const query = new URLSearchParams({ url: `${CORE}/${valueSet}`, system, code, display: 'whatever it is called' });
    const { status, body, text } = await call('planner', 'GET', `/ValueSet/$validate-code?${query}`);
    assert.deepEqual([status, parameterOf(body, 'result'), issueKinds(body)], [200, issues.length === 0, issues], text);
  });
}

test('a code of a grammar among others, at its code system, and lookedUp up', async () => {
  const coding = [
    { system: UCUM, code: 'bogus' },
    { system: UCUM, code: 'kg' },
  ];
  const parameter = [
    { name: 'url', valueUri: `${CORE}/ucum-units` },
    { name: 'codeableConcept', valueCodeableConcept: { coding } },
  ];
  const several = await call('planner', 'POST', '/ValueSet/$validate-code', { resourceType: 'Parameters', parameter });
  assert.deepEqual(issueKinds(several.body), ['error invalid-code', 'information this-code-not-in-vs'], several.text);
  assert.equal(parameterOf(several.body, 'code'), 'kg');
  const at = async (code: string) =>
    (await call('planner', 'GET', `/CodeSystem/$validate-code?url=${UCUM}&code=${code}`)).body;
  assert.deepEqual([parameterOf(await at('kg'), 'result'), issueKinds(await at('kg'))], [true, []]);
  assert.deepEqual(
    [parameterOf(await at('KG'), 'result'), issueKinds(await at('KG'))],
    [false, ['error invalid-code']],
  );
  const found = await call('planner', 'GET', `/CodeSystem/$lookup?system=${UCUM}&code=kg`);
  assert.deepEqual(
    [found.status, ...['name', 'display', 'code', 'system'].map((name) => parameterOf(found.body, name))],
    [200, 'UCUM', 'kg', 'kg', UCUM],
  );
  assert.equal((await call('planner', 'GET', `/CodeSystem/$lookup?system=${UCUM}&code=KG`)).status, 404);
});

test('currencies, countries and time zones are known by their codes and names', async () => {
  const KNOWN = [
    ['urn:iso:std:iso:4217', 'currencies', 'SEK', 'Swedish krona/kronor', 'sek'],
    ['urn:iso:std:iso:3166', 'country', 'SE', 'Sweden', 'XX'],
    ['https://www.iana.org/time-zones', 'timezones', 'Europe/Stockholm', 'Europe/Stockholm', 'Europe/Uppsala'],
  ] as const;
  for (const [system, valueSet, code, display, wrong] of KNOWN) {
    const lookedUp = await call('planner', 'GET', `/CodeSystem/$lookup?system=${system}&code=${code}`);
    assert.equal(parameterOf(lookedUp.body, 'display'), display, lookedUp.text);
    const check = (asked: string) =>
      call('planner', 'GET', `/ValueSet/$validate-code?url=${CORE}/${valueSet}&system=${system}&code=${asked}`);
    assert.deepEqual(issueKinds((await check(code)).body), []);
    assert.deepEqual(issueKinds((await check(wrong)).body), ['error invalid-code', 'error not-in-vs']);
    const filter = encodeURIComponent(display);
    const { body } = await call('planner', 'GET', `/ValueSet/$expand?url=${CORE}/${valueSet}&filter=${filter}`);
    assert.ok(body.expansion.contains.some((each: Part) => each['code'] === code));
    const found = await call('planner', 'GET', `/CodeSystem?url=${system}`);
    assert.equal(found.body.total, 1, found.text);
    const { resource } = found.body.entry[0];
    const outcome = await call('planner', 'POST', '/$validate', resource);
    const errors = outcome.body.issue.filter(({ severity }: { severity: string }) => severity === 'error');
    assert.deepEqual(errors, []);
  }
});

test('a name that the official expansion misprints is returned as it is there, and the right one is known beside it', async () => {
  const country = `${CORE}/country`;
  const of = async (query: string) => (await call('planner', 'GET', `/ValueSet/$expand?url=${country}&${query}`)).body;
  const shown = async (query: string): Promise<string[]> =>
    (await of(query)).expansion.contains.map((each: Part) => `${each['code']} ${each['display']}`);
  assert.deepEqual(await shown('filter=%C3%85land'), ['AX Eland Islands', 'ALA Eland Islands', '248 Eland Islands']);
  assert.deepEqual(await shown('filter=eland%20isl&displayLanguage=en'), [
    'AX Åland Islands',
    'ALA Åland Islands',
    '248 Åland Islands',
  ]);
  assert.deepEqual(await shown('filter=sweden&displayLanguage=en'), ['SE Sweden', 'SWE Sweden', '752 Sweden']);
  for (const display of ['Åland Islands', 'Eland Islands']) {
    const query = new URLSearchParams({ url: country, system: 'urn:iso:std:iso:3166', code: 'AX', display });
    const { body, text } = await call('planner', 'GET', `/ValueSet/$validate-code?${query}`);
    assert.deepEqual([parameterOf(body, 'result'), issueKinds(body)], [true, []], text);
  }
});
