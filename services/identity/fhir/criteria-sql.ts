// Converts FHIR search criteria to SQL on the directory's tables (decision G6; hl7.org/fhir/R5/search.html).

import { containsText, normaliseText, startsWithAtAnyWord } from '#fhir/search/extract/normalise.ts';
import type { Criterion, TokenValue } from '#fhir/search/parse/query.ts';
import { momentCondition } from '#fhir/store/search/sql/range-sql.ts';
import type { SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import { validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';

/** A token parameter, which compares a code. */
export interface TokenColumn {
  readonly system: string;
  /** The SQL expression of the code. */
  readonly code: string;
}

/** A table of the directory, with the alias `r`, as the search sees it. */
export interface SearchedTable {
  /** The FROM clause. */
  readonly from: string;
  readonly key: string;
  readonly name: string;
  readonly tokens: Readonly<Record<string, TokenColumn>>;
  readonly lastUpdated?: string;
  /** SQL for whether the row refers to one of the ids by the parameter; without ids: to any. */
  readonly references?: (parameter: string, ids: readonly string[] | null, values: SqlValues) => string;
}

/** What a search knows in addition to the table. */
export interface SearchSite {
  readonly table: SearchedTable;
  readonly values: SqlValues;
  /** The id in an absolute URL; undefined for a URL of another server. */
  readonly idOfUrl: (url: string) => string | undefined;
  /** The keys of the rows whose name matches the criterion. */
  readonly named: ReadonlyMap<Criterion, readonly string[]>;
}

/** @throws ServiceError `validation_error` for an unsupported modifier */
export function criterionSql(criterion: Criterion, site: SearchSite): string {
  const { table, values } = site;
  switch (criterion.kind) {
    case 'id':
      return `${table.key} = ANY(${values.bind(criterion.ids.filter(isGuid), 'uuid[]')})`;
    case 'lastUpdated':
      return anyOf(criterion.values.map((value) => momentCondition(value, table.lastUpdated ?? 'NULL', values)));
    case 'missing':
      return missingSql(criterion, site);
    case 'string':
      if (criterion.derived !== undefined) throw unservedModifier(criterion.parameter.code);
      return `${table.key} = ANY(${values.bind(site.named.get(criterion) ?? [], 'uuid[]')})`;
    case 'token': {
      const column = table.tokens[criterion.parameter.code];
      if (column === undefined || criterion.derived !== undefined) throw unservedModifier(criterion.parameter.code);
      const matches = anyOf(criterion.values.map((value) => tokenSql(value, column, values)));
      return criterion.isNegated ? `NOT ${matches}` : matches;
    }
    case 'reference':
      return table.references?.(criterion.parameter.code, referredIds(criterion, site), values) ?? 'FALSE';
    default:
      throw unservedModifier('parameter' in criterion ? criterion.parameter.code : criterion.kind);
  }
}

/** Whether the name matches the criterion, compared as the search of the other services compares strings. */
export function matchesName(name: string, { match, values }: Extract<Criterion, { kind: 'string' }>): boolean {
  if (match === 'exact') return values.includes(name);
  if (match === 'contains') return values.some((value) => containsText(name, value));
  const normalised = normaliseText(name);
  return values.some((value) => startsWithAtAnyWord(normalised, value));
}

function tokenSql({ system, code }: TokenValue, column: TokenColumn, values: SqlValues): string {
  if (system !== undefined && system !== column.system) return 'FALSE';
  return code === undefined ? 'TRUE' : `${column.code} = ${values.bind(code, 'text')}`;
}

function missingSql({ parameter, isMissing }: Extract<Criterion, { kind: 'missing' }>, site: SearchSite): string {
  const { table, values } = site;
  const isThere =
    parameter.type === 'reference' ? (table.references?.(parameter.code, null, values) ?? 'FALSE') : 'TRUE';
  return isMissing ? `NOT (${isThere})` : isThere;
}

function referredIds({ values }: Extract<Criterion, { kind: 'reference' }>, { idOfUrl }: SearchSite): string[] {
  return values.flatMap((value) => {
    if (value.kind === 'url') return idOfUrl(value.url) ?? [];
    return value.types.length === 0 || value.types.includes('Practitioner') ? [value.id] : [];
  });
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'FALSE' : `(${conditions.join(' OR ')})`;
}

function unservedModifier(code: string) {
  const message = `${code} is not searched this way here`;
  return validationError([{ field: code, message, code: 'not-supported' }]);
}
