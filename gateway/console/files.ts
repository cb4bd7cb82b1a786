// The files of the built console, read once and kept in memory: less than two megabytes, compressed by the build.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  /** By encoding. */
  readonly packed: ReadonlyMap<string, Buffer>;
}

export interface ConsoleFiles {
  /** The page, in Swedish, with the places for its nonce and its text without scripts. */
  readonly page: string;
  /** By name, below `/assets/`. A name has the hash of its content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const PACKED: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

export async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const assets = path.join(folder, 'assets');
  const names = (await readdir(assets)).filter((name) => path.extname(name) in TYPES);
  const files = await Promise.all(
    names.map(async (name) => [name, await readConsoleFile(path.join(assets, name))] as const),
  );
  return { page: await readFile(path.join(folder, 'index.html'), 'utf8'), assets: new Map(files) };
}

async function readConsoleFile(file: string): Promise<ConsoleFile> {
  const packed = await Promise.all(
    Object.entries(PACKED).map(async ([encoding, ending]) => {
      const content = await readFile(file + ending).catch(() => undefined);
      return content === undefined ? [] : [[encoding, content] as const];
    }),
  );
  const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
  return { type, plain: await readFile(file), packed: new Map(packed.flat()) };
}
