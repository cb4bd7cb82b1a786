// Finds the value set to which an element of R5 is bound, by the element's path:
// `http://hl7.org/fhir/StructureDefinition/Patient#Patient.gender` (parameter context of $expand and $validate-code;
// hl7.org/fhir/R5/valueset-operation-expand.html).
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { TerminologyError } from '../terminology-error.ts';
import type { Inputs } from './inputs.ts';

const BASE = 'http://hl7.org/fhir/StructureDefinition/';
const DIRECTIONS = ['incoming', 'outgoing'];

/**
 * The value set's canonical; undefined without a context.
 * @throws TerminologyError `not-found` for an unknown element, or one without a binding
 */
export function valueSetOfContext(inputs: Inputs): string | undefined {
  const direction = inputs.text('contextDirection');
  if (direction !== undefined && !DIRECTIONS.includes(direction)) {
    inputs.issue('contextDirection', `contextDirection must be one of ${DIRECTIONS.join(', ')}`);
  }
  const context = inputs.text('context');
  if (context === undefined) return undefined;
  const [structure = '', path = structure] = context.split('#');
  const [type = ''] = path.split('.');
  const isOfType = structure === path || structure === `${BASE}${type}`;
  const binding = isOfType ? r5Definitions().element(path)?.binding : undefined;
  if (binding !== undefined) return binding.valueSet;
  throw new TerminologyError('not-found', `no value set is known here for the context ${context}`, 'not-found');
}
