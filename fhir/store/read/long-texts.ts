// Limits the size of pages with long resources: a thousand resources of ten megabytes exceed the memory of a process.
// The statement of a page returns short texts; long ones are fetched one by one, and the page ends at a size limit.
import type { Queryable } from '#lib/db/database.ts';
import { type TypedVersionRow, type VersionRow, versionColumns } from './stored-version.ts';
import { findTexts } from './versions.ts';

/** A row whose text is null when it is long. */
export type ShortRow = Omit<VersionRow, 'content'> & { readonly content: string | null };

/** Such a row of any type. */
export type TypedShortRow = Omit<TypedVersionRow, 'content'> & { readonly content: string | null };

/** What filling needs of such a row. */
type Fillable = Pick<ShortRow, 'rid' | 'id' | 'version' | 'content'>;
type Filled<R> = R & { readonly content: string };

const LONG_BYTES = 64 * 1024;
/** In characters. */
export const PAGE_LENGTH = 32 * 1024 * 1024;

/** As `versionColumns`, but for the text of what is long. */
export function shortColumns(alias: string): string {
  const text = `${alias}.content`;
  return versionColumns(alias).replace(
    text,
    `CASE WHEN octet_length(${text}) <= ${LONG_BYTES} THEN ${text} END AS content`,
  );
}

/** The rows with their texts, as many as fit in a page; at least one. */
export async function fillTexts<R extends Fillable>(
  db: Queryable,
  rows: readonly R[],
  { typeOf, length = PAGE_LENGTH }: { readonly typeOf: (row: R) => string; readonly length?: number },
): Promise<Filled<R>[]> {
  const filled: Filled<R>[] = [];
  let left = length;
  for (const row of rows) {
    if (left <= 0) break;
    const whole = hasText(row) ? row : { ...row, content: await textOf(db, row, typeOf(row)) };
    left -= whole.content.length;
    filled.push(whole);
  }
  return filled;
}

function hasText<R extends Fillable>(row: R): row is Filled<R> {
  return row.content !== null;
}

async function textOf(db: Queryable, { id, rid, version }: Fillable, resourceType: string): Promise<string> {
  const [found] = await findTexts(db, [{ resourceType, id: id ?? rid, version }]);
  const text = found?.content;
  if (text === undefined) throw new Error(`${resourceType}/${id ?? rid} has lost its version ${version}`);
  return text;
}
