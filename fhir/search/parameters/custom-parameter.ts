// Reads users' SearchParameter resources, and reports why one cannot be used (hl7.org/fhir/R5/searchparameter.html;
// decision E2).
import type { Issue } from '#lib/errors.ts';
import { r5Definitions } from '../../definitions/definitions.ts';
import { DERIVED_KEYS } from '../extract/derived-keys.ts';
import { nameKey } from '../extract/keys.ts';
import { type Branch, compileExpression, splitTop } from './compile-expression.ts';
import { isIndexable } from './compile-parameter.ts';
import {
  COMPUTED_TYPES,
  isSearchType,
  type ParameterDefinition,
  type SearchParameters,
  type SearchType,
} from './definitions.ts';
import { derivationIssues } from './derivation.ts';
import { r5ElementLookup } from './element-lookup.ts';

/** A parameter of one base type. */
export type CustomParameter = ParameterDefinition;

export interface CustomReading {
  /** Empty for one that is not active, and for the official definition of a built-in parameter. */
  readonly parameters: readonly CustomParameter[];
  /** Why an active one cannot be used. */
  readonly issues: readonly Issue[];
}

type Json = Readonly<Record<string, unknown>>;

const NONE: CustomReading = { parameters: [], issues: [] };
const CODE = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_EXPRESSION = 2000;
/** The modifiers of each type; undefined for types of which users define no parameters. */
const MODIFIERS: Readonly<Record<SearchType, readonly string[] | undefined>> = {
  token: ['missing', 'not', 'text', 'text-advanced', 'of-type'],
  string: ['missing', 'exact', 'contains', 'text'],
  reference: ['missing', 'identifier', 'text', 'text-advanced', 'type'],
  uri: ['missing', 'contains', 'above', 'below'],
  date: ['missing'],
  number: ['missing'],
  quantity: ['missing'],
  composite: undefined,
  special: undefined,
};

/** Reads a valid SearchParameter resource. */
export function readCustomParameter(resource: Json, official: SearchParameters): CustomReading {
  if (resource['resourceType'] !== 'SearchParameter' || resource['status'] !== 'active') return NONE;
  const bases = basesOf(texts(resource['base']), official);
  if (isBuiltIn(resource, bases, official)) return NONE;
  const issues = [
    ...headIssues(resource),
    ...computedIssues(bases),
    ...codeIssues(resource, bases, official),
    ...derivationIssues(resource, bases, official),
  ];
  if (issues.length > 0) return { parameters: [], issues };
  return compileBases(resource, bases);
}

/** Resource and DomainResource stand for every type that derives from them, but for computed ones. */
function basesOf(named: readonly string[], { resourceTypes }: SearchParameters): string[] {
  const definitions = r5Definitions();
  const all = [...resourceTypes];
  const found = named.flatMap((base) =>
    resourceTypes.has(base)
      ? [base]
      : all.filter((type) => definitions.isKindOf(type, base) && !COMPUTED_TYPES.has(type)),
  );
  return [...new Set(found)];
}

/** The published definition of an official parameter changes nothing. */
function isBuiltIn({ url, code }: Json, bases: readonly string[], official: SearchParameters): boolean {
  return (
    bases.length > 0 &&
    bases.every((base) => {
      const known = official.forType(base).get(String(code));
      return known !== undefined && url === `http://hl7.org/fhir/SearchParameter/${known.id}`;
    })
  );
}

function computedIssues(bases: readonly string[]): Issue[] {
  return bases
    .filter((base) => COMPUTED_TYPES.has(base))
    .map((base) =>
      unsupported('base', `${base} has no search parameters of users: most of its resources are not indexed`),
    );
}

function headIssues(resource: Json): Issue[] {
  const { type, expression, processingMode } = resource;
  const known = isSearchType(type) ? MODIFIERS[type] : undefined;
  const issues: Issue[] = [];
  if (type === 'composite') {
    issues.push(
      unsupported('type', 'Composite search parameters cannot be defined; define their components one by one'),
    );
  } else if (known === undefined) {
    issues.push(unsupported('type', `A search parameter of type ${String(type)} cannot be defined`));
  } else {
    const unknown = texts(resource['modifier']).filter((modifier) => !known.includes(modifier));
    if (unknown.length > 0) {
      const message = `A ${String(type)} parameter has no modifier ${unknown.join(', ')} here; it has ${known.join(', ')}`;
      issues.push(unsupported('modifier', message));
    }
  }
  if (processingMode !== undefined && processingMode !== 'normal') {
    issues.push(unsupported('processingMode', `The processing mode ${String(processingMode)} is not supported`));
  }
  if (typeof expression !== 'string') {
    issues.push({
      message: 'An active search parameter needs an expression',
      field: 'SearchParameter.expression',
      code: 'required',
    });
  } else if (expression.length > MAX_EXPRESSION) {
    issues.push(unsupported('expression', `An expression has at most ${MAX_EXPRESSION} characters`));
  }
  return issues;
}

function codeIssues({ code }: Json, bases: readonly string[], official: SearchParameters): Issue[] {
  const name = String(code);
  if (!CODE.test(name)) {
    const message = 'A code begins with a letter and has at most 64 letters, digits, hyphens and underscores';
    return [{ message, field: 'SearchParameter.code', code: 'value' }];
  }
  const taken = bases.filter((base) => official.forType(base).has(name));
  if (taken.length > 0) {
    const message = `${name} is an official search parameter of ${some(taken)}: choose another code`;
    return [{ message, field: 'SearchParameter.code', code: 'duplicate' }];
  }
  const keys = officialKeys(official);
  const isTaken = bases.some((base) => keysOf(base, name).some((key) => keys.has(key)));
  if (!isTaken) return [];
  return [
    {
      message: `${name} cannot be told apart in the index: choose another code`,
      field: 'SearchParameter.code',
      code: 'duplicate',
    },
  ];
}

function compileBases(resource: Json, bases: readonly string[]): CustomReading {
  const parameters: CustomParameter[] = [];
  const issues: Issue[] = [];
  for (const base of bases) {
    const { branches, issue } = compileBase(resource, base);
    if (issue === undefined) parameters.push({ ...headOf(resource), resourceType: base, branches });
    else if (!issues.some(({ message }) => message === issue)) {
      issues.push({ message: issue, field: 'SearchParameter.expression', code: 'not-supported' });
    }
  }
  return issues.length > 0 ? { parameters: [], issues } : { parameters, issues };
}

function headOf(resource: Json): Omit<CustomParameter, 'resourceType' | 'branches'> {
  const { code, url, type } = resource;
  const targets = texts(resource['target']).filter((target) => target !== 'Resource');
  return { code: String(code), url: String(url), type: isSearchType(type) ? type : 'special', targets };
}

/** The branches of one base, or the issue that prevents them. */
function compileBase(resource: Json, base: string): { readonly branches: readonly Branch[]; readonly issue?: string } {
  const { type, expression } = resource;
  const lookup = r5ElementLookup();
  const branches: Branch[] = [];
  try {
    for (const part of splitTop(String(expression), '|')) {
      const root = /^[\s(]*([A-Z]\w*)\b/.exec(part)?.[1];
      const found = compileExpression(part, base, lookup);
      const isOwn = root === undefined || root === base || root === 'Resource' || root === 'DomainResource';
      if (isOwn && found.length === 0) return { branches: [], issue: `${part.trim()} leads to no element of ${base}` };
      branches.push(...found);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { branches: [], issue: `The expression is beyond what can be searched: ${reason}` };
  }
  if (branches.length === 0) return { branches: [], issue: `The expression says nothing about ${base}` };
  const indexable = branches.filter((branch) => isIndexable(String(type), branch));
  if (indexable.length > 0) return { branches: indexable };
  const found = [...new Set(branches.map(([head = '']) => head.replace('!first ', '').split('=')[0] ?? ''))];
  return {
    branches: [],
    issue: `A ${String(type)} parameter cannot be made of ${some(found)}, to which it leads in ${base}`,
  };
}

let known: ReadonlySet<number> | undefined;

/** All index keys of official parameters, shared ones included. */
function officialKeys(official: SearchParameters): ReadonlySet<number> {
  known ??= new Set(
    [...official.resourceTypes].flatMap((type) => [
      ...['$patient', ...official.forType(type).keys()].flatMap((code) => keysOf(type, code)),
      ...[...official.forType(type).values()].flatMap(({ shared }) =>
        shared === undefined ? [] : keysOfName(shared.name),
      ),
    ]),
  );
  return known;
}

/** The index keys of a parameter, derived keys included. */
export function keysOf(resourceType: string, code: string): number[] {
  return keysOfName(`${resourceType}.${code}`);
}

function keysOfName(name: string): number[] {
  return [nameKey(name), ...DERIVED_KEYS.map((derived) => nameKey(`${name}:${derived}`))];
}

function unsupported(element: string, message: string): Issue {
  return { message, field: `SearchParameter.${element}`, code: 'not-supported' };
}

function some(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ');
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
