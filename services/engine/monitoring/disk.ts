// Checks the free space of the disk that the service writes to (decision E12).
import { statfs } from 'node:fs/promises';
import type { Health } from './schema.ts';

/**
 * The figures of a file system. They are the size of a block in bytes, the number of blocks, and the number free for
 * users other than root.
 */
export interface DiskFigures {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
}

export interface WatchedDisk {
  /** A folder on the disk; the working folder when left out. */
  readonly diskPath?: string;
  /** Reads the figures of the folder's disk; from the operating system when left out. */
  readonly readDisk?: (folder: string) => Promise<DiskFigures>;
}

const LOW = 0.05;

export const UNKNOWN_DISK: Health['checks']['disk'] = { status: 'degraded', free_bytes: null, total_bytes: null };

/** The disk is degraded when less than a twentieth is free, or when it cannot be read. */
export async function checkDisk({ diskPath = '.', readDisk = statfs }: WatchedDisk): Promise<Health['checks']['disk']> {
  try {
    const { bsize, bavail, blocks } = await readDisk(diskPath);
    const status = bavail < blocks * LOW ? 'degraded' : 'ok';
    return { status, free_bytes: bavail * bsize, total_bytes: blocks * bsize };
  } catch {
    return UNKNOWN_DISK;
  }
}
