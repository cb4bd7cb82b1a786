// Compares the list of concepts with a scan of all concepts. The lists are for single and combined filters, texts of
// every kind, and totals during concurrent writes, moves and deletions.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call, database } = await startTestEngine({ after });
const make = async (path: string, body: object): Promise<Record<string, string>> => {
  const answer = await call('planner', 'POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

const libs = await Promise.all(
  ['a', 'b'].map(
    async (name) => (await make('/canonical-libs', { name, url: `urn:${name}` }))['canonical_lib_guid'] ?? '',
  ),
);
const types = await Promise.all(
  ['Measure', 'Question'].map(async (name) => (await make('/concept-types', { name }))['concept_type_guid'] ?? ''),
);
const [response = ''] = await Promise.all([
  make('/response-types', { name: 'N', fhir_type: 'Quantity' }).then((made) => made['response_type_guid'] ?? ''),
]);

const NAMES = [
  'Blodtryck',
  'ÖGA',
  'Öga vänster',
  '100 % syre',
  'a_b',
  'back\\slash',
  'ab',
  'Heart rate',
  'hEART failure',
];
const concepts = NAMES.flatMap((name, index) =>
  [0, 1, 2].map((copy) => ({
    canonical_lib: libs[(index + copy) % 2] ?? '',
    concept_name: `${name}${copy === 0 ? '' : ` ${copy}`}`,
    concept_code: `code-${index}-${copy}`,
    ...(copy === 1 ? { concept_display_text: `Visas som ${name}` } : {}),
    ...(copy === 2 ? { concept_explain: 'Förklaring: HjärtFrekvens' } : {}),
    ...(index % 3 === 0 ? {} : { concept_type: types[index % 2] ?? '' }),
    ...(copy === 0 ? { response_type: response } : {}),
    values: index % 4 === 0 ? [{ code: 'x', display: 'X' }] : [],
  })),
);
await Promise.all(concepts.map((concept) => make('/concepts', concept)));

type Sample = (typeof concepts)[number];
const textOf = (concept: Sample) =>
  [concept.concept_name, concept.concept_display_text ?? '', concept.concept_explain ?? '', concept.concept_code].join(
    ' ',
  );

const FILTERS: readonly [
  name: string,
  values: readonly string[],
  holds: (concept: Sample, value: string) => boolean,
][] = [
  ['canonical_lib', libs, (concept, value) => concept.canonical_lib === value],
  ['concept_type', types, (concept, value) => concept.concept_type === value],
  ['response_type', [response], (concept, value) => concept.response_type === value],
  ['has_values', ['true', 'false'], (concept, value) => concept.values.length > 0 === (value === 'true')],
  [
    'search',
    [
      'ög',
      'ÖGA',
      'öga v',
      '%',
      '100 %',
      '_',
      'a_b',
      '\\',
      'k\\s',
      'b',
      'ab',
      'heart',
      'HJÄRTFREKVENS',
      'code-1',
      'r',
      ' ',
      'nothing',
      'xx',
    ],
    (concept, value) => textOf(concept).toLowerCase().includes(value.toLowerCase()),
  ],
];

test('every filter, and every two of them, find what a look at each concept finds', async () => {
  const questions = FILTERS.flatMap(([name, values, holds]) =>
    values.map((value) => ({ query: [[name, value]], holds: (concept: Sample) => holds(concept, value) })),
  );
  const pairs = questions.flatMap((one, index) =>
    questions.slice(index + 1).map((other) => ({
      query: [...one.query, ...other.query],
      holds: (concept: Sample) => one.holds(concept) && other.holds(concept),
    })),
  );
  for (const { query, holds } of [...questions, ...pairs]) {
    if (query.length === 2 && query[0]?.[0] === query[1]?.[0]) continue;
    const text = new URLSearchParams(query.map(([name = '', value = '']) => [name, value])).toString();
    const { body } = await call('planner', 'GET', `/concepts?per_page=200&${text}`);
    const expected = concepts.filter(holds).map((concept) => concept.concept_code);
    const codes = body.data.map((concept: { concept_code: string }) => concept.concept_code);
    assert.deepEqual(codes.toSorted(), expected.toSorted(), text);
    assert.equal(body.total, expected.length, text);
  }
});

test('pages follow each other without gap or double, and the last is short', async () => {
  const names: string[] = [];
  for (let page = 1; page <= 4; page += 1) {
    const { body, headers } = await call('planner', 'GET', `/concepts?per_page=8&page=${page}`);
    assert.equal(body.total, concepts.length);
    assert.equal(/rel="next"/.test(String(headers['link'])), page < 4);
    names.push(...body.data.map((concept: { concept_name: string }) => concept.concept_name));
  }
  assert.deepEqual(names.toSorted(), concepts.map((concept) => concept.concept_name).toSorted());
  assert.deepEqual((await call('planner', 'GET', '/concepts?page=1000000000&per_page=200')).body.data, []);
});

/** Of a common text: names, in the order of the list, of a page, and how many there are in all. */
async function common(query = ''): Promise<{ names: string[]; total: number }> {
  const { status, text, body } = await call('planner', 'GET', `/concepts?search=commonly${query}`);
  assert.equal(status, 200, text);
  return { names: body.data.map((concept: { concept_name: string }) => concept.concept_name), total: body.total };
}

test('what a common text finds is right at every page, and after every change of a concept, also one that was running', async () => {
  await database.query(
    `INSERT INTO concept (concept_guid, canonical_lib, concept_code, concept_name, permitted_values, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'common-' || n, 'Commonly ' || to_char(n, 'FM0000'), '[]', now(), now() FROM generate_series(1, 900) n`,
    [libs[0]],
  );
  const expected = Array.from({ length: 900 }, (_, index) => `Commonly ${String(index + 1).padStart(4, '0')}`);
  for (let round = 0; round < 2; round += 1) {
    for (const page of [1, 2, 4, 5, 9, 10]) {
      const found = await common(`&per_page=100&page=${page}`);
      assert.deepEqual(found, { names: expected.slice((page - 1) * 100, page * 100), total: 900 }, `page ${page}`);
    }
  }
  assert.equal((await common(`&canonical_lib=${libs[1]}`)).total, 0);
  assert.equal((await common(`&canonical_lib=${libs[0]}`)).total, 900);
  const first = async () => [(await common()).names[0], (await common()).total];
  const held = await database.transaction(async (tx) => {
    await tx.query("UPDATE concept SET concept_name = 'Commonly 0000' WHERE concept_code = 'common-900'");
    const before = await first();
    // Another one is committed while this one is still running.
    await database.query("DELETE FROM concept WHERE concept_code = 'common-800'");
    return [before, await first()];
  });
  assert.deepEqual(held, [
    ['Commonly 0001', 900],
    ['Commonly 0001', 899],
  ]);
  assert.deepEqual(await first(), ['Commonly 0000', 899]);
  const { rows } = await database.query<{ guid: string }>(
    "SELECT concept_guid AS guid FROM concept WHERE concept_code = 'common-1'",
  );
  const moved = { canonical_lib: libs[0], concept_name: 'Else', concept_code: 'common-1' };
  assert.equal((await call('admin', 'PUT', `/concepts/${rows[0]?.guid}`, moved)).status, 200);
  assert.deepEqual(await common('&per_page=2'), { names: ['Commonly 0000', 'Commonly 0002'], total: 898 });
  await database.query("DELETE FROM concept WHERE concept_code LIKE 'common-%'");
  assert.deepEqual(await common(), { names: [], total: 0 });
});

test('totals stay right while concepts are made, moved and deleted at once', async () => {
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      make('/concepts', {
        canonical_lib: libs[index % 2] ?? '',
        concept_name: 'Raced',
        concept_code: `raced-${index}`,
      }),
    ),
  );
  await Promise.all(
    made.map(({ concept_guid: guid = '' }, index) =>
      index % 3 === 0
        ? call('planner', 'DELETE', `/concepts/${guid}`)
        : call('planner', 'PUT', `/concepts/${guid}`, {
            canonical_lib: libs[(index + 1) % 2] ?? '',
            concept_name: 'Raced',
            concept_code: `raced-${index}`,
            values: [{ code: 'v', display: 'V' }],
          }),
    ),
  );
  const { rows } = await database.query<{ lib: string; counted: number; kept: number }>(
    `SELECT canonical_lib AS lib, count(*) AS counted,
       (SELECT sum(concepts)::bigint FROM concept_count k WHERE k.canonical_lib = c.canonical_lib) AS kept
     FROM concept c GROUP BY canonical_lib`,
  );
  assert.equal(rows.length, 2);
  for (const { lib, counted, kept } of rows) assert.equal(kept, counted, lib);
  assert.equal((await call('planner', 'GET', '/concepts?search=raced')).body.total, 8);
});
