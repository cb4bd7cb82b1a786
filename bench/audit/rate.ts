// What the record of a read costs, from the read to the event that is searched, and whether it keeps up. Reads of
// patients are sent as fast as they are answered, for minutes. Meanwhile the age of the oldest access record is watched
// (docs/adr/0113).
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#lib/db/database.ts';
import { guidOf } from '../engine/random.ts';
import { type EngineSite, startEngineSite } from '../engine/site.ts';
import { auditDone } from '../load/audit-done.ts';
import { requestText } from '../load/load.ts';
import { processorTimes } from '../load/processor.ts';
import { type Figure, medianOf, progress } from '../report.ts';

const PATIENTS = 2_000;
const LOCATIONS = 1_000;
const CONNECTIONS = 64;
const BURST_MS = 5_000;
const ROUND_MS = 2_000;
const WATCH_MS = 500;
const MUST_COST_MS = 0.1;
const MUST_SUSTAIN = 0.8;
const MUST_AGE_S = 5;

interface Reads {
  readonly answers: number;
  readonly seconds: number;
  /** Processor time of the service and of the database, in milliseconds. */
  readonly processorMs: number;
}

export async function benchRate({
  minutes,
  rounds,
}: {
  readonly minutes: number;
  readonly rounds: number;
}): Promise<Figure[]> {
  const site = await startEngineSite(PATIENTS);
  try {
    await reads(site, 'patient', 2_000);
    await auditDone(site.database);
    const burst = await reads(site, 'patient', BURST_MS);
    await auditDone(site.database);
    const { sustained, oldest, refused } = await sustain(site, minutes);
    const cost = await costOf(site, rounds);
    const share = perSecond(sustained) / perSecond(burst);
    return [
      {
        name: 'record and event of a read, processor time (bare: the read alone)',
        value: `${cost.own.toFixed(3)} ms`,
        bare: `${cost.read.toFixed(3)} ms`,
        must: `≤ ${MUST_COST_MS} ms`,
        isMet: cost.own <= MUST_COST_MS,
      },
      {
        name: `reads for ${minutes} min (bare: for ${BURST_MS / 1000} s)`,
        value: `${Math.round(perSecond(sustained))}/s`,
        bare: `${Math.round(perSecond(burst))}/s`,
        ratio: share.toFixed(2),
        must: `≥ ${MUST_SUSTAIN}`,
        isMet: share >= MUST_SUSTAIN,
      },
      {
        name: 'oldest access record meanwhile',
        value: `${oldest.toFixed(1)} s`,
        must: `< ${MUST_AGE_S} s`,
        isMet: oldest < MUST_AGE_S,
      },
      { name: 'reads that were refused meanwhile', value: String(refused), must: '0', isMet: refused === 0 },
      { name: 'bytes of an event, indexes included', value: `${Math.round(await bytesOf(site.database))}` },
    ];
  } finally {
    await site.stop();
  }
}

async function sustain(site: EngineSite, minutes: number) {
  const watching = new AbortController();
  let oldest = 0;
  const watch = (async () => {
    while (!watching.signal.aborted) {
      oldest = Math.max(oldest, await ageOf(site.database));
      progress(`oldest access record: ${oldest.toFixed(1)} s`);
      await delay(WATCH_MS, undefined, { signal: watching.signal }).catch(() => undefined);
    }
  })();
  const result = await reads(site, 'patient', minutes * 60_000);
  watching.abort();
  await watch;
  return { sustained: result, oldest, refused: result.refused };
}

/** Processor time of a read with all that follows from it, less that of a read that is not recorded. */
async function costOf(site: EngineSite, rounds: number): Promise<{ readonly own: number; readonly read: number }> {
  const costs: { readonly own: number; readonly read: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`processor time: round ${round + 1} of ${rounds}`);
    const [recorded, plain] = [await measured(site, 'patient'), await measured(site, 'location')];
    const read = plain.processorMs / plain.answers;
    costs.push({ own: recorded.processorMs / recorded.answers - read, read });
  }
  return { own: medianOf(costs.map(({ own }) => own)), read: medianOf(costs.map(({ read }) => read)) };
}

async function measured(site: EngineSite, kind: 'patient' | 'location'): Promise<Reads> {
  const before = await processorMs(site);
  const result = await reads(site, kind, ROUND_MS);
  await auditDone(site.database);
  return { ...result, processorMs: (await processorMs(site)) - before };
}

async function reads(site: EngineSite, kind: 'patient' | 'location', milliseconds: number) {
  const { headers, port, load } = site;
  const [type, many] = kind === 'patient' ? ['Patient', PATIENTS] : ['Location', LOCATIONS];
  const requests = Array.from({ length: many }, (_, n) =>
    requestText({ target: `/api/v1/${type}/${guidOf(kind, n)}`, headers }),
  );
  const { answers, statuses } = await load.run({ port, connections: CONNECTIONS, milliseconds, requests });
  const { 200: served = 0, 503: refused = 0, ...others } = statuses;
  if (Object.keys(others).length > 0 || served === 0) throw new Error(`Reads answered ${JSON.stringify(statuses)}`);
  return { answers: served, refused, all: answers, seconds: milliseconds / 1000, processorMs: Number.NaN };
}

function perSecond({ answers, seconds }: Pick<Reads, 'answers' | 'seconds'>): number {
  return answers / seconds;
}

async function processorMs({ database, servicePid }: EngineSite): Promise<number> {
  const { services, database: ofDatabase } = await processorTimes(database, [servicePid]);
  return (services + ofDatabase) * 1000;
}

/** Of the oldest access record, in seconds. */
async function ageOf(database: Database): Promise<number> {
  const { rows } = await database.query<{ age: number }>(
    `SELECT extract(epoch FROM now() - recorded_at)::float8 AS age FROM audit_look ORDER BY batch_guid LIMIT 1`,
  );
  return Math.max(0, rows[0]?.age ?? 0);
}

async function bytesOf(database: Database): Promise<number> {
  await database.query('ANALYZE access_event');
  const { rows } = await database.query<{ bytes: number }>(
    `SELECT (sum(pg_total_relation_size(i.inhrelid)) / (SELECT count(*) FROM access_event))::float8 AS bytes FROM pg_inherits i
     WHERE i.inhparent IN ('access_event'::regclass, 'access_event_value'::regclass)`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}
