// Builds Bundles from resources as objects (hl7.org/fhir/R5/bundle.html), for resources that a service creates itself.
// Search and history responses of the store are assembled from texts instead (fhir/rest).
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
  /** The number of all matches; left out when unknown. */
  readonly total?: number;
  /** The search as the server read it (required by `bdl-18`). */
  readonly self: string;
  /** The URL of the next page. */
  readonly next?: string;
}

/** A set of resources that are sent together, such as the frozen snapshot of a request. `timestamp` is an instant. */
export function collectionBundle(timestamp: string, resources: readonly BundleResource[]): Bundle {
  const entry = resources.map(({ fullUrl, resource }): BundleEntry => ({ fullUrl, resource }));
  return { resourceType: 'Bundle', type: 'collection', timestamp, ...(entry.length === 0 ? {} : { entry }) };
}

/** The response to a search (decision G6). */
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
