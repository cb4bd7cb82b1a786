// The parser of JSON bodies, for addresses outside FHIR and for those that take resources inside their own schemas.
// Size and depth are checked before parsing (./json-limits.ts). A body is refused when it is not UTF-8, because
// decoding would change its text (decision G4), or when it repeats a member.
import type { FastifyRequest } from 'fastify';
import { invalidRequest, MAX_ISSUES, ServiceError } from '../../errors.ts';
import { parseInSlices } from '../../jobs/sliced-json.ts';
import { createSlices, type Slices } from '../../jobs/slices.ts';
import { duplicateMembers, findDuplicates } from '../../json/json-syntax.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import {
  countMembers,
  countMembersInSlices,
  type JsonLimits,
  OPEN_JSON,
  PLAIN_JSON,
  requireJsonLimitsInSlices,
  requireModestJson,
} from './json-limits.ts';

type Done = (error: Error | null, value?: unknown) => void;

/** Called with each body that has been read. */
type Keep = (request: FastifyRequest, bytes: Buffer, text: string) => void;

/** A member `__proto__`: assigning it would change the prototype of the object. */
const PROTOTYPE = /"(?:_|\\u005[fF]){2}proto(?:_|\\u005[fF]){2}"\s*:/;

/** Bytes. A body of up to this size is parsed at once, in about a millisecond, a longer one in slices. */
const LONG = 64 * 1024;

/**
 * Creates a content type parser. An empty body is none. `keep` gets the bytes and the text before parsing; `limits`
 * hold for authenticated callers.
 */
export function readJsonWith({ keep, limits = PLAIN_JSON }: { keep?: Keep; limits?: JsonLimits } = {}) {
  return (request: FastifyRequest, bytes: Buffer, done: Done): void => {
    const own = isKnown(request) ? limits : OPEN_JSON;
    const keepText = (text: string) => keep?.(request, bytes, text);
    if (bytes.length > LONG) {
      readLongJson(bytes, own, keepText).then(
        (value) => done(null, value),
        (error: unknown) => done(asError(error)),
      );
      return;
    }
    let value: unknown;
    try {
      value = readJson(bytes, own, keepText);
    } catch (error) {
      return void done(asError(error));
    }
    done(null, value);
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function isKnown({ principal, hasCapability }: FastifyRequest): boolean {
  return principal !== undefined || hasCapability;
}

/** Undefined for an empty body. @throws ServiceError `invalid_request` */
function readJson(bytes: Buffer, limits: JsonLimits, keep: (text: string) => void): unknown {
  const memberCount = requireModestJson(bytes, limits);
  const text = decodeUtf8(bytes);
  keep(text);
  const value = text.trim() === '' ? undefined : parse(text);
  if (memberCount !== countMembers(value)) throw duplicates(duplicateMembers(text, MAX_ISSUES));
  return value;
}

function parse(text: string): unknown {
  requireNoPrototype(text);
  try {
    return JSON.parse(text);
  } catch {
    throw refused('The body is no valid JSON');
  }
}

function requireNoPrototype(text: string): void {
  if (PROTOTYPE.test(text)) throw refused('The body has a member that is called __proto__');
}

/** The same for a long body, in slices. @throws ServiceError `invalid_request` */
async function readLongJson(bytes: Buffer, limits: JsonLimits, keep: (text: string) => void): Promise<unknown> {
  const slices = createSlices();
  const memberCount = await requireJsonLimitsInSlices(bytes, limits, slices);
  const text = decodeUtf8(bytes);
  keep(text);
  await slices.rest();
  requireNoPrototype(text);
  const value = text.trim() === '' ? undefined : await parseLong(text, slices);
  if (memberCount === (await countMembersInSlices(value, slices))) return value;
  const again: string[] = [];
  for (const _step of findDuplicates(text, MAX_ISSUES, again)) await slices.rest();
  throw duplicates(again);
}

async function parseLong(text: string, slices: Slices): Promise<unknown> {
  try {
    return await parseInSlices(text, { slices });
  } catch {
    throw refused('The body is no valid JSON');
  }
}

function duplicates(fields: readonly string[]): ServiceError {
  const issues = fields.map((field) => ({ field, message: `'${field}' is given more than once`, code: 'structure' }));
  return invalidRequest(issues);
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
