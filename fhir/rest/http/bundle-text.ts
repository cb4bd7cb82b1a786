// Bundles put together from the resources' texts, which are never parsed on the way (hl7.org/fhir/R5/bundle.html).
import { newGuid } from '#lib/guid.ts';
import { createTextBuilder, type ResponseText, type TextBuilder } from '../response-text.ts';

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

export function bundleText(head: BundleHead, entries: readonly BundleEntry[]): ResponseText {
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
  const text = createTextBuilder();
  text.add(`${start.slice(0, -1)},"entry":[`);
  for (const [index, entry] of entries.entries()) {
    if (index > 0) text.add(',');
    addEntry(text, entry);
  }
  text.add(']}');
  return text.end();
}

function addEntry(text: TextBuilder, { fullUrl, resource, search, request, response }: BundleEntry): void {
  text.add(`{"fullUrl":${JSON.stringify(fullUrl)}`);
  if (resource !== undefined) {
    text.add(',"resource":');
    text.add(resource);
  }
  if (search !== undefined && request === undefined && response === undefined) {
    // What nearly every entry of a search is.
    text.add(`,"search":{"mode":"${search.mode}"}}`);
    return;
  }
  const others = JSON.stringify({ search, request, response }).slice(1, -1);
  text.add(others === '' ? '}' : `,${others}}`);
}
