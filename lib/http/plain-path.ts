// Checks that a path has one meaning for every parser. It has no segment `.` or `..`, plain or percent-encoded, because
// the URL Standard and some proxies remove them. It has no backslash and no empty segment, which some parsers take for
// a host, and no `#` or control character.
import { ServiceError } from '../errors.ts';

const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const MISREAD = /\/\/|[\\#\p{Cc}]/u;

/** Whether every parser reads the path, given without its query, alike. */
export function isPlainPath(path: string): boolean {
  return !DOT_SEGMENT.test(path) && !MISREAD.test(path);
}

/** The path of a URL, without query and fragment. */
export function pathOfUrl(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/**
 * For calls to other services. A value encoded by `encodeURIComponent` cannot end a segment, but it can be `..`.
 * Nothing of that name exists then.
 * @throws ServiceError `not_found`
 */
export function requirePlainPath(url: string): void {
  if (url.includes('#') || !isPlainPath(pathOfUrl(url))) {
    throw new ServiceError('not_found', 'There is nothing of that name');
  }
}
