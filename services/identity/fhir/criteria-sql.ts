// Search conditions on the directory's own tables as SQL (decision G6; hl7.org/fhir/R5/search.html).

import { beginsSomewhere, containsText, normaliseText } from '#fhir/search/extract/normalise.ts';
import type { Criterion, TokenValue } from '#fhir/search/parse/query.ts';
import { momentCondition } from '#fhir/store/search/sql/range-sql.ts';
import type { SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import { validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';

/** A parameter that is answered by comparing a code. */
export interface TokenColumn {
  readonly system: string;
  /** SQL that gives the code. */
  readonly code: string;
}

/** A table of the directory, with the alias `r`, as a search sees it. */
export interface SearchedTable {
  /** Everything after FROM. */
  readonly from: string;
  readonly key: string;
  readonly name: string;
  readonly tokens: Readonly<Record<string, TokenColumn>>;
  readonly lastUpdated?: string;
  /** Whether the row refers to one of the ids by the parameter; without ids: to any. */
  readonly references?: (parameter: string, ids: readonly string[] | null, values: SqlValues) => string;
}

/** What a search knows beside the table. */
export interface SearchSite {
  readonly table: SearchedTable;
  readonly values: SqlValues;
  /** Ids behind an absolute address; undefined for one that is not of this server. */
  readonly idOfUrl: (url: string) => string | undefined;
  /** Keys of the rows whose name fulfils the condition. */
  readonly named: ReadonlyMap<Criterion, readonly string[]>;
}

/** @throws ServiceError `validation_error` for a modifier that is not served */
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
      if (criterion.twin !== undefined) throw unservedModifier(criterion.parameter.code);
      return `${table.key} = ANY(${values.bind(site.named.get(criterion) ?? [], 'uuid[]')})`;
    case 'token': {
      const column = table.tokens[criterion.parameter.code];
      if (column === undefined || criterion.twin !== undefined) throw unservedModifier(criterion.parameter.code);
      const matches = anyOf(criterion.values.map((value) => tokenSql(value, column, values)));
      return criterion.isNegated ? `NOT ${matches}` : matches;
    }
    case 'reference':
      return table.references?.(criterion.parameter.code, referredIds(criterion, site), values) ?? 'FALSE';
    default:
      throw unservedModifier('parameter' in criterion ? criterion.parameter.code : criterion.kind);
  }
}

/** Whether the name is one that the condition asks for, as the search of the other services has it. */
export function fitsName(name: string, { match, values }: Extract<Criterion, { kind: 'string' }>): boolean {
  if (match === 'exact') return values.includes(name);
  if (match === 'contains') return values.some((value) => containsText(name, value));
  const normalised = normaliseText(name);
  return values.some((value) => beginsSomewhere(normalised, value));
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
