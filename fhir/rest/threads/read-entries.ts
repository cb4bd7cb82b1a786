// Parses the entries of a large bundle in a worker thread. It sends them in pieces, each of which the main thread
// handles without a pause.

import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { entryResources, type ResourceText, readEntryResource } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireFew } from '../bundle/entry-count.ts';
import type { ReadEntry } from './tasks.ts';

/** UTF-16 units of the resources in a piece, unless a single one is longer. */
const PIECE = 64 * 1024;
const MOST_ENTRIES = 100;
/** UTF-16 units of an entry without its resource. */
const MAX_ENTRY = 64 * 1024;

/** UTF-16 units of the address of the next page. */
const MAX_URL = 8 * 1024;

/** JSON of the members of a bundle that are read beside its entries: type, total and next page. */
export function headOf({ resourceType, resource }: ResourceText): string {
  const { type, total, link } = resource;
  const next = (Array.isArray(link) ? link : []).filter(isJsonObject).find(({ relation }) => relation === 'next');
  const url = next?.['url'];
  return JSON.stringify({
    resourceType,
    type: typeof type === 'string' ? type.slice(0, 100) : undefined,
    total: typeof total === 'number' ? total : undefined,
    link: typeof url === 'string' && url.length <= MAX_URL ? [{ relation: 'next', url }] : undefined,
  });
}

/** @throws ServiceError `invalid_request` for more entries than a bundle may have */
export function* readEntriesOf(bundle: ResourceText): Generator<readonly ReadEntry[], void, void> {
  const given: unknown = bundle.resource['entry'] ?? [];
  const entries = requireFew(given);
  const resources = entryResources(bundle);
  let piece: ReadEntry[] = [];
  let length = 0;
  for (const [index, entry] of entries.entries()) {
    const own = readOne(bundle, entry, resources[index]);
    piece.push(own);
    length += own.resource !== undefined && 'text' in own.resource ? own.resource.text.length : 0;
    if (length < PIECE && piece.length < MOST_ENTRIES) continue;
    yield piece;
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield piece;
}

function readOne(bundle: ResourceText, given: unknown, found: ReturnType<typeof entryResources>[number]): ReadEntry {
  const entry = isJsonObject(given) ? withoutResource(given) : null;
  if (found === undefined) return { entry, resource: undefined };
  try {
    const { text, resourceType, members } = readEntryResource(bundle, found);
    if (members.length > 1_000) return { entry, resource: { issue: 'the resource has more than 1,000 members' } };
    return { entry, resource: { text, resourceType, members } };
  } catch (error) {
    if (error instanceof ServiceError) return { entry, resource: { issue: error.message } };
    throw error;
  }
}

/** An entry that is too long becomes null, which is refused. */
function withoutResource({ resource: _, ...entry }: Record<string, unknown>): unknown {
  return JSON.stringify(entry).length <= MAX_ENTRY ? entry : null;
}
