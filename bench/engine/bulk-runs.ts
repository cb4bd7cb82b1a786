// The two ways that the benchmark of bulk data compares: jobs of the service over HTTP, and PostgreSQL's COPY of the
// same texts. Each run answers its wall time, and the processor time that it took.
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { copyLine } from '#lib/db/copy.ts';
import type { Database } from '#lib/db/database.ts';
import { auditDone } from '../load/audit-done.ts';
import { processorTimes } from '../load/processor.ts';
import { progress } from '../report.ts';
import { BASE } from './cases/case.ts';
import type { EngineSite } from './site.ts';

/** Of one run, in seconds. */
export interface Cost {
  readonly wall: number;
  /** Processor time of the service, or of the process that does the COPY. */
  readonly process: number;
  /** Processor time of PostgreSQL's processes. */
  readonly database: number;
}

const POLL_MS = 100;
const LINES_AT_ONCE = 1_000;

/** From the kick-off to the last file downloaded. Answers the files, each written to the folder. */
export async function exportByJob(
  site: EngineSite,
  { types, folder, count }: { readonly types: readonly string[]; readonly folder: string; readonly count: number },
): Promise<{ readonly cost: Cost; readonly files: readonly string[] }> {
  const files: string[] = [];
  const cost = await costOf(site.database, { of: site.servicePid }, async () => {
    const manifest = await job(site, `$export?_type=${types.join(',')}`, { method: 'GET' });
    const output = (manifest as { output: { url: string; count: number }[] }).output;
    const total = output.reduce((sum, file) => sum + file.count, 0);
    if (total !== count) throw new Error(`${total} resources were exported instead of ${count}`);
    for (const [place, { url }] of output.entries()) {
      // The public address leads elsewhere: the service's own port serves the same path.
      const address = `http://127.0.0.1:${site.port}${new URL(url).pathname.slice(PUBLIC_PREFIX.length)}`;
      const answer = await fetch(address, { headers: site.headers });
      if (!answer.ok || answer.body === null) throw new Error(`A file was answered with ${answer.status}`);
      const file = path.join(folder, `${place}.ndjson`);
      await pipeline(Readable.fromWeb(answer.body), createWriteStream(file));
      files.push(file);
    }
  });
  return { cost, files };
}
const PUBLIC_PREFIX = '/engine';

/** From the first byte sent to the end of the job. */
export function importByJob(site: EngineSite, file: string, count: number): Promise<Cost> {
  return costOf(site.database, { of: site.servicePid }, async () => {
    const body = await openAsBlob(file);
    const init = { method: 'POST', headers: { 'content-type': 'application/fhir+ndjson' }, body };
    const manifest = JSON.stringify(await job(site, '$import', init));
    if (!manifest.includes(`"created":${count},`)) throw new Error(`Not everything was imported: ${manifest}`);
  });
}

/** Starts a job, and answers its manifest when it is done. */
async function job({ port, headers }: EngineSite, target: string, init: RequestInit): Promise<unknown> {
  const started = await fetch(`http://127.0.0.1:${port}${BASE}/${target}`, {
    ...init,
    headers: { ...headers, prefer: 'respond-async', ...(init.headers as Record<string, string> | undefined) },
  });
  if (started.status !== 202) throw new Error(`${target} answered ${started.status}: ${await started.text()}`);
  const [kind = ''] = target.split('?');
  const address = `http://127.0.0.1:${port}${BASE}/${kind}/${started.headers.get('content-location')?.split('/').at(-1)}`;
  for (;;) {
    const status = await fetch(address, { headers });
    if (status.status === 200) return status.json();
    if (status.status !== 202) throw new Error(`${kind} ended with ${status.status}: ${await status.text()}`);
    progress(`${kind}: ${status.headers.get('x-progress')}`);
    await delay(POLL_MS);
  }
}

/** The least that an export could cost: `COPY … TO STDOUT` of the same texts from the same table to a file. */
export async function copyOut(
  { database, databaseUrl }: EngineSite,
  { keys, file, times }: { readonly keys: readonly number[]; readonly file: string; readonly times: number },
): Promise<Cost> {
  const select = `SELECT content FROM engine.fhir_resource WHERE type IN (${keys.join(', ')}) AND NOT deleted`;
  return withClient(databaseUrl, (client) =>
    costOf(database, { of: 'this', times }, () =>
      pipeline(client.query(to(`COPY (${select}) TO STDOUT`)), createWriteStream(file)),
    ),
  );
}

/** The least that an import could cost: `COPY … FROM STDIN` of the same lines into a table with their ids as key. */
export async function copyIn(
  { database, databaseUrl }: EngineSite,
  { file, times }: { readonly file: string; readonly times: number },
): Promise<Cost> {
  return withClient(databaseUrl, async (client) => {
    const cost = await costOf(database, { of: 'this', times }, async () => {
      await client.query('DROP TABLE IF EXISTS bare.imported');
      await client.query('CREATE TABLE bare.imported (id text PRIMARY KEY, content text NOT NULL)');
      await pipeline(rowsOf(file), client.query(from('COPY bare.imported FROM STDIN')));
    });
    await client.query('DROP TABLE bare.imported');
    return cost;
  });
}

/** The lines of a file as those of a COPY, many together. */
async function* rowsOf(file: string): AsyncGenerator<string> {
  let rows: string[] = [];
  let count = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    // Where the id is in the line is known from how it was made.
    rows.push(copyLine([ID.exec(text)?.[1] ?? count, text]));
    count += 1;
    if (rows.length < LINES_AT_ONCE) continue;
    yield `${rows.join('\n')}\n`;
    rows = [];
  }
  if (rows.length > 0) yield `${rows.join('\n')}\n`;
}
const ID = /"id":"([^"]+)"\}$/;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The mean of so many times. The system counts hundredths of a second, so short work is repeated. */
async function costOf(
  database: Database,
  { of, times = 1 }: { readonly of: 'this' | number; readonly times?: number },
  work: () => Promise<void>,
): Promise<Cost> {
  // What the runs before left to do is not theirs.
  await auditDone(database);
  await database.query('TRUNCATE fhir_text_queue');
  const pid = of === 'this' ? process.pid : of;
  const before = await processorTimes(database, [pid]);
  const startedAt = performance.now();
  for (let time = 0; time < times; time += 1) await work();
  const wall = (performance.now() - startedAt) / 1_000;
  const after = await processorTimes(database, [pid]);
  const mean = (seconds: number) => seconds / times;
  return {
    wall: mean(wall),
    process: mean(after.services - before.services),
    database: mean(after.database - before.database),
  };
}
