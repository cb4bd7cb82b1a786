// The rows of an index table whose values fulfil a condition (docs/adr/0004).

import type { DerivedKey } from '#fhir/search/extract/derived-keys.ts';
import { nameKey, resourceKey, systemKey, urlKey } from '#fhir/search/extract/keys.ts';
import { exactText } from '#fhir/search/extract/normalise.ts';
import type { Criterion, ReferenceValue, TokenValue } from '#fhir/search/parse/query.ts';
import type { IndexRows } from '../../access.ts';
import { mediaTypeIndexRows, selectionIndexRows } from './codes-sql.ts';
import { compositeIndexRows } from './composite-sql.ts';
import { nearIndexRows } from './near-sql.ts';
import { ofParameter, textsOfParameter } from './param-sql.ts';
import { quantityIndexRows } from './quantity-sql.ts';
import { dateCondition } from './range-sql.ts';
import type { SqlValues } from './sql-values.ts';
import { stringCondition } from './string-sql.ts';
import { anyOf } from './text-sql.ts';
import { uriCondition } from './uri-sql.ts';
import { wordsIndexRows } from './words-sql.ts';

type ValueCriterion = Extract<Criterion, { kind: 'token' | 'string' | 'reference' | 'date' | 'uri' }>;

/**
 * What a condition of each kind is checked by. It is the rows of one index table, references from or to other
 * resources, or other conditions. Else it is the columns of the resource's own row, or its key. `codes` and `members`
 * are replaced by the lookups before the search (../resolve.ts).
 */
export const CHECKED_BY = {
  token: 'index',
  string: 'index',
  reference: 'index',
  date: 'index',
  quantity: 'index',
  uri: 'index',
  composite: 'index',
  compartment: 'index',
  selection: 'index',
  mediaType: 'index',
  near: 'index',
  words: 'index',
  chain: 'references',
  has: 'references',
  all: 'conditions',
  any: 'conditions',
  not: 'conditions',
  lastUpdated: 'columns',
  id: 'key',
  missing: 'key',
  unequal: 'key',
  hierarchy: 'key',
  codes: 'key',
  members: 'key',
} as const satisfies Readonly<Record<Criterion['kind'], 'index' | 'references' | 'conditions' | 'columns' | 'key'>>;

type Means = (typeof CHECKED_BY)[Criterion['kind']];
/** The conditions that are checked by such means. */
export type CheckedBy<M extends Means> = Extract<
  Criterion,
  { kind: { [K in Criterion['kind']]: (typeof CHECKED_BY)[K] extends M ? K : never }[Criterion['kind']] }
>;

export type IndexCriterion = CheckedBy<'index'>;

/** Whether a search may start from the condition's index rows. */
export function isIndexCriterion(criterion: Criterion): criterion is IndexCriterion {
  if ((criterion.kind === 'token' || criterion.kind === 'selection') && criterion.isNegated) return false;
  return CHECKED_BY[criterion.kind] === 'index';
}

/** The index rows of a condition on a value. */
export function indexRows(criterion: IndexCriterion, values: SqlValues): IndexRows {
  switch (criterion.kind) {
    case 'compartment':
      return compartmentOf(criterion, values);
    case 'composite':
      return compositeIndexRows(criterion, values);
    case 'quantity':
      return quantityIndexRows(criterion, values);
    case 'selection':
      return selectionIndexRows(criterion, values);
    case 'mediaType':
      return mediaTypeIndexRows(criterion, values);
    case 'near':
      return nearIndexRows(criterion, values);
    case 'words':
      return wordsIndexRows(criterion, values);
    default:
      return valueIndexRows(criterion, values);
  }
}

/** The rows of the same parameter whose value is another; of a text the whole, not the beginnings of its words. */
export function unequalRows(criterion: ValueCriterion, values: SqlValues): IndexRows {
  const { table, condition } = indexRows(criterion, values);
  const isWhole = criterion.kind === 'string' ? ' AND i.exact IS NOT NULL' : '';
  return { table, condition: `${ofParameter(criterion.parameter, 'i', { values })}${isWhole} AND NOT (${condition})` };
}

function valueIndexRows(criterion: ValueCriterion, values: SqlValues): IndexRows {
  const { parameter } = criterion;
  const of = (condition: string, derived?: DerivedKey) =>
    `${ofParameter(parameter, 'i', { values, derived })} AND ${condition}`;
  switch (criterion.kind) {
    case 'token':
      return { table: 'fhir_token', condition: of(tokenCondition(criterion.values, values), criterion.derived) };
    case 'string': {
      const rows = textsOfParameter(parameter, 'i', { values, derived: criterion.derived });
      return { table: 'fhir_string', condition: `${rows} AND ${stringCondition(criterion, values)}` };
    }
    case 'reference': {
      return { table: 'fhir_reference', condition: of(anyOf(referenceConditions(criterion.values, values))) };
    }
    case 'date': {
      const alternatives = criterion.values.map((value) => dateCondition(value, values));
      return { table: 'fhir_date', condition: of(anyOf(alternatives)) };
    }
    case 'uri': {
      const alternatives = criterion.values.map((value) => uriCondition(value, criterion.match, values));
      return { table: 'fhir_uri', condition: of(anyOf(alternatives)) };
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

/** With more values than this, those that differ by their id alone are one condition. */
const FEW_REFERENCES = 20;

function referenceConditions(references: readonly ReferenceValue[], values: SqlValues): string[] {
  if (references.length <= FEW_REFERENCES) return references.map((value) => referenceCondition(value, values));
  const groups = new Map<string, { readonly types: readonly string[] | undefined; readonly keys: string[] }>();
  for (const value of references) {
    const types = value.kind === 'url' ? undefined : value.types;
    const name = JSON.stringify(types ?? null);
    const group = groups.get(name) ?? { types, keys: [] };
    groups.set(name, group);
    group.keys.push(value.kind === 'url' ? urlKey(value.url) : resourceKey(value.id));
  }
  return [...groups.values()].map(
    ({ types, keys }) => `i.target = ANY(${values.bind(keys, 'uuid[]')}) AND ${targetType(types, values)}`,
  );
}

function referenceCondition(value: ReferenceValue, values: SqlValues): string {
  const key = value.kind === 'url' ? urlKey(value.url) : resourceKey(value.id);
  const types = value.kind === 'url' ? undefined : value.types;
  return `i.target = ${values.bind(key, 'uuid')} AND ${targetType(types, values)}`;
}

/** @param types of what is not a URL; none are any */
function targetType(types: readonly string[] | undefined, values: SqlValues): string {
  if (types === undefined) return 'i.target_type = 0';
  const [only, ...more] = types;
  if (only === undefined) return 'i.target_type <> 0';
  if (more.length === 0) return `i.target_type = ${values.key(nameKey(only))}`;
  return `i.target_type = ANY(${values.bind(types.map(nameKey), 'int[]')})`;
}
