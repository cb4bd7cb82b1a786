// Searches of AuditEvents find those in the compact form and those that are resources as one (docs/adr/0126).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { buildAuditEvent } from '#lib/audit/audit-event.ts';
import { HOUR_MS } from '#lib/clock.ts';
import { newGuid } from '#lib/guid.ts';
import { BASE_URL, CALLERS, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { pulse } from '#test/support/fhir/report-samples.ts';
import { createCompacting } from './compact-event.ts';
import { createCompactStore } from './compact-store.ts';

const { call, database } = await startTestEngine({ after });
const OTHER = '01900000-0000-7000-8000-0000000000b9';
const START = Date.parse('2026-01-01T00:00:00Z');
/** Of the engine, and of another system, in turns. */
const ids: string[] = [];

before(async () => {
  for (const id of [PATIENT, OTHER])
    assert.equal(
      (await call('planner', 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id, name: [{ family: 'Ek' }] }))
        .status,
      201,
    );
  const { compact } = createCompacting(loadSearchParameters(BASE_URL));
  const store = createCompactStore();
  for (let n = 0; n < 6; n += 1) {
    const entry = {
      action: 'R',
      event: 'patient.read',
      principal: CALLERS['planner'],
      patientGuid: PATIENT,
      entities: [`Patient/${PATIENT}`],
    } as const;
    const event = { ...buildAuditEvent(newGuid(), 'engine', START + n * HOUR_MS, entry) };
    if (n % 2 === 0) {
      const compacted = compact(event) ?? assert.fail();
      await database.transaction((tx) => store.insert(tx, [compacted], new Date(START)));
      ids.push(compacted.guid);
    } else {
      const sent = {
        ...event,
        source: { observer: { display: 'elsewhere' } },
        code: { coding: [{ system: 'urn:x', code: 'patient.read' }] },
      };
      const made = await call('admin', 'POST', '/AuditEvent', sent);
      assert.equal(made.status, 201, made.text);
      ids.push(made.body.id);
    }
  }
});

interface Entry {
  readonly resource: { readonly resourceType: string; readonly id: string };
  readonly search?: { readonly mode: string };
}

/** The ids of the matches of all pages, and the total. */
async function found(caller: string, path: string): Promise<{ ids: string[]; total: unknown }> {
  const all: string[] = [];
  let total: unknown;
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, body, text } = await call(caller, 'GET', next);
    assert.equal(status, 200, text);
    total ??= body.total;
    const entries: readonly Entry[] = body.entry ?? [];
    all.push(...entries.filter(({ search }) => search?.mode === 'match').map(({ resource }) => resource.id));
    const link = body.link.find(({ relation }: { relation: string }) => relation === 'next');
    next = link?.url.replace(BASE_URL, '');
  }
  return { ids: all, total };
}

test('both kinds are found together, in pages, in order and with their total', async () => {
  for (const [query, expected] of [
    [`patient=${PATIENT}&_sort=date&_count=2`, ids],
    [`patient=${PATIENT}&_sort=-date&_count=4`, ids.toReversed()],
    [`code=patient.read&_sort=date&_count=1`, ids],
    [`action=R&date=ge2026-01-01T02:00:00Z&date=lt2026-01-01T05:00:00Z&_sort=date`, ids.slice(2, 5)],
    [`entity=Patient/${PATIENT}&_sort=date`, ids],
    [`patient.family=Ek&_sort=date`, ids],
    [`patient=${OTHER}`, []],
    [`code=https://kedja.dev/codes/audit-event|patient.read&_sort=date`, ids.filter((_, n) => n % 2 === 0)],
  ] as const) {
    const all = await found('admin', `/AuditEvent?${query}`);
    assert.deepEqual(all, { ids: [...expected], total: expected.length }, query);
  }
  const own = await found('patient', '/AuditEvent?_sort=date&_count=4');
  assert.deepEqual(own.ids, ids, 'a patient sees those about themself');
  assert.equal((await call('planner', 'GET', '/AuditEvent')).status, 403, 'others see none');
});

test('searches that would miss events in the compact form are refused, and not claimed', async () => {
  for (const query of ['_content=Ek', '_text=Ek', '_filter=_content co Ek']) {
    const { status, text } = await call('admin', 'GET', `/AuditEvent?${encodeURI(query)}`);
    assert.equal(status, 400, query);
    assert.match(text, /does not find AuditEvents: their words are not indexed/, query);
  }
  assert.equal((await call('admin', 'GET', '/Patient?_has:AuditEvent:patient:_content=Ek')).status, 400);
  assert.equal((await call('admin', 'GET', '/?_type=Patient,AuditEvent&_content=Ek')).status, 400);
  assert.equal((await call('admin', 'GET', '/?_content=Ek')).status, 200, 'all other types are searched');
  const definition = {
    resourceType: 'SearchParameter',
    status: 'active',
    url: 'https://example.org/SearchParameter/network',
    name: 'Network',
    description: 'From where',
    code: 'network',
    base: ['AuditEvent'],
    type: 'string',
    expression: 'AuditEvent.agent.network.ofType(string)',
  };
  const refused = await call('admin', 'POST', '/SearchParameter', definition);
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /AuditEvent has no search parameters of users/);
  const { body } = await call(undefined, 'GET', '/metadata');
  const codesOf = (name: string): string[] =>
    body.rest[0].resource
      .find(({ type }: { type: string }) => type === name)
      .searchParam.map((each: { name: string }) => each.name);
  assert.deepEqual(
    ['AuditEvent', 'Patient'].map((name) => codesOf(name).includes('_content')),
    [false, true],
  );
});

test('a patient may refer to such an event in a report', async () => {
  const about = (id: string | undefined) => pulse({ focus: [{ reference: `AuditEvent/${id}` }] });
  const made = await call('patient', 'POST', '/Observation', about(ids[0]));
  assert.equal(made.status, 201, made.text);
  assert.equal((await call('patient', 'POST', '/Observation', about(newGuid()))).status, 422);
});

test('an event in the compact form is read, included from, and exists for those who refer to it', async () => {
  const [id = ''] = ids;
  const read = await call('admin', 'GET', `/AuditEvent/${id}`);
  assert.deepEqual([read.status, read.body.id, read.headers['etag']], [200, id, 'W/"1"']);
  const { body } = await call('admin', 'GET', `/AuditEvent?_id=${id}&_include=AuditEvent:patient`);
  const modes = body.entry.map(({ resource, search }: Entry) => `${resource.resourceType} ${search?.mode}`);
  assert.deepEqual(modes, ['AuditEvent match', 'Patient include']);
  assert.deepEqual((await found('admin', `/Patient?_has:AuditEvent:patient:action=R`)).ids, [PATIENT]);
  const everything = await call('admin', 'GET', `/Patient/${PATIENT}/$everything?_type=AuditEvent&_count=100`);
  const shown = new Set(everything.body.entry.map(({ resource }: Entry) => resource.id));
  for (const each of ids) assert.ok(shown.has(each), each);
  for (const method of ['PUT', 'DELETE'] as const)
    assert.equal((await call('admin', method, `/AuditEvent/${id}`, read.body)).status, 405);
});
