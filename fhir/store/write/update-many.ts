// Updates many resources in few statements. All are locked in the order of their keys, each is checked by itself, and
// those that pass are replaced together (docs/adr/0013).

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { AccessFilter } from '../access.ts';
import { type ResourceAddress, requireNotErased } from '../read/lookup.ts';
import { lockedColumns, type StoredVersion, type TypedVersionRow, toStoredVersion } from '../read/stored-version.ts';
import { requireConditions } from '../read/version-match.ts';
import { batchSize, isLong } from '../threads.ts';
import { firstVersion, nextVersion } from './new-version.ts';
import {
  ownerAfter,
  requireNoReport,
  requireSameId,
  type UpdateInput,
  type WriteDependencies,
  type WriteOutcome,
} from './write.ts';
import { insertStatement, type NextVersion, replaceStatement } from './write-sql.ts';

/** The outcome of one update: done, an error, or undefined when a single update has to decide. */
export type ManyOutcome = WriteOutcome | ServiceError | undefined;

export interface UpdateManyOptions {
  /**
   * Waits for resources that another transaction is changing, or leaves them undone. `wait` also creates missing ones.
   */
  readonly busy: 'wait' | 'leave';
}

/** The most resources in one statement. */
export const MANY = 500;

/**
 * Updates resources and returns the outcome of each. It leaves undone what needs more than the plain case. That is a
 * resource that others than its organisation see, that was created this moment, that is named twice, or that is long.
 */
export async function updateMany(
  tx: Transaction,
  inputs: readonly UpdateInput[],
  options: UpdateManyOptions,
  deps: WriteDependencies,
): Promise<ManyOutcome[]> {
  const outcomes: ManyOutcome[] = inputs.map(() => undefined);
  const drafts = distinct(inputs)
    .filter(({ input }) => deps.workerThreads === undefined || !isLong(input.source))
    .toSorted(byKey);
  const sources = drafts.map(({ input }) => input);
  for (let start = 0; start < drafts.length; ) {
    const end = start + batchSize(sources, start, MANY);
    await updateSome(tx, { drafts: drafts.slice(start, end), outcomes, ...options }, deps);
    start = end;
  }
  return outcomes;
}

/** One of many updates, with its place among them. */
export interface Draft<T extends ResourceAddress = UpdateInput> {
  readonly place: number;
  readonly type: number;
  readonly rid: string;
  readonly input: T;
}

interface Batch extends UpdateManyOptions {
  readonly drafts: readonly Draft[];
  /** The outcomes by the place of the draft. */
  readonly outcomes: ManyOutcome[];
  readonly isAgain?: boolean;
}

async function updateSome(
  tx: Transaction,
  { drafts, outcomes, busy, isAgain = false }: Batch,
  deps: WriteDependencies,
): Promise<void> {
  const current = await lockAll(tx, drafts, busy);
  const replaced: { readonly draft: Draft; readonly entry: NextVersion; readonly outcome: WriteOutcome }[] = [];
  const missing: Draft[] = [];
  for (const draft of drafts) {
    const { input, place } = draft;
    const known = current.get(keyOf(draft));
    const refusal = await refusalOf(input, known, deps);
    if (refusal !== undefined) outcomes[place] = refusal;
    else if (known === undefined) missing.push(draft);
    else if (known.id === input.id && isSeen(input.access(input.resourceType), known)) {
      const { entry, version } = nextVersion(
        { draft: { ...input, organisation: ownerAfter(input, known) } },
        known,
        deps,
      );
      replaced.push({ draft, entry, outcome: { kind: known.isDeleted ? 'created' : 'updated', version } });
    }
  }
  await replaceAll(
    tx,
    replaced.map(({ entry }) => entry),
  );
  for (const { draft, outcome } of replaced) outcomes[draft.place] = outcome;
  if (busy === 'leave') return;
  const taken = await makeMissing(tx, { drafts: missing, outcomes }, deps);
  // Others have created them meanwhile, so they can be updated now.
  if (taken.length > 0 && !isAgain) {
    await updateSome(tx, { drafts: taken, outcomes, busy, isAgain: true }, deps);
  }
}

/** The first draft of each address. */
export function distinct<T extends ResourceAddress>(inputs: readonly T[]): Draft<T>[] {
  const drafts = new Map<string, Draft<T>>();
  for (const [place, input] of inputs.entries()) {
    const draft = { place, input, type: nameKey(input.resourceType), rid: resourceKey(input.id) };
    if (!drafts.has(keyOf(draft))) drafts.set(keyOf(draft), draft);
  }
  return [...drafts.values()];
}

export function keyOf({ type, rid }: Pick<Draft, 'type' | 'rid'>): string {
  return `${type} ${rid}`;
}

/** The order in which all statements lock several rows. */
export function byKey(a: Pick<Draft, 'type' | 'rid'>, b: Pick<Draft, 'type' | 'rid'>): number {
  return a.type - b.type || (a.rid < b.rid ? -1 : 1);
}

/** Locks the current versions of the resources that exist, and returns them by key. */
export async function lockAll(
  tx: Queryable,
  drafts: readonly Draft<ResourceAddress>[],
  busy: UpdateManyOptions['busy'],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const leave = busy === 'leave';
  const { rows } = await tx.query<TypedVersionRow>(
    {
      name: `fhir_lock_many${leave ? '_free' : ''}`,
      text: `SELECT r.type, ${lockedColumns('r')} FROM unnest($1::int[], $2::uuid[]) AS t(type, rid)
        JOIN fhir_resource r ON r.type = t.type AND r.rid = t.rid ORDER BY r.type, r.rid
        FOR UPDATE OF r ${leave ? 'SKIP LOCKED' : ''}`,
    },
    [drafts.map(({ type }) => type), drafts.map(({ rid }) => rid)],
  );
  const names = new Map(drafts.map(({ type, input }) => [type, input.resourceType]));
  return new Map(rows.map((row) => [keyOf(row), toStoredVersion(names.get(row.type) ?? '', row)]));
}

/** Returns why the update is refused; undefined when it is not, or when a single update has to decide. */
async function refusalOf(
  input: UpdateInput,
  current: StoredVersion | undefined,
  deps: WriteDependencies,
): Promise<ServiceError | undefined> {
  try {
    requireSameId(input);
    const pending = deps.check(input.source);
    if (pending !== undefined) await pending;
    const isSure = current !== undefined && isSeen(input.access(input.resourceType), current);
    if (isSure) {
      requireNotErased(current);
      requireConditions(input, current);
      requireNoReport(input.access(input.resourceType), current);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Whether the row alone shows that the caller sees the record. If not, a single update asks the database. */
export function isSeen(filter: AccessFilter, version: Pick<StoredVersion, 'organisation'>): boolean {
  switch (filter.kind) {
    case 'all':
      return true;
    case 'organisations':
      return version.organisation !== null && filter.guids.includes(version.organisation);
    case 'any':
      return filter.filters.some((part) => isSeen(part, version));
    case 'unprotected':
    case 'patient':
    case 'reported':
    case 'provided':
    case 'secured':
    case 'none':
      return false;
    default:
      return filter satisfies never;
  }
}

/** Replaces those whose index rows all change apart from those of which some change. */
async function replaceAll(tx: Queryable, entries: readonly NextVersion[]): Promise<void> {
  for (const alike of Map.groupBy(entries, ({ change }) => change.gone === 'all').values()) {
    const { statement, values } = replaceStatement(alike);
    await tx.query(statement, values);
  }
}

/** Creates missing resources. Returns those that others have created at the same time. */
async function makeMissing(
  tx: Queryable,
  { drafts, outcomes }: Pick<Batch, 'drafts' | 'outcomes'>,
  deps: WriteDependencies,
): Promise<readonly Draft[]> {
  // A single update refuses a condition on a version, and an update that may not create.
  const plain = drafts.filter(({ input }) => input.ifMatch === undefined && input.mayCreate !== false);
  if (plain.length === 0) return [];
  const made = plain.map((draft) => ({ draft, ...firstVersion(draft.input, deps) }));
  const { statement, values } = insertStatement(made.map(({ entry }) => entry));
  const { rows } = await tx.query<{ type: number; rid: string }>(statement, values);
  const written = new Set(rows.map(keyOf));
  for (const { draft, version } of made) {
    if (written.has(keyOf(draft))) outcomes[draft.place] = { kind: 'created', version };
  }
  return plain.filter((draft) => !written.has(keyOf(draft)));
}
