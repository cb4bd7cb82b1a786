// Bodies in the form in which direct responses send them (./direct-response.ts).
import { chooseEncoding, LEAST_COMPRESSED } from './compression.ts';
import type { DirectResponse } from './direct-response.ts';

/** A body in the form of a direct response. */
export type ResponseBody = Pick<DirectResponse, 'body' | 'contentLength'>;

/** Texts of lengths, so that responses of one length share one text. */
const lengthTexts: string[] = [];

function lengthText(length: number): string {
  if (length >= LEAST_COMPRESSED) return String(length);
  const text = lengthTexts[length] ?? String(length);
  lengthTexts[length] = text;
  return text;
}

/**
 * Whether the body may be sent as it is, without compression.
 * @param acceptEncoding the request's header
 */
export function isSendable({ body }: ResponseBody, acceptEncoding: string | string[] | undefined): boolean {
  return typeof body === 'string' || chooseEncoding(acceptEncoding) === undefined;
}

/** The cached body in a form that any route can send. */
export function bufferOf({ body }: ResponseBody): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}

/** The text, or its bytes in UTF-8, as the body of a direct response. Bytes are copied. */
export function bodyOf(text: string | Buffer): ResponseBody {
  const length = Buffer.byteLength(text);
  const contentLength = lengthText(length);
  const isLong = length >= LEAST_COMPRESSED;
  if (typeof text !== 'string') return { body: isLong ? Buffer.from(text) : text.toString('latin1'), contentLength };
  if (isLong) return { body: Buffer.from(text), contentLength };
  return { body: length === text.length ? text : Buffer.from(text).toString('latin1'), contentLength };
}
