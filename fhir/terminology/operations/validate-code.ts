// $validate-code of value sets and code systems, and several at once
// (hl7.org/fhir/R5/valueset-operation-validate-code.html, codesystem-operation-validate-code.html; $batch-validate-code
// of HL7's tx-ecosystem).
import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import { joinCanonical } from '../catalog/catalog.ts';
import { type Content, isInPart } from '../content/content.ts';
import { activePart } from '../content/evaluate.ts';
import { UnfinishedWork } from '../content/unfinished.ts';
import { reportedVersions } from '../content/version-rules.ts';
import { type Json, text } from '../json.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { type Checked, type CheckOptions, checkCoding } from './check-coding.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  requireValueSet,
  type TerminologyBase,
} from './context.ts';
import type { Inputs } from './inputs.ts';
import { hasError, type Issue, issuesResource } from './issues.ts';
import { type Parameters, parameter, parametersOf } from './parameters.ts';
import { reportedIssues } from './reported-issues.ts';

export type ValidatedType = 'ValueSet' | 'CodeSystem';

export interface ValidateTarget extends OperationTarget {
  readonly type: ValidatedType;
}

/**
 * The response has `result` whenever the value set or code system is known.
 * @throws TerminologyError `required`, `not-found` …
 */
export function validateCode(base: TerminologyBase, inputs: Inputs, target: ValidateTarget): Parameters {
  const context = contextOf(base, inputs, target);
  const scope = target.type === 'ValueSet' ? valueSetScope(context, inputs, target) : NO_SCOPE;
  const system = target.type === 'CodeSystem' ? requestedSystem(context, inputs, target) : undefined;
  const inputCodings = readCodings(inputs, { system, scope });
  const options: CheckOptions = {
    content: scope.content,
    valueSetName: scope.name,
    isLenient: inputs.boolean('lenient-display-validation') === true,
    isMembershipOnly: inputs.boolean('valueset-membership-only') === true,
    allowsAbstract: inputs.boolean('abstract') !== false,
    wantsActive: inputs.boolean('activeOnly') === true,
    isOneOfMany: inputCodings.path === 'CodeableConcept',
  };
  const checked = inputCodings.codings.map((coding, index) =>
    checkCoding(context, coding, pathOf(inputCodings.path, index), options),
  );
  return inputCodings.path === 'CodeableConcept'
    ? ofConcept(checked, inputCodings, scope)
    : ofOne(checked[0], inputCodings, scope);
}

interface Scope {
  readonly content: Content | undefined;
  readonly name: string;
  /** The issue of a code system in another version than check-system-version. */
  readonly versionIssue?: string | undefined;
}

const NO_SCOPE: Scope = { content: undefined, name: '' };

function valueSetScope(context: OperationContext, inputs: Inputs, target: OperationTarget): Scope {
  const valueSet = requireValueSet(context, inputs, target);
  const { used, issue } = reportedVersions(context.rules, (rules) => context.evaluate(valueSet, rules));
  const { content } = used;
  const name = joinCanonical({ url: text(valueSet['url']) ?? '', version: text(valueSet['version']) });
  return {
    content: inputs.boolean('activeOnly') === true ? content.map(activePart) : content,
    name,
    versionIssue: issue,
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

interface CodingInputs {
  readonly codings: readonly Coding[];
  /** `''` for separate parameters. */
  readonly path: '' | 'Coding' | 'CodeableConcept';
  readonly issues: readonly Issue[];
}

function pathOf(path: CodingInputs['path'], index: number): string {
  return path === 'CodeableConcept' ? `CodeableConcept.coding[${index}]` : path;
}

function readCodings(
  inputs: Inputs,
  { system, scope }: { readonly system: Coding | undefined; readonly scope: Scope },
): CodingInputs {
  inputs.oneOf(['codeableConcept', 'coding', 'code'], 'says what is validated');
  const several = inputs.codings('codeableConcept');
  if (several !== undefined) return { codings: several, path: 'CodeableConcept', issues: [] };
  const coding = inputs.coding('coding');
  if (coding !== undefined) return { codings: [{ ...system, ...coding }], path: 'Coding', issues: [] };
  const code = inputs.text('code');
  if (code === undefined) {
    throw new TerminologyError('required', 'code (with system), coding or codeableConcept must say what is validated');
  }
  const named = {
    system: system?.system ?? inputs.text('system'),
    version: system?.version ?? inputs.text('systemVersion'),
    code,
    display: inputs.text('display'),
  };
  return named.system === undefined && scope.content !== undefined
    ? inferred(inputs, named, scope.content)
    : { codings: [named], path: '', issues: [] };
}

/** Infers the system from the value set, when the caller requests it. */
function inferred(inputs: Inputs, named: Coding, content: Content): CodingInputs {
  const code = named.code ?? '';
  const systems = new Set(content.filter((part) => isInPart(part, code)).map(({ system }) => system));
  const [system] = systems;
  const isInferred = inputs.boolean('inferSystem') === true;
  if (isInferred && systems.size === 1) return { codings: [{ ...named, system }], path: '', issues: [] };
  const why =
    systems.size > 1
      ? `it is in several code systems: ${[...systems].join(', ')}`
      : 'no code system of the value set has it';
  const message = `The System URI could not be determined for the code '${code}'${isInferred ? `: ${why}` : ', as none is given and inferSystem is not true'}`;
  return {
    codings: [named],
    path: '',
    issues: [{ severity: 'error', kind: 'cannot-infer', message, expression: 'code' }],
  };
}

function ofOne(checked: Checked | undefined, { issues: given, path }: CodingInputs, scope: Scope): Parameters {
  if (checked === undefined) return parametersOf(parameter('result', 'Boolean', false));
  // The issue of a failed inference is more precise than that of a missing system.
  const issues = withVersionIssue(given.length > 0 ? given : checked.issues, path, scope);
  return resultParameters(checked, { issues, isValid: checked.isValid && !hasError(issues) });
}

/** Appends the version issue, unless the issues of a code have it. */
function withVersionIssue(
  issues: readonly Issue[],
  path: CodingInputs['path'],
  { versionIssue }: Scope,
): readonly Issue[] {
  if (versionIssue === undefined || issues.some(({ message }) => message === versionIssue)) return issues;
  const expression = path === '' ? 'version' : `${pathOf(path, 0)}.version`;
  return [...issues, { severity: 'error', kind: 'version-error', message: versionIssue, expression }];
}

function ofConcept(checked: readonly Checked[], inputCodings: CodingInputs, scope: Scope): Parameters {
  const valid = checked.find(({ isValid }) => isValid);
  const issues = withVersionIssue(
    checked.flatMap((each) => each.issues),
    inputCodings.path,
    scope,
  );
  const concept = { name: 'codeableConcept', valueCodeableConcept: { coding: inputCodings.codings } };
  const isWrong = issues.some(({ severity, kind }) => severity === 'error' && kind !== 'not-found');
  if (valid !== undefined) return resultParameters(valid, { issues, isValid: !isWrong, concept });
  if (scope.content === undefined) return resultParameters(checked[0], { issues, isValid: false, concept });
  const message = `No valid coding was found for the value set '${scope.name}'`;
  const whole: Issue = { severity: 'error', kind: 'not-in-vs', message, expression: 'CodeableConcept' };
  return resultParameters(checked[0], { issues: [whole, ...issues], isValid: false, concept });
}

interface Result {
  readonly issues: readonly Issue[];
  readonly isValid: boolean;
  readonly concept?: Json;
}

function resultParameters(checked: Checked | undefined, { issues, isValid, concept }: Result): Parameters {
  const messages = issues.filter(({ severity }) => severity !== 'information').map(({ message }) => message);
  return parametersOf(
    parameter('result', 'Boolean', isValid),
    parameter('code', 'Code', checked?.coding.code),
    parameter('system', 'Uri', checked?.coding.system),
    parameter('version', 'String', checked?.version),
    parameter('display', 'String', checked?.display),
    checked?.isInactive === true ? parameter('inactive', 'Boolean', true) : undefined,
    concept,
    parameter('x-unknown-system', 'Canonical', checked?.unknownSystem),
    messages.length === 0 ? undefined : parameter('message', 'String', messages.join('; ')),
    issues.length === 0 ? undefined : { name: 'issues', resource: issuesResource(issues) },
  );
}

/**
 * Validates each `validation`, a Parameters resource as for $validate-code; the other parameters apply to all. The
 * result of one that fails is an OperationOutcome.
 */
export function batchValidateCode(base: TerminologyBase, inputs: Inputs, target: ValidateTarget): Parameters {
  const shared = inputs.without('validation');
  const validations = inputs.batch('validation');
  if (validations.length === 0)
    throw new TerminologyError('required', 'validation must say, any number of times, what is validated');
  return parametersOf(
    ...validations.map((each) => ({ name: 'validation', resource: outcomeOfOne(base, each?.with(shared), target) })),
  );
}

function outcomeOfOne(base: TerminologyBase, inputs: Inputs | undefined, target: ValidateTarget): Json {
  if (inputs === undefined) {
    return { ...outcomeOfIssues([{ message: 'validation must be a Parameters resource', code: 'value' }]) };
  }
  try {
    const answered = validateCode(base, inputs, target);
    return inputs.issues.length === 0 ? { ...answered } : { ...outcomeOfIssues(reportedIssues(inputs, undefined)) };
  } catch (error) {
    // After unfinished work the whole batch runs again.
    if (!(error instanceof TerminologyError) || error instanceof UnfinishedWork) throw error;
    return { ...outcomeOfIssues(reportedIssues(inputs, error)) };
  }
}
