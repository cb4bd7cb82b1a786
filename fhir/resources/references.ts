// Parses literal references between resources, and finds the type that they name
// (hl7.org/fhir/R5/references.html#literal). Nothing is looked up.
import { isResourceType } from '../definitions/definitions.ts';
import { isFhirId } from '../primitives/primitives.ts';

/** A parsed `Reference.reference`. */
export type ParsedReference =
  /** `#id` of a contained resource; an empty id is the containing resource. */
  | { readonly kind: 'contained'; readonly id: string }
  /** `Patient/123` or `Patient/123/_history/4`. */
  | { readonly kind: 'relative'; readonly type: string; readonly id: string; readonly version: string | undefined }
  /** The same under a server's base: `https://example.org/fhir` + `/Patient/123`. */
  | {
      readonly kind: 'absolute';
      readonly base: string;
      readonly type: string;
      readonly id: string;
      readonly version: string | undefined;
    }
  /** Any other absolute URI, `urn:uuid:…` and `urn:oid:…` among them. */
  | { readonly kind: 'uri'; readonly uri: string }
  /** `Patient?identifier=…`: only in transactions and batches. */
  | { readonly kind: 'conditional'; readonly type: string; readonly query: string };

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:./;
/** Characters of the shortest possible address of a resource on a FHIR server. */
const ABSOLUTE_LENGTH = 5;

/**
 * Parses a reference; undefined when it has none of the forms above. An address under `ownBase`, this server's base, is
 * read as relative: it is the same resource (hl7.org/fhir/R5/search.html#reference).
 */
export function parseReference(text: string, ownBase?: string): ParsedReference | undefined {
  const plain = parseTypeAndId(text);
  if (plain !== undefined) return plain;
  if (ownBase !== undefined && text.startsWith(`${ownBase}/`)) {
    const own = parsePath(text.slice(ownBase.length + 1).split('/'));
    if (own !== undefined) return { kind: 'relative', ...own };
  }
  if (text === '' || /\s/.test(text)) return undefined;
  if (text.startsWith('#')) return parseContained(text.slice(1));
  if (SCHEME.test(text)) return parseAbsolute(text);
  const question = text.indexOf('?');
  if (question > 0 && isResourceType(text.slice(0, question))) {
    return { kind: 'conditional', type: text.slice(0, question), query: text.slice(question + 1) };
  }
  const found = parsePath(text.split('/'));
  return found && { kind: 'relative', ...found };
}

/** `Patient/123`, the form of nearly all references. */
function parseTypeAndId(text: string): ParsedReference | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || text.includes('/', slash + 1)) return undefined;
  const [type, id] = [text.slice(0, slash), text.slice(slash + 1)];
  return isResourceType(type) && isFhirId(id) ? { kind: 'relative', type, id, version: undefined } : undefined;
}

/** The resource type that the text names; undefined when it names none (`#id`, `urn:uuid:…`). */
export function literalType(text: string): string | undefined {
  const parsed = parseReference(text);
  return parsed !== undefined && 'type' in parsed ? parsed.type : undefined;
}

/**
 * The resource type of a URL `…/[type]/[id]`, also when the id has characters that R5 ids do not have. Such a URL is
 * read as one of a FHIR server (hl7.org/fhir/R5/references-definitions.html#Reference.reference). Undefined for all
 * other texts.
 */
export function typeOfUrl(text: string): string | undefined {
  if (/[\s#?]/.test(text)) return undefined;
  const segments = text.split('/');
  if (SCHEME.test(text) && !(/^https?:\/\/[^/]/.test(text) && segments.length >= ABSOLUTE_LENGTH)) return undefined;
  if (segments.at(-2) === '_history') segments.splice(-2);
  const [type = '', id = ''] = segments.slice(-2);
  return id !== '' && isResourceType(type) ? type : undefined;
}

/** `Patient/123`, or `Patient/123/_history/4` with a version. */
export function relativeReference(type: string, id: string, version?: string): string {
  return version === undefined ? `${type}/${id}` : `${type}/${id}/_history/${version}`;
}

/** The URL of a resource on another server, or any other URI, without a version. */
export function unversionedUrl(reference: Extract<ParsedReference, { kind: 'absolute' | 'uri' }>): string {
  return reference.kind === 'uri'
    ? reference.uri
    : `${reference.base}/${relativeReference(reference.type, reference.id)}`;
}

function parseContained(id: string): ParsedReference | undefined {
  return id === '' || isFhirId(id) ? { kind: 'contained', id } : undefined;
}

function parseAbsolute(text: string): ParsedReference {
  const segments = text.split('/');
  const isVersioned = segments.at(-2) === '_history';
  const pathLength = isVersioned ? 4 : 2;
  const found = /^https?:/.test(text) ? parsePath(segments.slice(-pathLength)) : undefined;
  if (found === undefined || segments.length < pathLength + 3) return { kind: 'uri', uri: text };
  return { kind: 'absolute', base: segments.slice(0, -pathLength).join('/'), ...found };
}

function parsePath(segments: readonly string[]): { type: string; id: string; version: string | undefined } | undefined {
  const [type = '', id = '', history, version, ...more] = segments;
  if (!isResourceType(type) || !isFhirId(id) || more.length > 0) return undefined;
  if (history === undefined) return { type, id, version: undefined };
  return history === '_history' && version !== undefined && isFhirId(version) ? { type, id, version } : undefined;
}
