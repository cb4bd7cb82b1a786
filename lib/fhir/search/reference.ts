// Reads the address in a reference (hl7.org/fhir/R5/references.html#literal) as the search index needs it: the type and id on this
// server, or an address outside. Fragments (`#id`) point into the resource itself and are no address.

export type Address =
  | { readonly kind: 'local'; readonly type: string; readonly id: string }
  | { readonly kind: 'url'; readonly url: string; readonly type: string | undefined };

const LOCAL = /^([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/;
const REMOTE = /\/([A-Z][A-Za-z]+)\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/;
const VERSION = /\/_history\/[^/]*$/;

/** Undefined for fragments and for what is no reference. */
export function parseReference(text: string): Address | undefined {
  if (text.startsWith('#') || text === '') return undefined;
  const local = LOCAL.exec(text);
  if (local) return { kind: 'local', type: local[1] ?? '', id: local[2] ?? '' };
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return undefined;
  return { kind: 'url', url: text.replace(VERSION, ''), type: REMOTE.exec(text)?.[1] };
}
