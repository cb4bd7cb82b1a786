// Adds the issues of all other resources to the error of a transaction that failed by an invalid resource (decision
// E3).

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { MAX_ISSUES } from '#fhir/validation/issue-list.ts';
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { atEntryOf } from './failure.ts';
import type { BundleRequest } from './request.ts';

type Check = (source: ResourceText) => Promise<void> | undefined;

/**
 * Returns the error with the issues of all creates and updates, in their order. Any error but `unprocessable` is
 * returned as it is.
 */
export async function withEveryIssue(
  error: unknown,
  requests: readonly BundleRequest[],
  check: Check,
): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.code !== 'unprocessable') return error;
  const failed = requests.findIndex(({ index }) => error.issues.some(({ field }) => isOf(field, index)));
  const issues: Issue[] = [];
  const slices = createSlices();
  for (const [place, request] of requests.entries()) {
    await slices.rest();
    if (issues.length > MAX_ISSUES) break;
    for (const issue of place === failed ? error.issues : await issuesOf(request, check)) issues.push(issue);
  }
  return failed === -1 ? error : new ServiceError('unprocessable', messageOf(issues), { issues, cause: error });
}

function isOf(field: string | undefined, index: number): boolean {
  const entry = `Bundle.entry[${index}]`;
  return field === entry || field?.startsWith(`${entry}.`) === true;
}

/** A conditional create is not checked here: where it finds a resource, its own is not validated. */
async function issuesOf(request: BundleRequest, check: Check): Promise<readonly Issue[]> {
  const { source, interaction, conditions } = request;
  const isWritten = interaction === 'update' || (interaction === 'create' && conditions.ifNoneExist === undefined);
  if (source === undefined || !isWritten) return [];
  try {
    await atEntryOf(request, () => check(source));
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.issues;
    throw error;
  }
}
