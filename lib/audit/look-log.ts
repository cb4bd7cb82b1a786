// Noting looks at records before the answer leaves (decision G9, docs/adr/0011): all looks that wait at once are one row and one
// statement. What becomes of them is the unpacker's work.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import type { Database, PreparedStatement, Queryable, Transaction } from '../db/database.ts';
import { newGuid } from '../guid.ts';
import { type Look, packLooks } from './look-batch.ts';

export interface LookLog {
  /**
   * Notes a look; resolves when it is stored, and then the answer may be sent. Survives a crash of the process; a crash of the whole
   * machine may lose the last moments (asynchronous commit).
   */
  note(look: Look): Promise<void>;
  /** Notes it in the caller's transaction. */
  noteWithin(tx: Transaction, look: Look): Promise<void>;
}

/** So many versions at most are noted in one row, but for a single look at more. */
const MAX_SEEN = 1_000;

const INSERT: PreparedStatement = {
  name: 'audit-look',
  text: 'INSERT INTO audit_look (batch_guid, recorded_at, size, looks) VALUES ($1, $2, $3, $4)',
};
/** The setting holds for this one statement, which is a transaction of its own. */
const INSERT_SOON: PreparedStatement = {
  name: 'audit-look-soon',
  text: `INSERT INTO audit_look (batch_guid, recorded_at, size, looks)
    SELECT $1::uuid, $2::timestamptz, $3::int, $4::text FROM set_config('synchronous_commit', 'off', true)`,
};

interface Waiting {
  readonly look: Look;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createLookLog({ database, clock }: { database: Database; clock: Clock }): LookLog {
  const waiting: Waiting[] = [];
  let isFlushing = false;
  // A batch holds looks of several requests and belongs to none of them.
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  async function store(db: Queryable, statement: PreparedStatement, looks: readonly Look[]): Promise<void> {
    const now = clock.now();
    await db.query(statement, [newGuid(now), new Date(now), sizeOf(looks), packLooks(looks)]);
  }

  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      try {
        await store(
          database,
          INSERT_SOON,
          batch.map(({ look }) => look),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isFlushing = false;
  }

  return {
    note: (look) =>
      new Promise((resolve, reject) => {
        waiting.push({ look, resolve, reject });
        if (!isFlushing) outsideOfRequests(() => void flush());
      }),
    noteWithin: (tx, look) => store(tx, INSERT, [look]),
  };
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let seen = 0;
  const end = waiting.findIndex(({ look }, index) => {
    seen += look.seen.length;
    return index > 0 && seen > MAX_SEEN;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

function sizeOf(looks: readonly Look[]): number {
  return looks.reduce((sum, { seen }) => sum + Math.max(seen.length, 1), 0);
}
