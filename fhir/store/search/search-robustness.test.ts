// Whatever is asked, the answer is a result or a named error, never a failure of the database.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { processorMs } from '#test/support/processor-time.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const { store, db, put } = await createTestStore({ after });
const examples = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));

test('the official examples are stored as written and found by their ids', async () => {
  const names = readdirSync(examples).filter((name) => /^(?!Bundle)[A-Z].*\.json$/.test(name));
  for (const name of names.filter((_, index) => index % 5 === 0)) {
    const text = readFileSync(join(examples, name), 'utf8');
    const source = readResourceText(text);
    const { resourceType } = source;
    const { id } = await store.create(db, { source, organisation: null });
    const { matches } = await store.search(db, store.parse(resourceType, [['_id', id]]), { access: ALL_ACCESS });
    assert.equal(matches.length, 1, name);
    const { id: _id, meta: _meta, ...stored } = JSON.parse(matches[0]?.content ?? '{}');
    const { id: _ownId, meta: _ownMeta, ...own } = source.resource as Record<string, unknown>;
    assert.deepEqual(stored, own, name);
  }
});

test('very long and very strange values are indexed', async () => {
  const long = 'ä'.repeat(20_000);
  const { id } = await put({
    resourceType: 'Observation',
    status: 'final',
    code: { text: long, coding: [{ system: `urn:${long}`, code: long, display: long }] },
    valueQuantity: { value: 1e300, unit: long, code: long, system: long },
    instantiatesCanonical: `http://x.org/${long}|1`,
    subject: { reference: `http://x.org/${long}/Patient/1`, display: '\u{1F600}\u0301 ' },
    note: [{ text: long }],
  });
  const { matches } = await store.search(db, store.parse('Observation', [['code', `urn:${long}|${long}`]]), {
    access: ALL_ACCESS,
  });
  assert.deepEqual(
    matches.map((match) => match.id),
    [id],
  );
  const quantity = store.parse('Observation', [['value-quantity', `1e300||${long}`]]);
  assert.equal((await store.search(db, quantity, { access: ALL_ACCESS })).matches.length, 1);
});

const names = (type: string) => [
  ...store.parameters.forType(type).keys(),
  '_sort',
  '_include',
  '_revinclude',
  '_count',
  '_cursor',
  '_total',
  '_summary',
];
const modifier = fc.constantFrom(
  '',
  '',
  '',
  ':exact',
  ':contains',
  ':not',
  ':missing',
  ':text',
  ':of-type',
  ':identifier',
  ':above',
  ':below',
  ':Patient',
  ':iterate',
  ':x',
);
const value = fc.oneof(
  fc.constantFrom(
    'a',
    'Patient/1',
    'ge2020',
    'ap2020-01-01T10:00Z',
    'lt1.50',
    'ap1e3||mg',
    'true',
    'http://x.org/a|1',
    '|a',
    'a|',
    'a\\,b,c',
    '-date',
    '5|a|b',
    'eq1e999',
    '-1',
  ),
  fc.constantFrom('\0', '\ud800', '%', '_', "'", '\\', '$1', ';--', 'ne', '9999-12-31', '0001', '+', ' '),
  fc.string({ maxLength: 12 }),
);

const MOST_TRIES = 10;

/** On a busy machine the words of what was stored may not be indexed in time; each try indexes some more. */
async function patiently(search: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await search();
      return;
    } catch (error) {
      if (tries === MOST_TRIES || !(error instanceof ServiceError && error.code === 'unavailable')) throw error;
    }
  }
}

for (const type of ['Patient', 'Observation', 'CarePlan', 'PlanDefinition', 'Encounter']) {
  test(`any query on ${type} is answered or refused in words`, async () => {
    const chained = fc.constantFrom(
      'subject:Patient.',
      'patient.',
      '_has:Observation:patient:',
      '_has:Nothing:x:',
      'encounter.patient.',
    );
    const name = fc.tuple(
      fc.oneof({ weight: 4, arbitrary: fc.constant('') }, chained),
      fc.constantFrom(...names(type)),
      modifier,
    );
    const access: Access = () => ({
      kind: 'any',
      filters: [
        { kind: 'patient', patientGuid: '1' },
        { kind: 'organisations', guids: [] },
      ],
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), fc.boolean(), async (given, isAll) => {
        try {
          const query = store.parse(
            type,
            given.map(([parts, text]) => [parts.join(''), text] as const),
          );
          await patiently(() => store.search(db, query, { access: isAll ? ALL_ACCESS : access }));
        } catch (error) {
          assert.ok(
            error instanceof ServiceError && error.status === 400,
            `${String(error)} for ${JSON.stringify(given)}`,
          );
        }
      }),
      { numRuns: 150 },
    );
  });
}

/** Texts that some reader takes for a time or a number and another does not. */
const STRANGE = [
  '1',
  '2020-01-01T00:00:00.000Z',
  '2020-13-41T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '2026-02-30T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '1e400',
  '1e-999',
  '1'.repeat(400),
  '\0',
];

test('no cursor brings the database to an error', async () => {
  const part = fc.oneof(fc.constant(null), fc.string(), fc.constantFrom(...STRANGE), fc.integer());
  const rid = '019a0000-0000-7000-8000-000000000001';
  await fc.assert(
    fc.asyncProperty(part, fc.array(part, { maxLength: 2 }), async (total, sort) => {
      const cursor = Buffer.from(JSON.stringify([rid, total, ...sort])).toString('base64url');
      for (const key of ['_lastUpdated', 'date', 'value-quantity', 'status']) {
        const query = store.parse('Observation', [
          ['_sort', key],
          ['_cursor', cursor],
        ]);
        await store.search(db, query, { access: ALL_ACCESS }).catch((error: unknown) => {
          assert.ok(error instanceof ServiceError && error.status === 400, String(error));
        });
      }
    }),
    { numRuns: 60 },
  );
});

test('no cursor of a history brings the database to an error, nor makes a total that is none', async () => {
  const rid = '019a0000-0000-7000-8000-000000000001';
  const encode = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const isRefused = (error: unknown) => error instanceof ServiceError && error.status === 400;
  const history = (cursor: string) =>
    store.history(db, { resourceType: 'Patient', id: undefined, count: 5, cursor }, ALL_ACCESS);
  for (const time of STRANGE.filter((text) => text !== '2020-01-01T00:00:00.000Z')) {
    await assert.rejects(history(encode([time, rid, 1])), isRefused, time);
  }
  await assert.rejects(history(encode(['2020-01-01T00:00:00.000Z', '-'.repeat(36), 1])), isRefused);
  assert.deepEqual((await history(encode(['2020-01-01T00:00:00.000Z', rid, 1]))).versions, []);
  const query = store.parse('Patient', [['_cursor', encode([rid, -5])]]);
  await assert.rejects(store.search(db, query, { access: ALL_ACCESS }), isRefused);
});

test('names that every object has are no search parameters', () => {
  for (const name of ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']) {
    assert.deepEqual(store.parse('Patient', [[name, 'x']]).understood, [], name);
    assert.throws(() => store.parse('Patient', [[name, 'x']], { isStrict: true, hasPages: true }), ServiceError, name);
  }
});

test('a search that asks for too much is refused before anything is looked up', () => {
  const many = (text: string, count: number) => Array<string>(count).fill(text).join(',');
  const searches: [type: string, name: string, value: string][] = [
    ['Observation', 'code', many('s|c', 40_000)],
    ['Observation', 'based-on:identifier', many('s|c', 2001)],
    ['Observation', '_sort', many('date', 20_000)],
    ['Procedure', `${'part-of.'.repeat(8)}_id`, '1'],
    ['Procedure', `${'part-of.'.repeat(8)}nothing`, '1'],
  ];
  for (const [type, name, value] of searches) {
    const before = processorMs();
    assert.throws(() => store.parse(type, [[name, value]]), { code: 'validation_error' }, name);
    assert.ok(processorMs() - before < 1000, `${name} took long`);
  }
  const includes = Array.from({ length: 300 }, (): [string, string] => ['_include', 'Observation:subject']);
  assert.throws(() => store.parse('Observation', includes), { code: 'validation_error' });
  const several = Array.from({ length: 3 }, (): [string, string] => ['code', many('c', 900)]);
  assert.throws(() => store.parse('Observation', several), { code: 'validation_error' });
});

test('a thousand ids may be asked for at once', async () => {
  const ids = Array.from({ length: 1000 }, (_, index) => `id-${index}`).join(',');
  assert.equal((await store.search(db, store.parse('Patient', [['_id', ids]]), { access: ALL_ACCESS })).total, 0);
});
