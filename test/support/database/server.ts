// The PostgreSQL server of a test run: the one given by KEDJA_TEST_DATABASE_URL, or an embedded one in a temporary
// folder. Its guard removes the folder when the starting process ends, also after Ctrl-C or SIGKILL. On a given server
// the templates stay, for the next run.
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseAccount, mayAccess } from '#lib/db/embedded/account.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';

export interface TestServer {
  /** May create databases and roles. */
  readonly adminUrl: string;
  /** The account of services: no superuser, when the server is ours. */
  readonly serviceUrl: string;
}

const ADMIN_VARIABLE = 'KEDJA_TEST_DATABASE_URL';
const SERVICE_VARIABLE = 'KEDJA_TEST_SERVICE_URL';

interface OwnServer extends TestServer {
  stop(): Promise<void>;
}

let own: Promise<OwnServer> | undefined;

/** The run's server; a test file that is run alone starts its own at the first call. */
export function testServer(): Promise<TestServer> {
  const adminUrl = process.env[ADMIN_VARIABLE];
  if (adminUrl !== undefined)
    return Promise.resolve({ adminUrl, serviceUrl: process.env[SERVICE_VARIABLE] ?? adminUrl });
  own ??= startTestServer();
  return own;
}

/** Starts the server for all test files of a run, which inherit its address by their environment. */
export async function shareTestServer(): Promise<void> {
  const { adminUrl, serviceUrl } = await testServer();
  process.env[ADMIN_VARIABLE] = adminUrl;
  process.env[SERVICE_VARIABLE] = serviceUrl;
}

/** Ends the server that this process started, if it did. */
export async function stopTestServer(): Promise<void> {
  await (await own)?.stop();
}

/** An empty folder that the account of PostgreSQL can enter. */
export async function temporaryDataDir(): Promise<string> {
  const account = await chooseAccount();
  const parent = (await mayAccess(account, '-x', tmpdir())) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(path.join(parent, 'kedja-test-'));
  await chmod(folder, 0o711);
  return folder;
}

async function startTestServer(): Promise<OwnServer> {
  const server = await startEmbeddedPostgres({
    dataDir: await temporaryDataDir(),
    log: () => {},
    databases: [],
    durable: false,
    temporary: true,
  });
  return { adminUrl: server.adminUrl, serviceUrl: server.url('postgres'), stop: server.stop };
}
