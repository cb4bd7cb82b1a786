// Batched statements return the same as each returns alone.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase } from '#test/support/database/database.ts';
import { ServiceError } from '../errors.ts';
import { batchedStatement, batchStatements } from './batched-statements.ts';
import type { PreparedStatement, Queryable } from './database.ts';

const db = (await createTestDatabase({ after }, { schemas: [{ schema: 'batched', migrations: [] }] })).database(
  'batched',
);

/** The database, with a record of its statements. */
function watched(): { readonly asked: string[]; readonly queryable: Queryable } {
  const asked: string[] = [];
  const queryable: Queryable = {
    query: (statement, values) => {
      asked.push(typeof statement === 'string' ? statement : statement.name);
      return db.query(statement, values);
    },
  };
  return { asked, queryable };
}

const ECHO: PreparedStatement = {
  name: 'test_echo',
  text: `SELECT $1::text AS a, $2::bigint::text AS b, $3::timestamptz AS c, $4::text[] AS d, n, $1::text || n AS e
    FROM generate_series(1, $5::int) n ORDER BY n DESC`,
};
const DIVIDE: PreparedStatement = { name: 'test_divide', text: 'SELECT 12 / $1::int AS quotient' };

const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
const values = fc.tuple(
  fc.option(text),
  fc.option(fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map(String)),
  fc.option(fc.date({ min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true })),
  fc.option(fc.array(text)),
  fc.integer({ min: 0, max: 4 }),
);

test('any values in any batch find the same rows as alone, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 80 }), async (all) => {
      const { asked, queryable } = watched();
      const batched = batchStatements(queryable);
      const together = await Promise.all(all.map((each) => batched.query(ECHO, each)));
      assert.ok(asked.length < Math.max(all.length, 8), 'they went together');
      for (const [place, each] of all.entries()) {
        const alone = await db.query(ECHO, each);
        const found = together[place]?.rows.map(({ asked_place: _place, asked_ms: _ms, ...row }) => row);
        assert.deepEqual(found, alone.rows);
        assert.equal(together[place]?.rowCount, alone.rowCount);
      }
    }),
    { numRuns: 30 },
  );
});

test('a statement that fails fails alone', async () => {
  const batched = batchStatements(db);
  const ends = await Promise.allSettled([6, 0, 4, 3].map((each) => batched.query(DIVIDE, [each])));
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value.rows[0]?.['quotient'] : String(end.reason))),
    [2, 'error: division by zero', 3, 4],
  );
});

test('a lost database fails the whole batch, which is not tried again', async () => {
  let asked = 0;
  const batched = batchStatements({
    query: async () => {
      asked += 1;
      throw new ServiceError('unavailable', 'The database is away');
    },
  });
  const ends = await Promise.allSettled([1, 2, 3].map((each) => batched.query(DIVIDE, [each])));
  assert.deepEqual(
    ends.map((end) => end.status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.equal(asked, 1);
});

test('statements of different names, plain texts, and statements without values run alone', async () => {
  const { asked, queryable } = watched();
  const batched = batchStatements(queryable);
  await Promise.all([
    batched.query(DIVIDE, [1]),
    batched.query(ECHO, ['a', null, null, null, 1]),
    batched.query('SELECT 1 AS one'),
    batched.query({ name: 'test_one', text: 'SELECT 1 AS one' }),
  ]);
  assert.deepEqual(asked.sort(), ['SELECT 1 AS one', 'test_divide_all', 'test_echo_all', 'test_one']);
});

test('a statement whose placeholders have no types runs alone', async () => {
  assert.equal(batchedStatement({ name: 'test_typeless', text: 'SELECT 1 + $1 AS sum' }), undefined);
  const { asked, queryable } = watched();
  const batched = batchStatements(queryable);
  const sums = await Promise.all(
    [1, 2].map((each) => batched.query({ name: 'test_typeless', text: 'SELECT 1 + $1 AS sum' }, [each])),
  );
  assert.deepEqual(
    sums.map(({ rows }) => rows[0]?.['sum']),
    [2, 3],
  );
  assert.deepEqual(asked, ['test_typeless', 'test_typeless']);
});

test('a slow statement runs alone until it is quick again', async () => {
  const sizes: number[] = [];
  let each = 25;
  const database: Queryable = {
    query: async <R extends object>(_: unknown, columns: readonly unknown[] = []) => {
      const size = String(columns[0]).split(',').length;
      sizes.push(size);
      const rows = Array.from({ length: size }, (_row, place) => ({ asked_place: place + 1, asked_ms: each * size }));
      return { rows: rows as R[], rowCount: size };
    },
  };
  const batched = batchStatements(database);
  const ask = async () => {
    sizes.length = 0;
    await Promise.all([1, 2, 3, 4].map((value) => batched.query(DIVIDE, [value])));
    return sizes;
  };
  assert.deepEqual(await ask(), [4]);
  await ask();
  assert.deepEqual(await ask(), [1, 1, 1, 1]);
  each = 0.1;
  for (let round = 0; round < 3; round += 1) await ask();
  assert.deepEqual(await ask(), [4]);
});
