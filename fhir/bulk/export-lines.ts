// Reads a page of a bulk export as lines of NDJSON. PostgreSQL joins the resources into one text: rows of their own
// would cost the process several times as much. Only what was changed since the moment of the export is read row by
// row.

import type { Queryable } from '#lib/db/database.ts';
import type { StoredVersion } from '../store/read/stored-version.ts';
import { SqlValues } from '../store/search/sql/sql-values.ts';
import { conditionsOf, type ExportPage, type ExportQuery, type ExportReading, readExportPage } from './export-page.ts';

export interface ExportLines {
  /** Texts of whole lines: each resource and a line feed, in the order of their keys. */
  readonly texts: readonly string[];
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
const PAGE = 8_000;
const PAGE_BYTES = 4 * 1024 * 1024;
/**
 * Bytes that PostgreSQL joins into one text. Longer ones cost it more, and the process too, whose garbage collector
 * treats them as old.
 */
const TEXT_BYTES = 64 * 1024;
/** How many rows are read at once of what was changed since. */
const OTHERS = 500;
/** A character that JSON never holds. */
const SEPARATOR = '\u001f';

interface JoinedRow {
  /** Current resources, and an empty text in the place of each of the others; null when there is neither. */
  readonly joined: string | null;
  /** Keys of what was changed since the moment, or is deleted. */
  readonly others: string[] | null;
  readonly plain: number;
  /** Ids, joined by the same character. */
  readonly patients: string | null;
  readonly scanned: number;
  readonly last: string;
}

export async function readExportLines(db: Queryable, query: ExportQuery, reading: ExportReading): Promise<ExportLines> {
  const rows = await readJoined(db, query, reading);
  const found = await readOthers(
    rows.flatMap(({ others }) => others ?? []),
    { db, query, reading },
  );
  const texts: string[] = [];
  const patients: string[] = [];
  let [resources, scanned] = [0, 0];
  for (const row of rows) {
    scanned += row.scanned;
    const { joined, count } = row.others === null ? { joined: row.joined, count: row.plain } : withOthers(row, found);
    resources += count;
    if (joined !== null && joined !== '') texts.push(linesOf(joined));
    if (row.patients !== null) for (const id of row.patients.split(SEPARATOR)) patients.push(id);
  }
  const others = [...found.values()];
  if (query.resourceType === 'Patient') for (const { id, isDeleted } of others) if (!isDeleted) patients.push(id);
  const deleted = others.filter(({ isDeleted }) => isDeleted);
  return { texts, resources, patients, deleted, scanned, last: rows.at(-1)?.last ?? null };
}

/** Puts the versions of the moment in the places that are empty, and leaves out those that did not exist. */
function withOthers(
  { joined, others }: JoinedRow,
  found: ReadonlyMap<string, StoredVersion>,
): { readonly joined: string; readonly count: number } {
  const texts: string[] = [];
  let next = 0;
  for (const each of (joined ?? '').split(SEPARATOR)) {
    if (each !== '') {
      texts.push(each);
      continue;
    }
    const version = found.get(others?.[next] ?? '');
    next += 1;
    if (version !== undefined && !version.isDeleted) texts.push(version.content);
  }
  return { joined: texts.join(SEPARATOR), count: texts.length };
}

interface Read {
  readonly db: Queryable;
  readonly query: ExportQuery;
  readonly reading: ExportReading;
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

async function readJoined(db: Queryable, query: ExportQuery, { access }: ExportReading): Promise<JoinedRow[]> {
  const values = new SqlValues();
  const at = values.bind(query.at, 'timestamptz');
  const conditions = conditionsOf(query, access, values).join(' AND ');
  // Without `since` the caller has no earlier copy, so deletions are left out.
  const isLeftOut = query.since === undefined ? `k.deleted AND k.updated_at <= ${at}` : 'false';
  const id = 'coalesce(p.id, p.rid::text)';
  const ids = query.resourceType === 'Patient' ? `string_agg(${id}, chr(31)) FILTER (WHERE p.is_plain)` : 'NULL';
  // The rows are in the order of their keys, as the window function needs it.
  const { rows } = await db.query<JoinedRow>(
    `SELECT string_agg(CASE WHEN p.is_plain THEN p.content ELSE '' END, chr(31)) FILTER (WHERE NOT p.is_left_out) AS joined,
       array_agg(p.rid::text) FILTER (WHERE NOT p.is_plain AND NOT p.is_left_out) AS others,
       count(*) FILTER (WHERE p.is_plain)::int AS plain, ${ids} AS patients, count(*)::int AS scanned,
       max(p.rid::text COLLATE "C") AS last
     FROM (
       SELECT k.rid, k.id, k.content, k.updated_at <= ${at} AND NOT k.deleted AS is_plain, ${isLeftOut} AS is_left_out,
         sum(octet_length(k.content)) OVER (ORDER BY k.rid ROWS UNBOUNDED PRECEDING) - octet_length(k.content) AS before
       FROM (SELECT r.* FROM fhir_resource r WHERE ${conditions} ORDER BY r.rid LIMIT ${PAGE}) k
     ) p WHERE p.before < ${PAGE_BYTES} GROUP BY p.before / ${TEXT_BYTES} ORDER BY p.before / ${TEXT_BYTES}`,
    values.list,
  );
  return rows;
}
