// The id of a request: the caller's own, or a new one (spec: operations).
import type { IncomingMessage } from 'node:http';
import { newGuid } from '../../guid.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** What the caller calls the request, when that is letters, digits and `_.:-`; otherwise an id of our own. */
export function takeRequestId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newGuid();
}
