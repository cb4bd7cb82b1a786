// $subsumes: the hierarchical relation of two codes of a code system
// (hl7.org/fhir/R5/codesystem-operation-subsumes.html).
import type { SystemView } from '../content/system-view.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  requireView,
  type TerminologyBase,
} from './context.ts';
import type { Inputs } from './inputs.ts';
import { type Parameters, parameter, parametersOf } from './parameters.ts';

type Outcome = 'equivalent' | 'subsumes' | 'subsumed-by' | 'not-subsumed';

/** @throws TerminologyError `required`, `not-found`, `code-invalid`, `not-supported` */
export function subsumes(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Parameters {
  const context = contextOf(base, inputs, target);
  const [a, b] = [codeOf(inputs, 'A'), codeOf(inputs, 'B')];
  const view = systemOf(context, inputs, { target, codings: [a, b] });
  return parametersOf(parameter('outcome', 'Code', outcome(view, a.code ?? '', b.code ?? '')));
}

function codeOf(inputs: Inputs, side: 'A' | 'B'): Coding {
  inputs.oneOf([`coding${side}`, `code${side}`], 'says what is compared');
  const coding = inputs.coding(`coding${side}`);
  const code = coding?.code ?? inputs.text(`code${side}`);
  if (code === undefined) throw new TerminologyError('required', `code${side} or coding${side} must be given`);
  return { ...coding, code };
}

function systemOf(
  context: OperationContext,
  inputs: Inputs,
  { target, codings }: { readonly target: OperationTarget; readonly codings: readonly Coding[] },
): SystemView {
  if (target.id !== undefined) {
    const { url, version } = requireById(context, 'CodeSystem', target.id);
    return requireView(context, url, version);
  }
  const named = new Set(codings.flatMap(({ system }) => system ?? []));
  const system = inputs.text('system') ?? [...named][0];
  if (system === undefined)
    throw new TerminologyError('required', 'system must say which code system the codes are of');
  if (named.size > 1 || (named.size === 1 && !named.has(system))) {
    throw new TerminologyError('invalid', 'both codes must be of the same code system');
  }
  return requireView(context, system, inputs.text('version') ?? codings[0]?.version);
}

function outcome({ model }: SystemView, a: string, b: string): Outcome {
  const [first, second] = [a, b].map((code) => {
    const exact = model.find(code);
    const place = exact === -1 ? model.findFolded(code) : exact;
    if (place !== -1) return place;
    throw new TerminologyError(
      'not-found',
      `Unknown code '${code}' in the CodeSystem '${model.meta.url}'`,
      'invalid-code',
    );
  });
  if (first === undefined || second === undefined || first === second) return 'equivalent';
  if (!model.isSubsuming) {
    throw new TerminologyError('not-supported', `the hierarchy of ${model.meta.url} does not say what a code subsumes`);
  }
  if (model.hierarchy.isAtOrBelow(second, first)) return 'subsumes';
  return model.hierarchy.isAtOrBelow(first, second) ? 'subsumed-by' : 'not-subsumed';
}
