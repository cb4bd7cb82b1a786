// A file that is there whole or not at all.
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Readable by its owner alone, since what is written is about people. */
export async function writeWhole(text: Readable, file: string, signal: AbortSignal): Promise<void> {
  // The new file takes the place of what has the name: of a file, but never of a folder or of a device such as
  // /dev/null.
  if ((await stat(file).catch(() => undefined))?.isFile() === false) {
    throw new Error(`${file} is there and is no file; name a file, or - for standard output`);
  }
  const draft = `${file}.${process.pid}.part`;
  try {
    await pipeline(text, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }), { signal });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
