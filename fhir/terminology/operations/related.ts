// $related: how the codes of two value sets lie to each other, as public terminology servers answer it
// (docs/adr/0108). Both are evaluated, and compared as sets; no expansion is listed.
import {
  type Content,
  intersectContents,
  type Part,
  placesOf,
  sizeOfContent,
  subtractContents,
} from '../content/content.ts';
import { findValueSet } from '../content/evaluate.ts';
import { type Steps, startWork, UnfinishedWork } from '../content/unfinished.ts';
import { type Json, text } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  type TerminologyBase,
} from './context.ts';
import type { Inputs } from './inputs.ts';
import { type Parameters, parameter, parametersOf } from './parameters.ts';

type Result = 'same' | 'superset' | 'subset' | 'overlapping' | 'disjoint' | 'empty' | 'indeterminate';

/** The most codes in one list of the diagnostics. */
const MAX_LISTED = 1_000;

/** @throws TerminologyError `required`, `not-found` for the value sets themselves */
export function related(base: TerminologyBase, inputs: Inputs, { id, ...target }: OperationTarget): Parameters {
  const context = contextOf(base, inputs, target);
  const one = id === undefined ? requireSide(context, inputs, 'this') : requireById(context, 'ValueSet', id).resource();
  const other = requireSide(context, inputs, 'other');
  const compared = compare(context, one, other);
  const names = `${nameOf(one)} and ${nameOf(other)}`;
  if (typeof compared === 'string') {
    return parametersOf(
      parameter('result', 'Code', 'indeterminate'),
      parameter('message', 'String', `The value sets ${names} cannot be compared: ${compared}`),
    );
  }
  const result = resultOf(compared);
  const diagnostics = inputs.text('diagnostics') === 'true' ? diagnosticsOf(compared) : [];
  return parametersOf(
    parameter('result', 'Code', result),
    parameter('message', 'String', `${MESSAGES[result]}: ${names}`),
    ...diagnostics,
  );
}

const MESSAGES: Readonly<Record<Result, string>> = {
  same: 'The value sets have the same codes',
  superset: 'The first value set has all codes of the second, and more',
  subset: 'The second value set has all codes of the first, and more',
  overlapping: 'The value sets share codes, and each has codes that the other has not',
  disjoint: 'The value sets share no code',
  empty: 'Both value sets are empty',
  indeterminate: 'A value set has codes of a code system that is known only in part',
};

function requireSide(context: OperationContext, inputs: Inputs, side: 'this' | 'other'): Json {
  const [url, resource] = [`${side}Url`, `${side}ValueSet`];
  inputs.oneOf([resource, url], 'says which value set is compared');
  if (inputs.holdsResource(resource)) {
    const sent = inputs.resource(resource, 'ValueSet');
    if (sent !== undefined) return sent;
  }
  const named = inputs.text(url) ?? (inputs.holdsResource(resource) ? undefined : inputs.text(resource));
  if (named === undefined)
    throw new TerminologyError('required', `${url} or ${resource} must say which value set is compared`);
  return findValueSet(context.catalog, named, context.rules).resource();
}

function nameOf(valueSet: Json): string {
  return [text(valueSet['url']) ?? text(valueSet['id']) ?? 'without url', text(valueSet['version'])]
    .filter((each) => each !== undefined)
    .join('|');
}

interface Compared {
  readonly common: Content;
  readonly missing: Content;
  readonly extra: Content;
}

/** The comparison, or why there is none. @throws UnfinishedWork */
function compare(context: OperationContext, one: Json, other: Json): Compared | string {
  try {
    const [a, b] = [context.evaluate(one, context.rules).content, context.evaluate(other, context.rules).content];
    const known = comparisons.get(a)?.get(b);
    if (known !== undefined) return known;
    return startWork(
      {
        name: `the comparison of ${nameOf(one)} and ${nameOf(other)}`,
        steps: comparison(a, b),
        done: (compared) => {
          const ofFirst = comparisons.get(a) ?? new WeakMap();
          comparisons.set(a, ofFirst.set(b, compared));
        },
      },
      () => performance.now(),
    );
  } catch (error) {
    // A value set that cannot be evaluated has no relation that is known.
    if (error instanceof UnfinishedWork || !(error instanceof TerminologyError)) throw error;
    return error.message;
  }
}

/** Comparisons of cached contents: a caller that waits for unfinished work repeats its call. */
const comparisons = new WeakMap<Content, WeakMap<Content, Compared>>();

function* comparison(a: Content, b: Content): Steps<Compared> {
  const common = yield* intersectContents(a, b);
  const missing = yield* subtractContents(a, b);
  return { common, missing, extra: yield* subtractContents(b, a) };
}

function resultOf({ common, missing, extra }: Compared): Result {
  const [isCommon, isMore, isLess] = [hasCodes(common), hasCodes(missing), hasCodes(extra)];
  const isCertain = isCommon !== undefined && isMore !== undefined && isLess !== undefined;
  // Shared and own codes on both sides stay so, whatever else there is.
  if (isCommon === true && isMore === true && isLess === true) return 'overlapping';
  if (!isCertain) return 'indeterminate';
  if (!isCommon) return isMore || isLess ? 'disjoint' : 'empty';
  if (isMore) return isLess ? 'overlapping' : 'superset';
  return isLess ? 'subset' : 'same';
}

/** Undefined when it may have codes of a code system that is known only in part, and has no other. */
function hasCodes(content: Content): boolean | undefined {
  if (content.some(hasListed)) return true;
  return content.some((part) => part.kind === 'known' && part.isOpen) ? undefined : false;
}

/** All codes of a grammar but some are without end. */
function hasListed(part: Part): boolean {
  return (part.kind === 'loose' && part.isAllBut) || sizeOfContent([part]) > 0;
}

function diagnosticsOf({ common, missing, extra }: Compared): (Json | undefined)[] {
  return [
    parameter('performed-expansion', 'Boolean', true),
    ...codesParameter('missing-codes', missing),
    ...codesParameter('extra-codes', extra),
    ...codesParameter('common-codes', common),
  ];
}

/** The first codes, and their number when there are more. */
function codesParameter(name: string, content: Content): (Json | undefined)[] {
  const total = content.reduce((sum, part) => sum + (isEndless(part) ? 0 : sizeOfContent([part])), 0);
  if (total === 0) return [];
  const codes: string[] = [];
  for (const part of content) {
    if (codes.length >= MAX_LISTED) break;
    for (const code of firstCodes(part, MAX_LISTED - codes.length)) codes.push(code);
  }
  const count = total > codes.length ? parameter(`${name}-count`, 'Integer', total) : undefined;
  return [parameter(name, 'String', codes.join(',')), count];
}

function isEndless(part: Part): boolean {
  return part.kind === 'loose' && part.isAllBut;
}

function firstCodes(part: Part, limit: number): readonly string[] {
  if (part.kind === 'known') return placesOf(part, 0, limit).map((place) => part.view.model.code(place));
  if (part.isAllBut) return [];
  const codes: string[] = [];
  for (const code of part.codes.keys()) {
    if (codes.length === limit) break;
    codes.push(code);
  }
  return codes;
}
