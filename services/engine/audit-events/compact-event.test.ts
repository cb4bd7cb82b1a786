// Events in their compact form. The views make the same text and the same index rows of them as the store writes of an
// AuditEvent (docs/adr/0126).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText, spliceMeta } from '#fhir/resources/resource-text.ts';
import { extractSearchValues } from '#fhir/search/extract/extract.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { INDEX_TABLES, indexRows } from '#fhir/store/index/index-tables.ts';
import { type AuditEntry, buildAuditEvent } from '#lib/audit/audit-event.ts';
import type { Actor } from '#lib/auth/principal.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import { newGuid } from '#lib/guid.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { BASE_URL } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { createCompactEntry } from './compact-entry.ts';
import { createCompacting, renderCompact } from './compact-event.ts';
import { createCompactStore } from './compact-store.ts';

const testDatabase = await createTestDatabase({ after }, { schemas: [{ schema: 'engine', migrations }] });
const database = testDatabase.database('engine');
const parameters = loadSearchParameters(BASE_URL);
const { compact } = createCompacting(parameters);
const store = createCompactStore();
const PATIENT = newGuid();
const UNIT = newGuid();
const STORED_AT = new Date('2026-03-02T08:00:00.007Z');

const callers: readonly (Actor | undefined)[] = [
  undefined,
  servicePrincipal('dispatch'),
  makePrincipal(['patient'], { patientGuid: PATIENT }),
  makePrincipal(['professional', 'clinician'], { professionalGuid: newGuid(), organisationGuids: [UNIT, newGuid()] }),
  makePrincipal(['provider'], { kind: 'api_key', providerGuid: newGuid() }),
  makePrincipal(['clinician'], { kind: 'engine_user', organisationGuids: [UNIT] }),
  { ...makePrincipal(['patient'], { patientGuid: 'proxied "1"' }), proxy: { may: 'read' } },
];
const HOSTILE = 'é"\\ \u2028 {%} \u0001 ';

/** Of this time, whatever the process has made before. */
function guidAt(millis: number): string {
  const hex = millis.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newGuid().slice(13)}`;
}

/** Events of every kind of caller with every kind of content, once each. */
function* entries(): Generator<AuditEntry> {
  const contents: Partial<AuditEntry>[] = [
    {},
    { patientGuid: PATIENT, entities: [`Patient/${PATIENT}`], requestId: newGuid(), address: '192.0.2.1' },
    { patientGuid: 'no-guid.1', entities: ['Observation/o-1', `Observation/${newGuid()}`, 'Observation/o-1'] },
    { entities: ['Observation'], patientGuid: PATIENT, organisationGuids: [UNIT, newGuid()], requestId: HOSTILE },
    { entities: [`delivery/${newGuid()}`, 'Patient/other', 'api-key:k 1'], patientGuid: PATIENT, address: HOSTILE },
    { subjectGuid: newGuid(), outcome: 'failure', detail: HOSTILE, requestId: 'r-1' },
    { outcome: 'failure', detail: `refused for provider ${newGuid()}`, patientGuid: PATIENT },
  ];
  const kinds = [
    ['R', 'patient.read'],
    ['E', 'observation.search'],
  ] as const;
  for (const principal of callers)
    for (const content of contents) for (const [action, event] of kinds) yield { action, event, principal, ...content };
}

const rowsOf = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row.map(plain))).sort();
const plain = (value: unknown) => (value === undefined || value === null ? null : String(value));

test('the views make the text and the index rows that the store would write', async () => {
  const events = [...entries()].map((entry, place) => {
    const recordedAt = Date.parse('2026-01-31T23:59:59.900Z') + place * 7;
    return { ...buildAuditEvent(guidAt(recordedAt), 'engine', recordedAt, entry) } as Record<string, unknown>;
  });
  const compacted = events.map((event) => compact(event) ?? assert.fail(JSON.stringify(event)));
  await database.transaction((tx) => store.insert(tx, compacted, STORED_AT));
  const { rows: months } = await database.query(
    `SELECT DISTINCT tableoid::regclass::text AS month FROM access_event ORDER BY 1`,
  );
  assert.deepEqual(
    months.map(({ month }) => month),
    ['access_event_2026_01', 'access_event_2026_02'],
  );
  for (const event of events) {
    const id = String(event['id']);
    const { rows } = await database.query<{ content: string }>(
      'SELECT content FROM fhir_resource_all WHERE type = 704291728 AND rid = $1',
      [id],
    );
    const meta = { id, versionId: '1', lastUpdated: STORED_AT.toISOString() };
    const content = spliceMeta(readResourceText(JSON.stringify(event)), meta);
    assert.equal(rows[0]?.content, content);
    const expected = indexRows(extractSearchValues(event, parameters), []);
    for (const [place, { table, columns }] of INDEX_TABLES.entries()) {
      const names = columns.map(([name]) => `${name}::text`).join(', ');
      const view = /fhir_(?:quantity|uri)/.test(table) ? table : `${table}_all`;
      const found = await database.query<Record<string, unknown>>(`SELECT ${names} FROM ${view} WHERE rid = $1`, [id]);
      const wanted = rowsOf(expected[place] ?? []);
      assert.deepEqual(
        rowsOf(found.rows.map((row) => columns.map(([name]) => row[name]))),
        wanted,
        `${table} ${content}`,
      );
    }
  }
});

test('the way without an AuditEvent leads to the same', () => {
  const compactEntry = createCompactEntry({ compact }, 'engine');
  const recordedAt = Date.parse('2026-03-02T08:00:00.007Z');
  // Twice: the second time by what is remembered of the first.
  for (const entry of [...entries(), ...entries()]) {
    const { guid, ...made } = compactEntry({ entry, recordedAt }) ?? assert.fail();
    const event = buildAuditEvent(guid, 'engine', recordedAt, entry);
    const { guid: _, ...expected } = compact({ ...event }) ?? assert.fail();
    assert.deepEqual(made, expected);
    assert.equal(renderCompact({ guid, ...made }), JSON.stringify(event));
  }
});

test('an event is stored once, in whatever form, and is not changed', async () => {
  const id = newGuid();
  const event = buildAuditEvent(id, 'engine', Date.now(), { action: 'R', event: 'x.read', principal: callers[2] });
  const compacted = compact({ ...event }) ?? assert.fail();
  for (const _ of [1, 2]) await database.transaction((tx) => store.insert(tx, [compacted], STORED_AT));
  const count = 'SELECT count(*)::int AS count FROM fhir_resource_all WHERE rid = $1';
  assert.deepEqual((await database.query(count, [id])).rows, [{ count: 1 }]);
  for (const sql of ['DELETE FROM access_event', 'UPDATE access_event SET recorded = 0', 'TRUNCATE access_event'])
    await assert.rejects(database.query(sql), /append-only/, sql);
});

test('events that differ in what is not read of them have parts of their own', () => {
  const entry: AuditEntry = {
    action: 'R',
    event: 'patient.read',
    principal: makePrincipal(['clinician'], { kind: 'engine_user', organisationGuids: [UNIT] }),
    patientGuid: PATIENT,
  };
  const recordedAt = Date.now();
  const made = JSON.parse(JSON.stringify(buildAuditEvent(newGuid(recordedAt), 'engine', recordedAt, entry)));
  const [first, ...more] = made.agent;
  const variants = [
    made,
    { ...made, severity: 'warning' },
    { ...made, code: { coding: [{ ...made.code.coding[0], display: 'read' }] } },
    { ...made, agent: [{ ...first, who: { ...first.who, display: 'Anna' } }, ...more] },
    { ...made, source: { observer: { ...made.source.observer, type: 'Device' } } },
    made,
  ];
  for (const variant of variants) {
    const compacted = compact(variant);
    assert.ok(compacted !== undefined);
    assert.deepEqual(compacted, createCompacting(parameters).compact(variant));
    assert.equal(renderCompact(compacted), JSON.stringify(variant));
  }
});

test('events of other forms have no compact one', () => {
  const event = {
    ...buildAuditEvent(newGuid(), 'engine', 1_700_000_000_000, { action: 'R', event: 'x', principal: undefined }),
  };
  assert.notEqual(compact(event), undefined);
  for (const [name, other] of Object.entries({
    'another member': { ...event, text: { status: 'generated', div: '<div/>' } },
    'another id': { ...event, id: 'no-guid' },
    'an id of no time': { ...event, id: 'ffffffff-ffff-7fff-8fff-ffffffffffff' },
    'another time': { ...event, recorded: '2026-01-01T00:00:00+01:00' },
    'a time after that of its id': { ...event, recorded: '2099-01-01T00:00:00.000Z' },
    'another observer': { ...event, source: { observer: { display: 'somebody' } } },
    'a patient by number': { ...event, patient: { identifier: { value: '1' } } },
  }))
    assert.equal(compact(other), undefined, name);
});
