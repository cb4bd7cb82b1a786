// The database of a system that a test starts: all services' schemas as a first start leaves them. Only tests of the
// first start itself begin with an empty one, as each start of it takes three seconds of processor time more.
import { makeIndexChanges } from '#lib/db/schema/index-change.ts';
import { changeNameOrder } from '#lib/db/schema/name-order-change.ts';
import { MIGRATIONS } from '../../../cli/services.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import type { Hooks } from '../hooks.ts';

const SCHEMAS = Object.entries(MIGRATIONS).map(([schema, migrations]) => ({ schema, migrations }));
/** Of KEDJA_SORT_LANGUAGE, unless a test sets it. */
const LANGUAGE = 'sv';

export function createSystemDatabase(hooks: Hooks): Promise<TestDatabase> {
  return createTestDatabase(hooks, { schemas: SCHEMAS, complete: changeSchemas });
}

/** What a node changes after its start. */
async function changeSchemas(url: string): Promise<void> {
  for (const { schema } of SCHEMAS) {
    await changeNameOrder({ url, schema, language: LANGUAGE });
    await makeIndexChanges({ url, schema });
  }
}
