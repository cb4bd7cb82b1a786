// A request body as it is sent to a worker thread, and its parser for either thread.
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';

/** The body as bytes or as text. */
export type Body = { readonly bytes: Uint8Array } | { readonly text: string };

/** @throws ServiceError `invalid_request` as `readResourceText` */
export function readBody(body: Body): ResourceText {
  return readResourceText('text' in body ? body.text : decodeUtf8(body.bytes));
}
