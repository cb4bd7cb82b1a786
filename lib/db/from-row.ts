// Maps a database row to a record of the domain: snake_case columns to camelCase members, NULL to undefined.

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type FromRow<Row> = {
  readonly [Column in keyof Row & string as CamelCase<Column>]: null extends Row[Column]
    ? Exclude<Row[Column], null> | undefined
    : Row[Column];
};

/** As many entries as there are columns. */
const memberNames = new Map<string, string>();

/** The record of the row, also with columns that its type does not name. */
export function fromRow<Row extends object>(row: Row): FromRow<Row> {
  const members = Object.entries(row).map(([column, value]) => [memberNameOf(column), value ?? undefined]);
  return Object.fromEntries(members) as FromRow<Row>;
}

function memberNameOf(column: string): string {
  const known = memberNames.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  memberNames.set(column, name);
  return name;
}
