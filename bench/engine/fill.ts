// Fills the store of a benchmark as an import does, but into tables whose further indexes are made afterwards: a
// million resources in minutes.

import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { LOCAL_ORGANISATION } from '#lib/auth/data-scope.ts';
import { chunksOf } from '#lib/chunks.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { progress } from '../report.ts';
import { allOf, countOf, type MadeUp } from './data.ts';

const BATCH = 2_000;

/** Stores everything for so many patients, with every index row, and analyses the tables. */
export async function fill(database: Database, patients: number): Promise<void> {
  const indexes = await dropIndexes(database);
  const total = countOf(patients);
  let [done, writing] = [0, Promise.resolve()];
  for (const batch of chunksOf(allOf(patients), BATCH)) {
    const write = await prepare(batch);
    await writing;
    // The next batch is prepared while the database works.
    writing = write(database);
    done += batch.length;
    progress(`${done} of ${total} resources`);
    await new Promise(setImmediate);
  }
  await writing;
  for (const definition of indexes) {
    progress(`indexing: ${definition.slice(0, 60)}`);
    await database.query(definition);
  }
  // No figure is about words, and their index would be busy with so many for long after.
  await database.query('TRUNCATE fhir_text_queue');
  progress('analysing');
  await database.query('VACUUM ANALYZE');
}

/** How the service of the benchmark is known: what is filled in is to be read for the index just as it would do it. */
export const PUBLIC_URL = 'http://localhost:8080';

const store = createFhirStore({
  parameters: loadSearchParameters(`${PUBLIC_URL}/engine/api/v1`),
  clock: systemClock,
  validate: () => [],
});

async function prepare(batch: readonly MadeUp[]): Promise<(database: Database) => Promise<void>> {
  const items = await Promise.all(
    batch.map(({ id, isOpen, resource }) =>
      store.prepareBulk({
        id,
        source: readResourceText(JSON.stringify(resource)),
        organisation: isOpen ? null : LOCAL_ORGANISATION,
      }),
    ),
  );
  return async (database) => {
    await database.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
  };
}

/** Drops the indexes that hold no constraint of the store's tables; answers the statements that make them again. */
async function dropIndexes(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
     WHERE t.relnamespace = current_schema()::regnamespace AND t.relname LIKE 'fhir\\_%' AND NOT i.indisunique`,
  );
  for (const { name } of rows) await database.query(`DROP INDEX "${name}"`);
  return rows.map(({ definition }) => definition);
}
