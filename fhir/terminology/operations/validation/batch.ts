// Several validations at once ($batch-validate-code of HL7's tx-ecosystem).
import { outcomeOfError } from '#fhir/resources/operation-outcome.ts';
import { validationError } from '#lib/errors.ts';
import { makeEach, UnfinishedWork } from '../../content/unfinished.ts';
import type { Json } from '../../json.ts';
import { TerminologyError } from '../../terminology-error.ts';
import type { TerminologyBase } from '../context.ts';
import type { Inputs } from '../inputs.ts';
import { type Parameters, parametersOf } from '../parameters.ts';
import { errorOfInputs } from '../reported-issues.ts';
import { type ValidateTarget, validateCode } from './validate-code.ts';

/**
 * Validates each `validation`, a Parameters resource as for $validate-code; the other parameters apply to all. The
 * result of one that fails is an OperationOutcome.
 * @throws TerminologyError `required` without any
 */
export function batchValidateCode(base: TerminologyBase, inputs: Inputs, target: ValidateTarget): Parameters {
  const batch = batches.get(inputs.identity) ?? readBatch(inputs);
  batches.set(inputs.identity, batch);
  const { validations, made } = batch;
  if (validations.length === 0)
    throw new TerminologyError('required', 'validation must say, any number of times, what is validated');
  const make = (each: Inputs | undefined) => ({ name: 'validation', resource: outcomeOfOne(base, each, target) });
  const name = `the batch of ${validations.length} validations`;
  return parametersOf(...makeEach({ name, items: validations, make, made }, () => performance.now()));
}

interface Batch {
  readonly validations: readonly (Inputs | undefined)[];
  /** What has been answered of them. */
  readonly made: Json[];
}

/** Of requests, which go on when they run again. */
const batches = new WeakMap<object, Batch>();

function readBatch(inputs: Inputs): Batch {
  const shared = inputs.without('validation');
  return { validations: inputs.batch('validation').map((each) => each?.with(shared)), made: [] };
}

function outcomeOfOne(base: TerminologyBase, inputs: Inputs | undefined, target: ValidateTarget): Json {
  if (inputs === undefined) {
    const issues = [{ message: 'validation must be a Parameters resource', code: 'value' }];
    return { ...outcomeOfError(validationError(issues)) };
  }
  try {
    const answered = validateCode(base, inputs, target);
    if (inputs.issues.length === 0) return { ...answered };
  } catch (error) {
    // After unfinished work the whole batch runs again.
    if (!(error instanceof TerminologyError) || error instanceof UnfinishedWork) throw error;
    return { ...outcomeOfError(errorOfInputs(inputs, error)) };
  }
  return { ...outcomeOfError(errorOfInputs(inputs, undefined)) };
}
