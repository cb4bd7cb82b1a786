// Erases stored responses of requests with an Idempotency-Key that hold one of the texts (docs/adr/0131). The key stays
// without its response: the request is not carried out again, and a repeat answers that its response was lost.
import type { Queryable } from '../db/database.ts';
import { idempotencyColumn } from '../idempotency/idempotency.ts';
import type { KeySet } from '../secrets/key-set.ts';

const BATCH = 500;

/** How many were erased, or are there: `isDryRun` changes nothing. */
export async function eraseResponses(
  db: Queryable,
  keys: KeySet,
  { texts, isDryRun }: { readonly texts: readonly string[]; readonly isDryRun: boolean },
): Promise<number> {
  const { sealer } = idempotencyColumn(keys);
  let after: Buffer = Buffer.alloc(0);
  let count = 0;
  for (;;) {
    const { rows } = await db.query<{ record: Buffer; answer: Buffer }>(
      `SELECT record, answer FROM idempotency_key WHERE record > $1 AND answer IS NOT NULL ORDER BY record LIMIT ${BATCH}`,
      [after],
    );
    const found = rows.filter(({ record, answer }) => {
      const opened = sealer.open(answer, record.toString('hex'));
      return texts.some((text) => opened.includes(text));
    });
    count += found.length;
    if (found.length > 0 && !isDryRun) {
      const records = found.map(({ record }) => record);
      await db.query('UPDATE idempotency_key SET answer = NULL WHERE record = ANY($1::bytea[])', [records]);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return count;
    after = last.record;
  }
}
