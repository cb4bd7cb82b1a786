// Reads a page of a bulk export as lines of NDJSON. PostgreSQL joins the resources into one text: rows of their own
// would cost the process several times as much. Only what was changed since the moment of the export is read row by
// row.

import type { Queryable } from '#lib/db/database.ts';
import type { StoredVersion } from '../store/read/stored-version.ts';
import { SqlValues } from '../store/search/sql/sql-values.ts';
import { conditionsOf, type ExportPage, type ExportQuery, type ExportReading, readExportPage } from './export-page.ts';

export interface ExportLines {
  /** Each resource and a line feed, in the order of their keys. */
  readonly text: string;
  /** How many lines there are. */
  readonly resources: number;
  /** The ids of the Patients among the resources. */
  readonly patients: readonly string[];
  /** Marks of deletions, where the query has a `since`. */
  readonly deleted: readonly StoredVersion[];
  /** Rows looked at. */
  readonly scanned: number;
  /** Where the next page begins; null when this one found nothing. */
  readonly last: string | null;
}

/** A page holds at most so many resources, and ends with the one that goes beyond so many bytes. */
const PAGE = 4_000;
const PAGE_BYTES = 4 * 1024 * 1024;
/** How many rows are read at once of what was changed since. */
const OTHERS = 500;
/** A character that JSON never holds. */
const SEPARATOR = '\u001f';

interface JoinedRow {
  /** Current resources, and an empty text in the place of each of the others. */
  readonly joined: string | null;
  /** Keys of what was changed since the moment, or is deleted. */
  readonly others: string[] | null;
  readonly plain: number;
  readonly patients: string[] | null;
  readonly scanned: number;
  readonly last: string | null;
}

export async function readExportLines(db: Queryable, query: ExportQuery, reading: ExportReading): Promise<ExportLines> {
  const { joined, others, plain, patients, scanned, last } = await readJoined(db, query, reading);
  const current = { text: joined ?? '', resources: plain, patients: patients ?? [], deleted: [] };
  const all = others === null ? current : await withOthers(current, others, { db, query, reading });
  return { ...all, text: linesOf(all.text), scanned, last };
}

interface Read {
  readonly db: Queryable;
  readonly query: ExportQuery;
  readonly reading: ExportReading;
}

/** Puts the versions of the moment in the places that are empty, and leaves out those that did not exist. */
async function withOthers(
  { text, patients }: Pick<ExportLines, 'text' | 'patients'>,
  others: readonly string[],
  read: Read,
): Promise<Pick<ExportLines, 'text' | 'resources' | 'patients' | 'deleted'>> {
  const found = await readOthers(others, read);
  const [texts, ids]: [string[], string[]] = [[], [...patients]];
  let next = 0;
  for (const each of text.split(SEPARATOR)) {
    if (each !== '') {
      texts.push(each);
      continue;
    }
    const version = found.get(others[next] ?? '');
    next += 1;
    if (version === undefined || version.isDeleted) continue;
    texts.push(version.content);
    if (version.resourceType === 'Patient') ids.push(version.id);
  }
  const deleted = [...found.values()].filter(({ isDeleted }) => isDeleted);
  return { text: texts.join(SEPARATOR), resources: texts.length, patients: ids, deleted };
}

/** By their keys. */
async function readOthers(keys: readonly string[], { db, query, reading }: Read): Promise<Map<string, StoredVersion>> {
  const found = new Map<string, StoredVersion>();
  for (let start = 0; start < keys.length; start += OTHERS) {
    const some = keys.slice(start, start + OTHERS);
    let after: string | null = null;
    // Where they are large, some of them fill a page.
    do {
      const page: ExportPage = await readExportPage(db, { ...query, after }, reading, some);
      for (const [place, version] of page.versions.entries()) found.set(page.keys[place] ?? '', version);
      after = page.last;
    } while (after !== null && after !== some.at(-1));
  }
  return found;
}

/** Resources are stored as they were written: there may be line feeds between their members. */
function linesOf(joined: string): string {
  if (joined === '') return '';
  const isOnLines = !joined.includes('\n') && !joined.includes('\r');
  return `${(isOnLines ? joined : joined.replaceAll(/[\r\n]+/g, ' ')).replaceAll(SEPARATOR, '\n')}\n`;
}

async function readJoined(db: Queryable, query: ExportQuery, { access }: ExportReading): Promise<JoinedRow> {
  const values = new SqlValues();
  const at = values.bind(query.at, 'timestamptz');
  const conditions = conditionsOf(query, access, values).join(' AND ');
  // Without `since` the caller has no earlier copy, so deletions are left out.
  const isLeftOut = query.since === undefined ? `k.deleted AND k.updated_at <= ${at}` : 'false';
  const ids =
    query.resourceType === 'Patient' ? 'array_agg(coalesce(p.id, p.rid::text)) FILTER (WHERE p.is_plain)' : 'NULL';
  // The rows are in the order of their keys, as the window function needs it.
  const { rows } = await db.query<JoinedRow>(
    `SELECT string_agg(CASE WHEN p.is_plain THEN p.content ELSE '' END, chr(31)) FILTER (WHERE NOT p.is_left_out) AS joined,
       array_agg(p.rid::text) FILTER (WHERE NOT p.is_plain AND NOT p.is_left_out) AS others,
       count(*) FILTER (WHERE p.is_plain)::int AS plain, ${ids} AS patients, count(*)::int AS scanned,
       max(p.rid::text COLLATE "C") AS last
     FROM (
       SELECT k.rid, k.id, k.content, k.updated_at <= ${at} AND NOT k.deleted AS is_plain, ${isLeftOut} AS is_left_out,
         sum(octet_length(k.content)) OVER (ORDER BY k.rid) - octet_length(k.content) AS before
       FROM (SELECT r.* FROM fhir_resource r WHERE ${conditions} ORDER BY r.rid LIMIT ${PAGE}) k
     ) p WHERE p.before < ${PAGE_BYTES}`,
    values.list,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An aggregate without a row');
  return row;
}
