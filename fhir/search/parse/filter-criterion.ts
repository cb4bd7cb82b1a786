// Converts the tests of a `_filter` to search conditions (hl7.org/fhir/R5/search_filter.html#ops).
import type { SearchParameter } from '../parameters/definitions.ts';
import { type CriterionContext, normalised, STEP_COST, spend } from './criterion-context.ts';
import { type Filter, type Operator, type PathStep, parseFilter } from './parse-filter.ts';
import { parseDate, UnreadableValue } from './parse-value.ts';
import type { ChainLink, Criterion } from './query.ts';

type Test = Extract<Filter, { kind: 'test' }>;

const MAX_DEPTH = 8;

/** @throws UnreadableValue for an invalid filter, and for a test that is not supported */
export function filterCriterion(text: string, resourceType: string, context: CriterionContext): Criterion {
  return convert(parseFilter(text), resourceType, context);
}

function convert(filter: Filter, resourceType: string, context: CriterionContext): Criterion {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return {
        kind: filter.kind === 'and' ? 'all' : 'any',
        criteria: filter.filters.map((each) => convert(each, resourceType, context)),
      };
    case 'not':
      return { kind: 'not', criterion: convert(filter.filter, resourceType, context) };
    case 'test':
      return testOf(filter, resourceType, context);
    default:
      return filter satisfies never;
  }
}

function testOf(test: Test, resourceType: string, context: CriterionContext): Criterion {
  const [step, ...rest] = test.path;
  if (step === undefined) throw new UnreadableValue('has a test without a parameter');
  spend(1, context.budget);
  if (rest.length > 0) return chainOf(step, { ...test, path: rest }, resourceType, context);
  const { operator, value } = test;
  if (step.name.startsWith('_has:')) {
    if (operator !== 'eq') throw cannot(step.name, operator);
    return named(step.name, value, resourceType, context);
  }
  const code = step.name === 'id' ? '_id' : step.name;
  const parameter = context.parameters.forType(resourceType).get(code);
  if (parameter === undefined) throw new UnreadableValue(`names no search parameter of ${resourceType}: ${step.name}`);
  return leafOf(parameter, test, resourceType, context);
}

/** `subject.name`, `subject:Patient.name`, `subject[active eq true].name`: one target must fulfil all conditions. */
function chainOf({ name, filter }: PathStep, rest: Test, resourceType: string, context: CriterionContext): Criterion {
  const [code = '', type, ...more] = name.split(':');
  const { parameters, depth, budget } = context;
  const parameter = parameters.forType(resourceType).get(code);
  if (parameter?.type !== 'reference' || more.length > 0) {
    throw new UnreadableValue(`cannot go through ${name}: it is no reference of ${resourceType}`);
  }
  if (depth >= MAX_DEPTH) throw new UnreadableValue('is chained too deeply');
  if (type !== undefined && !parameters.resourceTypes.has(type)) {
    throw new UnreadableValue(`names no resource type: ${type}`);
  }
  const types = type === undefined ? parameter.targets : [type];
  const able = types.filter((target) => hasNames(target, rest.path[0]?.name ?? '', context));
  if (able.length === 0) {
    throw new UnreadableValue(`must name the type that ${code} leads to and one of its parameters: ${code}:Type.name`);
  }
  const links = able.map((target): ChainLink => {
    spend(STEP_COST, budget);
    const deeper = { ...context, depth: depth + 1 };
    const last = testOf(rest, target, deeper);
    if (filter === undefined) return { resourceType: target, criterion: last };
    return { resourceType: target, criterion: { kind: 'all', criteria: [convert(filter, target, deeper), last] } };
  });
  return { kind: 'chain', parameter, links };
}

/** Of a reference's target types, those that have the parameter. */
function hasNames(resourceType: string, name: string, { parameters }: CriterionContext): boolean {
  const code = name.split(':')[0] ?? '';
  return name.startsWith('_has:') || code === 'id' || parameters.forType(resourceType).has(code);
}

function leafOf(parameter: SearchParameter, test: Test, resourceType: string, context: CriterionContext): Criterion {
  const { operator } = test;
  const { code, type: searchType } = parameter;
  const value = test.value.replace(/\\.|,/g, (found) => (found === ',' ? '\\,' : found));
  const read = (suffix = '', prefix = '') => named(`${code}${suffix}`, `${prefix}${value}`, resourceType, context);
  if (operator === 'pr') return named(`${code}:missing`, opposite(test.value), resourceType, context);
  if (code === '_id') return byId(operator, read);
  switch (searchType) {
    case 'string':
      if (code !== '_text') return stringTest(parameter, test);
      break;
    case 'token':
    case 'reference':
    case 'uri':
      return codedTest(searchType, code, operator, read);
    case 'date':
    case 'number':
    case 'quantity':
      return rangeTest(parameter, test, read);
    case 'composite':
    case 'special':
      break;
    default:
      searchType satisfies never;
  }
  if (operator === 'eq' || (operator === 'co' && (code === '_text' || code === '_content'))) return read();
  throw cannot(code, operator);
}

function byId(operator: Operator, read: () => Criterion): Criterion {
  if (operator === 'eq') return read();
  if (operator === 'ne') return { kind: 'not', criterion: read() };
  throw cannot('_id', operator);
}

function stringTest(parameter: SearchParameter, { operator, value }: Test): Criterion {
  const text = normalised(value);
  const string = { kind: 'string', parameter, values: [text] } as const;
  switch (operator) {
    case 'eq':
      return { ...string, match: 'equal' };
    case 'ne':
      return { kind: 'unequal', criterion: { ...string, match: 'equal' } };
    case 'co':
      return { ...string, match: 'contains' };
    case 'sw':
      return { ...string, match: 'begins' };
    case 'ew':
      return { ...string, match: 'ends' };
    default:
      throw cannot(parameter.code, operator);
  }
}

const RELATIONS: Readonly<Partial<Record<Operator, string>>> = { in: ':in', ni: ':not-in', ss: ':below', sb: ':above' };

/** Tokens, references and URIs. `ss`: the value subsumes the resource's code, which is then below it. */
function codedTest(
  type: 'token' | 'reference' | 'uri',
  code: string,
  operator: Operator,
  read: (suffix?: string) => Criterion,
): Criterion {
  if (operator === 'eq' || (operator === 're' && type === 'reference')) return read();
  if (operator === 'ne') {
    const criterion = read();
    const { kind } = criterion;
    if (kind === 'token' || kind === 'reference' || kind === 'uri') return { kind: 'unequal', criterion };
    throw cannot(code, operator);
  }
  const modifier = RELATIONS[operator];
  const isOfCodes = operator === 'in' || operator === 'ni';
  if (modifier === undefined || (isOfCodes && type !== 'token')) throw cannot(code, operator);
  return read(modifier);
}

const RANGE_OPERATORS: ReadonlySet<Operator> = new Set(['ne', 'gt', 'lt', 'ge', 'le', 'ap', 'sa', 'eb']);

function rangeTest(
  parameter: SearchParameter,
  { operator, value }: Test,
  read: (suffix?: string, prefix?: string) => Criterion,
): Criterion {
  if (/^[a-z]{2}/.test(value))
    throw new UnreadableValue(`compares ${parameter.code} by the operator, not by a prefix of the value`);
  if (operator === 'eq') return read();
  if (RANGE_OPERATORS.has(operator)) return read('', operator);
  if (operator !== 'po' || parameter.type !== 'date') throw cannot(parameter.code, operator);
  const period = { ...parseDate(value), prefix: 'po' } as const;
  if (parameter.code === '_lastUpdated') return { kind: 'lastUpdated', values: [period] };
  return { kind: 'date', parameter, values: [period] };
}

function named(name: string, value: string, resourceType: string, context: CriterionContext): Criterion {
  const criterion = context.parse({ resourceType, name, value }, context);
  if (criterion === undefined) throw new UnreadableValue(`names no search parameter of ${resourceType}: ${name}`);
  return criterion;
}

function opposite(value: string): string {
  if (value !== 'true' && value !== 'false') throw new UnreadableValue('must say pr true or pr false');
  return value === 'true' ? 'false' : 'true';
}

function cannot(code: string, operator: Operator): UnreadableValue {
  return new UnreadableValue(`cannot compare ${code} by ${operator}`, 'not-supported');
}
