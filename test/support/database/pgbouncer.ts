// A PgBouncer before a test database, which gives each transaction a connection (pgbouncer.org/config.html). The
// program is `pgbouncer` of the path, or that of KEDJA_TEST_PGBOUNCER.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hooks } from '../hooks.ts';
import { freePorts } from '../system/free-ports.ts';

const PROGRAM = process.env['KEDJA_TEST_PGBOUNCER'] ?? 'pgbouncer';
/** The distributions put it beside the programs of administrators. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;
/** The first version that keeps prepared statements from one transaction to the next. */
const KEEPS_STATEMENTS = 21;

/**
 * PgBouncer's version as [major, minor]; undefined when it is not installed.
 * @throws Error when it is not installed where `CI` is `true`
 */
export function pgBouncerVersion(): [major: number, minor: number] | undefined {
  const { stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8', env: { PATH } });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  if (major !== undefined) return [Number(major), Number(minor)];
  if (process.env['CI'] === 'true') throw new Error('PgBouncer is not installed');
  return undefined;
}

/** Whether this PgBouncer keeps prepared statements. */
export function keepsStatements([major, minor]: readonly [number, number]): boolean {
  return major > 1 || minor >= KEEPS_STATEMENTS;
}

/**
 * Starts it in a folder of its own, on a free port of the loopback interface. `settings` are those of its file.
 * @returns the database's address through it
 */
export async function startPgBouncer(
  hooks: Hooks,
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<string> {
  const target = new URL(databaseUrl);
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  const name = target.pathname.slice(1);
  const to = `host=${target.hostname} port=${target.port} dbname=${name} user=${target.username} password=${target.password}`;
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    // The service's own name and password are in the line of the database.
    auth_type: 'any',
    pool_mode: 'transaction',
    max_client_conn: 1000,
    ...settings,
    // It does not run as root.
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  };
  const lines = Object.entries(all).map(([key, value]) => `${key} = ${value}`);
  await writeFile(file, `[databases]\n${name} = ${to}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const child = spawn(PROGRAM, ['--quiet', file], { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH } });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(child, 'exit');
  hooks.after(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
    await delay(20);
  }
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
