// The browser of tests and of the pictures of the tour.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The headless shell first: the same engine for about a quarter less processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The executable that KEDJA_TEST_CHROMIUM names, or the first in PATH. */
export function findChromium(): string | undefined {
  const named = process.env['KEDJA_TEST_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
