// The terminology operations by name, for the REST routes (decision E5).
import type { Clock } from '#lib/clock.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createEvaluate } from '../content/evaluate.ts';
import type { Json } from '../json.ts';
import type { OperationTarget, TerminologyBase } from './context.ts';
import { expand, expandAsJson } from './expand.ts';
import { findMatches } from './find-matches.ts';
import type { Inputs } from './inputs.ts';
import { lookup } from './lookup/lookup.ts';
import { related } from './related.ts';
import { subsumes } from './subsumes.ts';
import { translate } from './translate.ts';
import { batchValidateCode } from './validation/batch.ts';
import { validateCode, validateCodeAsJson } from './validation/validate-code.ts';

/** Returns the response resource. @throws TerminologyError */
type Operation = (inputs: Inputs, target: OperationTarget) => Json;

export interface TerminologyOperation {
  readonly type: 'CodeSystem' | 'ValueSet' | 'ConceptMap';
  /** Without the `$`. */
  readonly name: string;
  readonly summary: string;
  /** The canonical URL of its OperationDefinition. */
  readonly definition: string;
  /** Whether it can be called on one resource by its id. */
  readonly isOfInstance: boolean;
  /**
   * The only resource parameter of the operation's type: such a resource may be the body instead of Parameters
   * (hl7.org/fhir/R5/operations.html#request).
   */
  readonly resourceInput?: string;
  /** Changes whenever its results may have changed. */
  readonly state: () => number;
  readonly run: Operation;
  /**
   * The same as JSON text in UTF-8, where the operation writes it itself; the bytes are valid until it is called again.
   * @throws TerminologyError
   */
  readonly write?: (inputs: Inputs, target: OperationTarget) => Buffer;
}

/** The response resource as JSON text. @throws TerminologyError */
export function writtenBy(
  { run, write }: TerminologyOperation,
  inputs: Inputs,
  target: OperationTarget,
): string | Buffer {
  return write === undefined ? JSON.stringify(run(inputs, target)) : write(inputs, target);
}

const DEFINITION = 'http://hl7.org/fhir/OperationDefinition';

/** Computed from the catalog alone. */
export function createTerminologyOperations(catalog: Catalog, clock: Clock): readonly TerminologyOperation[] {
  const state = (): number => catalog.generation;
  return operationsOf(catalog, clock).map((operation) => ({ ...operation, state }));
}

type Stateless = Omit<TerminologyOperation, 'state'>;

function operationsOf(catalog: Catalog, clock: Clock): readonly Stateless[] {
  const base: TerminologyBase = { catalog, evaluate: createEvaluate(catalog), clock };
  const validations = (['ValueSet', 'CodeSystem'] as const).flatMap((type): Stateless[] => [
    {
      type,
      name: 'validate-code',
      summary: `Whether a code is in a ${type === 'ValueSet' ? 'value set' : 'code system'}`,
      definition: `${DEFINITION}/${type}-validate-code`,
      isOfInstance: true,
      resourceInput: type === 'ValueSet' ? 'valueSet' : 'codeSystem',
      run: (inputs, target) => ({ ...validateCode(base, inputs, { ...target, type }) }),
      write: (inputs, target) => validateCodeAsJson(base, inputs, { ...target, type }),
    },
    {
      type,
      name: 'batch-validate-code',
      summary: 'Several codes validated at once',
      definition: `https://kedja.dev/fhir/OperationDefinition/${type}-batch-validate-code`,
      isOfInstance: false,
      run: (inputs, target) => ({ ...batchValidateCode(base, inputs, { ...target, type }) }),
    },
  ]);
  return [
    {
      type: 'CodeSystem',
      name: 'lookup',
      summary: 'What is known of a code',
      definition: `${DEFINITION}/CodeSystem-lookup`,
      isOfInstance: true,
      run: (inputs, target) => JSON.parse(lookup(base, inputs, target).toString()) as Json,
      write: (inputs, target) => lookup(base, inputs, target),
    },
    {
      type: 'CodeSystem',
      name: 'subsumes',
      summary: 'How two codes lie to each other',
      definition: `${DEFINITION}/CodeSystem-subsumes`,
      isOfInstance: true,
      run: (inputs, target) => ({ ...subsumes(base, inputs, target) }),
    },
    {
      type: 'CodeSystem',
      name: 'find-matches',
      summary: 'The codes that have the given properties',
      definition: `${DEFINITION}/CodeSystem-find-matches`,
      isOfInstance: true,
      run: (inputs, target) => findMatches(base, inputs, target),
    },
    {
      type: 'ValueSet',
      name: 'related',
      summary: 'How the codes of two value sets lie to each other',
      definition: 'https://kedja.dev/fhir/OperationDefinition/ValueSet-related',
      isOfInstance: true,
      run: (inputs, target) => ({ ...related(base, inputs, target) }),
    },
    {
      type: 'ValueSet',
      name: 'expand',
      summary: 'The codes of a value set',
      definition: `${DEFINITION}/ValueSet-expand`,
      isOfInstance: true,
      resourceInput: 'valueSet',
      run: (inputs, target) => expand(base, inputs, target),
      write: (inputs, target) => expandAsJson(base, inputs, target),
    },
    {
      type: 'ConceptMap',
      name: 'translate',
      summary: 'What concept maps make of a code',
      definition: `${DEFINITION}/ConceptMap-translate`,
      isOfInstance: true,
      resourceInput: 'conceptMap',
      run: (inputs, target) => ({ ...translate(base, inputs, target) }),
    },
    ...validations,
  ];
}
