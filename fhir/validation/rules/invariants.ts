// Checks invariants: frequent and slow ones in TypeScript (hand-coded.ts), most others compiled from their FHIRPath
// (fhir/fhirpath), the rest by the fhirpath package (hl7.org/fhir/R5/fhirpath.html). Compiled invariants are cached.
import type { Invariant } from '../../definitions/shapes.ts';
import { type CompiledTest, compileTest } from '../../fhirpath/compile.ts';
import { Declined } from '../../fhirpath/items.ts';
import { UnusablePattern } from '../../fhirpath/linear-pattern.ts';
import { addBrokenInvariant, type ValidationContext } from '../context.ts';
import { lookupsOf, Undecided } from '../lookups.ts';
import { compileFhirPath, type FhirPathTest } from './fhirpath-test.ts';
import { HAND_CODED } from './hand-coded.ts';
import type { Test } from './predicates.ts';

interface Check {
  readonly invariant: Invariant;
  readonly holds: Test;
  /** Whether the test may throw Undecided; for R5's own invariants that is ignored. */
  readonly mayBeOpen: boolean;
}

/**
 * Not checked here: rules that the walk checks (ele-1, contained resources, narratives), and advice that would warn
 * about most resources.
 */
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

/**
 * Adds an issue for each invariant that the value at the current place breaks; `basePath` is the path in the
 * definitions: `Patient.contact`.
 */
export function checkInvariants(
  context: ValidationContext,
  invariants: readonly Invariant[],
  basePath: string,
  value: unknown,
): void {
  for (const { invariant, holds, mayBeOpen } of checks(invariants, basePath)) {
    if (mayBeOpen ? findIssue(holds, value, context) === 'broken' : !holds(value, context)) {
      addBrokenInvariant(context, invariant);
    }
  }
}

/** An invariant that a value breaks, or the reason why the result is not known. */
export interface InvariantIssue {
  readonly invariant: Invariant;
  /** Undefined when it is broken. */
  readonly open: string | undefined;
}

/** Those of the invariants that the value at the current place breaks, or that cannot be decided. */
export function findIssues(
  context: ValidationContext,
  invariants: readonly Invariant[],
  basePath: string,
  value: unknown,
): InvariantIssue[] {
  return checks(invariants, basePath).flatMap(({ invariant, holds }) => {
    const issue = findIssue(holds, value, context);
    if (issue === undefined) return [];
    return [{ invariant, open: issue === 'broken' ? undefined : issue.message }];
  });
}

function findIssue(holds: Test, value: unknown, context: ValidationContext): 'broken' | Undecided | undefined {
  try {
    return holds(value, context) ? undefined : 'broken';
  } catch (error) {
    if (error instanceof Undecided) return error;
    throw error;
  }
}

function checks(invariants: readonly Invariant[], basePath: string): readonly Check[] {
  const known = checksOf.get(invariants);
  if (known !== undefined) return known;
  const created = invariants.flatMap((invariant) => {
    const name = `${invariant.source}/${invariant.key}`;
    if (ELSEWHERE.has(name)) return [];
    const byHand = HAND_CODED.get(name);
    const holds = byHand ?? fhirPathCheck(invariant, basePath);
    return holds === undefined ? [] : [{ invariant, holds, mayBeOpen: byHand === undefined }];
  });
  checksOf.set(invariants, created);
  return created;
}

/** The test throws Undecided for an unknown result. */
function fhirPathCheck({ expression, isForeign }: Invariant, basePath: string): Test | undefined {
  if (expression === undefined || expression.includes('htmlChecks(')) return undefined;
  let quick: CompiledTest | undefined | 'untried' = 'untried';
  let full: FhirPathTest | undefined;
  return (value, context) => {
    try {
      if (quick === 'untried') quick = compileTest(context.definitions, { expression, isForeign }, basePath);
      if (quick !== undefined) return quick(value, context.resource);
    } catch (error) {
      if (error instanceof UnusablePattern) throw new Undecided(error.message);
      if (!(error instanceof Declined)) throw error;
    }
    full ??= compileFhirPath(expression, basePath, isForeign);
    return full(value, { resource: context.resource, root: context.scope.resource, lookups: lookupsOf(context) });
  };
}
