// `POST /$closure` (hl7.org/fhir/R5/conceptmap-operation-closure.html; docs/reference/engine/operations/closure.md).
import { requireType } from '#fhir/rest/http/content.ts';
import type { FhirTypeOptions, ServedOperation } from '#fhir/rest/options.ts';
import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import { createEvaluate } from '#fhir/terminology/content/evaluate.ts';
import { objects } from '#fhir/terminology/json.ts';
import { closureMap, readClosure } from '#fhir/terminology/operations/closure.ts';
import { Inputs } from '#fhir/terminology/operations/inputs.ts';
import { refuseUnknown, unknownNames } from '#fhir/terminology/operations/parameter-names.ts';
import { errorOfInputs } from '#fhir/terminology/operations/reported-issues.ts';
import { TerminologyError } from '#fhir/terminology/terminology-error.ts';
import type { Clock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { createClosures } from '../closures/service.ts';

const OPERATION = { type: '', name: 'closure' };

/** `type` holds the options of CodeSystem: who reads them may have closure tables. */
export function closureOperation(
  type: FhirTypeOptions,
  { catalog, clock }: { readonly catalog: Catalog; readonly clock: Clock },
): ServedOperation {
  const base = { catalog, evaluate: createEvaluate(catalog), clock };
  const closures = createClosures({ clock });
  return {
    name: 'closure',
    type,
    isOfInstance: false,
    isOfSystem: true,
    methods: ['POST'],
    summary: 'The subsumptions among the codes that a client uses',
    permission: type.read,
    interaction: 'read',
    changes: true,
    run: async ({ principal, execution, preferences }, { body }) => {
      if (body === undefined) throw new ServiceError('invalid_request', 'The body must be a Parameters; it is empty');
      requireType(body, 'Parameters');
      const inputs = new Inputs(objects(body.resource['parameter']));
      const isLenient = preferences.asked.some(([name, value]) => name === 'handling' && value === 'lenient');
      const unknown = unknownNames(inputs, OPERATION);
      if (!isLenient) refuseUnknown(inputs, OPERATION, unknown);
      try {
        const request = readClosure(base, inputs);
        if (inputs.issues.length > 0) throw errorOfInputs(inputs, undefined);
        const update = await closures.run(execution, principal, request);
        return { status: 200, text: JSON.stringify(closureMap(update, clock.now(), unknown)) };
      } catch (error) {
        throw error instanceof TerminologyError ? errorOfInputs(inputs, error) : error;
      }
    },
  };
}
