// Whether two sides have the same resource: told by its content, without what each server keeps of its own (version, time, source), and
// without the order of members, which JSON does not count. The digits of decimals count.
import { createHash } from 'node:crypto';
import { parseExactJson } from '#lib/fhir/exact-json.ts';

/** Members of `meta` that are each server's own. */
const OWN_META = new Set(['versionId', 'lastUpdated', 'source']);

/** 32 bytes, equal for equal resources. @throws SyntaxError when the text is no JSON */
export function contentHash(text: string): Buffer {
  const resource = parseExactJson(text);
  const { meta, ...rest } = { ...(resource as { meta?: unknown }) };
  const kept = Object.entries({ ...(meta as object | undefined) }).filter(([name]) => !OWN_META.has(name));
  const compared = kept.length === 0 ? rest : { ...rest, meta: Object.fromEntries(kept) };
  return createHash('sha256').update(canonical(compared)).digest();
}

/** JSON with its members in one order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || isRaw(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** A number that is kept as it was written (lib/fhir/exact-json.ts). */
function isRaw(value: object): boolean {
  return Object.getPrototypeOf(value) === null && 'rawJSON' in value;
}
