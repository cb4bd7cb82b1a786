// Writes a file that appears complete or not at all.
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Readable only by its owner, as the contents are about people.
 * @throws Error in words where the file cannot be there
 */
export async function writeWhole(text: Readable, file: string, signal: AbortSignal): Promise<void> {
  // Replaces an existing file, but never a folder or a device such as /dev/null.
  if ((await stat(file).catch(() => undefined))?.isFile() === false) {
    throw new Error(`${file} is there and is no file; name a file, or - for standard output`);
  }
  const folder = dirname(resolve(file));
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) {
    throw new Error(`The folder ${folder} is not there; make it first`);
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
