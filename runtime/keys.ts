// Keys that nobody configured: made once, at first need, in the data folder, readable by its owner alone. Nodes of one service
// share them by sharing the folder (or a copy of it).
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';

const KEY_BYTES = 32;

export interface KeyFolder {
  /** The 32-byte key of that name, made when there is none; the same for every process that uses the folder. */
  key(name: string): Promise<Buffer>;
  /** The same key, never made: for commands that work on what nodes have written. @throws Error when there is none */
  existingKey(name: string): Promise<Buffer>;
  /** The credentials of a client of this folder: one of its services, or a relying application. */
  clientCredentials<Id extends string>(
    kind: 'service' | 'client',
    clientId: Id,
  ): Promise<ServiceCredentials & { readonly clientId: Id }>;
}

export function openKeyFolder(dataDir: string): KeyFolder {
  const folder = path.join(dataDir, 'keys');

  async function key(name: string): Promise<Buffer> {
    const file = path.join(folder, `${name}.key`);
    const known = await readKey(file);
    if (known !== undefined) return known;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await placeOnce(file, randomBytes(KEY_BYTES).toString('base64'));
    const placed = await readKey(file);
    if (placed === undefined) throw new Error(`The key file ${file} cannot be made`);
    return placed;
  }

  async function existingKey(name: string): Promise<Buffer> {
    const file = path.join(folder, `${name}.key`);
    const known = await readKey(file);
    if (known !== undefined) return known;
    throw new Error(
      `There is no ${file}; KEDJA_DATA_DIR must be the data folder that the nodes use, or a copy of its keys`,
    );
  }

  return {
    key,
    existingKey,
    clientCredentials: async (kind, clientId) => ({
      clientId,
      clientSecret: (await key(`${kind}-${clientId}`)).toString('base64url'),
    }),
  };
}

/** @throws Error when the file is there and holds no key */
async function readKey(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`The key file ${file} is damaged: it must hold 32 bytes in base64`);
  return bytes;
}

/** Of several processes that make the same key at once, one wins, and no reader ever sees half a file. */
async function placeOnce(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
}
