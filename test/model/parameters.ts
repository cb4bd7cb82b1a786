// The published search parameters and what fhirpath finds by them in a resource. It is the reference search's own
// reading, which shares nothing with the compiled extractors (hl7.org/fhir/R5/searchparameter.html).
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fhirpath from 'fhirpath';
import model from 'fhirpath/fhir-context/r5/index.js';
import type { SearchType as ServerSearchType } from '#fhir/search/parameters/definitions.ts';

export type Json = Readonly<Record<string, unknown>>;
/** The server's types: a new one does not compile until each switch of the model names it. */
export type SearchType = Exclude<ServerSearchType, 'special'>;

/** An element that an expression found, with the name of its data type. */
export interface Found {
  readonly type: string;
  readonly value: unknown;
}

export interface Parameter {
  readonly type: SearchType;
  readonly code: string;
  readonly url: string;
  /** Types that a reference may lead to; empty means any. */
  readonly targets: readonly string[];
  /** The parts of a union one by one, as fhirpath cannot unite quantities with comparators. */
  readonly expressions: readonly string[];
  readonly components: readonly { readonly definition: string; readonly expression: string }[];
}

interface Published {
  readonly id: string;
  readonly url: string;
  readonly code: string;
  readonly type: string;
  readonly base: readonly string[];
  readonly expression?: string;
  readonly target?: readonly string[];
  readonly component?: readonly { readonly definition: string; readonly expression: string }[];
}

const core = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.core/package.json'));
const { score, ...rest } = model;
const R5 = score === undefined ? rest : { ...rest, score };
/**
 * Published as examples of SearchParameters; by sound, which is not served; by membership, which is no value of the
 * resource.
 */
const LEFT_OUT = /^(?:example|filter)|phonetic$|^Resource-in$/;

const published: readonly Published[] = readdirSync(core)
  .filter((name) => name.startsWith('SearchParameter-'))
  .map((name): Published => JSON.parse(readFileSync(join(core, name), 'utf8')))
  .filter(({ id, type, expression }) => !LEFT_OUT.test(id) && type !== 'special' && expression !== undefined);

const byUrl = new Map(published.map((parameter) => [parameter.url, parameter]));
const byType = new Map<string, ReadonlyMap<string, Parameter>>();

/** The search parameters of a type, by code, with those of every resource. */
export function parametersOf(resourceType: string): ReadonlyMap<string, Parameter> {
  const known = byType.get(resourceType);
  if (known !== undefined) return known;
  const parameters = new Map<string, Parameter>();
  for (const base of ['Resource', 'DomainResource', resourceType])
    for (const each of published)
      if (each.base.includes(base)) parameters.set(each.code, readParameter(each, resourceType, base));
  byType.set(resourceType, parameters);
  return parameters;
}

function readParameter(given: Published, resourceType: string, base: string): Parameter {
  const { code, url, type, target = [], component = [] } = given;
  return {
    type: type as SearchType,
    code,
    url,
    targets: narrowed(given, target),
    expressions: expressionsFor(given.expression ?? '', resourceType, base),
    components: component,
  };
}

/** A list of all resource types, written out, says nothing. */
const EVERY_TYPE = 100;

/** `where(resolve() is Patient)` leaves one type of the targets named. */
function narrowed({ expression = '' }: Published, targets: readonly string[]): readonly string[] {
  const only = [...new Set([...expression.matchAll(/resolve\(\) is (\w+)/g)].map((match) => match[1] ?? ''))];
  if (targets.length >= EVERY_TYPE) return only;
  return only.length === 0 ? targets : targets.filter((target) => only.includes(target));
}

/** The parts of a union that are about the type; `resolve()` is answered from the reference's own words. */
function expressionsFor(whole: string, resourceType: string, base: string): string[] {
  const parts = splitUnion(whole).filter((part) => {
    const root = /^\(*\s*([A-Z]\w*)/.exec(part)?.[1];
    return root === undefined || root === resourceType || root === base;
  });
  return parts
    .map((part) => part.replaceAll(/resolve\(\) is (\w+)/g, (_, type: string) => namesType(type)))
    .map((part) => part.replaceAll(/\(([\w.]+) as (\w+)\)/g, '$1.ofType($2)'));
}

function namesType(type: string): string {
  return `(reference.matches('(^|/)${type}/[^/]+(/_history/[^/]+)?$') or (type = '${type}'))`;
}

/** Splits at bars outside of parentheses. */
function splitUnion(text: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + character);
  }
  return parts.map((part) => part.trim());
}

type Evaluate = (resource: Json, variables: object) => unknown[];
const compiled = new Map<string, Evaluate>();

/** What an expression finds in a resource. */
function evaluate(resource: Json, expression: string): Found[] {
  let run = compiled.get(expression);
  if (run === undefined) {
    run = fhirpath.compile(expression, R5, { async: false, resolveInternalTypes: false }) as unknown as Evaluate;
    compiled.set(expression, run);
  }
  const nodes = run(resource, {});
  const types = fhirpath.types(nodes);
  const values: unknown = fhirpath.resolveInternalTypes(nodes);
  const found = (Array.isArray(values) ? values : [values])
    .map((value: unknown, index) => ({ type: (types[index] ?? '').replace(/^\w+\./, ''), value: plain(value) }))
    .filter(({ value }) => value !== null && value !== undefined);
  // To fhirpath a canonical is a uri too; an element of several types has a uri or a canonical.
  return expression.endsWith('.ofType(uri)') ? found.filter(({ type }) => type === 'uri') : found;
}

/** Times come as objects of fhirpath's own. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

const found = new WeakMap<Json, Map<string, readonly Found[]>>();

/** The values of a parameter (of any type but composite) in a resource. */
export function valuesOf(resource: Json, { code, expressions }: Parameter): readonly Found[] {
  const known = found.get(resource) ?? new Map<string, readonly Found[]>();
  found.set(resource, known);
  const values = known.get(code) ?? expressions.flatMap((part) => evaluate(resource, part));
  known.set(code, values);
  return values;
}

/** One element of a composite parameter: the values of each component, with the component's search type. */
export type Element = readonly { readonly type: SearchType; readonly values: readonly Found[] }[];

const elements = new WeakMap<Json, Map<string, readonly Element[]>>();

/** The elements of a composite parameter: values of different elements do not belong together. */
export function elementsOf(resource: Json, { code, expressions, components }: Parameter): readonly Element[] {
  const known = elements.get(resource) ?? new Map<string, readonly Element[]>();
  elements.set(resource, known);
  const listed = known.get(code) ?? readElements(resource, expressions, components);
  known.set(code, listed);
  return listed;
}

function readElements(resource: Json, parts: readonly string[], components: Parameter['components']): Element[] {
  return parts.flatMap((part) =>
    evaluate(resource, part).map((_, index) =>
      components.map((component) => {
        const values = splitUnion(component.expression).flatMap((way) =>
          evaluate(resource, `(${part})[${index}].${way.replace(/^\((.*)\)$/, '$1')}`),
        );
        // Observation-value-string is named by a composite and not published.
        return { type: (byUrl.get(component.definition)?.type ?? 'string') as SearchType, values };
      }),
    ),
  );
}
