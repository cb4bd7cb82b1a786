// Reads the owner of a definition, directory entry or library entry, and transfers it to another organisation
// (docs/adr/0060). Only administrators transfer. The content does not change, and the transfer is recorded.
import type { Audit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound, validationError } from '#lib/errors.ts';
import { policyOf } from '../shared/policies.ts';
import type { Owner, OwnerParams } from './schema.ts';
import { findOwner, LIBRARY_TABLES, type Owned, setOwner } from './store.ts';

export interface OwnerService {
  /** @throws ServiceError `not_found` when it does not exist, or its type has no owners */
  read(address: OwnerParams): Promise<Owner>;
  /**
   * @throws ServiceError `not_found`, `validation_error` for an organisation that identity does not know,
   * `upstream_unavailable`
   */
  transfer(caller: Caller, address: OwnerParams, organisation: string | null): Promise<Owner>;
}

export interface Caller {
  readonly principal: Principal;
  readonly address: string;
  readonly requestId: string;
}

export interface OwnerDependencies {
  readonly database: Database;
  readonly audit: Audit;
  readonly resourceTypes: ReadonlySet<string>;
  /** Left out when there is no identity service. */
  readonly registeredIds?: RegisteredIdSource | undefined;
}

export function createOwnerService({ database, audit, resourceTypes, registeredIds }: OwnerDependencies): OwnerService {
  function ownedOf({ type, id }: OwnerParams): Owned {
    const table = Object.hasOwn(LIBRARY_TABLES, type) ? LIBRARY_TABLES[type as keyof typeof LIBRARY_TABLES] : undefined;
    if (table !== undefined) return { kind: 'entry', table, type, id };
    // Records about patients are not transferred: their owner follows from who treats the patient (decision G12).
    if (resourceTypes.has(type) && policyOf(type).isOpen) return { kind: 'resource', type, id };
    throw notFound(`${type}/${id}`);
  }

  /** @throws ServiceError `validation_error`, `upstream_unavailable` */
  async function requireOrganisation(guid: string): Promise<void> {
    if (registeredIds === undefined) return;
    const [known] = await registeredIds([guid]);
    if (known?.type === 'Organization') return;
    const message = `'organisation_guid': there is no organisation ${guid}`;
    throw validationError([{ field: 'organisation_guid', message, code: 'not-found' }]);
  }

  return {
    async read(address) {
      const organisation = await findOwner(database, ownedOf(address));
      if (organisation === undefined) throw notFound(`${address.type}/${address.id}`);
      return { ...address, organisation_guid: organisation };
    },
    async transfer({ principal, ...origin }, { type, id }, organisation) {
      const owned = ownedOf({ type, id });
      if (organisation !== null) await requireOrganisation(organisation);
      await database.transaction(async (tx) => {
        const before = await findOwner(tx, owned, 'update');
        if (before === undefined) throw notFound(`${type}/${id}`);
        if (before === organisation) return;
        await setOwner(tx, owned, organisation);
        const entity = owned.kind === 'resource' ? `${type}/${id}` : `${owned.table.replace('_', '-')}/${id}`;
        await audit.record(tx, {
          action: 'U',
          event: 'owner.change',
          principal,
          entities: [entity],
          detail: `from ${before ?? 'the whole system'} to ${organisation ?? 'the whole system'}`,
          ...origin,
        });
      });
      return { type, id, organisation_guid: organisation };
    },
  };
}
