// Validates the rows of a batch against the database (decision I13), in the order of the file. A row whose address has
// an account is skipped, a row with an error is reported, the rest is accepted.
import type { Transaction } from '#lib/db/database.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { findRegistered, shareLockGenerations } from '../shared/number-index.ts';
import { type Directory, directoryIssues } from './directory.ts';
import type { Row } from './row.ts';
import * as store from './store.ts';

export interface RowIssue {
  readonly line: number;
  readonly email: string;
  readonly message: string;
}

/** The lines on which addresses and personnummer have occurred. */
export interface Occurrences {
  readonly emails: Map<string, number>;
  readonly numbers: Map<string, number>;
}

export interface ValidatedRows {
  readonly accepted: readonly Row[];
  /** The lines of rows whose address has an account, or comes again. */
  readonly skippedLines: readonly number[];
  readonly issues: readonly RowIssue[];
  /** The addresses and numbers of this batch. */
  readonly fresh: Occurrences;
}

/** What the database holds for the rows. */
export interface ExistingData {
  readonly directory: Directory;
  /** Whether missing organisations and groups may be created. */
  readonly mayCreate: boolean;
  /** Why the temporary password does not suit this owner; undefined when it does. */
  readonly passwordIssue: (owner: PasswordOwner) => string | undefined;
  hasAccount(emailKey: string): boolean;
  isRegistered(personnummer: string): boolean;
}

/** Queries which addresses and personnummer of the rows are taken. */
export async function findExisting(
  tx: Transaction,
  cipher: NumberCipher,
  rows: readonly Row[],
): Promise<Pick<ExistingData, 'hasAccount' | 'isRegistered'>> {
  const accounts = new Set(
    await store.findEmailKeys(
      tx,
      rows.flatMap((row) => row.emailKey ?? []),
    ),
  );
  const numbers = rows.flatMap(({ personnummer }) => personnummer ?? []);
  const taken = await findRegistered(tx, cipher, { numbers, generations: await shareLockGenerations(tx) });
  return {
    hasAccount: (key) => accounts.has(key),
    isRegistered: (number) => taken.has(number),
  };
}

export function validateRows(rows: readonly Row[], known: ExistingData, seen: Occurrences): ValidatedRows {
  const fresh: Occurrences = { emails: new Map(), numbers: new Map() };
  const accepted: Row[] = [];
  const issues: RowIssue[] = [];
  const skippedLines: number[] = [];
  const report = ({ line, email }: Row, message: string) => issues.push({ line, email, message });
  for (const row of rows) {
    const { emailKey: key, line } = row;
    const sameAt = key === undefined ? undefined : lineOf(key, seen.emails, fresh.emails);
    if (key !== undefined && (sameAt !== undefined || known.hasAccount(key))) {
      skippedLines.push(line);
      if (sameAt === undefined) fresh.emails.set(key, line);
      else report(row, `'email' is the one of line ${sameAt}; this line is skipped`);
      continue;
    }
    const messages = [
      ...row.issues,
      ...directoryIssues(row, known.directory, known.mayCreate),
      ...numberIssues(row, known, { seen, fresh }),
      known.passwordIssue(ownerOf(row, known.directory)) ?? [],
    ].flat();
    for (const message of messages) report(row, message);
    if (messages.length > 0 || key === undefined) continue;
    fresh.emails.set(key, line);
    if (row.personnummer !== null) fresh.numbers.set(row.personnummer, line);
    accepted.push(row);
  }
  return { accepted, skippedLines, issues, fresh };
}

/**
 * The owner's facts for the password check: people who know the owner would guess them first, and the temporary
 * password is the same for all.
 */
function ownerOf(
  { email, firstName, lastName, personnummer, organisations }: Row,
  directory: Directory,
): PasswordOwner {
  return {
    email,
    names: [firstName, lastName],
    organisations: organisations.map((text) => directory.organisationNames.get(text) ?? text),
    ...(personnummer === null ? {} : { personnummer }),
  };
}

function numberIssues(
  { personnummer }: Row,
  known: ExistingData,
  { seen, fresh }: { seen: Occurrences; fresh: Occurrences },
): string[] {
  if (personnummer === null) return [];
  const sameAt = lineOf(personnummer, seen.numbers, fresh.numbers);
  if (sameAt !== undefined) return [`'personnummer' is the one of line ${sameAt}`];
  return known.isRegistered(personnummer) ? ["'personnummer' is registered already"] : [];
}

function lineOf(key: string, ...maps: readonly Map<string, number>[]): number | undefined {
  return maps.map((map) => map.get(key)).find((line) => line !== undefined);
}
