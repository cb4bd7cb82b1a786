// Reads FHIR resources of dispatch and engine, which are described by FHIR itself.
import type { Bundle, FhirResource } from 'fhir/r5';
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

export type FhirService = 'dispatch' | 'engine';
type Parameters = Readonly<Record<string, string>>;

/** The resources of the first page of a search that match it. @throws Problem, UnreachableError */
export async function searchFhir<Resource extends FhirResource>(
  service: FhirService,
  resourceType: Resource['resourceType'],
  parameters: Parameters,
): Promise<Resource[]> {
  const query = new URLSearchParams({ ...parameters, _total: 'none' });
  const bundle = (await getJson(`/${service}/api/v1/${resourceType}?${query}`)) as Bundle;
  return (bundle.entry ?? []).flatMap(({ resource, search }) =>
    resource?.resourceType === resourceType && search?.mode !== 'include' ? [resource as Resource] : [],
  );
}

/** @throws Problem, UnreachableError */
export async function getJson(address: string): Promise<unknown> {
  const response = await sessionFetch(new Request(address, { headers: { accept: 'application/json' } }));
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Problem(response, body);
  return body;
}
