// What is wrong with the parameters of an operation, as it is answered.
import type { Fault } from '#lib/errors.ts';
import type { TerminologyFault } from '../fault.ts';
import type { Inputs } from './inputs.ts';

/** All that is wrong with the parameters, or, when they are right, what ended the operation. What is missing is told with what else is wrong. */
export function faultsTold(inputs: Inputs, ended: TerminologyFault | undefined): Fault[] {
  // What was wrong by then may be why something is missing.
  const isMissing = ended?.issue === 'required' && inputs.faults.length === 0;
  const faults: Fault[] = inputs.allFaults().map(({ name, message }) => ({ field: name, message, issue: 'value' }));
  const isTold = ended !== undefined && (isMissing || faults.length === 0);
  return isTold ? [...faults, { message: ended.message, code: ended.issue }] : faults;
}
