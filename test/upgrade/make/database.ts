// The server on which a state is made, and its dump by pg_dump: what the release's code has left, and not what
// migrations of today would make.
import { env } from 'node:process';
import pg from 'pg';
import { testServer } from '#test/support/database/server.ts';
import { output, succeed } from '../../../scripts/image/builder.ts';

/** Rows of one statement. The whole dump is one query to the server that is filled. */
const ROWS = 100;
/** Commands of psql, and a setting that servers before PostgreSQL 17 do not know. */
const NOT_SQL = /^(?:\\(?:un)?restrict .*|SET transaction_timeout = 0;)\n/gm;

/** Takes the server that pg_virtualenv has started, unless a variable of ours names one. */
export function useEnvironment(): void {
  const { PGHOST = 'localhost', PGPORT, PGUSER = 'postgres', PGPASSWORD = '' } = env;
  if (PGPORT === undefined || env['KEDJA_TEST_DATABASE_URL'] !== undefined) return;
  const account = [PGUSER, PGPASSWORD].map(encodeURIComponent).join(':');
  const host = PGHOST.startsWith('/') ? 'localhost' : PGHOST;
  env['KEDJA_TEST_DATABASE_URL'] = `postgresql://${account}@${host}:${PGPORT}/postgres`;
}

/** @throws Error in words when pg_dump is missing or older than the server */
export async function requireServer(): Promise<void> {
  const { stdout, code } = await output('pg_dump', ['--version']);
  if (code !== 0) throw new Error('There is no pg_dump: install the client programs of PostgreSQL');
  const dump = Number(/(\d+)(?:\.\d+|devel|beta|rc)/.exec(stdout)?.[1]);
  const client = new pg.Client({ connectionString: (await testServer()).adminUrl });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  await client.end();
  const server = Number.parseInt(rows[0]?.server_version ?? '', 10);
  if (dump >= server) return;
  throw new Error(
    `pg_dump is of PostgreSQL ${dump} and the server of ${server}. Put pg_virtualenv before the command, or see --help`,
  );
}

/** SQL that fills an empty database of any PostgreSQL that Kedja takes. */
export async function dumpDatabase(url: string): Promise<string> {
  const rows = ['--inserts', `--rows-per-insert=${ROWS}`];
  const dump = await succeed('pg_dump', ['--no-owner', '--no-privileges', '--encoding=UTF8', ...rows, url]);
  return dump.replace(NOT_SQL, '');
}

/** Tables of the dump without a row, partitions apart: what the state says nothing about. */
export function emptyTables(dump: string): string[] {
  const named = (pattern: RegExp) => [...dump.matchAll(pattern)].map(([, name = '']) => name);
  const parents = new Set(named(/^CREATE TABLE (\S+) \([^;]*\)\nPARTITION BY/gm));
  const filled = new Set(named(/^INSERT INTO (\S+) /gm));
  return named(/^CREATE TABLE (\S+) \(/gm).filter((name) => !filled.has(name) && !parents.has(name));
}
