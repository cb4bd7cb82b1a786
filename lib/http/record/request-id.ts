// The id of a request: the caller's own, or a new one (spec: operations).
import type { IncomingMessage } from 'node:http';
import { newGuid } from '../../guid.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The request id of the caller when it consists of letters, digits and `_.:-`; a new id otherwise. */
export function takeRequestId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newGuid();
}
