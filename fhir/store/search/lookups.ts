// What resolving a search needs: database, access of the caller, terminology.

import type { Terminology } from '#fhir/terminology/terminology.ts';
import type { Queryable } from '#lib/db/database.ts';
import type { Access } from '../access.ts';
import type { StoreThreads } from '../threads.ts';

export interface Lookups {
  readonly db: Queryable;
  readonly access: Access;
  readonly terminology: Terminology;
  /** The server's own, whose addresses are the same as relative ones. */
  readonly baseUrl: string | undefined;
  /** For long resources; all are read at once when left out. */
  readonly workerThreads?: StoreThreads | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
