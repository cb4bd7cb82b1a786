// Checks whether a coded value is in a known value set (hl7.org/fhir/R5/terminologies.html#strength).
import { isJsonObject, type ValidationContext } from '../validation/context.ts';
import { hasCoding, hasConcept, type KnownCodes, knownCodes } from '../validation/known-codes.ts';
import type { Item } from './items.ts';

type Known = Pick<ValidationContext, 'definitions' | 'valueSets'>;

/** Whether the value is in the value set. Undefined for an unknown value set, and for a value that is not coded. */
export function isInValueSet(context: Known, valueSet: string, item: Item): boolean | undefined {
  const known = knownCodes(context, valueSet);
  return known && isOf(known, item);
}

function isOf(known: KnownCodes, { type, value }: Item): boolean | undefined {
  if (typeof value === 'string') return known.hasCode(value);
  if (!isJsonObject(value)) return undefined;
  switch (type) {
    case 'Coding':
      return hasCoding(known, value);
    case 'CodeableConcept':
      return hasConcept(known, value);
    case 'CodeableReference':
      return value['concept'] === undefined ? undefined : hasConcept(known, value['concept']);
    default:
      // Quantities of every kind: Age, Duration, SimpleQuantity.
      return value['code'] === undefined ? undefined : hasCoding(known, value);
  }
}
