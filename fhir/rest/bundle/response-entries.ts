// The response Bundle of a batch or transaction: each entry holds the response of its single interaction
// (hl7.org/fhir/R5/bundle.html#bundle-response).
import { outcomeOfError } from '#fhir/resources/operation-outcome.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { statusText } from '#lib/http/response/status-text.ts';
import { etagOf } from '../http/preferences.ts';
import type { FhirResponse } from '../interactions/call.ts';
import { createTextBuilder, type ResponseText } from '../response-text.ts';
import { type EntryRequest, isOperation } from './request.ts';

/** The JSON text of one entry of the response. */
export function responseEntry({ status, version, location, text }: FhirResponse, request: EntryRequest): ResponseText {
  const response = responseText(status, location, version);
  const shown = request.method === 'HEAD' ? undefined : text;
  // What an operation returns is the resource of the entry, even when it is an OperationOutcome.
  const [first] = typeof shown === 'string' ? [shown] : (shown ?? []);
  const isOutcome = !isOperation(request) && first?.startsWith('{"resourceType":"OperationOutcome"') === true;
  const entry = createTextBuilder();
  if (shown === undefined) entry.add(`{"response":{${response}}}`);
  else if (isOutcome && version?.resourceType !== 'OperationOutcome') {
    entry.add(`{"response":{${response},"outcome":`);
    entry.add(shown);
    entry.add('}}');
  } else {
    entry.add('{"resource":');
    entry.add(shown);
    entry.add(`,"response":{${response}}}`);
  }
  return entry.end();
}

/** The members of an entry's response. */
function responseText(status: number, location: string | undefined, version: StoredVersion | undefined): string {
  let text = `"status":"${statusLine(status)}"`;
  if (location !== undefined) text += `,"location":${JSON.stringify(location)}`;
  if (version === undefined) return text;
  return `${text},"etag":${JSON.stringify(etagOf(version))},"lastModified":"${version.lastUpdated.toISOString()}"`;
}

/** The entry of an interaction that was refused. */
export function errorEntry(error: ServiceError): string {
  const { etag } = error.headers;
  const status = statusLine(error.status);
  return JSON.stringify({
    response: { status, ...(etag === undefined ? {} : { etag }), outcome: outcomeOfError(error) },
  });
}

export function responseBundle(
  type: 'batch-response' | 'transaction-response',
  entries: readonly ResponseText[],
): ResponseText {
  const head = JSON.stringify({ resourceType: 'Bundle', id: newGuid(), type, timestamp: new Date().toISOString() });
  if (entries.length === 0) return head;
  const text = createTextBuilder();
  text.add(`${head.slice(0, -1)},"entry":[`);
  for (const [index, entry] of entries.entries()) {
    if (index > 0) text.add(',');
    text.add(entry);
  }
  text.add(']}');
  return text.end();
}

function statusLine(status: number): string {
  return `${status} ${statusText(status) ?? ''}`.trim();
}
