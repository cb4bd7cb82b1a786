// Keyset scan of texts in their order (docs/adr/0063, docs/adr/0128). Parameters that share rows (docs/adr/0018) have
// their values in several ranges of an index, one for each set of parameters. Texts that are sorted by what they are
// searched by are in order in `fhir_string_text`, the others in `fhir_string_own_order`. Each range is read from the
// cursor on, and at most as many rows as the page holds.

import { rowsKey } from '#fhir/search/extract/derived-keys.ts';
import { sharedMasks } from '#fhir/search/extract/shared-rows.ts';
import type { SearchParameter } from '#fhir/search/parameters/definitions.ts';
import type { SearchFrame } from './search-sql.ts';
import { ofParameter } from './sql/param-sql.ts';
import { SORTED_TEXT, sortedText } from './sql/sort-sql.ts';

interface TextScan {
  /** Queries for WITH, which the steps ask for. */
  readonly ends: readonly string[];
  readonly steps: readonly string[];
}

interface ScanSteps {
  /** Puts the other conditions to rows (`rid`, `at`); answers the SQL of what is left, with `s0` for `at`. */
  readonly steps: (rows: string) => string;
  /** How many resources are read at most. */
  readonly wanted: string;
}

/** Whether the stretches begin behind the cursor: then what they hold need not be compared with it. */
export function beginsBehindCursor({ query, cursor }: SearchFrame): boolean {
  return cursor !== undefined && query.sort.length === 1;
}

/** The steps along each stretch: together they hold the page, and each the first of it in their own order. */
export function textSteps(frame: SearchFrame, scan: ScanSteps): TextScan {
  const [key] = frame.query.sort;
  if (key === undefined) return { ends: [], steps: [] };
  const ends: string[] = [];
  const steps = rangesOf(key.parameter).flatMap((range, number) => {
    const rowsWhere = (where: string) => rowsOf(frame, key.parameter, { ...range, where: `${range.where}${where}` });
    // The scan to the end is as long as the page: both entrances ask for what it has found.
    const endWhere = (where: string): string => {
      ends.push(`end${number} AS MATERIALIZED (SELECT ${endOf(scan, rowsWhere(where))} AS at)`);
      return `(SELECT x.at FROM end${number} x)`;
    };
    return entrances(frame, range.at, endWhere).map((where) => scan.steps(rowsWhere(where)));
  });
  return { ends, steps };
}

/** A range of an index that has texts in order. */
interface TextRange {
  /** Which rows `i` are in it. */
  readonly where: string;
  /** What they are in the order of, as the index has it. */
  readonly at: string;
}

function rangesOf({ shared }: SearchParameter): TextRange[] {
  return sharedMasks(shared).flatMap((mask) => [
    { where: `i.mask = ${mask}::smallint AND num_nonnulls(i.exact, i.sort) = 1`, at: 'i.value' },
    { where: `i.mask = ${mask}::smallint AND i.exact IS NOT NULL AND i.sort IS NOT NULL`, at: sortedText('i') },
  ]);
}

/** Where the index is entered, as further conditions: behind the cursor, or with other keys to sort by at its text. */
function entrances({ query, cursor, values }: SearchFrame, at: string, endWhere: (where: string) => string): string[] {
  const isDescending = query.sort[0]?.isDescending === true;
  const last = cursor?.sort[0] ?? null;
  if (cursor === undefined || last === null) {
    return isDescending && query.sort.length === 1 ? backwards('', at, endWhere) : [''];
  }
  const text = values.bind(last, 'text');
  if (query.sort.length > 1) return [` AND ${at} ${isDescending ? '<=' : '>='} ${text}`];
  const rid = values.bind(cursor.rid, 'uuid');
  if (!isDescending) return [` AND (${at}, i.rid) > (${text}, ${rid})`];
  return [` AND ${at} = ${text} AND i.rid > ${rid}`, ...backwards(` AND ${at} < ${text}`, at, endWhere)];
}

/**
 * Backwards the index has texts in order, but not the keys of what has the same text. Of the text that ends the page
 * the first keys are read forwards, and before it comes less than a page.
 */
function backwards(where: string, at: string, endWhere: (where: string) => string): string[] {
  const end = endWhere(where);
  return [`${where} AND ${at} > ${end}`, `${where} AND ${at} = ${end}`];
}

/** The text that ends the page, or one before all others. */
function endOf({ steps, wanted }: ScanSteps, rows: string): string {
  return `coalesce((SELECT e.s0 FROM (${steps(rows)}) e ORDER BY e.s0 DESC LIMIT 1 OFFSET ${wanted} - 1), '')`;
}

/** Each resource where it belongs: by its greatest value when descending, else by its least. */
function rowsOf({ query, values }: SearchFrame, parameter: SearchParameter, { where, at }: TextRange): string {
  const better = query.sort[0]?.isDescending === true ? '>' : '<';
  return `SELECT i.rid, ${at} AS at FROM fhir_string i
    WHERE i.param = ${values.key(rowsKey(parameter))} AND ${where}
    AND NOT EXISTS (SELECT FROM fhir_string s WHERE s.rid = i.rid AND ${ofParameter(parameter, 's', { values })} AND s.exact IS NOT NULL
    AND (${SORTED_TEXT} ${better} ${at} OR (${SORTED_TEXT} = ${at} AND s.ctid < i.ctid)) OFFSET 0)`;
}
