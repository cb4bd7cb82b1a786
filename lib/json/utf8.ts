// Texts of bodies (RFC 8259 §8.1): UTF-8 alone.
import { isUtf8 } from 'node:buffer';
import { invalidRequest, type ServiceError } from '../errors.ts';

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Decodes a body strictly as UTF-8; a byte order mark is dropped.
 * @throws ServiceError `invalid_request` when the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw notUtf8();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** The bytes without a UTF-8 byte order mark. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function notUtf8(): ServiceError {
  return invalidRequest([{ message: 'The body is not valid UTF-8', code: 'structure' }]);
}
