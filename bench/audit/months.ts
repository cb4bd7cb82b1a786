// A month of audit events is dropped while others are written (docs/adr/0127): the time until it is gone for everybody,
// and until its files are removed, and how long the slowest write waits meanwhile. PostgreSQL removes files after it
// has released the locks of a drop, so nobody but the caller of the drop waits for that. But a file system that removes
// gigabytes delays those who write to the same disk. Beside it is how long the slowest write waits while plain files of
// as many bytes are removed.
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createAudit } from '#lib/audit/audit.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createCompactStore } from '#services/engine/audit-events/compact-store.ts';
import { dropMonth, readMonths } from '#services/engine/audit-events/retention.ts';
import type { Figure } from '../report.ts';
import { fillMonths, sampleEvents } from './fill.ts';

const UNTIL = Date.UTC(2025, 0, 31);
const MONTH = '2025-01';
const TABLE = 'access_event_2025_01';
const PATIENTS = 100_000;
const WRITERS = 4;
/** Of writing before the drop and after it, with which that during it is compared. */
const AROUND_MS = 2_000;
const MUST_DROP_MS = 1_000;
const MUST_WAIT_MS = 100;
const MAX_ATTEMPTS = 100;
/** PostgreSQL's own size of a file. */
const FILE_BYTES = 1024 ** 3;
const PIECE_BYTES = 1024 ** 2;

interface Write {
  readonly from: number;
  readonly until: number;
}

/** On a database without such a month. */
export async function benchDrop(database: Database, events: number): Promise<readonly Figure[]> {
  await fillMonths(database, { until: UNTIL, months: 1, events, patients: PATIENTS });
  const files = await mkdtemp(path.join(tmpdir(), 'kedja-bench-'));
  try {
    const bytes = (await readMonths(database)).find(({ month }) => month === MONTH)?.bytes ?? 0;
    await writePlainFiles(files, bytes);
    return await measureDrop(database, events, files);
  } finally {
    await rm(files, { recursive: true, force: true });
  }
}

/** `files` is the folder of the plain files. */
async function measureDrop(database: Database, events: number, files: string): Promise<readonly Figure[]> {
  const stop = new AbortController();
  const writers = Array.from({ length: WRITERS }, () => write(database, stop.signal));
  await delay(AROUND_MS);
  const audit = createAudit({ database, clock: systemClock, service: 'engine' });
  const from = performance.now();
  const isGone = goneAt(database);
  let attempts = 1;
  while ((await dropMonth({ database, audit }, MONTH, { principal: servicePrincipal('engine') })) === undefined) {
    attempts += 1;
    if (attempts > MAX_ATTEMPTS) throw new Error('The month was in use all the time');
  }
  const [until, gone] = [performance.now(), await isGone];
  await delay(AROUND_MS);
  const plain = { from: performance.now(), until: await removeOneByOne(files) };
  await delay(AROUND_MS);
  stop.abort();
  const writes = (await Promise.all(writers)).flat();
  const longest = (some: readonly Write[]) => Math.max(0, ...some.map((each) => each.until - each.from));
  const overlaps = (time: Write) => (each: Write) => each.until > time.from && each.from < time.until;
  const [isDuring, isBeside] = [overlaps({ from, until }), overlaps(plain)];
  const during = longest(writes.filter(isDuring));
  const beside = longest(writes.filter(isBeside));
  const otherwise = longest(writes.filter((each) => !isDuring(each) && !isBeside(each)));
  const milliseconds = (value: number) => `${value.toFixed(0)} ms`;
  return [
    {
      name: `a month of ${events.toLocaleString('en')} events is gone for everybody (attempts: ${attempts})`,
      value: milliseconds(gone - from),
      must: `≤ ${MUST_DROP_MS} ms`,
      isMet: gone - from <= MUST_DROP_MS,
    },
    { name: 'its files are removed, too, after', value: milliseconds(until - from) },
    {
      name: `the slowest write meanwhile, of ${writes.length} (bare: while plain files of that size are removed)`,
      value: milliseconds(during),
      bare: milliseconds(beside),
      must: `≤ ${MUST_WAIT_MS} ms`,
      isMet: during <= MUST_WAIT_MS,
    },
    { name: 'the slowest write before and after', value: milliseconds(otherwise) },
  ];
}

/** Files of so many bytes together, which are on the disk. */
async function writePlainFiles(folder: string, bytes: number): Promise<void> {
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  for (let left = bytes; left > 0; left -= FILE_BYTES) {
    const file = await open(path.join(folder, String(left)), 'wx');
    for (let own = Math.min(left, FILE_BYTES); own > 0; own -= PIECE_BYTES) await file.write(piece);
    await file.sync();
    await file.close();
  }
}

/** Removes the files one after the other, as PostgreSQL does. When they are gone. */
async function removeOneByOne(folder: string): Promise<number> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name));
  return performance.now();
}

/** When another session no longer sees the month. */
async function goneAt(database: Database): Promise<number> {
  for (;;) {
    const { rows } = await database.query<{ is_gone: boolean }>('SELECT to_regclass($1) IS NULL AS is_gone', [TABLE]);
    if (rows[0]?.is_gone === true) return performance.now();
    await delay(2);
  }
}

/** Stores events of now, twenty at a time, until the signal. */
async function write(database: Database, signal: AbortSignal): Promise<Write[]> {
  const store = createCompactStore();
  const writes: Write[] = [];
  while (!signal.aborted) {
    const events = sampleEvents(Date.now(), 20);
    const from = performance.now();
    await database.transaction((tx) => store.insert(tx, events, new Date()));
    writes.push({ from, until: performance.now() });
    await delay(5);
  }
  return writes;
}
