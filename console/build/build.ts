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

/** What the gateway runs. */
const SERVER = 'server';

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
      // A first view is painted with the style sheets of all screens: they are small.
      cssCodeSplit: false,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        // What every screen needs is one file.
        output: { codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] } },
      },
    },
  });
  await build({
    root: CONSOLE_FOLDER,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    build: {
      ssr: 'src/server/render.tsx',
      outDir: path.join(folder, SERVER),
      target: 'es2022',
      minify: false,
    },
  });
  await startLater(path.join(folder, 'index.html'));
  const assets = path.join(folder, 'assets');
  await Promise.all(
    (await readdir(assets)).filter((name) => COMPRESSED.test(name)).map((name) => compress(path.join(assets, name))),
  );
}

/**
 * The page fetches the script at once, and runs it when it has painted what the gateway has rendered
 * (gateway/console/early.ts).
 * @throws Error for a page with other scripts
 */
async function startLater(file: string): Promise<void> {
  const page = await readFile(file, 'utf8');
  const later = page
    .replaceAll(/<script type="module" crossorigin src="([^"]+)"[^>]*><\/script>/g, (_, href) => {
      return `<link rel="preload" as="script" crossorigin fetchpriority="low" href="${href}" data-start>`;
    })
    .replaceAll('rel="modulepreload" crossorigin', 'rel="preload" as="script" crossorigin fetchpriority="low"');
  if (later.includes('<script') || !later.includes('data-start'))
    throw new Error('The page has scripts of another form');
  await writeFile(file, later);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await smallBrotli(content, quality));
  await writeFile(`${file}.gz`, await smallGzip(content, { level: 9 }));
}
