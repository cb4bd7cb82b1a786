// $validate-code of value sets and code systems
// (hl7.org/fhir/R5/valueset-operation-validate-code.html, codesystem-operation-validate-code.html).
import { joinCanonical } from '../../catalog/catalog.ts';
import type { Content } from '../../content/content.ts';
import type { Evaluated } from '../../content/evaluate.ts';
import { activePart } from '../../content/marked-parts.ts';
import { makeEach, UnfinishedWork } from '../../content/unfinished.ts';
import { type Json, text } from '../../json.ts';
import type { Coding } from '../../model/code-system-model.ts';
import { TerminologyError } from '../../terminology-error.ts';
import {
  contextOf,
  languagesOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  requireNow,
  requireValueSet,
  type TerminologyBase,
} from '../context.ts';
import type { Inputs } from '../inputs.ts';
import { type Parameters, parameter, parametersOf } from '../parameters.ts';
import { type Checked, checkCoding } from './check-coding.ts';
import type { CheckOptions } from './check-options.ts';
import { type CodingInputs, pathOf, readCodings } from './codings.ts';
import { type Issue, issuesResource } from './issues.ts';
import { resultOfConcept, resultOfOne } from './result.ts';
import { resultJsonOfOne } from './result-json.ts';
import { codeSystemRemarks, valueSetRemarks } from './status-issues.ts';

export type ValidatedType = 'ValueSet' | 'CodeSystem';

export interface ValidateTarget extends OperationTarget {
  readonly type: ValidatedType;
}

/**
 * The response has `result` whenever the value set or code system is known.
 * @throws TerminologyError `required`, `not-found` …
 */
export function validateCode(base: TerminologyBase, inputs: Inputs, target: ValidateTarget): Parameters {
  return validated(base, inputs, target, resultOfOne);
}

/** The same as JSON text in UTF-8, valid until the next one. */
export function validateCodeAsJson(base: TerminologyBase, inputs: Inputs, target: ValidateTarget): Buffer {
  const result = validated<Buffer | Parameters>(base, inputs, target, resultJsonOfOne);
  return Buffer.isBuffer(result) ? result : Buffer.from(JSON.stringify(result));
}

/** The answer for one coding. */
type ResultOfOne<T> = (checked: Checked, inputs: CodingInputs, remarks: readonly Issue[]) => T;

function validated<T>(
  base: TerminologyBase,
  inputs: Inputs,
  target: ValidateTarget,
  ofOne: ResultOfOne<T>,
): T | Parameters {
  const context = contextOf(base, inputs, target);
  requireNow(inputs, base);
  const scope = target.type === 'ValueSet' ? valueSetScope(context, inputs, target) : undefined;
  const system = target.type === 'CodeSystem' ? requestedSystem(context, inputs, target) : undefined;
  try {
    const given = readCodings(inputs, {
      system,
      content: scope && (() => scope.contentFor({})),
      valueSetName: scope?.name ?? '',
    });
    const options = optionsOf(context, inputs, { scope, given });
    const all =
      given.codings.length <= FEW
        ? given.codings.map((coding, index) => checkCoding(context, coding, pathOf(given.path, index), options))
        : checkMany(context, given, { options, identity: inputs.identity });
    return resultOf(context, given, { scope, options, all, ofOne });
  } catch (error) {
    return unknownImport(error, inputs);
  }
}

interface Scope {
  readonly valueSet: Json;
  readonly name: string;
  /** The codes of the value set, in the version of the coding where the value set leaves it open. */
  readonly contentFor: (coding: Coding) => Content;
  readonly evaluated: () => Evaluated;
}

function valueSetScope(context: OperationContext, inputs: Inputs, target: OperationTarget): Scope {
  const valueSet = requireValueSet(context, inputs, target);
  const { rules } = context;
  // Another version than the checked one is reported among the issues.
  const reported = rules.checked.size === 0 ? rules : { ...rules, isChecking: false };
  const isActiveOnly = inputs.boolean('activeOnly') === true;
  let plain: Evaluated | undefined;
  const evaluated = (): Evaluated => {
    plain ??= context.evaluate(valueSet, reported);
    return plain;
  };
  const contentOf = ({ system, version }: Coding): Content => {
    const isOpen = system !== undefined && version !== undefined && context.catalog.codeSystems(system).length > 1;
    const asked = isOpen ? { ...reported, given: new Map([[system, version]]) } : reported;
    const { content } = isOpen ? context.evaluate(valueSet, asked) : evaluated();
    return isActiveOnly ? content.map(activePart) : content;
  };
  return {
    valueSet,
    name: joinCanonical({ url: text(valueSet['url']) ?? '', version: text(valueSet['version']) }),
    contentFor: contentOf,
    evaluated,
  };
}

/** The requested code system; undefined when none is named, and a Coding's own is used. */
function requestedSystem(context: OperationContext, inputs: Inputs, { id }: OperationTarget): Coding | undefined {
  if (id !== undefined) {
    const { url, version } = requireById(context, 'CodeSystem', id);
    return { system: url, version };
  }
  const sent = inputs.holdsResource('codeSystem') ? inputs.resource('codeSystem', 'CodeSystem') : undefined;
  const system = text(sent?.['url']) ?? inputs.text('url') ?? inputs.text('system');
  return system === undefined ? undefined : { system, version: text(sent?.['version']) ?? inputs.text('version') };
}

interface Asked {
  readonly scope: Scope | undefined;
  readonly given: CodingInputs;
}

function optionsOf(context: OperationContext, inputs: Inputs, { scope, given }: Asked): CheckOptions {
  return {
    contentFor: scope?.contentFor,
    valueSetName: scope?.name ?? '',
    languages: scope === undefined ? context.languages : languagesOf(context, scope.valueSet),
    isLenient: inputs.boolean('lenient-display-validation') === true,
    isMembershipOnly: inputs.boolean('valueset-membership-only') === true,
    allowsAbstract: inputs.boolean('abstract') !== false,
    isOneOfMany: given.path === 'CodeableConcept',
  };
}

/** So many codings are checked in one turn of the event loop. */
const FEW = 64;
const now = () => performance.now();

/** What has been checked of requests with many codings. */
const checkedOf = new WeakMap<object, Checked[]>();

interface CheckingMany {
  readonly options: CheckOptions;
  /** Of the request, which goes on when it runs again. */
  readonly identity: object;
}

/** @throws UnfinishedWork */
function checkMany(
  context: OperationContext,
  { codings, path }: CodingInputs,
  { options, identity }: CheckingMany,
): readonly Checked[] {
  const made = checkedOf.get(identity) ?? [];
  checkedOf.set(identity, made);
  const make = (coding: Coding, index: number) => checkCoding(context, coding, pathOf(path, index), options);
  return makeEach({ name: `the check of ${codings.length} codings`, items: codings, make, made }, now);
}

interface ResultOptions<T> {
  readonly all: readonly Checked[];
  readonly scope: Scope | undefined;
  readonly options: CheckOptions;
  readonly ofOne: ResultOfOne<T>;
}

function resultOf<T>(
  context: OperationContext,
  given: CodingInputs,
  { all, scope, options, ofOne }: ResultOptions<T>,
): T | Parameters {
  const remarks = options.isMembershipOnly ? [] : remarksOn(context, scope, all);
  const [first] = all;
  if (first === undefined) return parametersOf(parameter('result', 'Boolean', false));
  if (given.path !== 'CodeableConcept') return ofOne(first, given, remarks);
  return resultOfConcept(all, given, { remarks, valueSetName: scope?.name });
}

/** Remarks on the definitions that a value set uses; the codes of a code system are asked for by its name. */
function remarksOn(context: OperationContext, scope: Scope | undefined, all: readonly Checked[]): readonly Issue[] {
  if (scope === undefined) return [];
  const ofValueSets = valueSetRemarks(context, scope.valueSet, scope.evaluated());
  const ofSystems: Issue[] = [];
  for (const { meta } of all) {
    if (meta === undefined) continue;
    for (const remark of codeSystemRemarks(meta, scope.valueSet)) {
      if (!ofSystems.some(({ message }) => message === remark.message)) ofSystems.push(remark);
    }
  }
  return ofSystems.length === 0 ? ofValueSets : [...ofValueSets, ...ofSystems];
}

/** A definition that the value set needs is unknown: the code cannot be in it, and the answer says why. */
function unknownImport(error: unknown, inputs: Inputs): Parameters {
  const isUnknown =
    error instanceof TerminologyError && !(error instanceof UnfinishedWork) && error.issue === 'not-found';
  if (!isUnknown) throw error;
  const { message, unknownSystem } = error;
  const coding = inputs.coding('coding');
  const expression = undefined;
  return parametersOf(
    parameter('result', 'Boolean', false),
    parameter('code', 'Code', coding?.code ?? inputs.text('code')),
    parameter('system', 'Uri', coding?.system ?? inputs.text('system')),
    parameter('codeableConcept', 'CodeableConcept', inputs.value('codeableConcept')),
    parameter('x-caused-by-unknown-system', 'Canonical', unknownSystem),
    parameter('message', 'String', message),
    { name: 'issues', resource: issuesResource([{ severity: 'error', kind: 'not-found', message, expression }]) },
  );
}
