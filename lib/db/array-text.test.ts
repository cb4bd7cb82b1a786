// Arrays as texts: PostgreSQL reads back the same values.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase } from '#test/support/database/database.ts';
import { jsonTexts, jsonTextsOf, plainArray, textArray } from './array-text.ts';

const db = (await createTestDatabase({ after })).database('public');

test('texts of any kind, and none', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', 'NULL', 'null', '{}', ',', '"', '\\', ' a ', '\n'),
  );
  const isStorable = (value: string | null) => value === null || (!value.includes('\0') && value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text).filter(isStorable)), async (values) => {
      const { rows } = await db.query('SELECT to_jsonb($1::text[]) AS back', [textArray(values)]);
      assert.deepEqual(rows, [{ back: values }]);
    }),
  );
});

test('numbers, uuids and instants', async () => {
  const guid = '019a0000-0000-7000-8000-000000000001';
  const at = new Date('2026-01-01T00:00:00.123Z');
  const { rows } = await db.query(
    'SELECT $1::float8[] AS numbers, $2::bigint[]::text[] AS keys, $3::uuid[]::text[] AS guids, $4::timestamptz[] AS times',
    [
      plainArray([1.5, -0.1, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null]),
      plainArray(['-9223372036854775808', 7, undefined]),
      plainArray([guid, null]),
      plainArray([at]),
    ],
  );
  assert.deepEqual(rows, [
    {
      numbers: [1.5, -0.1, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null],
      keys: ['-9223372036854775808', '7', null],
      guids: [guid, null],
      times: [at],
    },
  ]);
  assert.equal(plainArray([]), '{}');
});

test('JSON texts are joined by a character that JSON never holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json(), { minLength: 1 }), async (values) => {
      const texts = [...values, JSON.stringify('\u001f')];
      const { rows } = await db.query(`SELECT ${jsonTextsOf('$1')} AS back`, [jsonTexts(texts)]);
      assert.deepEqual(rows, [{ back: texts }]);
    }),
    { numRuns: 50 },
  );
  const { rows } = await db.query(`SELECT ${jsonTextsOf('$1')} AS back`, [jsonTexts([])]);
  assert.deepEqual(rows, [{ back: [] }]);
});
