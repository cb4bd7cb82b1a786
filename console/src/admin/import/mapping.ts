// Which column of somebody's file is which of ours, and the file that is sent (docs/reference/identity.md, Users as a
// CSV file).
import { writeCsv } from '../../shared/csv.ts';

export const COLUMNS = [
  ...(['email', 'user_type', 'first_name', 'last_name', 'professional_role'] as const),
  ...(['personnummer', 'organisations', 'groups', 'is_su_admin'] as const),
] as const;
export type Column = (typeof COLUMNS)[number];

/** The place of a column in the file, a value for all rows, or nothing. */
export type Source = { readonly at: number } | { readonly value: string } | undefined;
export type Mapping = Readonly<Record<Column, Source>>;

/** What people call the columns, in lower case and without signs. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  email: ['email', 'epost', 'epostadress', 'mail', 'mejl', 'emailaddress'],
  user_type: ['usertype', 'slag', 'typ', 'type', 'kind'],
  first_name: ['firstname', 'förnamn', 'tilltalsnamn', 'givenname'],
  last_name: ['lastname', 'efternamn', 'familyname', 'surname'],
  professional_role: ['professionalrole', 'yrke', 'yrkesroll', 'roll', 'befattning', 'role', 'profession'],
  personnummer: ['personnummer', 'personnr', 'pnr', 'samordningsnummer', 'personalnumber'],
  organisations: ['organisations', 'organisation', 'organisationer', 'enhet', 'arbetsplats', 'vårdenhet', 'unit'],
  groups: ['groups', 'group', 'grupper', 'grupp', 'team', 'arbetsområden'],
  is_su_admin: ['issuadmin', 'administratör', 'administrator', 'admin'],
};

/** The mapping that the headings suggest. Without a column of the kind, all are professionals. */
export function guessMapping(headings: readonly string[]): Mapping {
  const plain = headings.map((heading) => heading.toLocaleLowerCase().replaceAll(/[^\p{L}]/gu, ''));
  const sources = COLUMNS.map((column): [Column, Source] => {
    const at = plain.findIndex((heading) => NAMES[column].includes(heading));
    if (at >= 0) return [column, { at }];
    return [column, column === 'user_type' ? { value: 'professional' } : undefined];
  });
  return Object.fromEntries(sources) as Record<Column, Source>;
}

export type UserRow = Readonly<Record<Column, string>>;

export function mapRows(rows: readonly (readonly string[])[], mapping: Mapping): UserRow[] {
  return rows.map((row) => {
    const cells = COLUMNS.map((column): [Column, string] => {
      const source = mapping[column];
      const found = source === undefined ? '' : 'at' in source ? (row[source.at] ?? '') : source.value;
      return [column, normal(column, found.trim())];
    });
    return Object.fromEntries(cells) as Record<Column, string>;
  });
}

const TYPES: Readonly<Record<string, string>> = { personal: 'professional', patient: 'patient', staff: 'professional' };
const ROLES: Readonly<Record<string, string>> = {
  läkare: 'doctor',
  sjuksköterska: 'nurse',
  annan: 'other',
  övrig: 'other',
};
const FLAGS: Readonly<Record<string, string>> = { ja: 'true', nej: 'false', yes: 'true', no: 'false' };

/** Swedish words as the service writes them. */
function normal(column: Column, cell: string): string {
  const key = cell.toLocaleLowerCase();
  if (column === 'user_type') return TYPES[key] ?? key;
  if (column === 'professional_role') return ROLES[key] ?? key;
  return column === 'is_su_admin' ? (FLAGS[key] ?? key) : cell;
}

/** The file that is sent: the header on line 1, and each row on a line of its own. */
export function fileOf(rows: readonly UserRow[]): string {
  return writeCsv([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))]);
}
