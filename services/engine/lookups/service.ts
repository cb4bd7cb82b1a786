// The rules of the lookup tables (decision E6): names are unique, UCUM codes are valid, and an entry in use is not
// deleted.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { isUniqueViolation } from '#lib/db/failure.ts';
import { conflict, notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { PageRequest } from '#lib/http/response/page.ts';
import { deleteOwner, recordOwner, requireOwner } from '../shared/library-owners.ts';
import type { RecordService } from '../shared/owned-records.ts';
import { type Replacement, requireReplaced, requireVersion } from '../shared/record-versions.ts';
import { refuseWhenUnitsAreLeft, refuseWhenUsed } from '../shared/references.ts';
import { deleteRecord, requireGuid } from '../shared/sql.ts';
import { findEntry, insertEntry, listEntries, lockEntry, updateEntry } from './store.ts';
import type { LookupFields, LookupTable } from './tables.ts';

type LookupQuery = PageRequest & { readonly search?: string | undefined };

/** `replace` throws `conflict` naming transactions whose unit would be left without a quantity. */
export interface LookupService extends RecordService<LookupFields, LookupFields, LookupQuery> {
  /** @throws ServiceError `conflict` naming what uses the entry, `precondition_failed` as `replace` */
  remove(id: string, by: Replacement): Promise<void>;
}

export function createLookupService(deps: { database: Database; clock: Clock; spec: LookupTable }): LookupService {
  const { database, clock, spec } = deps;
  const missing = () => notFound(capitalised(spec.what));

  async function write(fields: LookupFields, run: (at: Date) => Promise<LookupFields | undefined>) {
    const issues = (await spec.check?.(fields)) ?? [];
    if (issues.length > 0) throw validationError(issues);
    try {
      return await run(new Date(clock.now()));
    } catch (error) {
      if (isUniqueViolation(error, spec.unique.constraint)) throw conflict(spec.unique.message(fields));
      throw error;
    }
  }

  return {
    list: (query) => listEntries(database, spec, query),
    async get(id) {
      const entry = await findEntry(database, spec, requireGuid(id, capitalised(spec.what)));
      if (entry === undefined) throw missing();
      return entry;
    },
    async create(fields, principal) {
      const guid = newGuid(clock.now());
      const entry = await write(fields, (at) =>
        database.transaction(async (tx) => {
          await recordOwner(tx, guid, principal);
          return insertEntry(tx, spec, guid, { fields, at });
        }),
      );
      if (entry === undefined) throw missing();
      return entry;
    },
    async replace(id, fields, { principal, ifMatch }) {
      const guid = requireGuid(id, capitalised(spec.what));
      const entry = await write(fields, (at) =>
        database.transaction(async (tx) => {
          const updated = await updateEntry(tx, spec, guid, { fields, at });
          if (updated === undefined) return undefined;
          await requireOwner(tx, guid, principal);
          requireReplaced(ifMatch, Number(updated['revision']));
          if (spec.isValueType === true) await refuseWhenUnitsAreLeft(tx, 'response_type', guid);
          return updated;
        }),
      );
      if (entry === undefined) throw missing();
      return entry;
    },
    async remove(id, { principal, ifMatch }) {
      const guid = requireGuid(id, capitalised(spec.what));
      await database.transaction(async (tx) => {
        if (!(await lockEntry(tx, spec, guid))) throw missing();
        await requireOwner(tx, guid, principal);
        await refuseWhenUsed(tx, spec.what, guid, spec.users ?? []);
        const revision = await deleteRecord(tx, { table: spec.table, counter: 'revision' }, guid);
        if (revision === undefined) throw missing();
        requireVersion(ifMatch, revision);
        await deleteOwner(tx, guid);
      });
    },
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
