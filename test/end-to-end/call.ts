// HTTP calls that validate their responses: each FHIR resource, alone or inside plain JSON, must be valid R5.
import assert from 'node:assert/strict';
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { type CallOptions, call as send, type TestResponse } from '#test/support/http.ts';

/** As the helper of that name; fails with every error of every resource in the answer. */
export async function call(url: string, options: CallOptions = {}): Promise<TestResponse> {
  const answer = await send(url, options);
  const isFhir = (answer.headers.get('content-type') ?? '').startsWith('application/fhir+json');
  if (isFhir) assertValid(answer.body, url);
  // Identity's own records are called Patient and Organization too, but have guids where FHIR has ids.
  else for (const resource of resourcesIn(answer.body)) assertValid(resource, url);
  return answer;
}

/** Fails with every error of a resource that left a service. */
export function assertValid(resource: unknown, where: string): void {
  const issues = validateResource(resource).filter((issue) => (issue.severity ?? 'error') === 'error');
  assert.deepEqual(issues, [], `what ${where} answered is not valid R5`);
}

/** The outermost FHIR resources in plain JSON. */
function resourcesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(resourcesIn);
  if (typeof value !== 'object' || value === null) return [];
  if (
    'resourceType' in value &&
    !('user_guid' in value) &&
    !('organisation_guid' in value) &&
    !('group_guid' in value)
  ) {
    return r5Definitions().isResourceType(String(value.resourceType)) ? [value] : [];
  }
  return Object.values(value).flatMap(resourcesIn);
}
