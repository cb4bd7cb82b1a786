// Compares values with the fixed values, patterns, and least and greatest values of a profile
// (hl7.org/fhir/R5/elementdefinition.html#ElementDefinition.fixed_x_).
import { isJsonObject } from '../validation/context.ts';

/** Whether a value is the fixed one in every part. */
export function isEqual(fixed: unknown, value: unknown): boolean {
  if (Array.isArray(fixed)) {
    return (
      Array.isArray(value) && value.length === fixed.length && fixed.every((each, index) => isEqual(each, value[index]))
    );
  }
  if (!isJsonObject(fixed)) return fixed === value;
  if (!isJsonObject(value)) return false;
  const names = Object.keys(fixed);
  return Object.keys(value).length === names.length && names.every((name) => isEqual(fixed[name], value[name]));
}

/** Whether a value has every part of the pattern; in a list the pattern's entries may be anywhere. */
export function hasPattern(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && pattern.every((each) => value.some((entry) => hasPattern(each, entry)));
  }
  if (!isJsonObject(pattern)) return pattern === value;
  return isJsonObject(value) && Object.keys(pattern).every((name) => hasPattern(pattern[name], value[name]));
}

/** Compares two values: -1, 0 or 1; undefined for values without an order. */
export function compareValues(one: unknown, other: unknown): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return Math.sign(one - other);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  if (!isJsonObject(one) || !isJsonObject(other)) return undefined;
  const isSameUnit =
    one['system'] === other['system'] && (one['code'] ?? one['unit']) === (other['code'] ?? other['unit']);
  return isSameUnit ? compareValues(one['value'], other['value']) : undefined;
}

const WHOLE = /^[+-]?\d{1,19}$/;
const TIME_OF_DAY = /^\d\d:\d\d:\d\d(?:\.\d+)?$/;

/** Compares dates, times and 64-bit whole numbers. Dates of different precision compare up to the lower precision. */
function compareTexts(one: string, other: string): number | undefined {
  if (WHOLE.test(one) && WHOLE.test(other) && (one.length > 4 || other.length > 4))
    return order(BigInt(one), BigInt(other));
  if (one.includes('T') && other.includes('T')) {
    const [left, right] = [Date.parse(one), Date.parse(other)];
    return Number.isNaN(left) || Number.isNaN(right) ? undefined : order(left, right);
  }
  if (TIME_OF_DAY.test(one) && TIME_OF_DAY.test(other)) return order(one, other);
  if (!/^\d{4}/.test(one) || !/^\d{4}/.test(other)) return undefined;
  const length = Math.min(one.split('T', 1)[0]?.length ?? 0, other.split('T', 1)[0]?.length ?? 0);
  return order(one.slice(0, length), other.slice(0, length));
}

function order<T extends bigint | number | string>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const MAX_SHOWN = 160;

/** A value of a profile as text for an error message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
