// A digest of the code that extracts index rows from resources. It changes whenever one of the files changes, so that a
// reindex needs no version number by hand (docs/adr/0013).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The entry file, whose imports are followed, and the tables that the code reads. */
const CODE = ['./extract.ts', '../parameters/overlay.ts', '../parameters/custom-parameter.ts'];
const TABLES = ['../parameters/generated/search-parameters.json', '../../definitions/generated/r5-compartments.json'];
/** Value imports of the project's own files. */
const IMPORT = /^(?:import|export) (?!type )[^;]*? from '(\.[^']+|#(?:lib|fhir)\/[^']+)';/gms;

let digest: string | undefined;

/** The digest of the code and tables on disk (some milliseconds, computed once). */
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
  // The sorted texts without their paths: the digest does not depend on the installation folder.
  for (const text of [...texts.values()].sort()) hash.update(text);
  return hash.digest('base64url');
}
