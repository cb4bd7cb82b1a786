// `npm run bench audit [-- --only rate,search,months] [--minutes 10] [--size 10000000] [--quick]`: the audit record
// (docs/reference/performance/audit.md).
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { migrations } from '#services/engine/migrations.ts';
import { startSite } from '../load/site.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, printTable } from '../report.ts';
import { benchDrop } from './months.ts';
import { benchRate } from './rate.ts';
import { benchAuditSearch } from './search.ts';

const EVENTS = 10_000_000;
const QUICK_EVENTS = 300_000;
const MINUTES = 10;
const QUICK_MINUTES = 0.25;
const ROUNDS = 10;
const QUICK_ROUNDS = 3;
const STATEMENT_MS = 3_600_000;

interface Options extends BenchmarkOptions {
  /** For how long reads are sustained. */
  readonly minutes: number | undefined;
}

/** Prints the tables; whether every must is met. */
export async function benchAudit({ isQuick, only, sizes, minutes }: Options): Promise<boolean> {
  if (minutes !== undefined && !(minutes > 0)) throw new Error('--minutes takes a number of minutes, such as 10');
  const names = only === '' ? ['rate', 'search', 'months'] : only.split(',');
  let isMet = true;
  const print = (title: string, figures: readonly Figure[]) => {
    console.log(`\naudit, ${title}`);
    isMet = printTable(figures) && isMet;
  };
  if (names.includes('rate')) {
    const lasting = minutes ?? (isQuick ? QUICK_MINUTES : MINUTES);
    print('reads of patients', await benchRate({ minutes: lasting, rounds: isQuick ? QUICK_ROUNDS : ROUNDS }));
  }
  if (names.includes('search')) print('searches, processor time', await benchAuditSearch(isQuick));
  if (names.includes('months')) print('retention', await dropOf(sizes?.[0] ?? (isQuick ? QUICK_EVENTS : EVENTS)));
  return isMet;
}

async function dropOf(events: number): Promise<readonly Figure[]> {
  const site = await startSite();
  const database = createDatabase({ url: site.url, schema: 'engine', statementTimeoutMs: STATEMENT_MS });
  try {
    await migrate({ url: site.url, schema: 'engine', sources: migrations });
    return await benchDrop(database, events);
  } finally {
    await site.stop(database, []);
  }
}
