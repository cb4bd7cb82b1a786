// What a validation is asked of: a code with its system, a Coding, or a CodeableConcept.
import { type Content, isInPart } from '../../content/content.ts';
import { type Json, objects } from '../../json.ts';
import type { Coding } from '../../model/code-system-model.ts';
import { TerminologyError } from '../../terminology-error.ts';
import type { Inputs } from '../inputs.ts';
import type { Issue } from './issues.ts';

export interface CodingInputs {
  readonly codings: readonly Coding[];
  /** `''` for separate parameters. */
  readonly path: '' | 'Coding' | 'CodeableConcept';
  /** Issues of the inference of the system. */
  readonly issues: readonly Issue[];
  /** The CodeableConcept as it was sent. */
  readonly concept: Json | undefined;
}

/** The FHIRPath of one of the codings. */
export function pathOf(path: CodingInputs['path'], index: number): string {
  return path === 'CodeableConcept' ? `CodeableConcept.coding[${index}]` : path;
}

interface CodingScope {
  /** The code system that is named beside the coding. */
  readonly system: Coding | undefined;
  /** The codes of the value set, where one is asked. */
  readonly content: (() => Content) | undefined;
  readonly valueSetName: string;
}

/** @throws TerminologyError `required` when nothing is given */
export function readCodings(inputs: Inputs, scope: CodingScope): CodingInputs {
  inputs.oneOf(['codeableConcept', 'coding', 'code'], 'says what is validated');
  const none = { issues: [], concept: undefined };
  const several = inputs.codings('codeableConcept');
  if (several !== undefined) {
    const [concept] = objects(inputs.value('codeableConcept'));
    return { codings: several, path: 'CodeableConcept', issues: [], concept };
  }
  const coding = inputs.coding('coding');
  if (coding !== undefined) {
    requireSame(coding, scope, inputs);
    return { codings: [{ ...scope.system, ...coding }], path: 'Coding', ...none };
  }
  const code = inputs.text('code');
  if (code === undefined) {
    throw new TerminologyError('required', 'code (with system), coding or codeableConcept must say what is validated');
  }
  const named = {
    system: scope.system?.system ?? inputs.text('system'),
    version: scope.system?.version ?? inputs.text('systemVersion'),
    code,
    display: inputs.text('display'),
  };
  if (named.system !== undefined || scope.content === undefined) return { codings: [named], path: '', ...none };
  return { path: '', concept: undefined, ...inferred(inputs, named, { ...scope, content: scope.content }) };
}

/** Of another code system than the named one nothing would be said. */
function requireSame(coding: Coding, { system: named }: CodingScope, inputs: Inputs): void {
  const isSame = named?.system === undefined || coding.system === undefined || named.system === coding.system;
  if (isSame) return;
  inputs.issue(
    'coding',
    `coding has the system ${coding.system}, and the code system that is asked is ${named.system}`,
  );
}

/** Infers the system from the value set, when the caller requests it. */
function inferred(
  inputs: Inputs,
  named: Coding,
  { content, valueSetName }: CodingScope & { readonly content: () => Content },
): Pick<CodingInputs, 'codings' | 'issues'> {
  const code = named.code ?? '';
  const all = content();
  const systems = new Set(all.filter((part) => isInPart(part, code)).map((part) => part.system));
  const [system] = systems;
  const isInferred = inputs.boolean('inferSystem') === true;
  if (isInferred && systems.size === 1) return { codings: [{ ...named, system }], issues: [] };
  const message = whyNot(code, valueSetName, { isInferred, systems, all });
  return { codings: [named], issues: [{ severity: 'error', kind: 'cannot-infer', message, expression: 'code' }] };
}

/** The most code systems in a message. */
const MAX_SYSTEMS = 5;

interface Inference {
  readonly isInferred: boolean;
  /** The systems that have the code. */
  readonly systems: ReadonlySet<string>;
  readonly all: Content;
}

function whyNot(code: string, valueSetName: string, { isInferred, systems, all }: Inference): string {
  const message = `The System URI could not be determined for the code '${code}' in the ValueSet '${valueSetName}'`;
  if (!isInferred) return `${message}, as none is given and inferSystem is not true`;
  if (systems.size > 1) return `${message}: it is in several code systems: ${names(systems)}`;
  return `${message}: it is in none of its code systems (${names(new Set(all.map(({ system }) => system)))})`;
}

function names(systems: ReadonlySet<string>): string {
  const some = [...systems].slice(0, MAX_SYSTEMS).join(', ');
  return systems.size > MAX_SYSTEMS ? `${some} …` : some;
}
