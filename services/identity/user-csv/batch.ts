// One batch of an import in one transaction: validates its rows against the database and writes those without an error.
// A user is written whole or not at all.
import { isUniqueViolation } from '#lib/db/failure.ts';
import { findDirectory, type Missing, missingFrom } from './directory.ts';
import { typeToCreate } from './lists.ts';
import type { Row } from './row.ts';
import { lockImports } from './store.ts';
import { type ExistingData, findExisting, type Occurrences, type RowIssue, validateRows } from './validate-rows.ts';
import { type BatchDeps, type WriteCounts, type WriteOptions, writeUsers } from './write-users.ts';

/** The state that the batches of one import share. */
export interface ImportState extends Occurrences {
  /** The organisations and groups that a dry run would have created so far. */
  readonly wouldExist: Set<string>;
}

export interface BatchOptions
  extends Pick<WriteOptions, 'password' | 'requester'>,
    Pick<ExistingData, 'passwordIssue'> {
  readonly isDryRun: boolean;
  /** Whether missing organisations and groups are created. */
  readonly mayCreate: boolean;
}

export interface BatchOutcome extends WriteCounts {
  readonly skipped: number;
  readonly skippedLines: readonly number[];
  readonly issues: readonly RowIssue[];
}

/** Somebody may register a personnummer between the query and the insert; the next attempt finds it. */
const ATTEMPTS = 5;
const NUMBER_INDEXES = ['patient_personnummer_index', 'patient_personnummer_index_next'];

/** Validates and writes the rows. `state` is updated after the commit. */
export async function importBatch(
  deps: BatchDeps,
  rows: readonly Row[],
  state: ImportState,
  options: BatchOptions,
): Promise<BatchOutcome> {
  const { isDryRun, mayCreate, passwordIssue } = options;
  const { validation, missing, written } = await withRetry(() =>
    deps.database.transaction(async (tx) => {
      if (!isDryRun) await lockImports(tx);
      const directory = await findDirectory(tx, rows);
      const validated = validateRows(
        rows,
        { directory, mayCreate, passwordIssue, ...(await findExisting(tx, deps.cipher, rows)) },
        state,
      );
      const { accepted } = validated;
      return {
        validation: validated,
        missing: missingFrom(directory, accepted),
        written: isDryRun ? undefined : await writeUsers(deps, tx, { ...options, rows: accepted, directory }),
      };
    }),
  );
  for (const [key, line] of validation.fresh.emails) state.emails.set(ownCopy(key), line);
  for (const [number, line] of validation.fresh.numbers) state.numbers.set(ownCopy(number), line);
  const { created, ...made } = written ?? pretend(validation.accepted.length, missing, state);
  // An address that was taken since the query counts as existing.
  const { skippedLines } = validation;
  const skipped = skippedLines.length + validation.accepted.length - created;
  return { created, skipped, skippedLines, issues: validation.issues, ...made };
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

/** What a dry run would have written. What an earlier batch would have created is not missing. */
function pretend(created: number, missing: Missing, { wouldExist }: ImportState): WriteCounts {
  const addNew = (keys: readonly string[]) => {
    const before = wouldExist.size;
    for (const key of keys) wouldExist.add(key);
    return wouldExist.size - before;
  };
  return {
    created,
    organisationsMade: addNew(missing.organisations.map((name) => `organisation ${name.toLowerCase()}`)),
    groupsMade: addNew(missing.groups.map((group) => `group ${typeToCreate(group)}:${group.name.toLowerCase()}`)),
  };
}

/** Copies the text: a substring would keep the whole text in state. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
