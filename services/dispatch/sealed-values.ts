// The sealed columns and derived tokens of dispatch, for the rotation of its keys (docs/adr/0048).
import type { Database } from '#lib/db/database.ts';
import { idempotencyColumn } from '#lib/idempotency/idempotency.ts';
import { mailColumn } from '#lib/mail/message.ts';
import type { KeySet, MasterKey } from '#lib/secrets/key-set.ts';
import type { SealedValues } from '#lib/secrets/sealed-values.ts';
import { answerColumn, draftColumn } from './requests/answers/draft-sealer.ts';
import { createKeyRing, receiptKeyId } from './shared/key-ring.ts';

export function dispatchSealedValues(keys: KeySet): SealedValues {
  const endpoint = {
    table: 'provider_endpoint',
    key: 'provider_guid',
    keyType: 'text',
    sealer: createKeyRing(keys),
  } as const;
  return {
    columns: [
      { column: 'secret', ...endpoint },
      { column: 'previous_secret', ...endpoint },
      idempotencyColumn(keys),
      mailColumn(keys),
      draftColumn(keys),
      answerColumn(keys),
    ],
    uses: [{ what: 'open requests', count: countOpenRequests }],
    indexes: ['idempotency'],
  };
}

/**
 * Open requests whose receipt tokens are derived from the key. Webhooks, the feed and links repeat these tokens
 * (docs/adr/0006).
 */
async function countOpenRequests(db: Database, keys: readonly MasterKey[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await db.query<{ token_key: string; requests: number }>(
    `SELECT r.token_key, count(*)::int AS requests FROM receipt r JOIN match m USING (request_guid)
     WHERE (m.status IN ('pushed', 'accepted') AND coalesce(m.progress, '') NOT IN ('completed', 'rejected'))
       OR EXISTS (SELECT FROM delivery d
         WHERE d.request_guid = r.request_guid AND d.status IN ('queued', 'sending', 'waiting', 'held'))
     GROUP BY r.token_key`,
  );
  const counts = new Map(rows.map(({ token_key: id, requests }) => [id, requests]));
  return new Map(keys.map((key) => [key.generation, counts.get(receiptKeyId(key)) ?? 0]));
}
