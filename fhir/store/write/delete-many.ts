// Deletes many resources in few statements; access and conditions are checked for each.
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { StoredVersion } from '../read/stored-version.ts';
import { requireConditions } from '../read/version-match.ts';
import { laterThan } from './new-version.ts';
import { byKey, type Draft, distinct, isSeen, keyOf, lockAll, MANY } from './update-many.ts';
import { type DeleteInput, requireNoReport, type WriteDependencies } from './write.ts';
import { deleteStatement } from './write-sql.ts';

/**
 * The outcome of one deletion: the deleted version, nothing to delete, an error, or undefined when a single deletion
 * has to decide.
 */
export type DeleteOutcome = StoredVersion | 'nothing' | ServiceError | undefined;

/**
 * Deletes resources, and waits for transactions that are changing one of them. It leaves a resource undone that the
 * caller may not see for sure, or that is named twice.
 */
export async function deleteMany(
  tx: Transaction,
  inputs: readonly DeleteInput[],
  deps: Pick<WriteDependencies, 'clock'>,
): Promise<DeleteOutcome[]> {
  const outcomes: DeleteOutcome[] = inputs.map(() => undefined);
  const drafts = distinct(inputs).toSorted(byKey);
  for (let start = 0; start < drafts.length; start += MANY) {
    await deleteSome(tx, drafts.slice(start, start + MANY), outcomes, deps);
  }
  return outcomes;
}

async function deleteSome(
  tx: Transaction,
  drafts: readonly Draft<DeleteInput>[],
  outcomes: DeleteOutcome[],
  { clock }: Pick<WriteDependencies, 'clock'>,
): Promise<void> {
  const current = await lockAll(tx, drafts, 'wait');
  const deleted = [];
  for (const draft of drafts) {
    const { input, place, type, rid } = draft;
    const known = current.get(keyOf(draft));
    const outcome = outcomeBefore(input, known);
    if (outcome !== undefined || known === undefined) {
      outcomes[place] = outcome;
    } else if (known.id === input.id && isSeen(input.access(input.resourceType), known)) {
      const version = { ...known, version: known.version + 1, lastUpdated: laterThan(known, clock), isDeleted: true };
      deleted.push({ type, rid, version: version.version, updatedAt: version.lastUpdated });
      outcomes[place] = version;
    }
  }
  if (deleted.length === 0) return;
  const { statement, values } = deleteStatement(deleted);
  await tx.query(statement, values);
}

/**
 * The outcome of a deletion without a change; undefined for a resource that is to be deleted, or that a single deletion
 * decides.
 */
function outcomeBefore(input: DeleteInput, current: StoredVersion | undefined): DeleteOutcome {
  const isSure = current === undefined || isSeen(input.access(input.resourceType), current);
  if (!isSure || (current !== undefined && current.id !== input.id)) return undefined;
  const there = current?.isDeleted === true ? undefined : current;
  try {
    requireConditions(input, there);
    if (there !== undefined) requireNoReport(input.access(input.resourceType), there);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return there === undefined ? 'nothing' : undefined;
}
