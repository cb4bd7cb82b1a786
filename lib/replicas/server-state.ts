// What primary and standby say of themselves, and whether the one follows the other.
import type { PreparedStatement, Queryable } from '../db/database.ts';
import { type Position, readPosition } from './position.ts';

interface ServerState {
  /** Of the cluster: a standby has that of its primary. */
  readonly system: string;
  readonly timeline: number;
  readonly database: string;
}

/** The primary at one moment. */
export interface PrimaryState extends ServerState {
  /** The end of what has been committed. */
  readonly position: Position;
}

export interface StandbyState extends ServerState {
  /** What it has replayed; undefined when it is no standby. */
  readonly position: Position | undefined;
}

/** Where commits do not wait for the disk, what is acknowledged may be later than what is durable. */
export const COMMITTED = `CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END`;
const PRIMARY: PreparedStatement = {
  name: 'primary_look',
  text: `SELECT (${COMMITTED})::text AS position, system_identifier::text AS system, current_database() AS database,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline FROM pg_control_system()`,
};
/** The timeline is that of the last restart point, so a standby that follows a new primary is used from its next. */
const STANDBY: PreparedStatement = {
  name: 'standby_look',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS position,
    current_database() AS database, s.system_identifier::text AS system, c.timeline_id AS timeline
    FROM pg_control_system() s, pg_control_checkpoint() c`,
};

type Row = ServerState & { readonly position: string | null };

/** @throws as `query`, also on a standby */
export async function readPrimaryState(db: Queryable): Promise<PrimaryState> {
  const { position, ...state } = await look(db, PRIMARY);
  return { ...state, position: readPosition(position ?? '0/0') };
}

/** @throws as `query` */
export async function readStandbyState(db: Queryable): Promise<StandbyState> {
  const { position, ...state } = await look(db, STANDBY);
  return { ...state, position: position === null ? undefined : readPosition(position) };
}

async function look(db: Queryable, statement: PreparedStatement): Promise<Row> {
  const { rows } = await db.query<Row>(statement);
  const [row] = rows;
  if (row === undefined) throw new Error('A server says what it is');
  return row;
}

/** Why the server may not be read from; undefined when it follows the primary. */
export function unusableReason(standby: StandbyState, primary: PrimaryState): string | undefined {
  const { position, system, database, timeline } = standby;
  if (position === undefined) return 'it is no standby';
  if (system !== primary.system) return 'it is a standby of another system';
  if (database !== primary.database) return `its database is ${database}, not ${primary.database}`;
  if (timeline !== primary.timeline)
    return `it follows timeline ${timeline}, and the primary is on ${primary.timeline}`;
  return undefined;
}
