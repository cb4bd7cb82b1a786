// The hash by which two sides compare a resource. It covers the content without each server's own metadata (version,
// time, source) and without the order of members. The digits of decimals count.
import { parseExactJson } from '#fhir/json/exact-json.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { isLong } from '#fhir/store/threads.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import { createSlices } from '#lib/jobs/slices.ts';

/** Members of `meta` that each server sets itself. */
const OWN_META = new Set(['versionId', 'lastUpdated', 'source']);

/** 32 bytes, equal for equal resources. @throws SyntaxError when the text is not JSON */
export function contentHash(text: string): Buffer {
  const resource = parseExactJson(text);
  const { meta, ...rest } = { ...(resource as { meta?: unknown }) };
  const kept = Object.entries({ ...(meta as object | undefined) }).filter(([name]) => !OWN_META.has(name));
  const compared = kept.length === 0 ? rest : { ...rest, meta: Object.fromEntries(kept) };
  return sha256(canonical(compared));
}

/** A task for a worker thread, which returns the hash in hexadecimal digits. */
export interface HashWork {
  readonly kind: 'hash';
  readonly text: string;
}

/** As {@link contentHash}, without blocking the event loop. */
export type ContentHasher = (text: string) => Promise<Buffer>;

/** Long texts are hashed in a thread, the others in slices. Without threads each is hashed in one turn. */
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

/** Returns JSON with sorted members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || isRaw(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** Whether a value is a number with its written digits (fhir/json/exact-json.ts). */
function isRaw(value: object): boolean {
  return Object.getPrototypeOf(value) === null && 'rawJSON' in value;
}
