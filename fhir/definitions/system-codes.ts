// The codes of the code systems that R5 and HL7's terminology publish in full. The file (1 MB) is read at the first
// call; the codes of a system are split on their first use.
import { readFileSync } from 'node:fs';
import type { SystemRow } from './rows.ts';

/** A code system whose codes are all known. */
export interface SystemCodes {
  readonly version: string;
  readonly has: (code: string) => boolean;
}

let rows: Map<string, SystemRow> | undefined;
const built = new Map<string, SystemCodes>();

/** Undefined for a system whose codes are not all known here. */
export function systemCodes(url: string): SystemCodes | undefined {
  const known = built.get(url);
  if (known !== undefined) return known;
  rows ??= readRows();
  const row = rows.get(url);
  if (row === undefined) return undefined;
  const created = readSystem(row);
  built.set(url, created);
  return created;
}

function readSystem([version, codes, folded]: SystemRow): SystemCodes {
  const listed = new Set((folded === undefined ? codes : codes.toLowerCase()).split('\n'));
  return { version, has: folded === undefined ? (code) => listed.has(code) : (code) => listed.has(code.toLowerCase()) };
}

function readRows(): Map<string, SystemRow> {
  const text = readFileSync(new URL('generated/r5-code-systems.json', import.meta.url), 'utf8');
  return new Map(Object.entries(JSON.parse(text) as Record<string, SystemRow>));
}
