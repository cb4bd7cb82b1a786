// Builds the console into a folder: Vite makes the files, and each is compressed beside itself, once and as small as
// can be (docs/adr/0093).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { CONSOLE_FOLDER } from './sources.ts';

/** In the place of the nonce that the gateway makes for each page. */
const NONCE = '__NONCE__';

const COMPRESSED = /\.(?:js|css|svg)$/;
const smallGzip = promisify(gzip);
const smallBrotli = promisify(brotliCompress);

/** @throws Error of Vite for sources that cannot be built */
export async function buildConsole(folder: string): Promise<void> {
  await build({
    root: CONSOLE_FOLDER,
    configFile: false,
    logLevel: 'error',
    html: { cspNonce: NONCE },
    // A worker loads what it needs later, as pages do.
    worker: { format: 'es' },
    build: {
      outDir: folder,
      emptyOutDir: false,
      // A file within another would need `data:` in the policy.
      assetsInlineLimit: 0,
      target: 'es2022',
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
    },
  });
  const assets = path.join(folder, 'assets');
  await Promise.all(
    (await readdir(assets)).filter((name) => COMPRESSED.test(name)).map((name) => compress(path.join(assets, name))),
  );
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await smallBrotli(content, quality));
  await writeFile(`${file}.gz`, await smallGzip(content, { level: 9 }));
}
