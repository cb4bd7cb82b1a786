// Builds the bundle of a push from texts, as a task that may run in a thread (./bundle.ts). Pure.

import { parseObject } from '#fhir/json/objects.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import { ServiceError, shownIssues } from '#lib/errors.ts';
import { requireBundleSize } from '../shared/bundle-size.ts';
import { defineTextTask } from '../shared/text-tasks.ts';
import { type BundleParts, buildPushBundle } from './bundle.ts';

type BundleInput = Omit<BundleParts, 'serviceRequest' | 'patient'> & {
  readonly serviceRequest: string;
  readonly patient: string;
};

/** @throws ServiceError `unprocessable` when the bundle is too large or not valid FHIR R5 */
export const PUSH_BUNDLE = defineTextTask('push-bundle', (given: BundleInput) => {
  const serviceRequest = parseObject(given.serviceRequest);
  const text = JSON.stringify(buildPushBundle({ ...given, serviceRequest, patient: parseObject(given.patient) }));
  requireBundleSize(text);
  const issues = validateResource(parseWritten(text), { resourceType: 'Bundle' });
  if (!hasErrors(issues)) return text;
  throw new ServiceError('unprocessable', 'The bundle would not be valid FHIR R5', { issues: shownIssues(issues) });
});
