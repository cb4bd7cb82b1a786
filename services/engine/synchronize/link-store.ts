// SQL statements for links (the state on which both sides last agreed) and for conflicts.
import { textArray } from '#lib/db/array-text.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, selectPage } from '../shared/sql.ts';
import type { Agreed, ConflictKind, Pair } from './decide.ts';

export interface Site {
  /** The server's base URL. */
  readonly site: string;
  readonly type: string;
}

/** In place of a hash: both sides have deleted it. */
export const DELETED = Buffer.alloc(0);
const HASH_BYTES = 32;

/**
 * Returns the stored form of an agreement: one hash when both sides are the same. Otherwise it is the local hash and
 * then the server's when the server stores another form.
 */
export function linkOf({ here, there }: Pair): Buffer {
  return there.equals(here) ? here : Buffer.concat([here, there]);
}

function agreedOf(link: Buffer): Agreed {
  if (link.length === 0) return 'deleted';
  const here = link.subarray(0, HASH_BYTES);
  return { here, there: link.length > HASH_BYTES ? link.subarray(HASH_BYTES) : here };
}

/** Returns the agreed state by id, for ids that have one. */
export async function findLinks(
  db: Queryable,
  { site, type }: Site,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Agreed>> {
  const { rows } = await db.query<{ id: string; hash: Buffer }>(
    {
      name: 'sync-links',
      text: 'SELECT id, hash FROM sync_link WHERE site = $1 AND type = $2 AND id = ANY($3::text[])',
    },
    [site, type, textArray(ids)],
  );
  return new Map(rows.map(({ id, hash }) => [id, agreedOf(hash)]));
}

/** Returns the next ids, in order, on which both sides agreed and that they have not both deleted. */
export async function listLinked(
  db: Queryable,
  { site, type }: Site,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM sync_link WHERE site = $1 AND type = $2 AND id > $3 AND hash <> '' ORDER BY id LIMIT $4`,
    [site, type, after ?? '', limit],
  );
  return rows.map(({ id }) => id);
}

export async function saveLinks(
  tx: Transaction,
  { site, type }: Site,
  links: readonly { readonly id: string; readonly hash: Buffer }[],
): Promise<void> {
  if (links.length === 0) return;
  await tx.query(
    `INSERT INTO sync_link (site, type, id, hash) SELECT $1, $2, id, decode(hash, 'hex') FROM unnest($3::text[], $4::text[]) AS t(id, hash)
     ON CONFLICT (site, type, id) DO UPDATE SET hash = excluded.hash`,
    [site, type, textArray(links.map(({ id }) => id)), textArray(links.map(({ hash }) => hash.toString('hex')))],
  );
}

export interface Conflict {
  readonly type: string;
  readonly id: string;
  readonly kind: ConflictKind;
  readonly message: string;
}

/** Stores conflicts. The first conflict of a resource stays. */
export async function saveConflicts(tx: Transaction, job: string, conflicts: readonly Conflict[]): Promise<void> {
  for (const { type, id, kind, message } of conflicts) {
    await tx.query(
      'INSERT INTO sync_conflict (job_guid, type, id, kind, message) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      [job, type, id, kind, message],
    );
  }
}

/** Replaces the messages of conflicts that were stored before. */
export async function restateConflicts(tx: Transaction, job: string, conflicts: readonly Conflict[]): Promise<void> {
  for (const { type, id, kind, message } of conflicts) {
    const text = 'UPDATE sync_conflict SET kind = $4, message = $5 WHERE job_guid = $1 AND type = $2 AND id = $3';
    await tx.query(text, [job, type, id, kind, message]);
  }
}

/** Deletes conflicts that are settled. */
export async function dropConflicts(
  tx: Transaction,
  { job, type }: { readonly job: string; readonly type: string },
  ids: readonly string[],
): Promise<void> {
  const text = 'DELETE FROM sync_conflict WHERE job_guid = $1 AND type = $2 AND id = ANY($3::text[])';
  await tx.query(text, [job, type, textArray(ids)]);
}

/** Returns the next ids, in order, at which the server failed. */
export async function listFailed(
  db: Queryable,
  { job, type }: { readonly job: string; readonly type: string },
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM sync_conflict WHERE job_guid = $1 AND type = $2 AND kind = 'failed_there' AND id > $3 ORDER BY id LIMIT $4`,
    [job, type, after ?? '', limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns which of the ids are conflicts of the job already. */
export async function findConflicting(
  db: Queryable,
  { job, type }: { readonly job: string; readonly type: string },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(
    'SELECT id FROM sync_conflict WHERE job_guid = $1 AND type = $2 AND id = ANY($3::text[])',
    [job, type, textArray(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}

export function listConflicts(db: Queryable, job: string, request: PageRequest): Promise<Page<Conflict>> {
  const statement = { columns: 'type, id, kind, message', from: 'sync_conflict', orderBy: 'type, id' };
  return selectPage<Conflict>(
    db,
    statement,
    new Conditions().add(job, (guid) => `job_guid = ${guid}`),
    request,
  );
}
