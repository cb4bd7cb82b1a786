// What the code that reads resources for the index is, as one text: another one whenever a file of it has changed, so
// that nobody has to remember to say so (docs/adr/0013).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The code, with all that it imports, and the tables that it reads. */
const CODE = ['./extract.ts', '../parameters/overlay.ts', '../parameters/custom-parameter.ts'];
const TABLES = ['../parameters/generated/search-parameters.json', '../../definitions/generated/r5-compartments.json'];
/** Imports of values of the project's own files. */
const IMPORT = /^(?:import|export) (?!type )[^;]*? from '(\.[^']+|#(?:lib|fhir)\/[^']+)';/gms;

let digest: string | undefined;

/** Of the code and tables as they are on disk (some milliseconds, once). */
export function extractionDigest(): string {
  digest ??= readDigest();
  return digest;
}

function readDigest(): string {
  const texts = new Map<string, string>();
  const open = CODE.map((file) => new URL(file, import.meta.url));
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (texts.has(url.pathname)) continue;
    const text = readFileSync(url, 'utf8');
    texts.set(url.pathname, text);
    for (const [, place = ''] of text.matchAll(IMPORT)) {
      open.push(place.startsWith('#') ? new URL(import.meta.resolve(place)) : new URL(place, url));
    }
  }
  for (const file of TABLES) texts.set(file, readFileSync(new URL(file, import.meta.url), 'utf8'));
  const hash = createHash('sha256');
  // Where the project lies does not matter.
  for (const text of [...texts.values()].sort()) hash.update(text);
  return hash.digest('base64url');
}
