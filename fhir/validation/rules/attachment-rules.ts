// Checks an attachment's size and SHA-1 hash against its data (hl7.org/fhir/R5/datatypes.html#Attachment).
import { createHash } from 'node:crypto';
import { isPrimitiveType, primitiveIssue } from '../../primitives/primitives.ts';
import { addIssue, type JsonObject, type ValidationContext } from '../context.ts';

/** Checks an attachment that holds its data; data behind a URL is not checked. */
export function checkAttachment(context: ValidationContext, { data, size, hash }: JsonObject): void {
  if (typeof data !== 'string' || (size === undefined && hash === undefined)) return;
  if (!isPrimitiveType('base64Binary') || primitiveIssue('base64Binary', data) !== undefined) return;
  if (typeof size === 'string' && /^\+?\d+$/.test(size) && BigInt(size) !== BigInt(bytesOf(data))) {
    addIssue(context, 'value', 'must be the number of bytes in data', 'size');
  }
  if (typeof hash !== 'string') return;
  const digest = createHash('sha1').update(Buffer.from(data, 'base64')).digest('base64');
  if (digest !== hash) addIssue(context, 'value', 'must be the SHA-1 of data', 'hash');
}

/** The number of bytes of a base64 text of four-character groups. */
function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
