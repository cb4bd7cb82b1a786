// SQL of the last known catalogue of forms (D12).
import type { Database, Queryable } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { CatalogueEntry } from './schema.ts';

interface Row {
  form_guid: string;
  title: string;
  version: string | null;
  status: string;
  url: string | null;
}

const COLUMNS = 'form_guid, title, version, status, url';
const UPSERT = `ON CONFLICT (form_guid) DO UPDATE SET title = excluded.title, version = excluded.version,
    status = excluded.status, url = excluded.url, fetched_at = excluded.fetched_at`;
const IS_CHANGED = `(c.title, c.version, c.status, c.url) IS DISTINCT FROM
    (excluded.title, excluded.version, excluded.status, excluded.url)`;

/** Replaces the catalogue by the plan service's list. Unchanged rows are not written. */
export async function saveCatalogue(database: Database, entries: readonly CatalogueEntry[], now: Date): Promise<void> {
  const column = <K extends keyof CatalogueEntry>(name: K) => entries.map((entry) => entry[name]);
  await database.transaction(async (tx) => {
    // The row of the sync is a lock: two nodes that read the catalogue at once write one after the other.
    await tx.query(
      `INSERT INTO form_catalogue_sync (synced_at) VALUES ($1)
       ON CONFLICT (is_only_row) DO UPDATE SET synced_at = greatest(form_catalogue_sync.synced_at, excluded.synced_at)`,
      [now],
    );
    await tx.query('DELETE FROM form_catalogue WHERE form_guid <> ALL($1::text[])', [column('formGuid')]);
    await tx.query(
      `INSERT INTO form_catalogue AS c (${COLUMNS}, fetched_at)
       SELECT *, $6::timestamptz FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       ${UPSERT} WHERE ${IS_CHANGED}`,
      [column('formGuid'), column('title'), column('version'), column('status'), column('url'), now],
    );
  });
}

/** Stores one form with its Questionnaire. */
export async function saveForm(db: Queryable, entry: CatalogueEntry, questionnaire: string, now: Date): Promise<void> {
  await db.query(
    {
      name: 'form-catalogue-save',
      text: `INSERT INTO form_catalogue AS c (${COLUMNS}, questionnaire, fetched_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ${UPSERT}, questionnaire = excluded.questionnaire`,
    },
    [entry.formGuid, entry.title, entry.version, entry.status, entry.url, questionnaire, now],
  );
}

export async function dropForm(db: Queryable, formGuid: string): Promise<void> {
  await db.query('DELETE FROM form_catalogue WHERE form_guid = $1', [formGuid]);
}

/** When the catalogue was last read in full; undefined when it never was. */
export async function lastSync(db: Queryable): Promise<Date | undefined> {
  const { rows } = await db.query<{ synced_at: Date }>('SELECT synced_at FROM form_catalogue_sync');
  return rows[0]?.synced_at;
}

export async function listCatalogue(
  db: Queryable,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ entries: CatalogueEntry[]; total: number }> {
  const { rows } = await db.query<Row>(
    `SELECT ${COLUMNS} FROM form_catalogue ORDER BY ${byName('title', 'form_guid')} LIMIT $1 OFFSET $2`,
    [limit, offset],
  );
  const counted = await db.query<{ total: number }>('SELECT count(*) AS total FROM form_catalogue');
  return { entries: rows.map(toEntry), total: counted.rows[0]?.total ?? 0 };
}

export async function findForm(
  db: Queryable,
  formGuid: string,
): Promise<{ questionnaire: string; fetchedAt: Date } | undefined> {
  const { rows } = await db.query<{ questionnaire: string; fetched_at: Date }>(
    'SELECT questionnaire, fetched_at FROM form_catalogue WHERE form_guid = $1 AND questionnaire IS NOT NULL',
    [formGuid],
  );
  const [row] = rows;
  return row && { questionnaire: row.questionnaire, fetchedAt: row.fetched_at };
}

function toEntry(row: Row): CatalogueEntry {
  return { formGuid: row.form_guid, title: row.title, version: row.version, status: row.status, url: row.url };
}
