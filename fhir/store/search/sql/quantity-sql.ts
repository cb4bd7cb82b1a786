// Quantities as SQL: an amount in a unit of UCUM is compared in base units, any other as it is written
// (hl7.org/fhir/R5/search.html#quantity).
import { systemKey } from '#fhir/search/extract/keys.ts';
import type { Criterion, QuantitySearchValue } from '#fhir/search/parse/query.ts';
import type { IndexRows } from '../../access.ts';
import { ofParameter } from './param-sql.ts';
import { numberCondition } from './range-sql.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf } from './text-sql.ts';

/** The index rows of a condition on numbers or quantities. */
export function quantityIndexRows(
  { parameter, values: alternatives }: Extract<Criterion, { kind: 'quantity' }>,
  values: SqlValues,
): IndexRows {
  const written = alternatives.filter(({ canonical }) => canonical === undefined);
  const converted = alternatives.flatMap(({ canonical }) => canonical ?? []);
  const groups: string[] = [];
  if (written.length > 0) {
    const conditions = written.map((value) => writtenCondition(value, values));
    groups.push(`${ofParameter(parameter, 'i', { values })} AND ${anyOf(conditions)}`);
  }
  if (converted.length > 0) {
    const conditions = converted.map(
      (value) => `i.code = ${values.bind(value.unit, 'text')} AND ${numberCondition(value, values)}`,
    );
    groups.push(`${ofParameter(parameter, 'i', { values, derived: 'canonical' })} AND ${anyOf(conditions)}`);
  }
  return { table: 'fhir_quantity', condition: groups.length === 1 ? (groups[0] ?? '') : anyOf(groups) };
}

function writtenCondition(quantity: QuantitySearchValue, values: SqlValues): string {
  const ofUnit = unitCondition(quantity, values);
  return `${numberCondition(quantity, values)}${ofUnit === '' ? '' : ` AND ${ofUnit}`}`;
}

function unitCondition({ system, code }: QuantitySearchValue, values: SqlValues): string {
  if (code === undefined) return '';
  const bound = values.bind(code, 'text');
  if (system !== undefined) return `i.code = ${bound} AND i.system = ${values.bind(systemKey(system), 'bigint')}`;
  return `(i.code = ${bound} OR i.unit = ${bound})`;
}
