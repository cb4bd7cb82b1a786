// Computes the keys of names, systems, ids and URLs in the search index: numbers and UUIDs. They are hashes of the
// text, so that neither writes nor searches need a lookup, a lock or a cache shared by nodes (docs/adr/0004).
import { createHash } from 'node:crypto';
import { isGuid } from '#lib/guid.ts';

const MAX_CACHED = 20_000;
const names = new Map<string, number>();
const systems = new Map<string, string>();
const digests = new Map<string, string>();

/** The signed 32-bit key (FNV-1a) of a resource type (`Patient`) or parameter (`Patient.name`, `Patient.name:text`). */
export function nameKey(name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  addToCache(names, name, hash | 0);
  return hash | 0;
}

/** The signed 64-bit key of a code system as decimal text; `0` for none. */
export function systemKey(system: string | undefined): string {
  if (system === undefined || system === '') return '0';
  const known = systems.get(system);
  if (known !== undefined) return known;
  const key = createHash('sha256').update(system).digest().readBigInt64BE(0).toString();
  addToCache(systems, system, key);
  return key;
}

/**
 * The uuid under which a resource with this id is stored: the id itself when it is a UUID, else a UUIDv8 of its digest.
 * (A client's own UUIDv8 is hashed too, so that it cannot collide with another id.)
 */
export function resourceKey(id: string): string {
  return isGuid(id) && id[14] !== '8' ? id : digestGuid(`id:${id}`);
}

/** The UUID of a URL on another server (absolute URL, `urn:uuid:…`). */
export function urlKey(url: string): string {
  return digestGuid(`url:${url}`);
}

function digestGuid(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const guid = createDigestGuid(text);
  addToCache(digests, text, guid);
  return guid;
}

function createDigestGuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function addToCache<V>(cache: Map<string, V>, key: string, value: V): void {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, value);
}
