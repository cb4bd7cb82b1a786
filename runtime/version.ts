// The version of this release, from package.json.
import { readFileSync } from 'node:fs';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

export const VERSION = readVersion(manifest);

function readVersion(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string') {
    return value.version;
  }
  throw new Error('package.json names no version');
}
