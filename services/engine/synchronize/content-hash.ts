// Whether two sides have the same resource: told by its content, without what each server keeps of its own (version,
// time, source), and without the order of members, which JSON does not count. The digits of decimals count.
import { createHash } from 'node:crypto';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { isLong } from '#fhir/store/threads.ts';
import { createSlices } from '#lib/jobs/slices.ts';

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

/** What a thread is asked for; it gives the hash in hexadecimal digits. */
export interface HashWork {
  readonly kind: 'hash';
  readonly text: string;
}

/** As {@link contentHash}, without holding up others. */
export type ContentHasher = (text: string) => Promise<Buffer>;

/** Long texts are hashed in a thread, the others in slices; all at once where there are no threads. */
export function createContentHasher(
  workerThreads: Pick<WorkerThreads, 'perform' | 'patientBudget'> | undefined,
): ContentHasher {
  const slices = createSlices();
  return async (text) => {
    await slices.rest();
    if (workerThreads === undefined || !isLong({ text })) return contentHash(text);
    const work: HashWork = { kind: 'hash', text };
    return Buffer.from(String(await workerThreads.perform(work, workerThreads.patientBudget(undefined))), 'hex');
  };
}

/** JSON with its members in one order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || isRaw(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** A number that is kept as it was written (fhir/json/exact-json.ts). */
function isRaw(value: object): boolean {
  return Object.getPrototypeOf(value) === null && 'rawJSON' in value;
}
