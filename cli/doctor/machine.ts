// `kedja doctor` on this machine: Node.js, disk space, the data folder.
import { access, constants, statfs } from 'node:fs/promises';
import path from 'node:path';
import { VERSION } from '../../runtime/version.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const MIB = 2 ** 20;
/** Below this PostgreSQL soon stops: its log alone may grow by more. */
const TOO_LITTLE_BYTES = 512 * MIB;
const LITTLE_BYTES = 5 * 1024 * MIB;
/** Of all. */
const LITTLE_SHARE = 0.1;
const LITTLE_FILES = 0.02;

export function versionFinding(): Finding {
  return fine('versions.here', `Kedja ${VERSION} on Node.js ${process.versions.node}`);
}

/** Checks the data folder; one that is not there is made at the first start, in the nearest folder above it. */
export async function checkDataFolder(dataDir: string): Promise<Finding[]> {
  const folder = await nearest(path.resolve(dataDir));
  const findings: Finding[] = [];
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const advice = 'Make it writable for the account of Kedja, or run this as that account';
    findings.push(
      fail('disk.folder', `The data folder ${dataDir} cannot be written here: ${folder} is closed`, advice),
    );
  }
  const space = await statfs(folder).catch(() => undefined);
  if (space !== undefined) findings.push(spaceFinding(folder, space));
  return findings;
}

async function nearest(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code !== 'ENOENT';
    return isThere || path.dirname(folder) === folder ? folder : nearest(path.dirname(folder));
  }
}

export interface FileSystem {
  readonly bsize: number;
  /** In blocks, for accounts other than root. */
  readonly bavail: number;
  readonly blocks: number;
  /** In files. */
  readonly ffree: number;
  readonly files: number;
}

/** What the free space of a file system means. */
export function spaceFinding(folder: string, { bsize, bavail, blocks, ffree, files }: FileSystem): Finding {
  const bytes = bsize * bavail;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const free = `${(bytes / 1024 / MIB).toFixed(1)} GiB (${Math.floor(share * 100)} %) are free at ${folder}`;
  const advice = 'Make room, or enlarge the disk';
  if (bytes < TOO_LITTLE_BYTES) return fail('disk.full', free, advice);
  if (bytes < LITTLE_BYTES && share < LITTLE_SHARE) return warn('disk.low', free, advice);
  if (files > 0 && ffree / files < LITTLE_FILES) {
    return warn(
      'disk.files',
      `Only ${ffree} more files fit at ${folder}`,
      'Remove files, or make a file system with more inodes',
    );
  }
  return fine('disk.space', free);
}
