// Which guids identity has given out, and to whose organisations they belong (docs/adr/0051).
import type { RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { Database } from '#lib/db/database.ts';
import { findRegisteredIds } from './store.ts';

export function createRegisteredIds({ database }: { readonly database: Database }): RegisteredIdSource {
  return (guids) => findRegisteredIds(database, guids);
}
