// $lookup: the details of a code (hl7.org/fhir/R5/codesystem-operation-lookup.html).
import { type CodeGrammar, grammarOf } from '../../content/code-grammars.ts';
import { viewOf } from '../../content/system-view.ts';
import { TerminologyError } from '../../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  requireNow,
  requireView,
  type TerminologyBase,
} from '../context.ts';
import type { Inputs } from '../inputs.ts';
import { type Parameters, parameter, parametersOf } from '../parameters.ts';
import { conceptJson } from './concept-json.ts';

/**
 * Returns a Parameters resource as JSON text in UTF-8, valid until the next lookup: most of the time of a lookup would
 * go into building objects and texts.
 * @throws TerminologyError `required`, `not-found`, `not-supported`
 */
export function lookup(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Buffer {
  const context = contextOf(base, inputs, target);
  requireNow(inputs, base);
  const { system, version, code } = requestedCode(context, inputs, target);
  const grammar = grammarOf(system);
  if (grammar !== undefined && viewOf(context.catalog, system, version) === undefined)
    return Buffer.from(JSON.stringify(unlisted(grammar, { system, code, context })));
  const view = requireView(context, system, version);
  const { model } = view;
  const exact = model.find(code);
  const place = exact === -1 ? model.findFolded(code) : exact;
  if (place === -1) throw unknownCode(code, model.meta.url, model.meta.version);
  const properties = inputs.texts('property');
  return conceptJson(view, place, {
    languages: context.languages,
    properties: properties.length === 0 ? NO_PROPERTIES : new Set(properties),
  });
}

function unknownCode(code: string, system: string, version?: string): TerminologyError {
  const of = version === undefined ? '' : ` version '${version}'`;
  return new TerminologyError('not-found', `Unknown code '${code}' in the CodeSystem '${system}'${of}`, 'invalid-code');
}

/** A code that a grammar defines has no details but itself. */
function unlisted(
  { name, holds, displayOf }: CodeGrammar,
  { system, code, context }: { readonly system: string; readonly code: string; readonly context: OperationContext },
): Parameters {
  if (!holds(code)) throw unknownCode(code, system);
  return parametersOf(
    parameter('code', 'Code', code),
    parameter('system', 'Uri', system),
    parameter('name', 'String', name),
    parameter('display', 'String', displayOf(code, context.languages.tags)),
  );
}

interface RequestedCode {
  readonly system: string;
  readonly version: string | undefined;
  readonly code: string;
}

/** The requested code and its code system. */
function requestedCode(context: OperationContext, inputs: Inputs, { id }: OperationTarget): RequestedCode {
  inputs.oneOf(['coding', 'code'], 'says what is looked up');
  const coding = inputs.coding('coding');
  const code = coding?.code ?? inputs.text('code');
  if (code === undefined) throw new TerminologyError('required', 'code or coding must say what is looked up');
  const named = id === undefined ? undefined : requireById(context, 'CodeSystem', id);
  const system = named?.url ?? coding?.system ?? inputs.text('system');
  if (system === undefined) throw new TerminologyError('required', 'system must say which code system the code is of');
  return { system, version: named?.version ?? coding?.version ?? inputs.text('version'), code };
}

const NO_PROPERTIES: ReadonlySet<string> = new Set();
