// Checks invariants: the hot and the slow ones by hand (hand-coded.ts), most others compiled from their FHIRPath
// (lib/fhir/fhirpath), the rest by the fhirpath package (hl7.org/fhir/R5/fhirpath.html). What is compiled is kept.
import type { Invariant } from '../definitions/shapes.ts';
import { type CompiledTest, compileTest } from '../fhirpath/compile.ts';
import { Declined } from '../fhirpath/items.ts';
import { addBrokenInvariant, type ValidationContext } from './context.ts';
import { compileFhirPath, type FhirPathTest } from './fhirpath-test.ts';
import { HAND_CODED } from './hand-coded.ts';
import type { Test } from './test-parts.ts';

interface Check {
  readonly invariant: Invariant;
  readonly holds: Test;
}

/** Checked by the walk itself (ele-1, the rules of contained resources, narratives), or advice that would warn about most resources. */
const ELSEWHERE = new Set([
  'Base/ele-1',
  'DomainResource/dom-2',
  'DomainResource/dom-3',
  'DomainResource/dom-4',
  'DomainResource/dom-5',
  'DomainResource/dom-6',
  'Narrative/txt-1',
  'Narrative/txt-2',
]);

const checksOf = new WeakMap<readonly Invariant[], readonly Check[]>();

/** Notes each invariant that the value at the current place breaks; `basePath` is the place in the definitions: `Patient.contact`. */
export function checkInvariants(
  context: ValidationContext,
  invariants: readonly Invariant[],
  basePath: string,
  value: unknown,
): void {
  for (const { invariant, holds } of checks(invariants, basePath)) {
    if (!holds(value, context)) addBrokenInvariant(context, invariant);
  }
}

/** Those of the invariants that the value at the current place breaks. */
export function findBroken(
  context: ValidationContext,
  invariants: readonly Invariant[],
  basePath: string,
  value: unknown,
): Invariant[] {
  return checks(invariants, basePath).flatMap(({ invariant, holds }) => (holds(value, context) ? [] : [invariant]));
}

function checks(invariants: readonly Invariant[], basePath: string): readonly Check[] {
  const known = checksOf.get(invariants);
  if (known !== undefined) return known;
  const made = invariants.flatMap((invariant) => {
    const name = `${invariant.source}/${invariant.key}`;
    if (ELSEWHERE.has(name)) return [];
    const holds = HAND_CODED.get(name) ?? fhirPathCheck(invariant, basePath);
    return holds === undefined ? [] : [{ invariant, holds }];
  });
  checksOf.set(invariants, made);
  return made;
}

function fhirPathCheck({ expression }: Invariant, basePath: string): Test | undefined {
  if (expression === undefined || isUndecidable(expression)) return undefined;
  let quick: CompiledTest | undefined | 'untried' = 'untried';
  let full: FhirPathTest | undefined;
  return (value, context) => {
    if (quick === 'untried') quick = compileTest(context.definitions, expression, basePath);
    try {
      if (quick !== undefined) return quick(value, context.resource);
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
    }
    full ??= compileFhirPath(expression, basePath);
    return full(value, context.resource);
  };
}

/** Rules that look at other resources or at value sets: nothing here can decide them. */
function isUndecidable(expression: string): boolean {
  return /resolve\(\)|memberOf\(|htmlChecks\(/.test(expression);
}
