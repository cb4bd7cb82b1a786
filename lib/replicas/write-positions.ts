// The positions of callers' last writes, in a small table of the primary, so that all nodes know them
// (docs/adr/0129-read-replicas.md).
import { randomUUID } from 'node:crypto';
import { textArray } from '../db/array-text.ts';
import type { Database, PreparedStatement } from '../db/database.ts';
import { createBatcher } from '../jobs/batcher.ts';
import { type Position, readPosition } from './position.ts';
import { COMMITTED } from './server-state.ts';

export interface WritePositions {
  /**
   * Notes that a caller's writes have been committed; returns a position after them.
   * @throws ServiceError `unavailable`
   */
  note(caller: string): Promise<Position>;
  /** What all callers have written by now counts as just written: nobody knows any more who has. @throws as `note` */
  mark(): Promise<void>;
  /** Deletes positions that are older than a minute, which every standby in use has passed. */
  sweep(): Promise<void>;
}

/** One group after the other: two statements of a node could wait for each other's rows. */
const LIMITS = { size: 200, groups: 1 };
/** The caller of the row that holds for everybody, and its node. */
export const EVERYBODY = '';
const NOBODY = '00000000-0000-0000-0000-000000000000';

const NOTE: PreparedStatement = {
  name: 'write_position_note',
  text: `WITH noted AS (INSERT INTO write_position AS w (caller, node, position, noted_at)
      SELECT c.caller, $2::uuid, p.position, statement_timestamp()
      FROM unnest($1::text[]) AS c(caller) CROSS JOIN (SELECT ${COMMITTED} AS position) p
      ON CONFLICT (caller, node) DO UPDATE SET position = excluded.position, noted_at = excluded.noted_at
      RETURNING position)
    SELECT max(position)::text AS position FROM noted`,
};
const MARK: PreparedStatement = {
  name: 'write_position_mark',
  text: `INSERT INTO write_position (caller, node, position, noted_at)
    SELECT '${EVERYBODY}', '${NOBODY}', ${COMMITTED}, statement_timestamp() ON CONFLICT DO NOTHING`,
};
const SWEEP: PreparedStatement = {
  name: 'write_position_sweep',
  text: `DELETE FROM write_position WHERE (caller, node) IN (
      SELECT w.caller, w.node FROM write_position w
      WHERE w.noted_at < statement_timestamp() - interval '1 minute' AND w.caller <> '${EVERYBODY}'
      FOR UPDATE SKIP LOCKED)`,
};

export function createWritePositions(database: Database): WritePositions {
  const node = randomUUID();

  async function noteAll(callers: readonly string[]): Promise<{ value: Position }[]> {
    const { rows } = await database.query<{ position: string }>(NOTE, [textArray([...new Set(callers)]), node]);
    const position = readPosition(rows[0]?.position ?? '0/0');
    return callers.map(() => ({ value: position }));
  }

  return {
    note: createBatcher({ name: 'note write positions', together: noteAll, limits: LIMITS }),
    mark: async () => {
      await database.query(MARK);
    },
    sweep: async () => {
      await database.query(SWEEP);
    },
  };
}
