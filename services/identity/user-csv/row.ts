// Parses and validates one row of the user CSV (decision I13), without the database. Pure.
import type { TSchema } from 'typebox';
import { Email, emailKey } from '#lib/auth/email.ts';
import { restoreCell } from '#lib/csv/csv-writer.ts';
import { createValidatorCompiler } from '#lib/http/validation.ts';
import { parsePersonnummer } from '../patients/service.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { nameText } from '../text.ts';
import { COLUMNS, type Column, type ColumnIndexes } from './columns.ts';
import { type GroupItem, readGroups, readNames } from './lists.ts';

export interface Row {
  readonly line: number;
  /** The address as written in the file, so that a person finds the row. */
  readonly email: string;
  /** Undefined when the cell is empty. An existing account may have an address that is no longer accepted. */
  readonly emailKey: string | undefined;
  readonly userType: 'professional' | 'patient';
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly role: ProfessionalRole | null;
  /** 12 digits. */
  readonly personnummer: string | null;
  readonly organisations: readonly string[];
  readonly groups: readonly GroupItem[];
  readonly isSuAdmin: boolean;
  readonly issues: readonly string[];
}

const PERSON_NAME_MAX = 100;
/** Swedish spreadsheets write Swedish words. */
const TRUE = new Set(['true', 'sant', '1']);
const FALSE = new Set(['', 'false', 'falskt', '0']);

const compile = createValidatorCompiler();
const isEmail = fits(Email);
const isPersonName = fits(nameText(PERSON_NAME_MAX));
/** Whether the name is valid for an organisation or a group. */
export const isDirectoryName = fits(nameText(200));

type Cells = Readonly<Record<Column, string>>;

/** Parses a row; `issues` is empty for a valid one. `now` decides the century of a personnummer. */
export function readRow(record: { line: number; cells: readonly string[] }, places: ColumnIndexes, now: number): Row {
  const { line, cells } = record;
  const cell = (column: Column) => restoreCell(cells[places[column]] ?? '').trim();
  const row: Cells = {
    email: cell('email'),
    user_type: cell('user_type'),
    first_name: cell('first_name'),
    last_name: cell('last_name'),
    professional_role: cell('professional_role'),
    personnummer: cell('personnummer'),
    organisations: cell('organisations'),
    groups: cell('groups'),
    is_su_admin: cell('is_su_admin'),
  };
  const hasAddress = isEmail(row.email);
  const isPatient = row.user_type.toLowerCase() === 'patient';
  const personnummer = parsePersonnummer(row.personnummer, now) ?? null;
  return {
    line,
    email: row.email.slice(0, 254),
    emailKey: row.email !== '' && isStorable(row.email) ? emailKey(row.email) : undefined,
    userType: isPatient ? 'patient' : 'professional',
    firstName: row.first_name === '' ? null : row.first_name,
    lastName: row.last_name === '' ? null : row.last_name,
    role: ProfessionalRole.enum.find((role) => role === row.professional_role.toLowerCase()) ?? null,
    personnummer,
    // Text with a NUL is an error already and must not reach the database.
    organisations: readNames(row.organisations).filter(isStorable),
    groups: readGroups(row.groups).filter((group) => isStorable(group.text)),
    isSuAdmin: TRUE.has(row.is_su_admin.toLowerCase()),
    issues: [
      ...(hasAddress ? [] : [row.email === '' ? "'email' is required" : "'email' must be an e-mail address"]),
      ...commonIssues(row),
      ...typeIssues(row, personnummer),
    ],
  };
}

/** A row that cannot be parsed; `issue` is the reason. */
export function brokenRow(
  record: { line: number; cells: readonly string[] },
  places: ColumnIndexes,
  issue: string,
): Row {
  const row = readRow(record, places, 0);
  // Nothing in a broken row is reliable, not even the address.
  return { ...row, emailKey: undefined, organisations: [], groups: [], issues: [issue] };
}

function commonIssues(row: Cells): string[] {
  const issues = COLUMNS.filter((column) => !isStorable(row[column])).map(
    (column) => `'${column}' holds a NUL character`,
  );
  for (const column of ['first_name', 'last_name'] as const) {
    // A cell may have several lines.
    if (row[column] !== '' && !isPersonName(row[column].replace(/[\t\r\n]/g, ' '))) {
      issues.push(`'${column}' must be visible text of at most ${PERSON_NAME_MAX} characters`);
    }
  }
  const admin = row.is_su_admin.toLowerCase();
  if (!TRUE.has(admin) && !FALSE.has(admin)) issues.push("'is_su_admin' must be true or false");
  return issues;
}

function typeIssues(row: Cells, personnummer: string | null): string[] {
  switch (row.user_type.toLowerCase()) {
    case 'professional':
      return professionalIssues(row);
    case 'patient':
      return patientIssues(row, personnummer);
    case '':
      return ["'user_type' is required"];
    default:
      return ["'user_type' must be professional or patient"];
  }
}

function professionalIssues(row: Cells): string[] {
  const issues = (['first_name', 'last_name'] as const)
    .filter((column) => row[column] === '')
    .map((column) => `'${column}' is required for a professional`);
  if (row.professional_role === '') issues.push("'professional_role' is required for a professional");
  else if (!ProfessionalRole.enum.some((role) => role === row.professional_role.toLowerCase())) {
    issues.push(`'professional_role' must be one of ${ProfessionalRole.enum.join(', ')}`);
  }
  if (row.personnummer !== '') issues.push("'personnummer' must be empty for a professional");
  return issues;
}

function patientIssues(row: Cells, personnummer: string | null): string[] {
  const issues: string[] = [];
  if (row.personnummer === '') issues.push("'personnummer' is required for a patient");
  else if (personnummer === null) {
    issues.push("'personnummer' must be a valid personal or coordination number of 10 or 12 digits");
  }
  if (readNames(row.organisations).length !== 1) issues.push("'organisations' must name exactly one for a patient");
  for (const column of ['professional_role', 'groups'] as const) {
    if (row[column] !== '') issues.push(`'${column}' must be empty for a patient`);
  }
  if (TRUE.has(row.is_su_admin.toLowerCase())) issues.push("'is_su_admin' must not be true for a patient");
  return issues;
}

function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** The same validators as those of the API's endpoints. */
function fits(schema: TSchema): (value: string) => boolean {
  const validate = compile({ schema, method: '', url: '', httpPart: 'body' });
  return (value) => validate(value) === true;
}
