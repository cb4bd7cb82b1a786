// Derived index keys: rows that a parameter has beside its own values, under separate keys. They serve modifiers,
// quantities in base units, codes with their dates, and marks of resources with several dates.
import type { SearchParameter } from '../parameters/definitions.ts';
import { nameKey } from './keys.ts';

export const DERIVED_KEYS = ['text', 'identifier', 'of-type', 'canonical', 'dated', 'dated-other', 'several'] as const;
export type DerivedKey = (typeof DERIVED_KEYS)[number];

type Named = Pick<SearchParameter, 'resourceType' | 'code' | 'shared'>;

/** A derived key of the same table shares rows as the parameter does. */
const WITH_VALUES: ReadonlySet<DerivedKey> = new Set<DerivedKey>(['text', 'identifier', 'of-type', 'canonical']);

export function derivedKey({ resourceType, code, shared }: Named, derived: DerivedKey): number {
  const name = shared !== undefined && WITH_VALUES.has(derived) ? shared.name : `${resourceType}.${code}`;
  return nameKey(`${name}:${derived}`);
}

/** The index keys of one parameter, computed once, so that no name is built or looked up for each value. */
export interface ParameterKeys {
  readonly parameter: SearchParameter;
  readonly rows: number;
  readonly mask: number;
  readonly text: number;
  readonly identifier: number;
  readonly ofType: number;
  readonly canonical: number;
}

const keys = new WeakMap<SearchParameter, ParameterKeys>();

export function parameterKeys(parameter: SearchParameter): ParameterKeys {
  const known = keys.get(parameter);
  if (known !== undefined) return known;
  const created = {
    parameter,
    rows: rowsKey(parameter),
    mask: parameter.shared?.bit ?? 0,
    text: derivedKey(parameter, 'text'),
    identifier: derivedKey(parameter, 'identifier'),
    ofType: derivedKey(parameter, 'of-type'),
    canonical: derivedKey(parameter, 'canonical'),
  };
  keys.set(parameter, created);
  return created;
}

/** The index key of a parameter's values. */
export function rowsKey({ key, shared }: Pick<SearchParameter, 'key' | 'shared'>): number {
  return shared?.key ?? key;
}
