// The columns of the user CSV (decision I13), and the validation of the header.

export const COLUMNS = [
  'email',
  'user_type',
  'first_name',
  'last_name',
  'professional_role',
  'personnummer',
  'organisations',
  'groups',
  'is_su_admin',
] as const;

export type Column = (typeof COLUMNS)[number];

/** The index of each column in a record. */
export type ColumnIndexes = Readonly<Record<Column, number>>;

/**
 * Returns the indexes, or all errors of the header. Columns may be in any order; their names are compared without case.
 */
export function readHeader(cells: readonly string[]): { places: ColumnIndexes } | { issues: string[] } {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const isKnown = (name: string): name is Column => COLUMNS.some((column) => column === name);
  if (!names.some(isKnown)) return { issues: [noHeader(cells)] };
  const missing = COLUMNS.filter((column) => !names.includes(column));
  const unknown = names.filter((name) => !isKnown(name));
  const twice = COLUMNS.filter((column) => names.filter((name) => name === column).length > 1);
  const issues = [
    ...missing.map((column) => `the column '${column}' is missing`),
    ...unknown.map((name) => (name === '' ? 'a column has no name' : `the column '${shorten(name)}' is not known`)),
    ...twice.map((column) => `the column '${column}' is there more than once`),
  ];
  if (issues.length > 0) return { issues };
  const [email, userType, firstName, lastName, role, number, organisations, groups, admin] = COLUMNS.map((column) =>
    names.indexOf(column),
  );
  return {
    places: {
      email: email ?? 0,
      user_type: userType ?? 0,
      first_name: firstName ?? 0,
      last_name: lastName ?? 0,
      professional_role: role ?? 0,
      personnummer: number ?? 0,
      organisations: organisations ?? 0,
      groups: groups ?? 0,
      is_su_admin: admin ?? 0,
    },
  };
}

function noHeader(cells: readonly string[]): string {
  const first = (cells[0] ?? '').toLowerCase();
  const isOtherSeparator = cells.length === 1 && /[;\t]/.test(first) && first.includes('email');
  return isOtherSeparator
    ? 'the cells must be separated by commas, not by semicolons or tabs'
    : `the first line must be the header: ${COLUMNS.join(',')}`;
}

/** A wrong file may have anything in its first line, so the message is cut. */
function shorten(name: string): string {
  return name.length <= 40 ? name : `${name.slice(0, 40)}…`;
}
