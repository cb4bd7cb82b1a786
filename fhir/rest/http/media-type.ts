// Content negotiation. It reads the media types that a request sends and accepts (RFC 9110 §8.3, §12.5.1;
// hl7.org/fhir/R5/http.html#mime-type, #version-parameter). They are FHIR 5.0 as JSON in UTF-8, under the type of FHIR
// or the plain one of JSON. XML and RDF are refused in words.
import { ServiceError } from '#lib/errors.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import { type MediaRange, readMediaType, weight, weightOf } from '#lib/http/response/accept.ts';

const PLAIN_JSON = 'application/json; charset=utf-8';
const ONLY_JSON =
  'FHIR 5.0 is served as JSON (application/fhir+json); XML, RDF and other versions of FHIR are not supported';

const FHIR_TYPES = new Set(['application/fhir+json', 'application/json+fhir']);
const PLAIN_TYPES = new Set(['application/json', 'text/json']);
const VERSIONS = new Set(['5.0', '5.0.0']);

/** Content types of a resource, as they are registered with the body parser. */
export const RESOURCE_TYPES: readonly string[] = [...FHIR_TYPES, ...PLAIN_TYPES];

/**
 * The content type to answer in: `_format` (`json`, or a media type) wins over `Accept`, whose weights count.
 * @throws ServiceError `not_acceptable` when JSON, or FHIR 5.0, is not wanted
 */
export function responseTypeOf(accept: string | undefined, format: string | null): string {
  if (format !== null && format !== '') return typeOfFormat(format);
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/fhir+json') return FHIR_JSON;
  const ranges = accept.split(',').map(readMediaType).filter(isOfOurVersion);
  const plain = weightOf(ranges, PLAIN_TYPES);
  const fhir = Math.max(weightOf(ranges, FHIR_TYPES), isPageWanted(ranges) ? 0.001 : 0);
  if (fhir === 0 && plain === 0) throw new ServiceError('not_acceptable', ONLY_JSON);
  return plain > fhir ? PLAIN_JSON : FHIR_JSON;
}

/** @throws ServiceError `unsupported_media_type` for a body in another character set or version of FHIR */
export function requireReadable(contentType: string | undefined): void {
  if (contentType === undefined || !contentType.includes(';')) return;
  const type = readMediaType(contentType);
  const charset = type.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8')
    throw new ServiceError('unsupported_media_type', `FHIR is sent in UTF-8, not in ${charset}`);
  if (!isOfOurVersion(type)) throw refusedType();
}

const PATCH_TYPES = 'application/json-patch+json, application/fhir+json';

export function refusedPatch(): ServiceError {
  const message =
    'A JSON Patch is sent as application/json-patch+json, a FHIRPath Patch as Parameters in application/fhir+json';
  // RFC 5789 §2.2.
  return new ServiceError('unsupported_media_type', message, { headers: { 'accept-patch': PATCH_TYPES } });
}

export function refusedType(): ServiceError {
  return new ServiceError('unsupported_media_type', ONLY_JSON);
}

function typeOfFormat(format: string): string {
  // A plus sign that was not escaped has become a space.
  const type = readMediaType(format.trim().replace(/^([^ ;]+) (?=\w)/, '$1+'));
  if (isOfOurVersion(type)) {
    if (type.name === 'json' || FHIR_TYPES.has(type.name) || type.name === 'text/json') return FHIR_JSON;
    if (PLAIN_TYPES.has(type.name)) return PLAIN_JSON;
  }
  throw new ServiceError('not_acceptable', ONLY_JSON);
}

function isOfOurVersion({ parameters }: MediaRange): boolean {
  const version = parameters.get('fhirversion');
  return version === undefined || VERSIONS.has(version);
}

/** A browser that follows a link asks for HTML. */
function isPageWanted(ranges: readonly MediaRange[]): boolean {
  return ranges.some((range) => range.name === 'text/html' && weight(range) > 0);
}
