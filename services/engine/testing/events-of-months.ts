// Audit events of thirty months, of patients who occur in all, some or few of them, and searches of them with what they
// must find. Some were recorded long before they were written, and some are resources.
import assert from 'node:assert/strict';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { buildAuditEvent } from '#lib/audit/audit-event.ts';
import { DAY_MS } from '#lib/clock.ts';
import { newGuid } from '#lib/guid.ts';
import { BASE_URL, CALLERS, ORGANISATION, type startTestEngine } from '#test/support/engine/engine.ts';
import { createCompacting } from '../audit-events/compact-event.ts';
import { createCompactStore } from '../audit-events/compact-store.ts';

type Engine = Pick<Awaited<ReturnType<typeof startTestEngine>>, 'call' | 'database'>;
const PATIENTS = ['often', 'seldom', 'long-ago', 'late'] as const;
type Name = (typeof PATIENTS)[number];
const MONTHS = 30;
const FIRST_MONTH = 2023 * 12;
const READER = '01900000-0000-7000-8000-0000000000d1';
const WRITER = '01900000-0000-7000-8000-0000000000d2';

export interface Known {
  readonly id: string;
  readonly recorded: number;
  readonly patient: Name;
  readonly action: 'R' | 'U';
  /** Besides the patient. */
  readonly entity?: string;
}

const monthStart = (month: number) => Date.UTC(Math.floor(month / 12), month % 12, 1);

/** A UUIDv7 of that time. */
export function guidAt(millis: number, n: number): string {
  const time = millis.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${n.toString(16).padStart(3, '0')}-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Stores events of some patients in {@link MONTHS} months, and returns them. */
export async function makeMonths({ call, database }: Engine): Promise<Known[]> {
  const known: Known[] = [];
  const { compact } = createCompacting(loadSearchParameters(BASE_URL));
  const store = createCompactStore();
  for (const id of PATIENTS) {
    const made = await call('admin', 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id });
    assert.equal(made.status, 201, made.text);
  }
  for (let month = 0; month < MONTHS; month += 1) {
    const start = monthStart(FIRST_MONTH + month);
    for (let n = 0; n < 6; n += 1) {
      const at = start + ((n * 7 + month) % 28) * DAY_MS;
      await keep(at, at, 'often', n % 3 === 0 ? 'U' : 'R');
    }
    if (month % 7 === 3) await keep(start + DAY_MS, start + DAY_MS, 'seldom', 'R');
    // As the only entity, or as the second one, which is in no column.
    if (month % 5 === 2) await keep(start + 5 * DAY_MS, start + 5 * DAY_MS, 'seldom', 'R', 'Observation/first');
    if (month % 6 === 4) await keep(start + 6 * DAY_MS, start + 6 * DAY_MS, 'seldom', 'U', 'Observation/second');
    // Five at the same moment.
    if (month === 20) for (let n = 0; n < 5; n += 1) await keep(start, start, 'seldom', 'R', 'Observation/first');
    if (month < 3) await keep(start + DAY_MS, start + DAY_MS, 'long-ago', 'R');
    // Recorded up to two months before it was written: dispatch could not send them.
    if (month % 4 === 1) await keep(start + 2 * DAY_MS, start - (month % 60) * DAY_MS, 'late', 'R');
  }
  // Of another system: a resource, whatever its time.
  for (let n = 0; n < 4; n += 1) {
    const recorded = monthStart(FIRST_MONTH + n * 9) + 3 * DAY_MS;
    const event = eventOf(newGuid(), recorded, 'often', 'R');
    const sent = {
      ...event,
      source: { observer: { display: 'elsewhere' } },
      code: { coding: [{ system: 'urn:x', code: 'x' }] },
    };
    const { status, body, text } = await call('admin', 'POST', '/AuditEvent', sent);
    assert.equal(status, 201, text);
    known.push({ id: body.id, recorded, patient: 'often', action: 'R' });
  }
  return known;

  async function keep(at: number, recorded: number, patient: Name, action: 'R' | 'U', entity?: string): Promise<void> {
    const id = guidAt(at, known.length);
    const event = compact({ ...eventOf(id, recorded, patient, action, entity) }) ?? assert.fail();
    await database.transaction((tx) => store.insert(tx, [event], new Date(at)));
    known.push({ id, recorded, patient, action, ...(entity === undefined ? {} : { entity }) });
  }
}

export function eventOf(id: string, recorded: number, patient: Name, action: 'R' | 'U', entity?: string) {
  // The planner's organisation is the second agent.
  const principal = { ...(CALLERS['planner'] ?? assert.fail()), professionalGuid: action === 'R' ? READER : WRITER };
  const own = `Patient/${patient}`;
  const entities = entity === undefined ? [own] : entity.endsWith('second') ? [own, entity] : [entity];
  return buildAuditEvent(id, 'engine', recorded, {
    action,
    event: 'patient.read',
    principal,
    patientGuid: patient,
    entities,
  });
}

/** The ids of all pages, and the total that each of them said. */
export async function found({ call }: Engine, query: string): Promise<{ ids: string[]; totals: unknown[] }> {
  const ids: string[] = [];
  const totals: unknown[] = [];
  for (let next: string | undefined = `/AuditEvent?${query}`; next !== undefined; ) {
    const { status, body, text } = await call('admin', 'GET', next);
    assert.equal(status, 200, text);
    totals.push(body.total);
    ids.push(...(body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id));
    next = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url.replace(BASE_URL, '');
  }
  return { ids, totals };
}

type Filter = (each: Known) => boolean;
export const SORTS = {
  '': (a: Known, b: Known) => (a.id < b.id ? -1 : 1),
  '&_sort=-date': (a: Known, b: Known) => b.recorded - a.recorded || (a.id < b.id ? -1 : 1),
  '&_sort=date': (a: Known, b: Known) => a.recorded - b.recorded || (a.id < b.id ? -1 : 1),
} as const;

export const FILTERS: readonly (readonly [query: string, filter: Filter])[] = [
  ...PATIENTS.map((name) => [`patient=Patient/${name}`, ({ patient }: Known) => patient === name] as const),
  ['patient=Patient/nobody', () => false],
  ['patient=Patient/often&action=U', ({ patient, action }) => patient === 'often' && action === 'U'],
  ['patient=Patient/often&action:not=U', ({ patient, action }) => patient === 'often' && action !== 'U'],
  ['patient=Patient/often&outcome=success', ({ patient }) => patient === 'often'],
  ['entity=Observation/first', ({ entity }) => entity === 'Observation/first'],
  ['entity=Observation/second', ({ entity }) => entity === 'Observation/second'],
  ['entity=Observation/none', () => false],
  // In the column of the patient alone.
  ['entity=Patient/seldom', ({ patient, entity }) => patient === 'seldom' && entity !== 'Observation/first'],
  ['patient=Patient/late&entity=Patient/late&action=R', ({ patient, action }) => patient === 'late' && action === 'R'],
  [
    'patient=Patient/seldom&entity=Observation/first',
    ({ patient, entity }) => patient === 'seldom' && entity === 'Observation/first',
  ],
  [
    'patient=Patient/seldom&entity=Observation/second&action=U',
    ({ entity, action }) => entity === 'Observation/second' && action === 'U',
  ],
  [`agent=Practitioner/${READER}`, ({ action }) => action === 'R'],
  [
    `agent=Practitioner/${READER}&date=ge2024-01-01`,
    ({ action, recorded }) => action === 'R' && recorded >= Date.UTC(2024, 0, 1),
  ],
  [`patient=Patient/late&agent=Practitioner/${READER}`, ({ patient }) => patient === 'late'],
  [`agent=Organization/${ORGANISATION}&date=ge2024-01-01`, ({ recorded }) => recorded >= Date.UTC(2024, 0, 1)],
  ['action=U', ({ action }) => action === 'U'],
  [
    'date=ge2023-06-01&date=lt2024-02-01',
    ({ recorded }) => recorded >= Date.UTC(2023, 5, 1) && recorded < Date.UTC(2024, 1, 1),
  ],
  [
    'patient=Patient/late&date=lt2024-06-01',
    ({ patient, recorded }) => patient === 'late' && recorded < Date.UTC(2024, 5, 1),
  ],
  ['patient=Patient/late&date=2024-09', ({ patient, recorded }) => patient === 'late' && isIn(recorded, 2024, 8)],
  ['date=2024-01-08', ({ recorded }) => recorded >= Date.UTC(2024, 0, 8) && recorded < Date.UTC(2024, 0, 9)],
];

export function isIn(recorded: number, year: number, month: number): boolean {
  return recorded >= Date.UTC(year, month, 1) && recorded < Date.UTC(year, month + 1, 1);
}

/** Every page of each search in every order, with its total, is what a search in memory finds. */
export async function holdSearches(engine: Engine, known: readonly Known[], [query, filter]: (typeof FILTERS)[number]) {
  for (const [sort, order] of Object.entries(SORTS)) {
    const expected = known
      .filter(filter)
      .sort(order)
      .map(({ id }) => id);
    for (const count of [5, 40]) {
      const { ids, totals } = await found(engine, `${query}${sort}&_count=${count}`);
      assert.deepEqual(ids, expected, `${query}${sort} ${count}`);
      assert.deepEqual(new Set(totals), new Set([expected.length]), `${query}${sort}`);
      const uncounted = await found(engine, `${query}${sort}&_count=${count}&_total=none`);
      assert.deepEqual([uncounted.ids, new Set(uncounted.totals)], [expected, new Set([undefined])]);
    }
  }
}
