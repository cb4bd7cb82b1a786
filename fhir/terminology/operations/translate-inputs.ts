// The inputs of $translate: a code, Coding or CodeableConcept of the source or of the target, and dependencies.
import { type Canonical, splitCanonical } from '../catalog/catalog.ts';
import type { Dependency } from '../mapping/mapping-context.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import type { Inputs } from './inputs.ts';

export interface TranslationInputs {
  /** Alternatives: a match of any of them counts. */
  readonly codings: readonly Coding[];
  /** Whether target codes are given and source codes are requested. */
  readonly isReverse: boolean;
  readonly dependencies: readonly Dependency[];
  /** The only system that the result may have. */
  readonly system: Canonical | undefined;
}

const INPUT_NAMES = [
  'sourceCode',
  'sourceCoding',
  'sourceCodeableConcept',
  'targetCode',
  'targetCoding',
  'targetCodeableConcept',
];

/** @throws TerminologyError `required` when nothing, or a code without its system, is given */
export function readTranslation(inputs: Inputs): TranslationInputs {
  const inputName = inputs.oneOf(INPUT_NAMES, 'says what is translated');
  if (inputName === undefined)
    throw new TerminologyError('required', `one of ${INPUT_NAMES.join(', ')} must say what is translated`);
  const dependencies = inputs.parts('dependency').flatMap((dependency) => {
    const attribute = dependency.text('attribute');
    const value = dependency.value('value');
    if (attribute !== undefined && value !== undefined) return [{ attribute, value }];
    inputs.issue('dependency', 'dependency must have an attribute and a value');
    return [];
  });
  return { ...(inputName.startsWith('target') ? ofTarget(inputs) : ofSource(inputs)), dependencies };
}

type CodeInputs = Pick<TranslationInputs, 'codings' | 'isReverse' | 'system'>;

function ofSource(inputs: Inputs): CodeInputs {
  const code = inputs.text('sourceCode');
  inputs.oneOf(['sourceSystem', 'system'], 'says which code system the code is of');
  const { url: system, version = inputs.text('version') } = splitCanonical(
    inputs.text('sourceSystem') ?? inputs.text('system') ?? '',
  );
  if (code !== undefined && system === '')
    throw new TerminologyError('required', 'system or sourceSystem must say which code system sourceCode is of');
  return {
    codings: codingsOf(inputs, 'source') ?? [{ system, version, code }],
    isReverse: false,
    system: canonicalOf(inputs.text('targetSystem')),
  };
}

/**
 * The code's system is `targetSystem`, or `system` without a `targetSystem`. The source's system is `sourceSystem`.
 * It is `system` where that is not the code's.
 */
function ofTarget(inputs: Inputs): CodeInputs {
  const code = inputs.text('targetCode');
  const [system, targetSystem] = [inputs.text('system'), inputs.text('targetSystem')];
  const sourceSystem = inputs.text('sourceSystem');
  if (code !== undefined && (targetSystem ?? system) === undefined) {
    throw new TerminologyError('required', 'targetSystem or system must say which code system targetCode is of');
  }
  const isSystemOfSource = targetSystem !== undefined || code === undefined;
  const { url, version = inputs.text('version') } = splitCanonical(targetSystem ?? system ?? '');
  return {
    codings: codingsOf(inputs, 'target') ?? [{ system: url, version, code }],
    isReverse: true,
    system: canonicalOf(sourceSystem ?? (isSystemOfSource ? system : undefined)),
  };
}

function codingsOf(inputs: Inputs, side: 'source' | 'target'): readonly Coding[] | undefined {
  const name = `${side}Coding`;
  if (inputs.has(name)) {
    const coding = inputs.coding(name);
    if (coding !== undefined && coding.system === undefined) inputs.issue(name, `${name} must have a system`);
    return coding === undefined ? [] : [coding];
  }
  const concept = `${side}CodeableConcept`;
  return inputs.has(concept) ? (inputs.codings(concept) ?? []) : undefined;
}

function canonicalOf(given: string | undefined): Canonical | undefined {
  return given === undefined ? undefined : splitCanonical(given);
}
