// `npm run bench import [-- --quick] [--size 200000]`: resources per second of an import by $import (validation, index,
// versions and audit as in production). Beside it are single creates of the same over HTTP, and a bare COPY of the same
// texts.
import { setTimeout as delay } from 'node:timers/promises';
import { copyLine } from '#lib/db/copy.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { requestText } from '../load/load.ts';
import { residentMegabytes } from '../load/processes.ts';
import { processorTimes } from '../load/processor.ts';
import { type Figure, printTable, progress } from '../report.ts';
import { BASE } from './cases/case.ts';
import { observationOf, patientOf } from './people.ts';
import { type EngineSite, startEngineSite } from './site.ts';

const CONNECTIONS = 64;
/** Beside creates that are made singly, one after the other. */
const MUST = 5;
/** Stored before, so that the indexes are not empty. */
const PATIENTS = 1_000;

type Make = (index: number) => Readonly<Record<string, unknown>>;

/** Prints the table; whether the must is met. */
export async function benchImport({
  isQuick,
  sizes = [isQuick ? 20_000 : 200_000],
}: {
  isQuick: boolean;
  sizes?: readonly number[] | undefined;
}): Promise<boolean> {
  const site = await startEngineSite(PATIENTS);
  try {
    const figures: Figure[] = [];
    for (const size of sizes) {
      figures.push(...(await compare(site, { size, name: 'Patient', make: patientOf, isQuick })));
      const make: Make = (index) => observationOf(index, index % PATIENTS);
      figures.push(...(await compare(site, { size, name: 'Observation', make, isQuick })));
    }
    figures.push({
      name: 'memory of the process after it',
      value: `${Math.round(await residentMegabytes(site.servicePid))} MB`,
    });
    progress('');
    return printTable(figures);
  } finally {
    await site.stop();
  }
}

interface Comparison {
  readonly size: number;
  readonly name: string;
  readonly make: Make;
  readonly isQuick: boolean;
}

async function compare(site: EngineSite, { size, name, make, isQuick }: Comparison): Promise<Figure[]> {
  progress(`${name}: single creates`);
  const begun = await processorSeconds(site);
  const single = await createSingly(site, { name, make, milliseconds: isQuick ? 3_000 : 15_000 });
  const ended = await processorSeconds(site);
  progress(`${name}: single creates, one after the other`);
  const alone = await createSingly(site, { name, make, milliseconds: isQuick ? 2_000 : 5_000, connections: 1 });
  const [between, before] = [await processorSeconds(site), await residentMegabytes(site.servicePid)];
  progress(`${name}: import of ${size}`);
  const { seconds, most } = await importAll(site, { size, make });
  const imported = size / seconds;
  const costs = {
    single: (ended - begun) / single.answers,
    imported: ((await processorSeconds(site)) - between) / size,
  };
  progress(`${name}: bare COPY`);
  const bare = size / (await copyAll(site, { size, make }));
  const perSecond = (rate: number) => `${Math.round(rate)}/s`;
  const ratio = imported / alone.perSecond;
  return [
    {
      name: `import of ${size} ${name}s, beside single creates of ${CONNECTIONS} clients`,
      value: perSecond(imported),
      bare: perSecond(single.perSecond),
      ratio: (imported / single.perSecond).toFixed(2),
    },
    {
      name: `import of ${size} ${name}s, beside one client's creates one after the other`,
      value: perSecond(imported),
      bare: perSecond(alone.perSecond),
      ratio: ratio.toFixed(2),
      must: `≥ ${MUST}`,
      isMet: ratio >= MUST,
    },
    {
      name: `import of ${size} ${name}s, growth of the process at most`,
      value: `${Math.round(Math.max(0, most - before))} MB`,
    },
    {
      name: `import of ${size} ${name}s, beside a bare COPY`,
      value: perSecond(imported),
      bare: perSecond(bare),
      ratio: (imported / bare).toFixed(2),
    },
    {
      name: `processor time of each ${name} imported, beside single creates`,
      value: `${(costs.imported * 1000).toFixed(2)} ms`,
      bare: `${(costs.single * 1000).toFixed(2)} ms`,
      ratio: (costs.imported / costs.single).toFixed(2),
    },
  ];
}

interface Creating {
  readonly name: string;
  readonly make: Make;
  readonly milliseconds: number;
  readonly connections?: number;
}

async function createSingly(
  { load, port, headers }: EngineSite,
  { name, make, milliseconds, connections = CONNECTIONS }: Creating,
): Promise<{ readonly perSecond: number; readonly answers: number }> {
  const requests = Array.from({ length: 2_000 }, (_, index) =>
    requestText({
      target: `${BASE}/${name}`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/fhir+json' },
      text: JSON.stringify(make(index)),
    }),
  );
  const warm = await load.run({ port, connections, milliseconds: milliseconds / 4, requests });
  const { perSecond, answers } = await load.run({ port, connections, milliseconds, requests });
  return { perSecond, answers: warm.answers + answers };
}

/**
 * Answers the seconds from the first byte sent to the last resource stored, and the most memory that the process was
 * seen to have.
 */
async function importAll(
  { port, headers, servicePid }: EngineSite,
  { size, make }: { readonly size: number; readonly make: Make },
): Promise<{ readonly seconds: number; readonly most: number }> {
  const lines = Array.from({ length: size }, (_, index) => `${JSON.stringify(make(index))}\n`).join('');
  const startedAt = performance.now();
  const started = await fetch(`http://127.0.0.1:${port}${BASE}/$import`, {
    method: 'POST',
    headers: { ...headers, prefer: 'respond-async', 'content-type': 'application/fhir+ndjson' },
    body: lines,
  });
  if (started.status !== 202) throw new Error(`$import answered ${started.status}: ${await started.text()}`);
  const job = started.headers.get('content-location')?.split('/').at(-1);
  let most = 0;
  for (;;) {
    most = Math.max(most, await residentMegabytes(servicePid));
    const status = await fetch(`http://127.0.0.1:${port}${BASE}/$import/${job}`, { headers });
    if (status.status === 200) return { seconds: secondsOf(await status.json(), size, startedAt), most };
    if (status.status !== 202) throw new Error(`The import ended with ${status.status}: ${await status.text()}`);
    progress(`import: ${status.headers.get('x-progress')}`);
    await delay(50);
  }
}

function secondsOf(manifest: unknown, size: number, startedAt: number): number {
  const text = JSON.stringify(manifest);
  if (!text.includes(`"created":${size},`)) throw new Error(`Not everything was imported: ${text}`);
  return (performance.now() - startedAt) / 1000;
}

/** The least that the same texts could cost: a table with one key, filled by COPY. */
async function copyAll(
  { databaseUrl }: EngineSite,
  { size, make }: { readonly size: number; readonly make: Make },
): Promise<number> {
  const database = createDatabase({ url: databaseUrl, schema: 'bare' });
  try {
    await database.query('DROP TABLE IF EXISTS copied');
    await database.query('CREATE TABLE copied (id bigint PRIMARY KEY, content text NOT NULL)');
    const rows = Array.from({ length: size }, (_, index) => copyLine([index, JSON.stringify(make(index))]));
    const startedAt = performance.now();
    for (let start = 0; start < size; start += 1_000) {
      const part = rows.slice(start, start + 1_000);
      const target = { table: 'copied', columns: ['id', 'content'] };
      await database.transaction((tx) => tx.copy(target, part), { copies: true });
    }
    return (performance.now() - startedAt) / 1000;
  } finally {
    await database.close();
  }
}

/** Seconds so far, of the service and its database together. */
async function processorSeconds({ database, servicePid }: EngineSite): Promise<number> {
  const times = await processorTimes(database, [servicePid]);
  return times.services + times.database;
}
