// Compiles an invariant with the fhirpath package to a predicate. The package is loaded on first use: it takes 0.1 s
// and 30 MB, and most resources need no rule of it.
import { createRequire } from 'node:module';
import { boundedFunctions } from '../../fhirpath/bounded-functions.ts';
import { quoteKeywords } from '../../fhirpath/keywords.ts';
import { type FhirPathLookups, Undecided } from '../lookups.ts';

type FhirPath = Pick<typeof import('fhirpath'), 'compile'>;
type Model = Parameters<FhirPath['compile']>[1];

const require = createRequire(import.meta.url);
let engine: { readonly fhirpath: FhirPath; readonly model: Model } | undefined;

/** The context of an expression: `resource` is %resource, `root` is %rootResource. */
export interface FhirPathPlace {
  readonly resource: unknown;
  readonly root: unknown;
  readonly lookups: FhirPathLookups;
}

/** Whether the expression holds for the value. @throws Undecided when that is not known */
export type FhirPathTest = (value: unknown, place: FhirPathPlace) => boolean;

/** A value as the package passes it to user-defined functions: a node, or a plain string. */
interface Node {
  readonly data?: unknown;
  readonly getTypeInfo?: () => { readonly name: string };
  readonly fullPropertyName?: () => string | null;
}

type NodeMaker = { makeResNode(context: unknown, data: unknown, ...rest: readonly null[]): unknown };

/** Matches expressions that read more of a reference's target than its type. */
const READS_TARGET = /resolve\(\)(?!\s*(?:is\s|as\s|\.\s*(?:is|as|ofType)\s*\())/;

/**
 * Compiles an invariant. An empty result counts as holding (hl7.org/fhir/R5/fhirpath.html#invariants).
 * @param isForeign whether a user wrote it: its strings are then bounded, and its regular expressions run in linear
 * time
 * @throws Error for invalid FHIRPath
 */
export function compileFhirPath(expression: string, basePath: string, isForeign = false): FhirPathTest {
  engine ??= { fhirpath: require('fhirpath'), model: require('fhirpath/fhir-context/r5/index.js') };
  const { fhirpath, model } = engine;
  let asked: FhirPathLookups | undefined;
  const lookups = functionsOver(() => asked, !READS_TARGET.test(expression));
  const userInvocationTable = isForeign ? { ...lookups, ...boundedFunctions } : lookups;
  const options = { async: false, traceFn: ignore, userInvocationTable } as const;
  const compiled = fhirpath.compile({ base: basePath, expression: quoteKeywords(expression) }, model, options);
  return (value, { resource, root, lookups }) => {
    asked = lookups;
    try {
      const result: unknown = compiled(value, { resource, rootResource: root });
      return !Array.isArray(result) || result[0] !== false;
    } catch (error) {
      if (error instanceof Undecided) throw error;
      throw new Undecided(`it cannot be evaluated: ${error instanceof Error ? error.message : 'unknown'}`);
    } finally {
      asked = undefined;
    }
  };
}

function functionsOver(lookups: () => FhirPathLookups | undefined, ofType: boolean) {
  return {
    resolve: {
      internalStructures: true,
      arity: { 0: [] },
      fn(this: unknown, inputs: readonly Node[]): unknown[] {
        return inputs.flatMap((node) => {
          const found = lookups()?.resolve(dataOf(node), ofType);
          return found === undefined ? [] : [(node.constructor as unknown as NodeMaker).makeResNode(this, found)];
        });
      },
    },
    slice: {
      internalStructures: true,
      arity: { 2: ['String' as const, 'String' as const] },
      fn(inputs: readonly Node[], structure: unknown, slice: unknown): Node[] {
        return inputs.filter((node) => {
          const path = (node.fullPropertyName?.() ?? '').replace(/\[\d+\]/g, '');
          const question = { structure: String(structure), slice: String(slice), path, value: dataOf(node) };
          return lookups()?.isInSlice(question) === true;
        });
      },
    },
    memberOf: {
      internalStructures: true,
      arity: { 1: ['String' as const] },
      fn(inputs: readonly Node[], valueSet: unknown): boolean[] {
        const [node, ...others] = inputs;
        if (node === undefined) return [];
        if (others.length > 0) throw new Undecided('memberOf() asks about more than one value');
        return [lookups()?.isMember(node.getTypeInfo?.().name ?? '', dataOf(node), String(valueSet)) ?? true];
      },
    },
  };
}

function dataOf(node: Node): unknown {
  return typeof node === 'object' ? node.data : node;
}

/** Some published invariants call trace(), which prints by default. */
function ignore(): void {}
