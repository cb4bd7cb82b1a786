// $related and $find-matches: every rule is a row of ../testing/matching-cases.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Json, objects, text } from '../json.ts';
import { FABRICS, findMatches, MATCHES, MATCHING_DEFINITIONS, RELATIONS, related } from '../testing/matching-cases.ts';
import { operationsOver } from '../testing/run-operation.ts';

const run = operationsOver(MATCHING_DEFINITIONS);

function values(answer: Json): Record<string, unknown> {
  return Object.fromEntries(
    objects(answer['parameter']).map((each) => {
      const member = Object.keys(each).find((name) => name.startsWith('value'));
      return [each['name'], member === undefined ? undefined : each[member]];
    }),
  );
}

const issueOf = (answer: Json): unknown => objects(answer['issue'])[0]?.['code'];

for (const [one, other, result] of RELATIONS) {
  test(`$related: ${one} and ${other} are ${result}`, async () => {
    const answer = values(await run('ValueSet/$related', related(one, other)));
    assert.equal(answer['result'], result, String(answer['message']));
    assert.match(String(answer['message']), new RegExp(`vs/${one}\\|1 and http://x.org/vs/${other}`));
  });
}

test('$related takes the value sets themselves, and lists codes on request', async () => {
  const compose = { include: [{ system: FABRICS, concept: [{ code: 'wool' }, { code: 'felt' }] }] };
  const answer = values(
    await run('ValueSet/$related', [
      { name: 'thisValueSet', resource: { resourceType: 'ValueSet', status: 'draft', compose } },
      { name: 'otherUrl', valueUri: 'http://x.org/vs/wool-and-tweed|1' },
      { name: 'diagnostics', valueBoolean: true },
    ]),
  );
  assert.deepEqual(
    ['result', 'performed-expansion', 'missing-codes', 'extra-codes', 'common-codes'].map((name) => answer[name]),
    ['overlapping', true, 'felt', 'tweed', 'wool'],
  );
});

test('of many codes $related lists the first, and their number', async () => {
  const concept = Array.from({ length: 2_500 }, (_, index) => ({ code: `c${index}` }));
  const resource = {
    resourceType: 'ValueSet',
    status: 'draft',
    compose: { include: [{ system: 'urn:many', concept }] },
  };
  const answer = values(
    await run('ValueSet/$related', [
      { name: 'thisValueSet', resource },
      { name: 'otherUrl', valueUri: 'http://x.org/vs/cloths' },
      { name: 'diagnostics', valueBoolean: true },
    ]),
  );
  assert.equal(answer['missing-codes-count'], 2_500);
  assert.equal(String(answer['missing-codes']).split(',').length, 1_000);
});

test('$related refuses a value set that is not named or not known', async () => {
  const none = await run('ValueSet/$related', related('none', 'cloths'));
  assert.equal(issueOf(none), 'not-found');
  const one = await run('ValueSet/$related', related('cloths', 'cloths').slice(0, 1));
  assert.equal(issueOf(one), 'required');
});

/** The matches in the notation of the rows. */
function notation(answer: Json): string[] {
  return objects(answer['parameter']).map((match) => {
    const parts = objects(match['part']);
    const [coding = {}] = parts.flatMap(({ valueCoding }) => objects(valueCoding));
    const unmatched = parts
      .filter(({ name }) => name === 'unmatched')
      .map(({ part }) => text(objects(part).find(({ name }) => name === 'code')?.['valueCode']));
    const isPossible = parts.some(({ name }) => name === 'comment');
    const marks = [unmatched.length === 0 ? '' : ` -${unmatched.join(',')}`, isPossible ? ' ?' : ''];
    return `${coding['code']}${marks.join('')}`;
  });
}

for (const each of MATCHES) {
  test(`$find-matches: ${each.name}`, async () => {
    const answer = await run('CodeSystem/$find-matches', findMatches(each));
    assert.deepEqual(notation(answer), each.found, JSON.stringify(answer));
  });
}

test('a match of $find-matches is a Coding with version and display in the language asked for', async () => {
  const [first] = MATCHES;
  assert.ok(first !== undefined);
  const tweed = {
    ...first,
    properties: [
      {
        name: 'property',
        part: [
          { name: 'code', valueCode: 'code' },
          { name: 'value', valueCode: 'tweed' },
        ],
      },
    ],
  };
  const answer = await run('CodeSystem/$find-matches', [
    ...findMatches(tweed),
    { name: 'displayLanguage', valueCode: 'sv' },
  ]);
  assert.deepEqual(answer['parameter'], [
    {
      name: 'match',
      part: [{ name: 'code', valueCoding: { system: FABRICS, version: '3', code: 'tweed', display: 'Tweedtyg' } }],
    },
  ]);
});

test('$find-matches refuses a request without properties, or with too many', async () => {
  const [, , ...none] = findMatches({ name: '', properties: [], found: [] });
  assert.deepEqual(none, []);
  const system = { name: 'system', valueUri: FABRICS };
  assert.equal(issueOf(await run('CodeSystem/$find-matches', [system])), 'required');
  const property = {
    name: 'property',
    part: [
      { name: 'code', valueCode: 'a' },
      { name: 'value', valueCode: 'b' },
    ],
  };
  const many = Array.from({ length: 21 }, () => property);
  assert.equal(issueOf(await run('CodeSystem/$find-matches', [system, ...many])), 'too-costly');
  assert.equal(issueOf(await run('CodeSystem/$find-matches', [property])), 'required');
});
