// Bundles built from resources as objects (hl7.org/fhir/R5/bundle.html): for what a service makes itself. Search and
// history answers of the store are put together from texts instead (fhir/rest).
import type { Bundle, BundleEntry, FhirResource } from 'fhir/r5.js';

export interface BundleResource {
  readonly resource: FhirResource;
  /** `urn:uuid:…` or the absolute URL under which other entries refer to it. */
  readonly fullUrl: string;
}

export interface SearchsetResource extends BundleResource {
  readonly mode: 'match' | 'include' | 'outcome';
}

export interface SearchsetHead {
  /** How many match in all; left out when not known. */
  readonly total?: number;
  /** The search as it was understood (`bdl-18` demands it). */
  readonly self: string;
  /** Where the next page is. */
  readonly next?: string;
}

/** A set of resources that are sent together, such as the frozen snapshot of a request. `timestamp` is an instant. */
export function collectionBundle(timestamp: string, resources: readonly BundleResource[]): Bundle {
  const entry = resources.map(({ fullUrl, resource }): BundleEntry => ({ fullUrl, resource }));
  return { resourceType: 'Bundle', type: 'collection', timestamp, ...(entry.length === 0 ? {} : { entry }) };
}

/** The answer to a search (decision G6). */
export function searchsetBundle(head: SearchsetHead, resources: readonly SearchsetResource[]): Bundle {
  const { total, self, next } = head;
  const link: Bundle['link'] = [{ relation: 'self', url: self }];
  if (next !== undefined) link.push({ relation: 'next', url: next });
  const entry = resources.map(({ fullUrl, resource, mode }): BundleEntry => ({ fullUrl, resource, search: { mode } }));
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...(total === undefined ? {} : { total }),
    link,
    ...(entry.length === 0 ? {} : { entry }),
  };
}
