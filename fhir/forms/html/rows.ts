// Adds and removes rows of repeating items among the fields of a form.
import { type Fields, MOST_ROWS, part, rowPath, textIn } from './fields.ts';

/** One row more at the end. */
export function withRow(fields: Fields, path: string): Fields {
  const count = Number(textIn(fields, part.rows(path))) || 1;
  return { ...fields, [part.rows(path)]: [String(Math.min(MOST_ROWS, count + 1))] };
}

/** Without a row: those after it move up. The only row that is left is emptied. */
export function withoutRow(fields: Fields, path: string, row: number): Fields {
  const count = Number(textIn(fields, part.rows(path))) || 1;
  const kept = Object.entries(fields).flatMap(([name, texts]): [string, readonly string[]][] => {
    const index = rowIn(name, path);
    if (index === undefined || index < row) return [[name, texts]];
    if (index === row) return [];
    return [[rowPath(path, index - 1) + name.slice(rowPath(path, index).length), texts]];
  });
  const emptied = count === 1 ? { [rowPath(path, 0)]: [''] } : {};
  return { ...Object.fromEntries(kept), ...emptied, [part.rows(path)]: [String(Math.max(1, count - 1))] };
}

/** The row of the item at `path` that the field is in. */
function rowIn(name: string, path: string): number | undefined {
  if (!name.startsWith(`${path}_`)) return undefined;
  const digits = /^\d{1,3}(?![^-.])/.exec(name.slice(path.length + 1))?.[0];
  return digits === undefined ? undefined : Number(digits);
}
