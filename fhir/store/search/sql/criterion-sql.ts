// One search criterion as SQL, in two forms: whether a given resource fulfils it (`criterionCondition`), and the keys
// of all resources that do (`matchingKeys`; docs/adr/0012).

import type { DerivedKey } from '#fhir/search/extract/derived-keys.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchType } from '#fhir/search/parameters/definitions.ts';
import type { Criterion } from '#fhir/search/parse/query.ts';
import { accessCondition, soleOwnerCondition } from '../../access.ts';
import { hierarchyCondition } from './hierarchy-sql.ts';
import { CHECKED_BY, type CheckedBy, indexRows, isIndexCriterion, unequalRows } from './index-rows.ts';
import { linkRows } from './link-sql.ts';
import { ofParameter } from './param-sql.ts';
import { momentCondition } from './range-sql.ts';
import { fence, type SqlContext } from './sql-context.ts';
import { allOf, anyOf } from './text-sql.ts';

type Chain = Extract<Criterion, { kind: 'chain' }>;
type Has = Extract<Criterion, { kind: 'has' }>;

/** A condition on the resource whose row of fhir_resource has the given alias. */
export function criterionCondition(criterion: Criterion, alias: string, context: SqlContext): string {
  switch (criterion.kind) {
    case 'id':
      return `${alias}.rid = ANY(${context.values.bind(criterion.ids.map(resourceKey), 'uuid[]')})`;
    case 'lastUpdated':
      return anyOf(criterion.values.map((value) => momentCondition(value, `${alias}.updated_at`, context.values)));
    case 'missing':
      return missingCondition(criterion, alias, context);
    case 'chain':
      return chainCondition(criterion, alias, context);
    case 'has':
      return hasCondition(criterion, alias, context);
    case 'hierarchy':
      return hierarchyCondition(criterion, alias, context);
    case 'all':
      return allOf(criterion.criteria.map((each) => criterionCondition(each, alias, context)));
    case 'any':
      return anyOf(criterion.criteria.map((each) => criterionCondition(each, alias, context)));
    case 'not':
      return `NOT (${criterionCondition(criterion.criterion, alias, context)})`;
    case 'unequal': {
      const { table, condition } = unequalRows(criterion.criterion, context.values);
      return `EXISTS (SELECT FROM ${table} i WHERE i.rid = ${alias}.rid AND ${condition}${fence(context)})`;
    }
    case 'codes':
    case 'members':
      throw new Error(`${criterion.name} was not looked up before the search`);
    default: {
      const { table, condition } = indexRows(criterion, context.values);
      const isNegated = (criterion.kind === 'token' || criterion.kind === 'selection') && criterion.isNegated;
      return `${isNegated ? 'NOT ' : ''}EXISTS (SELECT FROM ${table} i WHERE i.rid = ${alias}.rid AND ${condition}${fence(context)})`;
    }
  }
}

/** Whether an index leads from the condition to the resources that fulfil it. */
export function isStartable(criterion: Criterion): boolean {
  switch (criterion.kind) {
    case 'chain':
      return criterion.links.every((link) => link.criterion.kind === 'id' || isStartable(link.criterion));
    case 'has':
      return criterion.criterion.kind === 'id' || isStartable(criterion.criterion);
    default:
      return isIndexCriterion(criterion satisfies Exclude<Criterion, CheckedBy<'references'>>);
  }
}

/**
 * The keys (`rid`, some perhaps twice) of the resources of the type that fulfil a condition that {@link isStartable};
 * none is deleted.
 */
export function matchingKeys(criterion: Criterion, resourceType: string, context: SqlContext): string {
  if (criterion.kind === 'chain') return chainKeys(criterion, context);
  if (criterion.kind === 'has') return hasKeys(criterion, context);
  if (isIndexCriterion(criterion)) {
    const { table, condition } = indexRows(criterion, context.values);
    return `SELECT i.rid FROM ${table} i WHERE ${condition}`;
  }
  const condition = criterionCondition(criterion, 'f', context);
  return `SELECT f.rid FROM fhir_resource f WHERE f.type = ${context.values.key(nameKey(resourceType))} AND NOT f.deleted AND ${condition}`;
}

/**
 * Whether a condition looks at the resource's own row, or holds for what is not there; index rows are of living
 * resources alone.
 */
function isOfRow(criterion: Criterion): boolean {
  return CHECKED_BY[criterion.kind] !== 'references' && !isIndexCriterion(criterion);
}

/** Whether the condition asks for more of the row than its key. */
export function needsColumns(criterion: Criterion): boolean {
  switch (criterion.kind) {
    case 'all':
    case 'any':
      return criterion.criteria.some(needsColumns);
    case 'not':
      return needsColumns(criterion.criterion);
    default:
      return CHECKED_BY[(criterion satisfies Exclude<Criterion, CheckedBy<'conditions'>>).kind] === 'columns';
  }
}

/** The index tables that may hold a value of each type. A code that has only a text is a value too. */
const PLACES: Readonly<Record<SearchType, readonly (readonly [table: string, derived?: DerivedKey])[]>> = {
  token: [['fhir_token'], ['fhir_string', 'text']],
  string: [['fhir_string']],
  reference: [['fhir_reference'], ['fhir_uri'], ['fhir_token', 'identifier'], ['fhir_string', 'text']],
  date: [['fhir_date']],
  number: [['fhir_quantity']],
  quantity: [['fhir_quantity']],
  uri: [['fhir_uri']],
  composite: [['fhir_composite']],
  // Refused before the search: parse-special.ts.
  special: [],
};

function missingCondition(
  { parameter, keys, isMissing }: Extract<Criterion, { kind: 'missing' }>,
  alias: string,
  context: SqlContext,
): string {
  // Every resource has an id and a time.
  if (parameter.code === '_id' || parameter.code === '_lastUpdated') return isMissing ? 'FALSE' : 'TRUE';
  const parts = PLACES[parameter.type].map(([table, derived]) => {
    const { values } = context;
    // A composite parameter may be under the keys of others.
    const rows =
      parameter.type === 'composite'
        ? `i.param IN (${keys.map((key) => values.key(key)).join(', ')})`
        : ofParameter(parameter, 'i', { values, derived });
    return `EXISTS (SELECT FROM ${table} i WHERE i.rid = ${alias}.rid AND ${rows}${fence(context)})`;
  });
  return `${isMissing ? 'NOT ' : ''}(${parts.join(' OR ')})`;
}

/** The row at the other end of a link is visited only where its own columns are asked for. */
function farEnd(
  end: { readonly alias: string; readonly key: string; readonly resourceType: string },
  criterion: Criterion,
  context: SqlContext,
): { readonly join: string; readonly condition: string } {
  const { alias, key, resourceType } = end;
  const { values } = context;
  const seen = accessCondition(context.access(resourceType), resourceType, alias, values);
  const condition = criterionCondition(criterion, alias, context);
  // What is deleted has no values and no links of its own, but others may still refer to it.
  const isLiving = !isOfRow(criterion) && criterion.kind !== 'has';
  if (seen === 'TRUE' && isLiving) {
    return { join: `CROSS JOIN LATERAL (SELECT ${key} AS rid) ${alias}`, condition };
  }
  // Found by its key: otherwise a plan might begin with all that the caller sees (docs/adr/0164).
  const row = `SELECT ${alias}.* FROM fhir_resource ${alias}
    WHERE ${alias}.type = ${values.key(nameKey(resourceType))} AND ${alias}.rid = ${key} ${isLiving ? '' : `AND NOT ${alias}.deleted`}
      AND ${seen}${fence(context)}`;
  return { join: `CROSS JOIN LATERAL (${row}) ${alias}`, condition };
}

function chainCondition({ parameter, links }: Chain, alias: string, context: SqlContext): string {
  return anyOf(
    links.flatMap(({ resourceType, criterion }) =>
      linkRows(parameter, resourceType, `${alias}l`, context.values).map(({ from, source, target, condition }) => {
        const far = farEnd({ alias: `${alias}t`, key: target, resourceType }, criterion, context);
        return `EXISTS (SELECT FROM ${from} ${far.join}
          WHERE ${source} = ${alias}.rid AND ${condition} AND ${far.condition}${fence(context)})`;
      }),
    ),
  );
}

function hasCondition({ parameter, targetType, criterion }: Has, alias: string, context: SqlContext): string {
  const { resourceType } = parameter;
  return anyOf(
    linkRows(parameter, targetType, `${alias}l`, context.values).map(({ from, source, target, condition }) => {
      const far = farEnd({ alias: `${alias}t`, key: source, resourceType }, criterion, context);
      return `EXISTS (SELECT FROM ${from} ${far.join}
        WHERE ${target} = ${alias}.rid AND ${condition} AND ${far.condition}${fence(context)})`;
    }),
  );
}

/** From what fulfils the inner condition to what refers to it. */
function chainKeys({ parameter, links }: Chain, context: SqlContext): string {
  return links
    .flatMap(({ resourceType, criterion }) =>
      linkRows(parameter, resourceType, 'l', context.values).map(({ from, source, target, condition }) => {
        const link = `SELECT ${source} FROM ${from} WHERE ${target} = s.rid AND ${condition}${fence(context)}`;
        return `SELECT k.rid FROM (${seenKeys(criterion, resourceType, context)}) s CROSS JOIN LATERAL (${link}) k`;
      }),
    )
    .join(' UNION ALL ');
}

/** From what fulfils the inner condition to what it refers to, as far as that is still there. */
function hasKeys({ parameter, targetType, criterion }: Has, context: SqlContext): string {
  const { values } = context;
  const type = values.key(nameKey(targetType));
  const row = `SELECT f.rid FROM fhir_resource f WHERE f.type = ${type} AND f.rid = d.target AND NOT f.deleted${fence(context)}`;
  // Many may refer to the same one: it is looked at once.
  const targets = linkRows(parameter, targetType, 'l', values).map(({ from, source, target, condition }) => {
    const link = `SELECT ${target} AS target FROM ${from} WHERE ${source} = s.rid AND ${condition}${fence(context)}`;
    return `SELECT k.target FROM (${seenKeys(criterion, parameter.resourceType, context)}) s CROSS JOIN LATERAL (${link}) k`;
  });
  return `SELECT t.rid FROM (SELECT DISTINCT target FROM (${targets.join(' UNION ALL ')}) a) d CROSS JOIN LATERAL (${row}) t`;
}

/** The keys of those that fulfil the condition and may be seen. */
function seenKeys(criterion: Criterion, resourceType: string, context: SqlContext): string {
  const keys = matchingKeys(criterion, resourceType, context);
  const seen = accessCondition(context.access(resourceType), resourceType, 'f', context.values);
  if (seen === 'TRUE') return keys;
  const row = `SELECT FROM fhir_resource f WHERE f.type = ${context.values.key(nameKey(resourceType))} AND f.rid = i.rid AND ${seen}${fence(context)}`;
  const sole = context.isFenced
    ? soleOwnerCondition(context.access(resourceType), resourceType, context.values)
    : undefined;
  // Each of them is checked once, before anything that it leads to.
  if (sole !== undefined) return `SELECT i.rid FROM (${keys}) i WHERE (${sole} OR EXISTS (${row})) OFFSET 0`;
  return `SELECT i.rid FROM (${keys}) i CROSS JOIN LATERAL (${row}) f OFFSET 0`;
}
