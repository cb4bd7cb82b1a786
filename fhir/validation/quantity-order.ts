// Compares the two quantities of a range (rng-2, ratrng-2; hl7.org/fhir/R5/datatypes.html#Range). R5 compares their
// boundaries, as a value stands for all values that round to it.

import { writtenText } from '../json/written-numbers.ts';
import { decimalBounds } from '../primitives/decimal-bounds.ts';
import { addWarning, isJsonObject, type JsonObject, type ValidationContext } from './context.ts';

/**
 * `overlapping`: the low end is above the high one as written, but their roundings overlap. 5 to 4 may be 4.5 to 4.5;
 * 5.0 to 4.0 may not.
 */
export type Order = 'ordered' | 'overlapping' | 'reversed';

/** The order of two quantities; those without a value or with different units count as ordered. */
export function orderOf(low: unknown, high: unknown): Order {
  if (!isJsonObject(low) || !isJsonObject(high) || !isSameUnit(low, high)) return 'ordered';
  const { value: least } = low;
  const { value: greatest } = high;
  if (typeof least !== 'number' || typeof greatest !== 'number' || least <= greatest) return 'ordered';
  const from = decimalBounds(writtenText(low, 'value', least)).low;
  const to = decimalBounds(writtenText(high, 'value', greatest)).high;
  return from <= to ? 'overlapping' : 'reversed';
}

/** Adds a warning for a low end above the high one where the invariant still holds. */
export function adviseOrder(context: ValidationContext, range: JsonObject, low: string, high: string): void {
  if (orderOf(range[low], range[high]) === 'overlapping')
    addWarning(context, 'value', `should not be above ${high}`, low);
}

function isSameUnit(one: JsonObject, other: JsonObject): boolean {
  return one['system'] === other['system'] && one['code'] === other['code'] && one['unit'] === other['unit'];
}
