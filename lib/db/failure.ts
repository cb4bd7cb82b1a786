// Classifies PostgreSQL errors: the database is unavailable (503, decision G2), the transaction may be retried, or a
// unique index refused a row. Codes: postgresql.org/docs/18/errcodes-appendix.html.
import pg from 'pg';
import { ServiceError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** Classes 08 (connection), 53 (resources), 58 (system error of the host). */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '58']);

/** Statement timeout, or cancelled by an operator. */
const TIMED_OUT = '57014';

const UNAVAILABLE_CODES = new Set([
  '25006', // a connection to what is now a standby: it must be dropped
  '25P03', // idle in transaction for too long: the server closed the connection
  TIMED_OUT,
  '57P01', // administrator shut down
  '57P02', // crash of another backend
  '57P03', // starting up or shutting down
  '57P04', // database dropped
  '57P05', // idle session timeout
]);

const DISK_FULL = '53100';

const RETRYABLE_CODES = new Set(['40001', '40P01']);

/** `internal_error` */
const INTERNAL = 'XX000';

/**
 * What Citus says, as an internal error, when a node is gone: libpq's words, or that the node did not commit
 * (docs/operations/citus.md).
 */
const LOST_NODE =
  /^(?:server closed the connection unexpectedly|could not (?:receive data from|send data to) server|SSL connection has been closed|no connection to the server|connection not open|could not commit transaction for shard|failure on connection marked as essential)/;

/** The node that a server of Citus could not reach, as `host:port`; by the error or by its cause. */
export function lostNodeOf(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!(cause instanceof pg.DatabaseError)) return undefined;
  return /^(?:connection to the remote node [^\s@]+@|failure on connection marked as essential: )(\S+:\d+)/.exec(
    cause.message,
  )?.[1];
}

/** What `pg` says, without a code, when its connection is no longer usable. */
const LOST_CONNECTION =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired)/;

/**
 * True when the failure means that the connection or the server is gone or overloaded, and not that the statement is
 * wrong.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    if (error.severity === 'FATAL' || error.severity === 'PANIC') return true;
    const code = error.code ?? '';
    if (code === INTERNAL) return LOST_NODE.test(error.message);
    return UNAVAILABLE_CODES.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2));
  }
  if (!(error instanceof Error)) return false;
  return 'syscall' in error || LOST_CONNECTION.test(error.message);
}

/** What `pg` and its pool say when a connection was not made in time. */
const CONNECT_TIMEOUT =
  /^(?:timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;

/** Whether a connection was not made in time, by the error or by its cause. */
export function isConnectTimeout(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error && CONNECT_TIMEOUT.test(cause.message);
}

/** `too_many_connections`: of the server, the database or the role. */
const TOO_MANY_CONNECTIONS = '53300';

/** Whether the server has all the connections that it allows. */
export function isTooManyConnections(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS;
}

const UNREACHABLE = 'The database cannot be reached at the moment; try again shortly';
const MESSAGES: ReadonlyMap<string | undefined, string> = new Map([
  [TIMED_OUT, 'The database took too long and was stopped; ask for less at once, or try again later'],
  [DISK_FULL, 'The database can store nothing at the moment, as its disk is full; what is stored can be read'],
]);

/** Whether a statement took too long for the server, or was ended by an operator: it would elsewhere, too. */
export function isTimedOut(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code === TIMED_OUT;
}

/** The 503 that a caller sees; the driver's error is its `cause` (for the log). */
export function unavailable(cause: unknown): ServiceError {
  const code = cause instanceof pg.DatabaseError ? cause.code : undefined;
  return new ServiceError('unavailable', MESSAGES.get(code) ?? UNREACHABLE, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

/**
 * True for a serialization failure or a deadlock: the transaction has been rolled back and may be run again from its
 * start.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return RETRYABLE_CODES.has(error.code ?? '');
  return error instanceof ServiceError && error.cause !== undefined && isRetryable(error.cause);
}

/** True when a text holds what PostgreSQL stores in no text: U+0000, or bytes that are no UTF-8. */
export function isUnstorableText(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '22021';
}

/** True for a violated foreign key: the referenced row is absent, or the row to delete is still referenced. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** True when Citus divided a statement, and a part has parameters whose type is not known there. */
export function isDivided(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P18';
}

/**
 * Citus appends the number of its part of a table to the names of constraints; it has six digits or more. It hands on
 * the message of its node alone, which quotes the name.
 */
const SHARD = /_\d{6,}$/;

/** True when a row was refused by a unique index or primary key; with `constraint`, only by the one of that name. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return false;
  const violated = error.constraint ?? /"([^"]+)"/.exec(error.message)?.[1];
  return constraint === undefined || violated?.replace(SHARD, '') === constraint;
}

/** `lock_not_available`, `deadlock_detected`. */
const BUSY_CODES = new Set(['55P03', '40P01']);

/** True when others held what a statement wanted to lock. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof pg.DatabaseError && BUSY_CODES.has(error.code ?? '');
}

/** `undefined_table`, `undefined_function`, `invalid_schema_name`. */
const GONE_CODES = new Set(['42P01', '42883', '3F000']);

/** True when the tables of a statement are not there. */
export function isGone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && GONE_CODES.has(error.code ?? '');
}
