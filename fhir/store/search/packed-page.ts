// Pages that the database sends as one row with one text (docs/adr/0012). Each row of a result costs the database and
// this process more than the look-up of its resource. Fields are parted by U+001F and resources by U+001E, which JSON,
// keys and numbers never hold.
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import { sortType } from './sql/sort-sql.ts';

/** A larger page would hold up the event loop when its text is read: texts have up to 64 KiB. */
const MAX_PACKED = 100;

interface AskedPage {
  readonly query: Pick<SearchQuery, 'count' | 'sort'>;
  readonly isWhole?: boolean;
}

/** A resource of the page; its sort values are `s0`, `s1` and so on. */
export interface PackedRow extends Readonly<Record<string, unknown>> {
  readonly rid: string;
  readonly version: number;
  readonly id: string | null;
  /** Null when it is long. */
  readonly content: string | null;
}

/** Whether a page with its total comes as one text: not where it is sorted by texts, which may hold any character. */
export function isPacked({ query: { count, sort }, isWhole = false }: AskedPage): boolean {
  return !isWhole && count <= MAX_PACKED && sort.every((key) => ['bigint', 'float8'].includes(sortType(key)));
}

/** The resources of a packed page, with as many sort values. */
export function unpackPage(page: string | null, sorts: number): PackedRow[] {
  return page === null ? [] : page.split('\u001e').map((record) => unpack(record, sorts));
}

function unpack(record: string, sorts: number): PackedRow {
  const fields: string[] = [];
  let start = 0;
  // The text of the resource is what is left.
  for (let left = 3 + sorts; left > 0; left -= 1) {
    const end = record.indexOf('\u001f', start);
    fields.push(record.slice(start, end));
    start = end + 1;
  }
  const [rid = '', version = '', id = '', ...sort] = fields;
  const content = record.slice(start);
  const row = { rid, version: Number(version), id: id === '' ? null : id, content: content === '' ? null : content };
  if (sorts === 0) return row;
  return { ...row, ...Object.fromEntries(sort.map((value, index) => [`s${index}`, value === '' ? null : value])) };
}
