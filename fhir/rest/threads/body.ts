// A resource as it is sent to a thread, read there or where there are none.
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';

/** Its bytes or its text. */
export type Body = { readonly bytes: Uint8Array } | { readonly text: string };

/** @throws ServiceError `invalid_request` as `readResourceText` */
export function readBody(body: Body): ResourceText {
  return readResourceText('text' in body ? body.text : decodeUtf8(body.bytes));
}
