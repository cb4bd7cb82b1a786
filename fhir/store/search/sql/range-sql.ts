// Conditions on ranges: dates, moments, numbers and quantities compared with what a resource holds
// (hl7.org/fhir/R5/search.html#prefix, #date, #number, #quantity).
import type { QuantitySearchValue, RangeValue } from '#fhir/search/parse/query.ts';
import type { SqlType, SqlValues } from './sql-values.ts';

/** The columns that bound what a resource holds, and their type. */
export interface Bounds {
  readonly low: string;
  readonly high: string;
  readonly type: SqlType;
}

const DATE: Bounds = { low: 'i.low', high: 'i.high', type: 'bigint' };
const NUMBER: Bounds = { low: 'i.low', high: 'i.high', type: 'float8' };

/** Comparison of the resource's interval with the one asked for (hl7.org/fhir/R5/search.html#prefix). */
export function dateCondition({ prefix, low, high }: RangeValue, values: SqlValues, i: Bounds = DATE): string {
  const l = () => values.bind(low, i.type);
  const h = () => values.bind(high, i.type);
  switch (prefix) {
    case 'eq':
      return `${i.low} >= ${l()} AND ${i.low} <= ${h()} AND ${i.high} <= ${h()}`;
    case 'ne':
      return `NOT (${i.low} >= ${l()} AND ${i.high} <= ${h()})`;
    case 'gt':
      return `${i.high} > ${h()}`;
    case 'ge':
      return `${i.high} >= ${l()} AND (${i.high} > ${h()} OR ${i.low} >= ${l()})`;
    case 'lt':
      return `${i.low} < ${l()}`;
    case 'le':
      return `${i.low} <= ${h()} AND (${i.low} < ${l()} OR ${i.high} <= ${h()})`;
    case 'sa':
      return `${i.low} > ${h()}`;
    case 'eb':
      return `${i.high} < ${l()}`;
    case 'po':
      return `${i.low} <= ${h()} AND ${i.high} >= ${l()}`;
    case 'ap': {
      const margin = Math.round(0.1 * Math.abs(Date.now() - (low + high) / 2));
      return `${i.low} <= ${values.bind(high + margin, i.type)} AND ${i.high} >= ${values.bind(low - margin, i.type)}`;
    }
    default:
      return prefix satisfies never;
  }
}

/**
 * A number compared with the bounds of the resource's: equality counts the digits written; order takes the number as
 * exact (hl7.org/fhir/R5/search.html#number).
 */
export function numberCondition(
  { prefix, value, low, high }: Pick<QuantitySearchValue, 'prefix' | 'value' | 'low' | 'high'>,
  values: SqlValues,
  i: Bounds = NUMBER,
): string {
  const bind = (number: number) => values.bind(number, 'float8');
  switch (prefix) {
    case 'eq':
      return `${i.low} >= ${bind(low)} AND ${i.low} < ${bind(high)} AND ${i.high} < ${bind(high)}`;
    case 'ne':
      return `NOT (${i.low} >= ${bind(low)} AND ${i.high} < ${bind(high)})`;
    case 'gt':
      return `${i.high} > ${bind(value)}`;
    case 'ge':
      return `${i.high} >= ${bind(value)}`;
    case 'lt':
      return `${i.low} < ${bind(value)}`;
    case 'le':
      return `${i.low} <= ${bind(value)}`;
    case 'sa':
      return `${i.low} > ${bind(value)}`;
    case 'eb':
      return `${i.high} < ${bind(value)}`;
    case 'po':
    case 'ap': {
      const margin = prefix === 'po' ? 0 : Math.abs(value) * 0.1;
      return `${i.low} <= ${bind(value + margin)} AND ${i.high} >= ${bind(value - margin)}`;
    }
    default:
      return prefix satisfies never;
  }
}

/** A column that holds a moment compared with the interval asked for (hl7.org/fhir/R5/search.html#prefix). */
export function momentCondition(value: RangeValue, column: string, values: SqlValues): string {
  const low = () => values.bind(new Date(value.low), 'timestamptz');
  const high = () => values.bind(new Date(value.high), 'timestamptz');
  switch (value.prefix) {
    case 'eq':
    case 'po':
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
