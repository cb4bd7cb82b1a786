// The schemas of the three services change their sort language, with the indexes of their lists.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { migrations as dispatch } from '#services/dispatch/migrations.ts';
import { migrations as engine } from '#services/engine/migrations.ts';
import { migrations as identity } from '#services/identity/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { createSchemaChangeLoop } from './schema-changes.ts';

const schemas = Object.entries({ identity, dispatch, engine }).map(([schema, migrations]) => ({ schema, migrations }));
const { url, database } = await createTestDatabase({ after }, { schemas });

for (const { schema } of schemas) {
  test(`the lists of ${schema} are put in the order of the configured language`, async () => {
    const db = database(schema);
    const state = async () => {
      const { rows } = await db.query<{ language: string; indexes: string[] }>(
        `SELECT obj_description(c.oid, 'pg_collation') AS language,
           ARRAY(SELECT i.indexrelid::regclass::text FROM pg_index i
                 WHERE i.indisvalid AND c.oid = ANY (i.indcollation::oid[]) ORDER BY 1) AS indexes
         FROM pg_collation c WHERE c.oid = 'name_order'::regcollation`,
      );
      return rows[0];
    };
    const before = await state();
    assert.equal(before?.language, 'sv');
    assert.notEqual(before.indexes.length, 0);
    const lines: string[] = [];
    const loop = createSchemaChangeLoop({ url, schema, language: 'nb', log: makeTestLogger(lines) });
    loop.start();
    while (!lines.some((line) => line.includes('name_order_changed')))
      await new Promise((done) => setTimeout(done, 20));
    await loop.stop();
    assert.deepEqual(await state(), { ...before, language: 'nb' });
  });
}
