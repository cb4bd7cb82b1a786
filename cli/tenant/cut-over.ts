// The end of a move. Everything is prepared first. Then writes wait until the copy has everything, for at most a
// second, and one transaction sets the old tables aside and notes the new place. Where the copy is not there in time,
// writes go on, and it is tried again.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isLockedOut, isTimedOut } from '#lib/db/failure.ts';
import { type LongConnection, openLongConnection } from '#lib/db/long-connection.ts';
import { setAside } from '#lib/tenants/moved-place.ts';
import { identifier, literal, readSequences, readTables } from '../backup/catalog.ts';
import { type Move, markerOf } from './ends.ts';

/** For all locks together: writes wait already. */
const LOCKING_MS = 500;
const MOST_HELD_MS = 1_000;
/** Writes are held back once the copy is no further behind than this. */
const CLOSE_MS = 200;
const ATTEMPTS = 60;
const PAUSE_MS = 500;
const POLL_MS = 5;

interface Prepared {
  /** All tables, for LOCK. */
  readonly tables: string;
  readonly sequences: string;
}

/** Ends the command, and what is written beside the connection that holds the tables. */
interface Marking {
  readonly writer: LongConnection;
  readonly signal: AbortSignal;
}

/**
 * Returns for how long writes were held back, in milliseconds. From then on the new place is in charge.
 * @throws Error when it does not succeed; the old place is in charge then
 */
export async function cutOver(move: Move, signal: AbortSignal): Promise<number> {
  const writer = await openLongConnection({ url: move.sourceUrl }, 'kedja-move');
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      signal.throwIfAborted();
      const heldMs = await tryCutOver(move, { writer, signal });
      if (heldMs !== undefined) return heldMs;
      await delay(PAUSE_MS);
    }
  } finally {
    await writer.end();
  }
  throw new Error('The copy never had everything in time: move the tenant when there is less to do');
}

async function tryCutOver(move: Move, marking: Marking): Promise<number | undefined> {
  const { source, schemas, to } = move;
  const prepared = await prepare(move);
  // What was written since is applied first, so that little is left to wait for.
  const isClose = (await mark(move, marking, Number.POSITIVE_INFINITY)) && (await mark(move, marking, CLOSE_MS));
  if (!isClose) return undefined;
  const began = performance.now();
  await source.query('BEGIN');
  try {
    await source.query(`SET LOCAL statement_timeout = ${LOCKING_MS}`);
    await source.query(`LOCK TABLE ${prepared.tables} IN EXCLUSIVE MODE`);
    await source.query('SET LOCAL statement_timeout = 0');
    const isThere = await mark(move, marking, MOST_HELD_MS - (performance.now() - began));
    if (!isThere) {
      await source.query('ROLLBACK');
      return undefined;
    }
    await copySequences(move, prepared);
    for (const schema of schemas) await setAside(source, schema, to);
    await source.query('COMMIT');
  } catch (error) {
    await source.query('ROLLBACK').catch(() => undefined);
    if (isLockedOut(error) || isTimedOut(error)) return undefined;
    throw error;
  }
  return Math.round(performance.now() - began);
}

async function prepare(move: Move): Promise<Prepared> {
  const { source, schemas } = move;
  const marker = markerOf(move);
  const tables = (await readTables(source, schemas)).map(({ schema, name }) => identifier(schema, name));
  const sequences = (await readSequences(source, schemas)).map(({ schema, name }) => identifier(schema, name));
  return {
    tables: tables.filter((table) => table !== marker).join(', '),
    sequences: sequences
      .map((name) => `SELECT ${literal(name)} AS name, last_value::text AS value, is_called FROM ${name}`)
      .join(' UNION ALL '),
  };
}

/**
 * Writes a mark and waits until it is in the copy: then everything that was committed before is, too.
 * @throws when `signal` ends it
 */
async function mark(move: Move, { writer, signal }: Marking, limitMs: number): Promise<boolean> {
  const { target } = move;
  const n = randomInt(2 ** 31);
  const until = performance.now() + limitMs;
  await writer.query(`INSERT INTO ${markerOf(move)} VALUES ($1::int)`, [n]);
  while (performance.now() < until) {
    signal.throwIfAborted();
    const { rows } = await target.query(`SELECT 1 FROM ${markerOf(move)} WHERE n = $1::int`, [n]);
    if (rows.length > 0) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** In two statements, however many there are: writes wait. */
async function copySequences({ source, target }: Move, { sequences }: Prepared): Promise<void> {
  if (sequences === '') return;
  const { rows } = await source.query<{ name: string; value: string; is_called: boolean }>(sequences);
  await target.query(
    `SELECT setval(name::regclass, value, is_called)
     FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS given (name, value, is_called)`,
    [rows.map(({ name }) => name), rows.map(({ value }) => value), rows.map(({ is_called: isCalled }) => isCalled)],
  );
}
