// The files of the built console, read once and kept in memory: less than two megabytes, compressed by the build.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsoleRenderer } from './first-view.ts';

export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  /** By encoding. */
  readonly packed: ReadonlyMap<string, Buffer>;
}

export interface ConsoleFiles {
  /** The page, in Swedish, with the places of what differs (./page.ts). */
  readonly page: string;
  /** Renders first views. */
  readonly renderer: ConsoleRenderer;
  /** By name, below `/assets/`. A name has the hash of its content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** Written by the build (console/build/build.ts). */
const RENDERER = 'server/render.js';

const PACKED: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

export async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const assets = path.join(folder, 'assets');
  const names = (await readdir(assets)).filter((name) => path.extname(name) in TYPES);
  const files = await Promise.all(
    names.map(async (name) => [name, await readConsoleFile(path.join(assets, name))] as const),
  );
  const renderer = (await import(pathToFileURL(path.join(folder, RENDERER)).href)) as ConsoleRenderer;
  return { page: await readFile(path.join(folder, 'index.html'), 'utf8'), renderer, assets: new Map(files) };
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
