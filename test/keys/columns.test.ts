// Sealed columns of all three services (docs/adr/0048). A rotation forgets no column, seals each again as a whole, and
// keeps the old key while a value needs it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { fixedKeys, type KeySet } from '#lib/secrets/key-set.ts';
import { countKeys, reseal, type SealedColumn, type SealedValues } from '#lib/secrets/sealed-values.ts';
import { migrations as dispatchMigrations } from '#services/dispatch/migrations.ts';
import { dispatchSealedValues } from '#services/dispatch/sealed-values.ts';
import { createKeyRing } from '#services/dispatch/shared/key-ring.ts';
import { migrations as engineMigrations } from '#services/engine/migrations.ts';
import { engineSealedValues } from '#services/engine/sealed-values.ts';
import { createSessionTokens } from '#services/engine/users/session-token.ts';
import { migrations as identityMigrations } from '#services/identity/migrations.ts';
import { identitySealedValues } from '#services/identity/sealed-values.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { lastFirst } from '../support/hooks.ts';

const hooks = lastFirst({ after });
const server = await createTestDatabase(hooks, {
  schemas: [
    { schema: 'identity', migrations: identityMigrations },
    { schema: 'engine', migrations: engineMigrations },
    { schema: 'dispatch', migrations: dispatchMigrations },
  ],
});
const SERVICES = { identity: identitySealedValues, engine: engineSealedValues, dispatch: dispatchSealedValues };
const [first, second] = [randomBytes(32), randomBytes(32)];
const [before, rotated, without] = [fixedKeys(first), fixedKeys(second, first), secondAlone()];

/** As when the first generation was moved away. */
function secondAlone(): KeySet {
  const both = fixedKeys(second, first);
  const kept = new Set(Object.values(SERVICES).flatMap((valuesOf) => valuesOf(both).indexes));
  return {
    ...both,
    all: () => both.all().slice(0, 1),
    indexKey(purpose) {
      assert.ok(kept.has(purpose), `the index of ${purpose} outlives the first generation`);
      return both.indexKey(purpose);
    },
  };
}

/** Columns of bytes that are no secrets: hashes, keyed indexes, and contents of other kinds. */
const NOT_SEALED = /(_hash|_index|_index_next|_sha256|^hash|^record|^fingerprint|^mark|^account|^content|^bytes)$/;

for (const [service, valuesOf] of Object.entries(SERVICES)) {
  test(`${service}: every column of bytes is resealed by a rotation, or holds no sealed values`, async () => {
    const { rows } = await server.database(service).query<{ column: string }>(
      `SELECT table_name || '.' || column_name AS column FROM information_schema.columns
         WHERE table_schema = $1 AND data_type = 'bytea'`,
      [service],
    );
    const known = new Set(valuesOf(before).columns.map(({ table, column }) => `${table}.${column}`));
    const forgotten = rows.filter(({ column }) => !known.has(column) && !NOT_SEALED.test(column.split('.')[1] ?? ''));
    assert.deepEqual(
      forgotten.map(({ column }) => column),
      [],
    );
    assert.deepEqual(
      [...known].filter((column) => !rows.some((row) => row.column === column)),
      [],
    );
  });
}

/** How a value of a column is written, in rows that the tests below make. */
async function writeAll(database: Database, values: SealedValues, keys: readonly string[]): Promise<void> {
  for (const column of values.columns) {
    for (const key of keys) {
      const context = await contextOf(database, column, key);
      if (context === undefined) continue;
      const sealed = column.sealer.seal(`${column.table}.${column.column} ${key}`, context);
      const { table, column: name, key: primary } = column;
      await database.query(`UPDATE ${table} SET ${name} = $1 WHERE ${primary}::text = $2 AND ${name} IS NOT NULL`, [
        sealed,
        key,
      ]);
    }
  }
}

async function contextOf(database: Database, { table, key, context = `${key}::text` }: SealedColumn, value: string) {
  const { rows } = await database.query<{ context: string }>(
    `SELECT ${context} AS context FROM ${table} WHERE ${key}::text = $1`,
    [value],
  );
  return rows[0]?.context;
}

async function openAll(database: Database, values: SealedValues): Promise<Record<string, string[]>> {
  const opened: Record<string, string[]> = {};
  for (const { table, column, key, context = `${key}::text`, sealer } of values.columns) {
    const { rows } = await database.query<{ context: string; sealed: Buffer }>(
      `SELECT ${context} AS context, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${key}`,
    );
    opened[`${table}.${column}`] = rows.map((row) => sealer.open(row.sealed, row.context));
  }
  return opened;
}

const guid = newGuid();
const request = newGuid();
const MAIL = `INSERT INTO mail_outbox (mail_guid, kind, message_sealed, created_at, expires_at, next_at)
  VALUES ('${guid}', 'x', '\\x00', now(), now(), now())`;
const ROWS: Readonly<Record<keyof typeof SERVICES, readonly string[]>> = {
  identity: [
    `INSERT INTO organisation VALUES ('${guid}', 'Unit', now())`,
    `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, created_at)
       VALUES ('${guid}', 'professional', 'a@example.org', 'a@example.org', 'x', now()),
              ('${request}', 'patient', 'b@example.org', 'b@example.org', 'x', now())`,
    `INSERT INTO professional VALUES ('${guid}', 'professional', '${guid}', 'nurse')`,
    `INSERT INTO patient (user_guid, patient_guid, organisation_guid, personnummer_sealed, personnummer_index)
       VALUES ('${request}', '${request}', '${guid}', '\\x00', '\\x00')`,
    `INSERT INTO patient_record VALUES ('engine', 'a', NULL, 1)`,
    `INSERT INTO patient_record_number VALUES ('${guid}', 'engine', 'a', '\\x00', '\\x00')`,
    `INSERT INTO signing_key (key_id, public_jwk, created_at, signs_from, private_sealed)
       VALUES ('${guid}', '{}', now(), now(), '\\x00')`,
    `UPDATE app_user SET second_factor_sealed = '\\x00', second_factor_step = 1, second_factor_since = now()
       WHERE user_guid = '${guid}'`,
    `INSERT INTO second_factor_setup VALUES ('${guid}', '\\x00', now())`,
    MAIL,
  ],
  engine: [
    `INSERT INTO provider VALUES ('${guid}', 'P', NULL, 'r', 'active', now(), now())`,
    `INSERT INTO provider_inbox VALUES ('${guid}', true, '\\x00', now())`,
    `INSERT INTO provider_task (request_guid, provider_guid, status, receipt_sealed, bundle, received_at, updated_at)
       VALUES ('${request}', '${guid}', 'received', '\\x00', '{}', now(), now())`,
    `INSERT INTO engine_user (user_guid, email, email_key, name, role, status, created_at, updated_at,
         second_factor_sealed, second_factor_step, second_factor_since)
       VALUES ('${guid}', 'a@example.org', 'a@example.org', 'A', 'reader', 'active', now(), now(), '\\x00', 1, now())`,
    `INSERT INTO second_factor_setup VALUES ('${guid}', '\\x00', now())`,
    `INSERT INTO external_server VALUES ('${guid}', 'https://a.example', 'fhir', '{}', '\\x00', 1, now(), now())`,
  ],
  dispatch: [
    `INSERT INTO provider_endpoint VALUES ('${guid}', 'https://a.example', true, NULL, '\\x00', '\\x00', now(), now(), now())`,
    MAIL,
    `INSERT INTO push_bundle VALUES ('${guid}', '${guid}', '{}', now())`,
    `INSERT INTO receipt VALUES ('${request}', '${guid}', 'q', 'p', 'o', '${guid}', '\\x00', 'k', 1, now(), now())`,
    `INSERT INTO receipt_draft VALUES ('${guid}', '${request}', 'measures', 1, '\\x00', now())`,
    `INSERT INTO receipt_answer VALUES ('${guid}', '${request}', 'measures', '{}', now(), '\\x00')`,
  ],
};
const ANSWER = `INSERT INTO idempotency_key (record, attempt_guid, fingerprint, lease_until, answer, expires_at)
  VALUES ('\\x0102', '${guid}', '\\x00', now(), '\\x00', now())`;

for (const [service, valuesOf] of Object.entries(SERVICES)) {
  test(`${service}: every sealed column is counted, resealed, and opens without the old key`, async () => {
    const database = server.database(service);
    for (const statement of ROWS[service as keyof typeof SERVICES]) await database.query(statement);
    await database.query(ANSWER);
    const { columns } = valuesOf(before);
    await writeAll(database, valuesOf(before), [guid, request, '\\x0102']);
    const written = await openAll(database, valuesOf(before));
    assert.deepEqual(
      Object.values(written).map((texts) => texts.length),
      columns.map(() => 1),
    );

    const countsWith = async (keys: KeySet) =>
      (await countKeys(database, valuesOf(keys), keys)).map(({ byGeneration, unknown }) => [...byGeneration, unknown]);
    const ofColumns = (counts: unknown[]) => counts.slice(0, columns.length);
    assert.deepEqual(
      ofColumns(await countsWith(rotated)),
      columns.map(() => [[1, 1], 0]),
    );
    assert.deepEqual(
      ofColumns(await countsWith(without)),
      columns.map(() => [1]),
      'a key that is missing is seen',
    );
    assert.throws(() => valuesOf(without).columns[0]?.sealer.open(Buffer.from([1, 2, 3, 4, 5]), guid));

    const progress: number[] = [];
    const report = await reseal(database, valuesOf(rotated), { onProgress: (rows) => progress.push(rows) });
    assert.deepEqual(report, { resealed: columns.length, issues: [] });
    assert.equal(progress.at(-1), columns.length);
    assert.deepEqual(
      ofColumns(await countsWith(without)),
      columns.map(() => [[2, 1], 0]),
    );
    assert.deepEqual(await openAll(database, valuesOf(without)), written);
    assert.deepEqual(await reseal(database, valuesOf(rotated)), { resealed: 0, issues: [] }, 'once is enough');
  });
}

test('the tokens of the engine’s users open nothing when their key has gone, and until then they do', () => {
  const claims = { sessionGuid: guid, userGuid: guid, issuedAt: 1, expiresAt: 2_000_000_000 };
  const token = createSessionTokens(before).write(claims);
  assert.equal(createSessionTokens(rotated).read(token, 0)?.userGuid, guid);
  assert.equal(createSessionTokens(without).read(createSessionTokens(rotated).write(claims), 0)?.userGuid, guid);
  assert.equal(createSessionTokens(without).read(token, 0), undefined);
});

test('the key of receipt tokens is needed while requests are open or a message about them waits', async () => {
  const database = server.database('dispatch');
  const made = createKeyRing(before);
  const bundle = newGuid();
  await database.query(`INSERT INTO push_bundle VALUES ($1, $1, '{}', now())`, [bundle]);
  const open: string[] = [];
  const states: readonly (readonly [status: string, progress: string | null, isOpen: boolean])[] = [
    ['pushed', null, true],
    ['pushed', 'acknowledged', true],
    ['accepted', 'in_progress', true],
    ['accepted', 'completed', false],
    ['rejected', null, false],
    ['expired', null, false],
  ];
  await database.query(`ALTER TABLE match DROP CONSTRAINT match_service_request_id_fkey`);
  for (const [index, [status, progress, isOpen]] of states.entries()) {
    const requestGuid = newGuid();
    const { hash, keyId } = made.makeToken(requestGuid);
    await database.query(`INSERT INTO receipt VALUES ($1, $2, 'p', 'x', 'o', $3, $4, $5, $6, now(), now())`, [
      requestGuid,
      guid,
      bundle,
      hash,
      keyId,
      index + 1,
    ]);
    await database.query(
      `INSERT INTO match (service_request_id, match_guid, provider_guid, provider_name, contract_guid, status, progress,
         request_guid, pushed_at, created_at, updated_at)
       VALUES ($1, $2::uuid, 'p', 'P', $2::uuid::text, $3, $4, $2::uuid, now(), now(), now())`,
      [guid, requestGuid, status, progress],
    );
    if (isOpen) open.push(requestGuid);
  }
  const uses = async () => {
    const counts = await countKeys(database, dispatchSealedValues(rotated), rotated);
    return counts.find(({ what }) => what === 'open requests')?.byGeneration;
  };
  assert.deepEqual(
    await uses(),
    new Map([
      [2, 0],
      [1, open.length],
    ]),
  );
  await database.query(`UPDATE match SET progress = 'completed' WHERE status IN ('pushed', 'accepted')`);
  assert.deepEqual(
    await uses(),
    new Map([
      [2, 0],
      [1, 0],
    ]),
  );
  const waiting = open[0] ?? '';
  await database.query(
    `INSERT INTO delivery (delivery_guid, provider_guid, request_guid, type, status, envelope, body_sha256, next_at, created_at, updated_at)
     VALUES ($1, 'p', $1, 'request.revoked', 'waiting', '{}', '\\x00', now(), now(), now())`,
    [waiting],
  );
  assert.deepEqual(
    await uses(),
    new Map([
      [2, 0],
      [1, 1],
    ]),
  );
});
