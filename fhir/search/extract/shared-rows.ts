// Parameters whose values another parameter of the type has as well: a family name is a `name`, a phone number a
// `telecom`. Each value stands in the index once, under a key of its own, and says by a bit for each of the narrower
// parameters whether it is theirs too (docs/adr/0018).
import { nameKey } from './keys.ts';

/**
 * By the code of the parameter that has all of the values, those that have some; the place is the bit, and must stay.
 */
export const SHARED_ROWS: Readonly<Record<string, readonly string[]>> = {
  name: ['family', 'given'],
  address: ['address-city', 'address-country', 'address-postalcode', 'address-state'],
  telecom: ['email', 'phone'],
  'combo-code': ['code', 'component-code', 'item-code', 'questionnaire-code'],
  'combo-data-absent-reason': ['data-absent-reason', 'component-data-absent-reason'],
  'combo-value-concept': ['value-concept', 'component-value-concept'],
  'combo-value-quantity': ['value-quantity', 'component-value-quantity'],
};

/** Where the values of a parameter stand. */
export interface SharedRows {
  /** The name of the key: what the values of twins are named by as well. */
  readonly name: string;
  readonly key: number;
  /** Which of the rows are the parameter's: those that have the bit; all of them when it is 0. */
  readonly bit: number;
  /** All bits that rows of the key may have. */
  readonly bits: number;
}

/** What a row of the parameter may have as its bits; 0 alone where rows are not shared. */
export function sharedMasks(shared: Pick<SharedRows, 'bit' | 'bits'> | undefined): readonly number[] {
  const { bit, bits } = shared ?? { bit: 0, bits: 0 };
  const all = Array.from({ length: bits + 1 }, (_, mask) => mask);
  return all.filter((mask) => (mask & ~bits) === 0 && (mask & bit) === bit);
}

/** Of the official parameters of a type, by their codes, those that share rows. */
export function sharedRows(resourceType: string, codes: ReadonlySet<string>): ReadonlyMap<string, SharedRows> {
  const found = new Map<string, SharedRows>();
  for (const [wide, narrow] of Object.entries(SHARED_ROWS)) {
    const shared = narrow.filter((code) => codes.has(code));
    if (!codes.has(wide) || shared.length === 0) continue;
    // Not the name of the wide parameter itself: users may define that one anew, which changes nothing for the narrow
    // ones.
    const name = `${resourceType}.${wide}+`;
    const bitOf = (code: string) => 1 << narrow.indexOf(code);
    const bits = shared.reduce((all, code) => all | bitOf(code), 0);
    found.set(wide, { name, key: nameKey(name), bit: 0, bits });
    for (const code of shared) found.set(code, { name, key: nameKey(name), bit: bitOf(code), bits });
  }
  return found;
}
