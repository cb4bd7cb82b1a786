// Builds the calls of FHIR operations for the three terminology requests (contract: engine, "External server
// integration"; hl7.org/fhir/R5/terminology-service.html). The parameters are those of the operations.
import { type Issue, validationError } from '#lib/errors.ts';
import type { TerminologyCall } from './proxy-service.ts';

export type TerminologyRequest = 'expand' | 'lookup' | 'validate-code';

/** @throws ServiceError `validation_error` naming every missing parameter */
export function terminologyCall(question: TerminologyRequest, given: URLSearchParams): TerminologyCall {
  const query = new URLSearchParams(given);
  query.delete('_format');
  requireParameters(question, query);
  switch (question) {
    case 'expand':
      return { path: `/ValueSet/$expand?${query}`, answers: 'ValueSet' };
    case 'lookup':
      return { path: `/CodeSystem/$lookup?${query}`, answers: 'Parameters' };
    case 'validate-code':
      return { path: `${validationPath(query)}?${query}`, answers: 'Parameters' };
    default:
      return question satisfies never;
  }
}

/**
 * Validates a code in a value set (`url`), or else in its code system (`system`). The operation on CodeSystem calls the
 * system `url`.
 */
function validationPath(query: URLSearchParams): string {
  const system = query.get('system');
  if (query.has('url') || system === null) return '/ValueSet/$validate-code';
  query.delete('system');
  query.set('url', system);
  const version = query.get('systemVersion');
  if (version !== null) {
    query.delete('systemVersion');
    query.set('version', version);
  }
  return '/CodeSystem/$validate-code';
}

const REQUIRED: Readonly<Record<TerminologyRequest, readonly (readonly string[])[]>> = {
  expand: [['url']],
  lookup: [['system'], ['code']],
  'validate-code': [['url', 'system'], ['code']],
};

function requireParameters(question: TerminologyRequest, query: URLSearchParams): void {
  const issues = REQUIRED[question].flatMap((names): Issue[] => {
    if (names.some((name) => (query.get(name) ?? '') !== '')) return [];
    const [field = ''] = names;
    return [{ field, message: `query parameter '${names.join("' or '")}' is required` }];
  });
  if (issues.length > 0) throw validationError(issues);
}
