// The evaluator of the services. The package is loaded on first use, as most forms have no expressions. A form's author
// wrote them: texts are bounded and patterns run in linear time (docs/adr/0043). Call it in a thread.
import { createRequire } from 'node:module';
import { boundedFunctions } from '../../fhirpath/bounded-functions.ts';
import { type Evaluate, evaluatorOf } from './evaluator.ts';

const require = createRequire(import.meta.url);
let loaded: Evaluate | undefined;

/** @throws Error for an expression that cannot be read or evaluated */
export const evaluateInService: Evaluate = (expression, place) => {
  loaded ??= evaluatorOf(require('fhirpath'), require('fhirpath/fhir-context/r5/index.js'), boundedFunctions);
  return loaded(expression, place);
};
