// Identifies a request with an Idempotency-Key: its record, and the fingerprint that differs for another request with
// the same key. Both are keyed hashes, since a body may hold a password (decision G10;
// draft-ietf-httpapi-idempotency-key-header, §2.2 and §2.4).
import type { FastifyRequest } from 'fastify';
import type { FieldCipher } from '../crypto/field-cipher.ts';
import { sha256 } from '../crypto/secret.ts';
import { validationError } from '../errors.ts';
import { pathOf } from '../http/error-handler.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

export interface RequestIdentity {
  /** The same for the same caller, address and key. */
  readonly record: Buffer;
  /** The same for the same query, condition and body. */
  readonly fingerprint: Buffer;
}

/** Undefined without the header. @throws ServiceError `validation_error` for an invalid key */
export function identifyRequest(request: FastifyRequest, cipher: FieldCipher): RequestIdentity | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = "'Idempotency-Key' must have 1 to 255 visible ASCII characters";
    throw validationError([{ field: 'Idempotency-Key', message }]);
  }
  const path = pathOf(request);
  const condition = request.headers['if-none-exist'] ?? '';
  const requestText = JSON.stringify([request.url.slice(path.length), condition]);
  return {
    // An address that is served with and without a slash at its end, such as the FHIR base, is one address.
    record: cipher.index(JSON.stringify([callerOf(request), request.method, path.replace(/\/$/, ''), key])),
    fingerprint: cipher.index(`${requestText}\n${digestOf(request.body)}`),
  };
}

/** Callers without an account share a scope. There the body, which holds their password, identifies the caller. */
function callerOf({ principal }: FastifyRequest): string {
  if (principal === undefined) return 'anonymous';
  const { kind, id, proxy, patientGuid } = principal;
  return proxy === undefined ? `${kind} ${id}` : `${kind} ${id} for ${patientGuid}`;
}

/** Of the bytes, where the route reads them itself; they may be many. */
function digestOf(body: unknown): string {
  const bytes = Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? '');
  return sha256(bytes).toString('hex');
}
