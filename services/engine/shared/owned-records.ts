// What the services of the library's records have in common. A record is written with its owner in one transaction,
// after its references are locked (decisions E6, E7; docs/adr/0060).
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { type Issue, notFound } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { Page } from '#lib/http/response/page.ts';
import { recordOwner, requireOwner } from './library-owners.ts';
import { type Replacement, requireReplaced } from './record-versions.ts';
import { lockReferences, type Reference } from './references.ts';
import { requireGuid } from './sql.ts';

/** A service whose records have the usual addresses; each method throws the errors of its kind of record. */
export interface RecordService<Output, Input, Query> {
  list(query: Query): Promise<Page<Output>>;
  get(id: string): Promise<Output>;
  create(input: Input, principal: Principal): Promise<Output>;
  /** @throws ServiceError `precondition_failed` when it is not a version that may be replaced */
  replace(id: string, input: Input, by: Replacement): Promise<Output>;
}

/** One that also checks bodies beyond their schema, and removes records. */
export interface LibraryService<Output, Input, Query> extends RecordService<Output, Input, Query> {
  /** Returns the issues of a body that its schema does not find. The fields may have any type. */
  issuesOf(fields: BodyFields): Promise<Issue[]>;
  /** @throws ServiceError `conflict` naming what uses the record, `precondition_failed` as `replace` */
  remove(id: string, by: Replacement): Promise<void>;
}

/** How one kind of record is checked and stored. */
export interface OwnedRecord<Output, Input> {
  /** As errors name it: `Goal`. */
  readonly name: string;
  referencesOf(input: Input): readonly Reference[];
  /** The issues beside those of references. */
  issuesOf?(input: Input): readonly Issue[];
  /** The records of the guids; unknown ones are left out. */
  find(db: Queryable, guids: readonly string[]): Promise<Output[]>;
  insert(tx: Transaction, guid: string, input: Input, at: Date): Promise<void>;
  /** Returns the new version; undefined when there is no such record. */
  update(tx: Transaction, guid: string, input: Input, at: Date): Promise<number | undefined>;
}

/** Reads, creates and replaces records of one kind. */
export function createOwnedRecords<Output, Input>(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  record: OwnedRecord<Output, Input>,
): Omit<RecordService<Output, Input, never>, 'list'> {
  const now = () => new Date(clock.now());
  const lock = (tx: Transaction, input: Input) =>
    lockReferences(tx, record.referencesOf(input), record.issuesOf?.(input) ?? []);

  async function read(db: Queryable, guid: string): Promise<Output> {
    const [found] = await record.find(db, [guid]);
    if (found === undefined) throw notFound(record.name);
    return found;
  }

  return {
    get: async (id) => read(database, requireGuid(id, record.name)),
    create: (input, principal) =>
      database.transaction(async (tx) => {
        await lock(tx, input);
        const guid = newGuid(clock.now());
        await record.insert(tx, guid, input, now());
        await recordOwner(tx, guid, principal);
        return read(tx, guid);
      }),
    replace: (id, input, { principal, ifMatch }) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, record.name);
        await lock(tx, input);
        const version = await record.update(tx, guid, input, now());
        if (version === undefined) throw notFound(record.name);
        await requireOwner(tx, guid, principal);
        requireReplaced(ifMatch, version);
        return read(tx, guid);
      }),
  };
}
