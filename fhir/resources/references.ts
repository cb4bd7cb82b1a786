// References between resources as texts (hl7.org/fhir/R5/references.html#literal): read, and the type they name.
// Nothing is looked up.
import { isResourceType } from '../definitions/definitions.ts';
import { isFhirId } from '../primitives/primitives.ts';

/** A reference as it stands in `Reference.reference`. */
export type ParsedReference =
  /** `#id` of a contained resource; the empty id means the containing resource. */
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
/** Of `https://example.org/Patient/123`, the least that an address of a FHIR server can be. */
const ABSOLUTE_LENGTH = 5;

/**
 * Reads a reference; undefined when it has none of the forms above. What lies under `ownBase`, the base of this server
 * itself, is read as relative: it is the same resource (hl7.org/fhir/R5/search.html#reference).
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

/** `Patient/123`, which nearly all are. */
function parseTypeAndId(text: string): ParsedReference | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || text.includes('/', slash + 1)) return undefined;
  const [type, id] = [text.slice(0, slash), text.slice(slash + 1)];
  return isResourceType(type) && isFhirId(id) ? { kind: 'relative', type, id, version: undefined } : undefined;
}

/** The resource type that the text itself names, or undefined when it names none (`#id`, `urn:uuid:…`). */
export function literalType(text: string): string | undefined {
  const parsed = parseReference(text);
  return parsed !== undefined && 'type' in parsed ? parsed.type : undefined;
}

/**
 * The resource type that a URL names by its form `…/[type]/[id]`, also when the id has characters that ids of R5 do not
 * have: it is to be taken for one of a FHIR server (hl7.org/fhir/R5/references-definitions.html#Reference.reference).
 * Undefined for all other texts.
 */
export function typeByForm(text: string): string | undefined {
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

/** The address of a resource outside, or any other URI, without a version. */
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
