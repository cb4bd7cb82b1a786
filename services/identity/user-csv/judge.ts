// The rows of a batch judged against what is there (decision I13), in the order of the file: who has an account is
// skipped, a row with an error is told, the rest is accepted.
import type { Transaction } from '#lib/db/database.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { findRegistered, holdGenerations } from '../shared/number-index.ts';
import { type Directory, directoryIssues } from './directory.ts';
import type { Row } from './row.ts';
import * as store from './store.ts';

export interface RowIssue {
  readonly line: number;
  readonly email: string;
  readonly message: string;
}

/** On which line of the file an address and a personnummer were. */
export interface Seen {
  readonly emails: Map<string, number>;
  readonly numbers: Map<string, number>;
}

export interface Verdict {
  readonly accepted: readonly Row[];
  readonly skipped: number;
  readonly issues: readonly RowIssue[];
  /** What this batch adds to what was seen. */
  readonly fresh: Seen;
}

/** What the database says of the rows. */
export interface Knowledge {
  readonly directory: Directory;
  /** Whether missing organisations and groups may be made. */
  readonly mayMake: boolean;
  /** What is wrong with the temporary password for such a person. */
  readonly passwordIssue: (owner: PasswordOwner) => string | undefined;
  hasAccount(emailKey: string): boolean;
  isRegistered(personnummer: string): boolean;
}

/** Looks up which addresses and personnummer of the rows are taken. */
export async function lookUp(
  tx: Transaction,
  cipher: NumberCipher,
  rows: readonly Row[],
): Promise<Pick<Knowledge, 'hasAccount' | 'isRegistered'>> {
  const accounts = new Set(
    await store.findEmailKeys(
      tx,
      rows.flatMap((row) => row.emailKey ?? []),
    ),
  );
  const numbers = rows.flatMap(({ personnummer }) => personnummer ?? []);
  const taken = await findRegistered(tx, cipher, { numbers, generations: await holdGenerations(tx) });
  return {
    hasAccount: (key) => accounts.has(key),
    isRegistered: (number) => taken.has(number),
  };
}

export function judge(rows: readonly Row[], known: Knowledge, seen: Seen): Verdict {
  const fresh: Seen = { emails: new Map(), numbers: new Map() };
  const accepted: Row[] = [];
  const issues: RowIssue[] = [];
  let skipped = 0;
  const tell = ({ line, email }: Row, message: string) => issues.push({ line, email, message });
  for (const row of rows) {
    const { emailKey: key, line } = row;
    const sameAt = key === undefined ? undefined : lineOf(key, seen.emails, fresh.emails);
    if (key !== undefined && (sameAt !== undefined || known.hasAccount(key))) {
      skipped += 1;
      if (sameAt === undefined) fresh.emails.set(key, line);
      else tell(row, `'email' is the one of line ${sameAt}; this line is skipped`);
      continue;
    }
    const messages = [
      ...row.issues,
      ...directoryIssues(row, known.directory, known.mayMake),
      ...numberIssues(row, known, { seen, fresh }),
      known.passwordIssue(ownerOf(row, known.directory)) ?? [],
    ].flat();
    for (const message of messages) tell(row, message);
    if (messages.length > 0 || key === undefined) continue;
    fresh.emails.set(key, line);
    if (row.personnummer !== null) fresh.numbers.set(row.personnummer, line);
    accepted.push(row);
  }
  return { accepted, skipped, issues, fresh };
}

/** Whoever knows a person would try these first, and a temporary password is one for all. */
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

function numberIssues({ personnummer }: Row, known: Knowledge, { seen, fresh }: { seen: Seen; fresh: Seen }): string[] {
  if (personnummer === null) return [];
  const sameAt = lineOf(personnummer, seen.numbers, fresh.numbers);
  if (sameAt !== undefined) return [`'personnummer' is the one of line ${sameAt}`];
  return known.isRegistered(personnummer) ? ["'personnummer' is registered already"] : [];
}

function lineOf(key: string, ...maps: readonly Map<string, number>[]): number | undefined {
  return maps.map((map) => map.get(key)).find((line) => line !== undefined);
}
