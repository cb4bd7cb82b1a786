// Compares the responses to two requests that differ only in a name. The comparison leaves out what may differ
// (decisions G7, G12).
import type { HttpApp } from '#lib/http/http-app.ts';

export interface PairedRequest {
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text is a form, a list a JSON Patch, everything else `bodyType` or FHIR. */
  readonly body?: object | string | undefined;
  readonly bodyType?: string | undefined;
}

export interface ComparableResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const OF_THE_MOMENT = new Set(['ratelimit-remaining', 'ratelimit-reset', 'date', 'x-request-id', 'content-length']);

/**
 * The response to the caller, with placeholders for the requested names and for values that differ from call to call.
 */
export async function comparableResponse(
  app: HttpApp,
  caller: string,
  { method, path, headers, body, bodyType }: PairedRequest,
  names: Readonly<Record<string, string>>,
): Promise<ComparableResponse> {
  const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : (bodyType ?? 'application/fhir+json');
  const answer = await app.inject({
    method: method as 'GET',
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${caller}`,
      ...(body === undefined ? {} : { 'content-type': Array.isArray(body) ? 'application/json-patch+json' : type }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const plain = (text: string): string =>
    Object.entries(names)
      .reduce((written, [name, value]) => written.replaceAll(value, name), text)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, 'GUID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/cursor=[\w-]+/g, 'CURSOR');
  const kept = Object.entries(answer.headers).filter(([header]) => !OF_THE_MOMENT.has(header));
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(kept.map(([header, value]) => [header, plain(String(value))])),
    body: plain(answer.payload),
  };
}
