// Where a search looks things up before it is written, and as whom.
import type { Queryable } from '#lib/db/database.ts';
import type { Terminology } from '#lib/terminology/terminology.ts';
import type { Access } from './access.ts';

export interface Lookups {
  readonly db: Queryable;
  readonly access: Access;
  readonly terminology: Terminology;
  /** The server's own, whose addresses are the same as relative ones. */
  readonly baseUrl: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
