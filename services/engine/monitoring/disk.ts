// Whether there is room on the disk that the service writes to (decision E12).
import { statfs } from 'node:fs/promises';
import type { Health } from './schema.ts';

/**
 * What a file system tells of itself: the bytes of a block, how many there are, and how many may still be used without
 * being root.
 */
export interface DiskFigures {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
}

export interface WatchedDisk {
  /** A folder on it; the working folder when left out. */
  readonly diskPath?: string;
  /** How the figures of the folder's disk are read; from the system when left out. */
  readonly readDisk?: (folder: string) => Promise<DiskFigures>;
}

const LOW = 0.05;

/** Degraded where less than a twentieth is free, or nobody can tell. */
export async function examineDisk({
  diskPath = '.',
  readDisk = statfs,
}: WatchedDisk): Promise<Health['checks']['disk']> {
  try {
    const { bsize, bavail, blocks } = await readDisk(diskPath);
    const status = bavail < blocks * LOW ? 'degraded' : 'ok';
    return { status, free_bytes: bavail * bsize, total_bytes: blocks * bsize };
  } catch {
    return { status: 'degraded', free_bytes: null, total_bytes: null };
  }
}
