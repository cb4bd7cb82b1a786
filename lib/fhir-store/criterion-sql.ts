// One search condition as SQL: which rows of its index table fulfil it, and from that whether a resource does (docs/adr/0004).

import type { SearchParameter } from '#lib/fhir/search/definitions.ts';
import { twinKey } from '#lib/fhir/search/extract.ts';
import { nameKey, resourceKey, systemKey, urlKey } from '#lib/fhir/search/keys.ts';
import { exactText, normaliseText } from '#lib/fhir/search/normalise.ts';
import type { Criterion, QuantitySearchValue, RangeValue, ReferenceValue, TokenValue } from '#lib/fhir/search/query.ts';
import { type Access, accessCondition, type IndexRows } from './access.ts';
import type { SqlValues } from './sql-values.ts';

/** What a condition is written into: the values of the statement, and whose records chains may pass through. */
export interface SqlContext {
  readonly values: SqlValues;
  readonly access: Access;
}

/** After every text that begins with a prefix comes, in code point order, the prefix followed by this. */
const LAST_CHARACTER = '\u{10FFFF}';

/** A condition on the resource whose row of fhir_resource has the given alias. */
export function criterionCondition(criterion: Criterion, alias: string, context: SqlContext): string {
  switch (criterion.kind) {
    case 'id':
      return `${alias}.rid = ANY(${context.values.bind(criterion.ids.map(resourceKey), 'uuid[]')})`;
    case 'lastUpdated':
      return anyOf(criterion.values.map((value) => momentCondition(value, `${alias}.updated_at`, context.values)));
    case 'missing':
      return missingCondition(criterion.parameter, criterion.isMissing, alias, context.values);
    case 'chain':
      return chainCondition(criterion, alias, context);
    case 'has':
      return hasCondition(criterion, alias, context);
    default: {
      const { table, condition } = indexRows(criterion, context.values);
      const isNegated = criterion.kind === 'token' && criterion.isNegated;
      return `${isNegated ? 'NOT ' : ''}EXISTS (SELECT FROM ${table} i WHERE i.rid = ${alias}.rid AND ${condition})`;
    }
  }
}

type IndexCriterion = Extract<
  Criterion,
  { kind: 'token' | 'string' | 'reference' | 'date' | 'quantity' | 'uri' | 'compartment' }
>;

/** Whether a search may start from the condition's index rows. */
export function isIndexCriterion(criterion: Criterion): criterion is IndexCriterion {
  switch (criterion.kind) {
    case 'token':
      return !criterion.isNegated;
    case 'string':
    case 'reference':
    case 'date':
    case 'quantity':
    case 'uri':
    case 'compartment':
      return true;
    default:
      return false;
  }
}

/** The index rows of a condition on a value. */
export function indexRows(criterion: IndexCriterion, values: SqlValues): IndexRows {
  if (criterion.kind === 'compartment') return compartmentOf(criterion, values);
  const { parameter } = criterion;
  const of = (key: number, condition: string) => `i.param = ${values.key(key)} AND ${condition}`;
  switch (criterion.kind) {
    case 'token': {
      const key = criterion.twin === undefined ? parameter.key : twinKey(parameter, criterion.twin);
      return { table: 'fhir_token', condition: of(key, tokenCondition(criterion.values, values)) };
    }
    case 'string': {
      const key = criterion.twin === undefined ? parameter.key : twinKey(parameter, criterion.twin);
      const { match } = criterion;
      const alternatives = criterion.values.map((value) => stringCondition(value, match, values));
      return { table: 'fhir_string', condition: of(key, anyOf(alternatives)) };
    }
    case 'reference': {
      const alternatives = criterion.values.map((value) => referenceCondition(value, values));
      return { table: 'fhir_reference', condition: of(parameter.key, anyOf(alternatives)) };
    }
    case 'date': {
      const alternatives = criterion.values.map((value) => dateCondition(value, values));
      return { table: 'fhir_date', condition: of(parameter.key, anyOf(alternatives)) };
    }
    case 'quantity': {
      const alternatives = criterion.values.map((value) => quantityCondition(value, values));
      return { table: 'fhir_quantity', condition: of(parameter.key, anyOf(alternatives)) };
    }
    case 'uri': {
      const alternatives = criterion.values.map((value) => uriCondition(value, criterion.match, values));
      return { table: 'fhir_uri', condition: of(parameter.key, anyOf(alternatives)) };
    }
    default:
      return criterion satisfies never;
  }
}

function compartmentOf(
  { compartment, keys }: Extract<Criterion, { kind: 'compartment' }>,
  values: SqlValues,
): IndexRows {
  const condition = `i.param = ANY(${values.bind(keys, 'int[]')}) AND i.target = ${values.bind(resourceKey(compartment.id), 'uuid')}
    AND i.target_type = ${values.key(nameKey(compartment.type))}`;
  return { table: 'fhir_reference', condition };
}

function tokenCondition(tokens: readonly TokenValue[], values: SqlValues): string {
  const plain = tokens.filter((token) => token.system === undefined).map((token) => exactText(token.code ?? ''));
  const alternatives = tokens
    .filter((token) => token.system !== undefined)
    .map(({ system, code }) => {
      const ofSystem = `i.system = ${values.bind(systemKey(system), 'bigint')}`;
      return code === undefined ? ofSystem : `i.code = ${values.bind(exactText(code), 'text')} AND ${ofSystem}`;
    });
  if (plain.length === 1) alternatives.push(`i.code = ${values.bind(plain[0], 'text')}`);
  if (plain.length > 1) alternatives.push(`i.code = ANY(${values.bind(plain, 'text[]')})`);
  return anyOf(alternatives);
}

function stringCondition(value: string, match: 'prefix' | 'exact' | 'contains', values: SqlValues): string {
  if (match === 'exact') {
    const beginning = values.bind(normaliseText(value), 'text');
    return `i.value = ${beginning} AND i.exact = ${values.bind(value, 'text')}`;
  }
  if (match === 'prefix') return beginsWith(value, values);
  return `i.value LIKE ${values.bind(`%${value.replace(/[\\%_]/g, '\\$&')}%`, 'text')}`;
}

function beginsWith(prefix: string, values: SqlValues): string {
  return `i.value >= ${values.bind(prefix, 'text')} AND i.value < ${values.bind(prefix + LAST_CHARACTER, 'text')}`;
}

function referenceCondition(value: ReferenceValue, values: SqlValues): string {
  if (value.kind === 'url') return `i.target = ${values.bind(urlKey(value.url), 'uuid')} AND i.target_type = 0`;
  const target = `i.target = ${values.bind(resourceKey(value.id), 'uuid')}`;
  const [only] = value.types;
  if (only === undefined) return `${target} AND i.target_type <> 0`;
  if (value.types.length === 1) return `${target} AND i.target_type = ${values.key(nameKey(only))}`;
  return `${target} AND i.target_type = ANY(${values.bind(value.types.map(nameKey), 'int[]')})`;
}

/** Comparison of the resource's interval with the one asked for (hl7.org/fhir/R5/search.html#prefix). */
function dateCondition({ prefix, low, high }: RangeValue, values: SqlValues): string {
  const l = () => values.bind(low, 'bigint');
  const h = () => values.bind(high, 'bigint');
  switch (prefix) {
    case 'eq':
      return `i.low >= ${l()} AND i.low <= ${h()} AND i.high <= ${h()}`;
    case 'ne':
      return `NOT (i.low >= ${l()} AND i.high <= ${h()})`;
    case 'gt':
      return `i.high > ${h()}`;
    case 'ge':
      return `i.high >= ${l()} AND (i.high > ${h()} OR i.low >= ${l()})`;
    case 'lt':
      return `i.low < ${l()}`;
    case 'le':
      return `i.low <= ${h()} AND (i.low < ${l()} OR i.high <= ${h()})`;
    case 'sa':
      return `i.low > ${h()}`;
    case 'eb':
      return `i.high < ${l()}`;
    case 'ap': {
      const margin = Math.round(0.1 * Math.abs(Date.now() - (low + high) / 2));
      return `i.low <= ${values.bind(high + margin, 'bigint')} AND i.high >= ${values.bind(low - margin, 'bigint')}`;
    }
    default:
      return prefix satisfies never;
  }
}

/** Equality counts the digits written; order takes the number as exact (hl7.org/fhir/R5/search.html#number). */
function quantityCondition(quantity: QuantitySearchValue, values: SqlValues): string {
  const ofUnit = unitCondition(quantity, values);
  return `${numberCondition(quantity, values)}${ofUnit === '' ? '' : ` AND ${ofUnit}`}`;
}

function numberCondition({ prefix, value, low, high }: QuantitySearchValue, values: SqlValues): string {
  const bind = (number: number) => values.bind(number, 'float8');
  switch (prefix) {
    case 'eq':
      return `i.low >= ${bind(low)} AND i.low < ${bind(high)} AND i.high < ${bind(high)}`;
    case 'ne':
      return `NOT (i.low >= ${bind(low)} AND i.high < ${bind(high)})`;
    case 'gt':
      return `i.high > ${bind(value)}`;
    case 'ge':
      return `i.high >= ${bind(value)}`;
    case 'lt':
      return `i.low < ${bind(value)}`;
    case 'le':
      return `i.low <= ${bind(value)}`;
    case 'sa':
      return `i.low > ${bind(value)}`;
    case 'eb':
      return `i.high < ${bind(value)}`;
    case 'ap': {
      const margin = Math.abs(value) * 0.1;
      return `i.low <= ${bind(value + margin)} AND i.high >= ${bind(value - margin)}`;
    }
    default:
      return prefix satisfies never;
  }
}

function unitCondition({ system, code }: QuantitySearchValue, values: SqlValues): string {
  if (code === undefined) return '';
  const bound = values.bind(code, 'text');
  if (system !== undefined) return `i.code = ${bound} AND i.system = ${values.bind(systemKey(system), 'bigint')}`;
  return `(i.code = ${bound} OR i.unit = ${bound})`;
}

function uriCondition(value: string, match: 'exact' | 'above' | 'below', values: SqlValues): string {
  switch (match) {
    case 'exact':
      return `i.value = ${values.bind(value, 'text')}`;
    case 'below':
      return `(i.value = ${values.bind(value, 'text')} OR (${beginsWith(value.endsWith('/') ? value : `${value}/`, values)}))`;
    case 'above':
      return `i.value = ANY(${values.bind(pathsAbove(value), 'text[]')})`;
    default:
      return match satisfies never;
  }
}

/** The address itself and each shorter one that ends before a slash. */
function pathsAbove(value: string): string[] {
  const paths = [value];
  const start = value.indexOf('://');
  for (let at = value.lastIndexOf('/'); at > start + 2 && at > 0; at = value.lastIndexOf('/', at - 1)) {
    paths.push(value.slice(0, at), value.slice(0, at + 1));
  }
  return paths;
}

/** A column that holds a moment compared with the interval asked for (hl7.org/fhir/R5/search.html#prefix). */
export function momentCondition(value: RangeValue, column: string, values: SqlValues): string {
  const low = () => values.bind(new Date(value.low), 'timestamptz');
  const high = () => values.bind(new Date(value.high), 'timestamptz');
  switch (value.prefix) {
    case 'eq':
      return `${column} BETWEEN ${low()} AND ${high()}`;
    case 'ne':
      return `${column} NOT BETWEEN ${low()} AND ${high()}`;
    case 'gt':
    case 'sa':
      return `${column} > ${high()}`;
    case 'ge':
      return `${column} >= ${low()}`;
    case 'lt':
    case 'eb':
      return `${column} < ${low()}`;
    case 'le':
      return `${column} <= ${high()}`;
    case 'ap': {
      const margin = Math.round(0.1 * Math.abs(Date.now() - (value.low + value.high) / 2));
      const around = { ...value, low: value.low - margin, high: value.high + margin, prefix: 'eq' as const };
      return momentCondition(around, column, values);
    }
    default:
      return value.prefix satisfies never;
  }
}

const TABLES: Readonly<Record<string, readonly string[]>> = {
  token: ['fhir_token'],
  string: ['fhir_string'],
  reference: ['fhir_reference', 'fhir_uri'],
  date: ['fhir_date'],
  number: ['fhir_quantity'],
  quantity: ['fhir_quantity'],
  uri: ['fhir_uri'],
};

function missingCondition(parameter: SearchParameter, isMissing: boolean, alias: string, values: SqlValues): string {
  // Every resource has an id and a time.
  if (parameter.code === '_id' || parameter.code === '_lastUpdated') return isMissing ? 'FALSE' : 'TRUE';
  const key = values.key(parameter.key);
  const parts = (TABLES[parameter.type] ?? []).map(
    (table) => `EXISTS (SELECT FROM ${table} i WHERE i.rid = ${alias}.rid AND i.param = ${key})`,
  );
  return `${isMissing ? 'NOT ' : ''}(${parts.join(' OR ')})`;
}

function chainCondition(
  { parameter, links }: Extract<Criterion, { kind: 'chain' }>,
  alias: string,
  context: SqlContext,
): string {
  const { values, access } = context;
  const link = `${alias}l`;
  const target = `${alias}t`;
  return anyOf(
    links.map(({ resourceType, criterion }) => {
      const type = values.key(nameKey(resourceType));
      return `EXISTS (SELECT FROM fhir_reference ${link}
        JOIN fhir_resource ${target} ON ${target}.type = ${type} AND ${target}.rid = ${link}.target
        WHERE ${link}.rid = ${alias}.rid AND ${link}.param = ${values.key(parameter.key)}
          AND ${link}.target_type = ${type} AND NOT ${target}.deleted
          AND ${accessCondition(access(resourceType), resourceType, target, values)}
          AND ${criterionCondition(criterion, target, context)})`;
    }),
  );
}

function hasCondition(
  { parameter, targetType, criterion }: Extract<Criterion, { kind: 'has' }>,
  alias: string,
  context: SqlContext,
): string {
  const { values, access } = context;
  const link = `${alias}l`;
  const source = `${alias}t`;
  const { resourceType } = parameter;
  return `EXISTS (SELECT FROM fhir_reference ${link}
    JOIN fhir_resource ${source} ON ${source}.type = ${values.key(nameKey(resourceType))} AND ${source}.rid = ${link}.rid
    WHERE ${link}.target = ${alias}.rid AND ${link}.target_type = ${values.key(nameKey(targetType))}
      AND ${link}.param = ${values.key(parameter.key)} AND NOT ${source}.deleted
      AND ${accessCondition(access(resourceType), resourceType, source, values)}
      AND ${criterionCondition(criterion, source, context)})`;
}

function anyOf(conditions: readonly string[]): string {
  if (conditions.length === 0) return 'FALSE';
  return conditions.length === 1 ? `(${conditions[0]})` : `(${conditions.map((part) => `(${part})`).join(' OR ')})`;
}
