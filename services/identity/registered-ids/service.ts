// Which guids identity has assigned, and which organisations they belong to (docs/adr/0051).
import type { Principal } from '#lib/auth/principal.ts';
import type { RegisteredId } from '#lib/auth/registered-ids.ts';
import type { Database } from '#lib/db/database.ts';
import { isServiceOfOthers } from '../shared/protected-patients.ts';
import { findRegisteredIds } from './store.ts';

/** For the caller: a service of others does not learn where a protected identity receives care (docs/adr/0090). */
export type RegisteredIds = (caller: Principal, guids: readonly string[]) => Promise<readonly RegisteredId[]>;

export function createRegisteredIds({ database }: { readonly database: Database }): RegisteredIds {
  return (caller, guids) => findRegisteredIds(database, guids, isServiceOfOthers(caller));
}
