// One batch of an import in one transaction: its rows are judged against the database, and those without an error are
// written. A user is made whole or not at all, whatever breaks off.
import { isUniqueViolation } from '#lib/db/failure.ts';
import { findDirectory, type Missing, missingFrom } from './directory.ts';
import { judge, type Knowledge, lookUp, type RowIssue, type Seen } from './judge.ts';
import { typeToMake } from './lists.ts';
import type { Row } from './row.ts';
import { lockImports } from './store.ts';
import { type BatchDeps, type Writing, type Written, writeUsers } from './write-users.ts';

/** What the batches of one import know of each other. */
export interface ImportMemory extends Seen {
  /** The organisations and groups that a dry run would have made by now. */
  readonly pretended: Set<string>;
}

export interface BatchOptions extends Pick<Writing, 'password' | 'requester'>, Pick<Knowledge, 'passwordIssue'> {
  readonly isDryRun: boolean;
  /** Whether missing organisations and groups are made. */
  readonly mayMake: boolean;
}

export interface BatchOutcome extends Written {
  readonly skipped: number;
  readonly issues: readonly RowIssue[];
}

/** Somebody may register a personnummer between our look and our writing; the next look finds it. */
const ATTEMPTS = 5;
const NUMBER_INDEXES = ['patient_personnummer_index', 'patient_personnummer_index_next'];

/** Judges and writes the rows. `memory` is added to once the batch stands. */
export async function importBatch(
  deps: BatchDeps,
  rows: readonly Row[],
  memory: ImportMemory,
  options: BatchOptions,
): Promise<BatchOutcome> {
  const { isDryRun, mayMake, passwordIssue } = options;
  const { verdict, missing, written } = await withRetry(() =>
    deps.database.transaction(async (tx) => {
      if (!isDryRun) await lockImports(tx);
      const directory = await findDirectory(tx, rows);
      const judged = judge(
        rows,
        { directory, mayMake, passwordIssue, ...(await lookUp(tx, deps.cipher, rows)) },
        memory,
      );
      const { accepted } = judged;
      return {
        verdict: judged,
        missing: missingFrom(directory, accepted),
        written: isDryRun ? undefined : await writeUsers(deps, tx, { ...options, rows: accepted, directory }),
      };
    }),
  );
  for (const [key, line] of verdict.fresh.emails) memory.emails.set(ownCopy(key), line);
  for (const [number, line] of verdict.fresh.numbers) memory.numbers.set(ownCopy(number), line);
  const { created, ...made } = written ?? pretend(verdict.accepted.length, missing, memory);
  // An address that was taken a moment ago is one that exists.
  const skipped = verdict.skipped + verdict.accepted.length - created;
  return { created, skipped, issues: verdict.issues, ...made };
}

async function withRetry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isTaken = NUMBER_INDEXES.some((name) => isUniqueViolation(error, name));
      if (attempt === ATTEMPTS || !isTaken) throw error;
    }
  }
}

/** What a dry run would have written; what an earlier batch would have made is not missing. */
function pretend(created: number, missing: Missing, { pretended }: ImportMemory): Written {
  const addNew = (keys: readonly string[]) => {
    const before = pretended.size;
    for (const key of keys) pretended.add(key);
    return pretended.size - before;
  };
  return {
    created,
    organisationsMade: addNew(missing.organisations.map((name) => `organisation ${name.toLowerCase()}`)),
    groupsMade: addNew(missing.groups.map((group) => `group ${typeToMake(group)}:${group.name.toLowerCase()}`)),
  };
}

/** A piece cut from a text keeps the whole text in memory; a copy does not. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
