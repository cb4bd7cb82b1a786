// What is wrong with the parameters of an operation, as it is answered.
import type { Issue } from '#lib/errors.ts';
import type { TerminologyError } from '../terminology-error.ts';
import type { Inputs } from './inputs.ts';

/**
 * All that is wrong with the parameters, or, when they are right, what ended the operation. What is missing is told
 * with what else is wrong.
 */
export function reportedIssues(inputs: Inputs, ended: TerminologyError | undefined): Issue[] {
  // What was wrong by then may be why something is missing.
  const isMissing = ended?.issue === 'required' && inputs.issues.length === 0;
  const issues: Issue[] = inputs.allIssues().map(({ name, message }) => ({ field: name, message, code: 'value' }));
  const isTold = ended !== undefined && (isMissing || issues.length === 0);
  return isTold ? [...issues, { message: ended.message, code: ended.issue }] : issues;
}
