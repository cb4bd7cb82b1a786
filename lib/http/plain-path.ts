// Paths that mean the same to everybody who reads them: no segment `.` or `..`, written plainly or in per cent (the URL
// Standard takes both away, and whoever forwards may), no backslash and no empty segment, which some take for another
// host, and nothing that ends the path.
import { ServiceError } from '../errors.ts';

const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const MISREAD = /\/\/|[\\#\p{Cc}]/u;

/** Whether the path, without its query, is read alike by all. */
export function isPlainPath(path: string): boolean {
  return !DOT_SEGMENT.test(path) && !MISREAD.test(path);
}

/** The path of an address that may have a query. */
export function pathOfUrl(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/**
 * For calls of others: what is put into a path by `encodeURIComponent` can no longer end a segment, but it can be `..`,
 * and then there is nothing of that name. @throws ServiceError `not_found`
 */
export function requirePlainPath(url: string): void {
  if (url.includes('#') || !isPlainPath(pathOfUrl(url))) {
    throw new ServiceError('not_found', 'There is nothing of that name');
  }
}
