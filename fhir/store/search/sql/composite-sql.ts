// Composite parameters as SQL: all components of one row of the index fulfil their values
// (hl7.org/fhir/R5/search.html#composite).
import { systemKey } from '#fhir/search/extract/keys.ts';
import { exactText } from '#fhir/search/extract/normalise.ts';
import type { ComponentValue, Criterion, ReferenceValue, TokenValue } from '#fhir/search/parse/query.ts';
import type { IndexRows } from '../../access.ts';
import { dateCondition, numberCondition } from './range-sql.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf, beginsWith } from './text-sql.ts';

/** The index rows of a composite condition. */
export function compositeIndexRows(
  { keys, canonicalKeys, values: alternatives }: Extract<Criterion, { kind: 'composite' }>,
  values: SqlValues,
): IndexRows {
  const groups = Map.groupBy(alternatives, (components) => (components.some(isConverted) ? canonicalKeys : keys));
  const conditions = [...groups].map(([of, each]) => groupCondition(of, each, values));
  return { table: 'fhir_composite', condition: conditions.length === 1 ? (conditions[0] ?? '') : anyOf(conditions) };
}

function isConverted(component: ComponentValue): boolean {
  return component.type === 'quantity' && component.value.canonical !== undefined;
}

/** Alternatives whose rows are under the same keys. */
function groupCondition(
  keys: readonly number[],
  alternatives: readonly (readonly ComponentValue[])[],
  values: SqlValues,
): string {
  const [key, ...more] = keys;
  const param =
    more.length === 0 ? `i.param = ${values.key(key ?? 0)}` : `i.param = ANY(${values.bind(keys, 'int[]')})`;
  const conditions = alternatives.map((components) =>
    components.map((component, index) => componentCondition(component, index + 1, values)).join(' AND '),
  );
  return `${param} AND ${anyOf(conditions)}`;
}

function componentCondition(component: ComponentValue, number: number, values: SqlValues): string {
  const text = `i.text${number}`;
  const system = `i.system${number}`;
  const bounds = { low: `i.low${number}`, high: `i.high${number}`, type: 'float8' } as const;
  switch (component.type) {
    case 'token':
      return tokenPart(component.value, { text, system }, values);
    case 'string':
      return beginsWith(component.value, values, text);
    case 'uri':
      return `${text} = ${values.bind(component.value, 'text')}`;
    case 'date':
      return dateCondition(component.value, values, bounds);
    case 'quantity': {
      const { code, system: given, canonical } = component.value;
      if (canonical !== undefined) {
        return `${numberCondition(canonical, values, bounds)} AND ${text} = ${values.bind(canonical.unit, 'text')}`;
      }
      const unit = code === undefined ? '' : ` AND ${tokenPart({ system: given, code }, { text, system }, values)}`;
      return numberCondition(component.value, values, bounds) + unit;
    }
    case 'reference':
      return referencePart(component.value, text, values);
    default:
      return component satisfies never;
  }
}

function tokenPart(
  { system, code }: TokenValue,
  columns: { readonly text: string; readonly system: string },
  values: SqlValues,
): string {
  const conditions: string[] = [];
  if (code !== undefined) conditions.push(`${columns.text} = ${values.bind(exactText(code), 'text')}`);
  if (system !== undefined) conditions.push(`${columns.system} = ${values.bind(systemKey(system), 'bigint')}`);
  return conditions.join(' AND ');
}

function referencePart(value: ReferenceValue, column: string, values: SqlValues): string {
  if (value.kind === 'url') return `${column} = ${values.bind(value.url, 'text')}`;
  if (value.types.length === 0) return `split_part(${column}, '/', 2) = ${values.bind(value.id, 'text')}`;
  return `${column} = ANY(${values.bind(
    value.types.map((type) => `${type}/${value.id}`),
    'text[]',
  )})`;
}
