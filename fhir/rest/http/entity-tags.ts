// Entity tags in If-Match and If-None-Match (RFC 9110 §8.8.3, §13.1; hl7.org/fhir/R5/http.html#versioning). Our tags
// are weak, as FHIR has them, and FHIR lets If-Match hold weak ones: tags are compared by what is between the
// quotes.

import type { VersionMatch } from '#fhir/store/read/version-match.ts';
import { ServiceError } from '#lib/errors.ts';

const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** A list may have empty elements (RFC 9110 §5.6.1.2). */
const LIST = new RegExp(`^[\\s,]*${TAG}(?:[\\s]*,[\\s,]*${TAG})*[\\s,]*$`);
const EACH = /"([^"]*)"/g;
const VERSION = /^[1-9]\d{0,8}$/;

/**
 * The versions that a header's entity tags stand for; a tag that this server never gave stands for none. Undefined
 * without the header.
 * @throws ServiceError `invalid_request` for what is no list of entity tags
 */
export function readEntityTags(
  name: 'If-Match' | 'If-None-Match',
  header: string | undefined,
): VersionMatch | undefined {
  const tags = readTags(name, header);
  return typeof tags === 'object' ? tags.filter((tag) => VERSION.test(tag)).map(Number) : tags;
}

/**
 * Whether If-None-Match names the entity tag of what is there and is no version, given without quotes.
 * @throws ServiceError `invalid_request` for what is no list of entity tags
 */
export function hasEntityTag(header: string | undefined, tag: string): boolean {
  const tags = readTags('If-None-Match', header);
  return tags === 'any' || tags?.includes(tag) === true;
}

/** What is between the quotes. @throws ServiceError `invalid_request` */
function readTags(name: string, header: string | undefined): readonly string[] | 'any' | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  if (!LIST.test(header)) {
    const message = `${name} must be * or entity tags, such as W/"3"`;
    throw new ServiceError('invalid_request', message, { issues: [{ message, field: name, code: 'value' }] });
  }
  return [...header.matchAll(EACH)].map(([, tag = '']) => tag);
}
