// The migration that brings index rows into the form in which parameters share them: from rows as they were written
// before.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { loadSearchParameters, type SearchParameter } from '#fhir/search/parameters/definitions.ts';
import { skipOnCitus } from '#test/support/database/citus.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';

const MIGRATION = readFileSync(new URL('../migrations/0011_shared_rows.sql', import.meta.url), 'utf8');
const KINDS = /^(?:Patient|Observation|Practitioner|Person|Organization|Location|Questionnaire|RelatedPerson)-/;
const examples = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
const parameters = loadSearchParameters();
const { db, put, find } = await createTestStore({ after });

test('a node that does not know of the bits is refused when it writes, instead of writing what nobody finds', async () => {
  for (const row of [
    'fhir_token (type, rid, param, system, code) VALUES (1, gen_random_uuid(), 1, 0, 1)',
    "fhir_string (type, rid, param, value) VALUES (1, gen_random_uuid(), 1, 'x')",
    'fhir_quantity (type, rid, param, low, high, system) VALUES (1, gen_random_uuid(), 1, 0, 0, 0)',
  ])
    await assert.rejects(db.query(`INSERT INTO ${row}`), /null value in column "mask"/, row);
});

/** Of every table what it holds and the other columns of its rows. */
const TABLES = [
  ['fhir_token', 'type, rid, system, code', '(param, code, rid, system)', ''],
  ['fhir_string', 'type, rid, value, exact', '(param, value, rid)', ':text'],
  [
    'fhir_quantity',
    'type, rid, low, high, system, code, unit',
    '(param, low, high, rid, system, code, unit)',
    ':canonical',
  ],
] as const;

function sharing(): SearchParameter[] {
  return [...parameters.resourceTypes]
    .flatMap((type) => [...parameters.forType(type).values()])
    .filter(({ shared }) => shared !== undefined);
}

async function content(): Promise<string[]> {
  const tables = TABLES.map(async ([table]) => {
    const { rows } = await db.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
    return rows.map(({ row }) => `${table} ${row}`);
  });
  return (await Promise.all(tables)).flat().sort();
}

/** Puts each row under the keys of all parameters that it is of, and takes away the masks. */
async function undo(): Promise<void> {
  for (const [table, columns, index, derived] of TABLES) {
    for (const suffix of derived === '' ? [''] : ['', derived]) {
      for (const { resourceType, code, shared } of sharing()) {
        const [from, to] = [nameKey(`${shared?.name}${suffix}`), nameKey(`${resourceType}.${code}${suffix}`)];
        await db.query(
          `INSERT INTO ${table} (param, mask, ${columns}) SELECT ${to}, 0, ${columns} FROM ${table}
           WHERE param = ${from} AND (${shared?.bit} = 0 OR mask & ${shared?.bit} <> 0)`,
        );
      }
      const shared = [...new Set(sharing().map((parameter) => nameKey(`${parameter.shared?.name}${suffix}`)))];
      await db.query(`DELETE FROM ${table} WHERE param = ANY($1::int[])`, [shared]);
    }
    const name = table === 'fhir_quantity' ? `${table}_low` : `${table}_value`;
    await db.query(`ALTER TABLE ${table} DROP COLUMN mask CASCADE`);
    await db.query(`CREATE INDEX ${name} ON ${table} ${index}`);
  }
}

test('rows of before become what is written now, and are found', {
  skip: skipOnCitus('Citus changes a distributed schema by single statements'),
}, async () => {
  for (const name of readdirSync(examples).filter((file) => KINDS.test(file))) {
    await put(JSON.parse(readFileSync(join(examples, name), 'utf8')));
  }
  await put({
    resourceType: 'Patient',
    id: 'essen',
    name: [{ text: 'Eva von Essen', family: 'von Essen', given: ['Essen'] }],
  });
  const written = await content();
  assert.ok(written.filter((row) => /"mask": [1-9]/.test(row)).length > 100);
  await undo();
  const before = await content();
  assert.ok(before.length > written.length);
  await db.transaction((tx) => tx.query(MIGRATION));
  assert.deepEqual(await content(), written);
  assert.deepEqual(await find('Patient', 'family:exact=von Essen&given:exact=Essen'), ['essen']);
  assert.deepEqual(await find('Patient', 'family:exact=Essen'), []);
});
