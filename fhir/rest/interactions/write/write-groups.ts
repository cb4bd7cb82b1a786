// Groups single creates and updates of several callers into one transaction, with few statements and one commit
// (docs/adr/0013). Each is checked and gets a response by itself; other writes have a transaction of their own.

import type { CreateInput, UpdateInput, WriteOutcome } from '#fhir/store/write/write.ts';
import { isUnavailable } from '#lib/db/failure.ts';
import { isOutage, ServiceError } from '#lib/errors.ts';
import { createBatcher, type GroupOutcome } from '#lib/jobs/batcher.ts';
import type { FhirRestOptions } from '../../options.ts';
import { changeBy, recordChanges } from '../access-records.ts';
import type { FhirCall, WriteGroups } from '../call.ts';

interface Create {
  readonly kind: 'create';
  readonly call: FhirCall;
  readonly input: CreateInput;
}
interface Update {
  readonly kind: 'update';
  readonly call: FhirCall;
  readonly input: UpdateInput;
}
type Write = Create | Update;

/** A group holds up the answers of all its members: more at once would be faster still, but later. */
const LIMITS = { items: 256, size: 4 * 1024 * 1024, groups: 2 };

export function createWriteGroups(options: FhirRestOptions): WriteGroups {
  const write = createBatcher<Write, WriteOutcome>({
    name: 'write resources',
    limits: LIMITS,
    sizeOf: ({ input }) => input.source.text.length,
    // Each of several updates of one resource is checked against the version that the one before wrote.
    keyOf: (each) => (each.kind === 'update' ? `${each.input.resourceType}/${each.input.id}` : undefined),
    together: (writes) => writeTogether(writes, options),
    single: {
      alone: (write) => writeAlone(write, options),
      isCommon: (error) => isUnavailable(error) || isOutage(error),
    },
  });
  return {
    create: (call, input) => write({ kind: 'create', call, input }),
    update: (call, input) => write({ kind: 'update', call, input }),
  };
}

function writeAlone(write: Write, options: FhirRestOptions): Promise<WriteOutcome> {
  const { store, database } = options;
  return database.transaction(async (tx) => {
    const outcome: WriteOutcome =
      write.kind === 'create'
        ? { kind: 'created', version: await store.create(tx, write.input) }
        : await store.update(tx, write.input);
    await recordChanges(tx, [changeBy(write.call, outcome)], { options });
    return outcome;
  });
}

function writeTogether(writes: readonly Write[], options: FhirRestOptions): Promise<GroupOutcome<WriteOutcome>[]> {
  const { store, database } = options;
  return database.transaction(async (tx) => {
    const done = new Map<Write, GroupOutcome<WriteOutcome>>();
    const creates = writes.filter((each) => each.kind === 'create');
    const updates = writes.filter((each) => each.kind === 'update');
    if (creates.length > 0) {
      const inputs = creates.map(({ input }) => input);
      const versions = await store.createMany(tx, inputs);
      if (versions.length < creates.length) throw new Error('A new id was taken');
      for (const [place, version] of versions.entries()) {
        const create = creates[place];
        if (create !== undefined) done.set(create, { value: { kind: 'created', version } });
      }
    }
    if (updates.length > 0) {
      const inputs = updates.map(({ input }) => input);
      for (const [place, outcome] of (await store.updateMany(tx, inputs, { busy: 'leave' })).entries()) {
        const update = updates[place];
        if (update === undefined || outcome === undefined) continue;
        done.set(update, outcome instanceof ServiceError ? { error: outcome } : { value: outcome });
      }
    }
    const changes = [...done].flatMap(([{ call }, outcome]) =>
      outcome !== undefined && 'value' in outcome ? [changeBy(call, outcome.value)] : [],
    );
    await recordChanges(tx, changes, { options });
    return writes.map((each) => done.get(each));
  });
}
