// Reads the body of POST /batch, {server, bundle}. The bundle is forwarded byte for byte, so that decimals keep their
// digits.

import { scanMembers } from '#fhir/json/json-scanner.ts';
import { parseJson, readResourceText } from '#fhir/resources/resource-text.ts';
import { type Issue, validationError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';

export interface BatchBody {
  readonly server: string;
  /** The offsets of the Bundle's JSON in the body, in bytes. */
  readonly start: number;
  readonly end: number;
}

/** A task for a worker thread, which returns a {@link BatchBody}. */
export interface BatchWork {
  readonly kind: 'batch';
  readonly body: Uint8Array;
}

const BUNDLE_TYPES = new Set<unknown>(['batch', 'transaction']);

/**
 * @throws ServiceError `invalid_request` for invalid JSON or a repeated member; `validation_error` naming every error
 */
export function readBatch(bytes: Uint8Array): BatchBody {
  const text = decodeUtf8(bytes);
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError([{ message: 'the body must be an object {server, bundle}' }]);
  const members = scanMembers(text, 0);
  const issues: Issue[] = [];
  for (const [place, { key }] of members.entries()) {
    const isKnown = key === 'server' || key === 'bundle';
    if (!isKnown) issues.push({ field: key, message: `'${key}' is not a known field` });
    else if (members.findIndex((other) => other.key === key) !== place)
      issues.push({ field: key, message: `'${key}' is given more than once` });
  }
  const { server, bundle } = body as { server?: unknown; bundle?: unknown };
  if (typeof server !== 'string') issues.push({ field: 'server', message: "'server' must be the name of a server" });
  const { resourceType, type } = { ...(bundle as { resourceType?: unknown; type?: unknown } | undefined) };
  if (resourceType !== 'Bundle') issues.push({ field: 'bundle', message: "'bundle' must be a Bundle" });
  else if (!BUNDLE_TYPES.has(type))
    issues.push({ field: 'bundle.type', message: "'bundle.type' must be one of 'batch', 'transaction'" });
  const member = members.find(({ key }) => key === 'bundle');
  if (issues.length > 0 || member === undefined || typeof server !== 'string') throw validationError(issues);
  const { text: own } = readResourceText(text.slice(member.valueStart, member.end));
  // The decoded text does not contain the byte order mark.
  const start = bytes.length - Buffer.byteLength(text) + Buffer.byteLength(text.slice(0, member.valueStart));
  return { server, start, end: start + Buffer.byteLength(own) };
}
