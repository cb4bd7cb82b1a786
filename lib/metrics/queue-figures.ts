// Figures of a queue that the database holds, as metrics and as JSON (./service-status.ts): those of all nodes.
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { QueueFigures } from './service-status.ts';

interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** @param statement of the moment `$1`; returns one row with `waiting`, `dead` and `oldest_s`, in seconds */
export async function readQueueFigures(
  database: Database,
  clock: Clock,
  statement: NamedStatement,
): Promise<QueueFigures> {
  const { rows } = await database.query<{ waiting: number; dead: number; oldest_s: number }>(statement, [
    new Date(clock.now()),
  ]);
  const [row] = rows;
  return { waiting: Number(row?.waiting ?? 0), dead: Number(row?.dead ?? 0), oldest_s: Number(row?.oldest_s ?? 0) };
}

/**
 * Reads the only `value` of a statement for a gauge, 0 where it is null. NaN without the database: the other metrics
 * must still be served.
 */
export function gaugeReader(database: Database) {
  return async (statement: NamedStatement, values: readonly unknown[] = []): Promise<number> => {
    const found = await database.query<{ value: number | null }>(statement, values).catch(() => undefined);
    return found === undefined ? Number.NaN : Number(found.rows[0]?.value ?? 0);
  };
}
