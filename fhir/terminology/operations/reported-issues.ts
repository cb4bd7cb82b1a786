// The issues of an operation's parameters in its response.
import type { Issue } from '#lib/errors.ts';
import type { TerminologyError } from '../terminology-error.ts';
import type { Inputs } from './inputs.ts';

/**
 * All issues of the parameters; when there are none, the error that ended the operation. A missing parameter is
 * reported with the other issues.
 */
export function reportedIssues(inputs: Inputs, ended: TerminologyError | undefined): Issue[] {
  // An earlier issue may be the reason why a parameter is missing.
  const isMissing = ended?.issue === 'required' && inputs.issues.length === 0;
  const issues: Issue[] = inputs.allIssues().map(({ name, message }) => ({ field: name, message, code: 'value' }));
  const isReported = ended !== undefined && (isMissing || issues.length === 0);
  return isReported ? [...issues, { message: ended.message, code: ended.issue }] : issues;
}
