// Bundles put together from the resources' texts, which are never parsed on the way (hl7.org/fhir/R5/bundle.html).
import { newGuid } from '#lib/guid.ts';

export interface BundleEntry {
  readonly fullUrl: string;
  /** JSON text; undefined for the mark of a deletion. */
  readonly resource: string | undefined;
  readonly search?: { readonly mode: 'match' | 'include' | 'outcome' };
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: { readonly status: string; readonly etag: string; readonly lastModified: string };
}

export interface BundleHead {
  readonly type: 'searchset' | 'history';
  readonly total: number | undefined;
  readonly links: readonly { readonly relation: string; readonly url: string }[];
  readonly timestamp: Date;
}

export function bundleText(head: BundleHead, entries: readonly BundleEntry[]): string {
  const { type, total, links, timestamp } = head;
  const start = JSON.stringify({
    resourceType: 'Bundle',
    id: newGuid(),
    type,
    timestamp: timestamp.toISOString(),
    total,
    link: links,
  });
  if (entries.length === 0) return start;
  let text = `${start.slice(0, -1)},"entry":[`;
  // Grown, not joined: the resources' texts are copied once, when all of it is written out.
  for (const [index, entry] of entries.entries()) text += index === 0 ? entryText(entry) : `,${entryText(entry)}`;
  return `${text}]}`;
}

function entryText(entry: BundleEntry): string {
  const { fullUrl, resource, search, request, response } = entry;
  if (search !== undefined && resource !== undefined && request === undefined && response === undefined) {
    // What nearly every entry of a search is.
    return `{"fullUrl":${JSON.stringify(fullUrl)},"resource":${resource},"search":{"mode":"${search.mode}"}}`;
  }
  const others = JSON.stringify({ search, request, response }).slice(1, -1);
  const body = resource === undefined ? '' : `,"resource":${resource}`;
  return `{"fullUrl":${JSON.stringify(fullUrl)}${body}${others === '' ? '' : `,${others}`}}`;
}
