// Runs a terminology operation over the definitions of a test and HL7's.

import assert from 'node:assert/strict';
import { outcomeOfError } from '#fhir/resources/operation-outcome.ts';
import { systemClock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { layered } from '../catalog/catalog.ts';
import { laterOfficialCatalog } from '../catalog/official.ts';
import { catalogOfResources } from '../catalog/table-catalog.ts';
import { finished } from '../content/unfinished.ts';
import type { Json } from '../json.ts';
import type { OperationTarget } from '../operations/context.ts';
import { Inputs } from '../operations/inputs.ts';
import { errorOfInputs } from '../operations/reported-issues.ts';
import { createTerminologyOperations } from '../operations/service.ts';
import { TerminologyError } from '../terminology-error.ts';

/** The answer of `ValueSet/$expand` …, or its OperationOutcome. */
export type RunOperation = (address: string, parameters: readonly Json[], target?: OperationTarget) => Promise<Json>;

export function operationsOver(definitions: readonly Json[]): RunOperation {
  const catalog = layered([catalogOfResources(definitions), laterOfficialCatalog]);
  const operations = createTerminologyOperations(catalog, systemClock);
  return async (address, parameters, target = {}) => {
    const operation = operations.find(({ type, name }) => `${type}/$${name}` === address);
    if (operation === undefined) throw new Error(`There is no operation ${address}`);
    const inputs = new Inputs(parameters);
    try {
      const answer = await finished(() => operation.run(inputs, target));
      if (inputs.issues.length > 0) throw errorOfInputs(inputs, undefined);
      // An operation that writes its JSON text itself writes the same.
      const { write } = operation;
      if (write !== undefined) {
        const text = await finished(() => write(new Inputs(parameters), target).toString());
        assert.equal(withoutMoment(text), withoutMoment(JSON.stringify(answer)));
      }
      return answer;
    } catch (error) {
      if (!(error instanceof TerminologyError) && !(error instanceof ServiceError)) throw error;
      return { ...outcomeOfError(error instanceof ServiceError ? error : errorOfInputs(inputs, error)) };
    }
  };
}

/** Without what is new in each expansion. */
const withoutMoment = (text: string): string =>
  text.replace(/"identifier":"urn:uuid:[^"]+","timestamp":"[^"]+"/, '"identifier":"","timestamp":""');
