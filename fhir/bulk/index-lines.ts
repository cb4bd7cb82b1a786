// The index rows of a resource as lines for COPY. They are built when the resource is validated, so that the
// transaction does nothing but write.

import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import { copyLine } from '#lib/db/copy.ts';
import { indexRows } from '../store/index/index-tables.ts';

/** For each table of INDEX_TABLES its lines, of which each holds the table's columns, then `rid` and `type`. */
export type IndexLines = readonly (readonly string[] | undefined)[];

export function indexLines(
  { type, rid }: { readonly type: number; readonly rid: string },
  values: SearchValues,
): IndexLines {
  return indexRows(values, [rid, type]).map((rows) => rows?.map(copyLine));
}
