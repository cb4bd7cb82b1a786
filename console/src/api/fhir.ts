// Reads FHIR resources of dispatch and engine, which are described by FHIR itself.
import type { Bundle, FhirResource } from 'fhir/r5';
import { REQUEST_ORIGIN } from '../place.ts';
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

export type FhirService = 'dispatch' | 'engine';
type Parameters = Readonly<Record<string, string>>;

/** The resources of the first page of a search that match it. @throws Problem, UnreachableError */
export async function searchFhir<Resource extends FhirResource>(
  service: FhirService,
  resourceType: Resource['resourceType'],
  parameters: Parameters,
  signal?: AbortSignal,
): Promise<Resource[]> {
  const query = new URLSearchParams({ ...parameters, _total: 'none' });
  const bundle = (await getJson(`/${service}/api/v1/${resourceType}?${query}`, signal)) as Bundle;
  return (bundle.entry ?? []).flatMap(({ resource, search }) =>
    resource?.resourceType === resourceType && search?.mode !== 'include' ? [resource as Resource] : [],
  );
}

/** @throws Problem, UnreachableError */
export function getJson(address: string, signal?: AbortSignal): Promise<unknown> {
  return send(
    new Request(REQUEST_ORIGIN + address, {
      headers: { accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

/** Sent again under the same key it makes nothing twice. @throws Problem, UnreachableError */
export async function postJson<Answer>(address: string, body: unknown, key?: string): Promise<Answer> {
  const headers = { ...JSON_BODY, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return (await send(
    new Request(REQUEST_ORIGIN + address, { method: 'POST', headers, body: JSON.stringify(body) }),
  )) as Answer;
}

/**
 * Makes the resource unless one fulfils the search, as when a colleague made it a moment ago: that one is returned then
 * (hl7.org/fhir/R5/http.html#ccreate).
 * @throws Problem (412 when several fulfil it), UnreachableError
 */
export async function createUnless<Resource extends FhirResource>(
  address: string,
  resource: Resource,
  { unless, key }: { readonly unless: Parameters; readonly key: string },
): Promise<{ readonly resource: Resource; readonly isFound: boolean }> {
  const headers = { ...JSON_BODY, 'idempotency-key': key, 'if-none-exist': `${new URLSearchParams(unless)}` };
  const { response, body } = await exchange(
    new Request(REQUEST_ORIGIN + address, { method: 'POST', headers, body: JSON.stringify(resource) }),
  );
  return { resource: body as Resource, isFound: response.status === 200 };
}

/** Replaces the version that is named. @throws Problem (412 when there is a newer one), UnreachableError */
export function putJson<Answer>(address: string, body: unknown, version?: string): Promise<Answer> {
  return put(address, body, version === undefined ? {} : { 'if-match': `W/"${version}"` });
}

/** Stores what is not there yet. @throws Problem (412 when somebody has stored it meanwhile), UnreachableError */
export function putNew<Answer>(address: string, body: unknown): Promise<Answer> {
  return put(address, body, { 'if-none-match': '*' });
}

async function put<Answer>(address: string, body: unknown, condition: Readonly<Record<string, string>>) {
  const headers = { ...JSON_BODY, ...condition };
  return (await send(
    new Request(REQUEST_ORIGIN + address, { method: 'PUT', headers, body: JSON.stringify(body) }),
  )) as Answer;
}

/**
 * Deletes the version that is named, or whatever is there.
 * @throws Problem (409 while something uses it, 412 when there is a newer version), UnreachableError
 */
export async function deleteAt(address: string, version?: number): Promise<void> {
  const headers = { accept: 'application/json', ...(version === undefined ? {} : { 'if-match': `W/"${version}"` }) };
  await send(new Request(REQUEST_ORIGIN + address, { method: 'DELETE', headers }));
}

const JSON_BODY = { accept: 'application/json', 'content-type': 'application/json' };

async function send(request: Request): Promise<unknown> {
  return (await exchange(request)).body;
}

async function exchange(request: Request): Promise<{ readonly response: Response; readonly body: unknown }> {
  const response = await sessionFetch(request);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Problem(response, body);
  return { response, body };
}
