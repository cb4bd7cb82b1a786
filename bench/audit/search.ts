// What a search of audit events costs. It compares the same events in one month, in twelve and in sixty, and as
// resources, each in a schema of its own (docs/adr/0113).
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import { createFhirStore, type FhirStore } from '#fhir/store/store.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { createEngineStore } from '#services/engine/engine-store.ts';
import { migrations } from '#services/engine/migrations.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { type ProcessorTimes, processorTimes } from '../load/processor.ts';
import { startSite } from '../load/site.ts';
import { type Figure, medianOf, progress } from '../report.ts';
import { entityGuid, fillMonths, PEOPLE, patientGuid, practitionerGuid } from './fill.ts';

const PARTITIONS = [1, 12, 60];
const EVENTS = 120_000;
const PATIENTS = 200;
const UNTIL = Date.UTC(2026, 0, 31);
const BASE_URL = 'http://localhost/api/v1';
const MUST = 1.1;
/** Each search so often before it is measured: statements are prepared by then. */
const WARM_UP = 30;
const IN_ROUND = 100;
const STATEMENT_MS = 600_000;

const patientOf = (n: number) => `patient=Patient/${patientGuid(n % PATIENTS)}`;
const NEWEST = '&_sort=-date&_count=20';
const SEARCHES: Readonly<Record<string, (n: number) => string>> = {
  'patient, newest first': (n) => patientOf(n) + NEWEST,
  'patient, newest first, no total': (n) => `${patientOf(n)}${NEWEST}&_total=none`,
  'patient, in the order of ids': (n) => `${patientOf(n)}&_count=20`,
  'patient and action': (n) => `${patientOf(n)}&action=R${NEWEST}`,
  'patient and dates': (n) => `${patientOf(n)}&date=ge2026-01-01&date=lt2026-02-01${NEWEST}`,
  agent: (n) => `agent=Practitioner/${practitionerGuid(n % PEOPLE)}${NEWEST}`,
  entity: (n) => `entity=Observation/${entityGuid(n % PATIENTS)}${NEWEST}`,
  'a day': (n) => `date=2026-01-${String(1 + (n % 28)).padStart(2, '0')}${NEWEST}`,
  'a patient of whom there is one': (n) =>
    `patient=Patient/${patientGuid(PATIENTS + (n % (PEOPLE - PATIENTS)))}${NEWEST}`,
  'a patient of whom there are none': (n) => `patient=Patient/${patientGuid(PEOPLE + n)}${NEWEST}`,
  'all, newest first': () => NEWEST.slice(1),
};

interface Stored {
  readonly months: string;
  readonly database: Database;
  readonly store: FhirStore;
}

export async function benchAuditSearch(isQuick: boolean): Promise<Figure[]> {
  const site = await startSite();
  const all: Stored[] = [];
  const rounds = isQuick ? 3 : 9;
  try {
    for (const months of PARTITIONS) {
      const stored = await open(site.url, `months_${months}`, `${months} months`);
      all.push(stored);
      await fillMonths(stored.database, { until: UNTIL, months, events: EVENTS / months, patients: PATIENTS });
    }
    const [one] = all;
    const resources = await open(site.url, 'resources', 'resources');
    if (one !== undefined) await copyAsResources(one.database, resources.database);
    all.push(resources);
    const figures: Figure[] = [];
    for (const [name, query] of Object.entries(SEARCHES)) {
      progress(name);
      figures.push(...(await compare(name, query, { all, rounds })));
    }
    return figures;
  } finally {
    for (const { database } of all.slice(1)) await database.close();
    if (all[0] !== undefined) await site.stop(all[0].database, []);
  }
}

async function open(url: string, schema: string, months: string): Promise<Stored> {
  await migrate({ url, schema, sources: migrations });
  const database = createDatabase({ url, schema, maxConnections: 1, statementTimeoutMs: STATEMENT_MS });
  const { store } = createEngineStore({ database, clock: systemClock, log: makeTestLogger(), baseUrl: BASE_URL });
  return { months, database, store };
}

/** Round by round in turns; the last one of all is what the others are compared with. */
async function compare(
  name: string,
  query: (n: number) => string,
  { all, rounds }: { readonly all: readonly Stored[]; readonly rounds: number },
): Promise<Figure[]> {
  for (const stored of all) await searchMany(stored, query, WARM_UP);
  const costs = all.map((): ProcessorTimes[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [place, stored] of all.entries()) costs[place]?.push(await costOf(stored, query));
  const medians = costs.map((each) => ({
    services: medianOf(each.map(({ services }) => services)),
    database: medianOf(each.map(({ database }) => database)),
  }));
  const sum = (times: ProcessorTimes | undefined) => (times?.services ?? 0) + (times?.database ?? 0);
  const text = (times: ProcessorTimes | undefined) =>
    `${times?.services.toFixed(2)} + ${times?.database.toFixed(2)} ms`;
  return all.slice(0, -1).map(({ months }, place) => {
    const [own, bare] = [medians[place], medians.at(-1)];
    const ratio = sum(own) / sum(bare);
    const texts = { value: text(own), bare: text(bare), ratio: ratio.toFixed(2) };
    return { name: `${name}: ${months}`, ...texts, must: `≤ ${MUST}`, isMet: ratio <= MUST };
  });
}

/** Milliseconds of processor time of this process and of the database, for one search. */
async function costOf(stored: Stored, query: (n: number) => string): Promise<ProcessorTimes> {
  const before = await processorTimes(stored.database, [process.pid]);
  await searchMany(stored, query, IN_ROUND);
  const after = await processorTimes(stored.database, [process.pid]);
  const each = (of: keyof ProcessorTimes) => ((after[of] - before[of]) * 1000) / IN_ROUND;
  return { services: each('services'), database: each('database') };
}

async function searchMany({ database, store }: Stored, query: (n: number) => string, many: number): Promise<void> {
  for (let n = 0; n < many; n += 1) {
    const asked = store.parse('AuditEvent', new URLSearchParams(query(n)), { isStrict: true });
    await store.search(database, asked, { access: ALL_ACCESS, batched: database });
  }
}

const COPIED_AT_ONCE = 5_000;
const writer = createFhirStore({ parameters: loadSearchParameters(BASE_URL), clock: systemClock, validate: () => [] });

/** The events as they were stored before docs/adr/0126. */
async function copyAsResources(from: Database, to: Database): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (let done = 0; ; done += COPIED_AT_ONCE) {
    progress(`${done} events as resources`);
    const { rows } = await from.query<{ rid: string; content: string }>(
      'SELECT rid, content FROM fhir_resource_all WHERE type = $1 AND rid > $2 ORDER BY rid LIMIT $3',
      [nameKey('AuditEvent'), after, COPIED_AT_ONCE],
    );
    after = rows.at(-1)?.rid ?? '';
    if (after === '') break;
    const items = await Promise.all(
      rows.map(({ rid, content }) =>
        writer.prepareBulk({ id: rid, source: readResourceText(content), organisation: null }),
      ),
    );
    await to.transaction((tx) => writer.writeBulk(tx, items, () => true), { copies: true });
  }
  await to.query('TRUNCATE fhir_text_queue');
  await to.query('VACUUM ANALYZE');
}
