// Shared index rows: a family name is also a `name`, a phone number also a `telecom`. Each such value has one row,
// under a separate key, with a bit for each narrower parameter that has the value too (docs/adr/0018).
import { nameKey } from './keys.ts';

/** By the code of the wide parameter, the narrow ones. Their index is the bit, and must not change. */
export const SHARED_ROWS: Readonly<Record<string, readonly string[]>> = {
  name: ['family', 'given'],
  address: ['address-city', 'address-country', 'address-postalcode', 'address-state'],
  telecom: ['email', 'phone'],
  'combo-code': ['code', 'component-code', 'item-code', 'questionnaire-code'],
  'combo-data-absent-reason': ['data-absent-reason', 'component-data-absent-reason'],
  'combo-value-concept': ['value-concept', 'component-value-concept'],
  'combo-value-quantity': ['value-quantity', 'component-value-quantity'],
};

/** The shared rows of a parameter. */
export interface SharedRows {
  /** The name of the key; derived keys use it too. */
  readonly name: string;
  readonly key: number;
  /** The bit of the parameter's rows; 0 when all rows are the parameter's. */
  readonly bit: number;
  /** All bits that rows of the key may have. */
  readonly bits: number;
}

/** All masks that a row of the parameter may have; only 0 when rows are not shared. */
export function sharedMasks(shared: Pick<SharedRows, 'bit' | 'bits'> | undefined): readonly number[] {
  const { bit, bits } = shared ?? { bit: 0, bits: 0 };
  const all = Array.from({ length: bits + 1 }, (_, mask) => mask);
  return all.filter((mask) => (mask & ~bits) === 0 && (mask & bit) === bit);
}

/** The official parameters of a type that share rows, by code. */
export function sharedRows(resourceType: string, codes: ReadonlySet<string>): ReadonlyMap<string, SharedRows> {
  const found = new Map<string, SharedRows>();
  for (const [wide, narrow] of Object.entries(SHARED_ROWS)) {
    const shared = narrow.filter((code) => codes.has(code));
    if (!codes.has(wide) || shared.length === 0) continue;
    // Not the name of the wide parameter: users may redefine that one, which must not affect the narrow ones.
    const name = `${resourceType}.${wide}+`;
    const bitOf = (code: string) => 1 << narrow.indexOf(code);
    const bits = shared.reduce((all, code) => all | bitOf(code), 0);
    found.set(wide, { name, key: nameKey(name), bit: 0, bits });
    for (const code of shared) found.set(code, { name, key: nameKey(name), bit: bitOf(code), bits });
  }
  return found;
}
