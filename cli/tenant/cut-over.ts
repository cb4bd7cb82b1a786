// The end of a move: writes wait until the copy has everything, for at most a second and a half; then the old tables
// are set aside and the file names the new place. Where the copy is not there in time, writes go on, and it is tried
// again.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isLockedOut } from '#lib/db/failure.ts';
import { openLongConnection } from '#lib/db/long-connection.ts';
import { identifier, quoted, readSequences, readTables } from '../backup/catalog.ts';
import { asideOf, type Move, markerOf } from './ends.ts';
import { finish, putBack } from './replication.ts';

const LOCK_TIMEOUT = '500ms';
const MOST_HELD_MS = 1_500;
const ATTEMPTS = 30;
const PAUSE_MS = 500;
const POLL_MS = 10;

/** Returns for how long writes were held back, in milliseconds. @throws Error when it does not succeed */
export async function cutOver(move: Move, signal: AbortSignal, writeFile: () => Promise<void>): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    signal.throwIfAborted();
    // What was written since is applied first, so that little is left to wait for.
    await mark(move, Number.POSITIVE_INFINITY);
    const heldMs = await tryCutOver(move, writeFile);
    if (heldMs !== undefined) return heldMs;
    await delay(PAUSE_MS);
  }
  throw new Error('The copy never had everything in time: move the tenant when there is less to do');
}

async function tryCutOver(move: Move, writeFile: () => Promise<void>): Promise<number | undefined> {
  const { source, schemas } = move;
  const tables = await readTables(source, schemas);
  const marker = markerOf(move);
  const held = tables.map(({ schema, name }) => identifier(schema, name)).filter((table) => table !== marker);
  const began = performance.now();
  await source.query('BEGIN');
  try {
    await source.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await source.query(`LOCK TABLE ${held.join(', ')} IN EXCLUSIVE MODE`);
    const isThere = await mark(move, MOST_HELD_MS - (performance.now() - began));
    if (!isThere) {
      await source.query('ROLLBACK');
      return undefined;
    }
    await copySequences(move);
    for (const schema of schemas)
      await source.query(`ALTER SCHEMA ${quoted(schema)} RENAME TO ${quoted(asideOf(schema))}`);
    await source.query('COMMIT');
  } catch (error) {
    await source.query('ROLLBACK').catch(() => undefined);
    if (isLockedOut(error)) return undefined;
    throw error;
  }
  try {
    await finish(move);
    await writeFile();
  } catch (error) {
    await putBack(move);
    throw error;
  }
  return Math.round(performance.now() - began);
}

/** Writes a mark and waits until it is in the copy: then everything that was committed before is, too. */
async function mark(move: Move, limitMs: number): Promise<boolean> {
  const { target, sourceUrl } = move;
  const n = randomInt(2 ** 31);
  const until = performance.now() + limitMs;
  // The other connection is in the transaction that holds the tables.
  const writer = await openLongConnection({ url: sourceUrl }, 'kedja-move');
  try {
    await writer.query(`INSERT INTO ${markerOf(move)} VALUES ($1)`, [n]);
  } finally {
    await writer.end();
  }
  while (performance.now() < until) {
    const { rows } = await target.query(`SELECT 1 FROM ${markerOf(move)} WHERE n = $1`, [n]);
    if (rows.length > 0) return true;
    await delay(POLL_MS);
  }
  return false;
}

async function copySequences({ source, target, schemas }: Move): Promise<void> {
  for (const { schema, name, last_value: value, is_called: isCalled } of await readSequences(source, schemas))
    await target.query('SELECT setval($1::regclass, $2::bigint, $3)', [identifier(schema, name), value, isCalled]);
}
