// Which guids identity has assigned, and which organisations they belong to (docs/adr/0051).
import type { RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { Database } from '#lib/db/database.ts';
import { findRegisteredIds } from './store.ts';

export function createRegisteredIds({ database }: { readonly database: Database }): RegisteredIdSource {
  return (guids) => findRegisteredIds(database, guids);
}
