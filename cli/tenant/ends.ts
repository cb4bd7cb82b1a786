// The two ends of a move, and the names of what it makes there.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { LongConnection } from '#lib/db/long-connection.ts';
import { identifier } from '../backup/catalog.ts';

/** The two ends of a move. */
export interface Move {
  readonly schemas: readonly string[];
  /** Of publication, slot and subscription. */
  readonly label: string;
  /** As the new server reaches the old one. */
  readonly sourceUrl: string;
  readonly source: LongConnection;
  readonly target: LongConnection;
  /** The new place, as nodes reach it. */
  readonly to: DatabaseAddress;
}

/** The table by which the copy is known to have everything. */
export function markerOf({ schemas: [schema = ''] }: Pick<Move, 'schemas'>): string {
  return identifier(schema, 'kedja_move_marker');
}
