// Where a search looks things up before it is written, and as whom.
import type { Queryable } from '#lib/db/database.ts';
import type { Terminology } from '#lib/terminology/terminology.ts';
import type { Access } from './access.ts';

export interface Lookups {
  readonly db: Queryable;
  readonly access: Access;
  readonly terminology: Terminology;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
