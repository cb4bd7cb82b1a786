// Loads the renderer into a test: its files are TSX, which Vite reads as it does for browsers.
import path from 'node:path';
import { createServer } from 'vite';

const CONSOLE_FOLDER = path.join(import.meta.dirname, '../../..');

/** @throws Error of Vite for sources that cannot be read */
export async function loadRenderer(hooks: { after(end: () => Promise<void>): void }) {
  const vite = await createServer({
    root: CONSOLE_FOLDER,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  hooks.after(() => vite.close());
  return (await vite.ssrLoadModule('/src/forms/testing/markup.tsx')) as typeof import('./markup.tsx');
}
