// What stands in the index beside a parameter's own values, under keys of its own: what modifiers ask, quantities in
// base units, codes with their dates, and which resources have several dates.
import type { SearchParameter } from '../parameters/definitions.ts';
import { nameKey } from './keys.ts';

export const DERIVED_KEYS = ['text', 'identifier', 'of-type', 'canonical', 'dated', 'dated-other', 'several'] as const;
export type DerivedKey = (typeof DERIVED_KEYS)[number];

type Named = Pick<SearchParameter, 'resourceType' | 'code' | 'shared'>;

/** What stands with the parameter's values shares rows as they do. */
const WITH_VALUES: ReadonlySet<DerivedKey> = new Set<DerivedKey>(['text', 'identifier', 'of-type', 'canonical']);

export function derivedKey({ resourceType, code, shared }: Named, twin: DerivedKey): number {
  const name = shared !== undefined && WITH_VALUES.has(twin) ? shared.name : `${resourceType}.${code}`;
  return nameKey(`${name}:${twin}`);
}

/**
 * The keys under which rows of one parameter stand, told once: names are put together and looked up for none of its
 * values.
 */
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
  const made = {
    parameter,
    rows: rowsKey(parameter),
    mask: parameter.shared?.bit ?? 0,
    text: derivedKey(parameter, 'text'),
    identifier: derivedKey(parameter, 'identifier'),
    ofType: derivedKey(parameter, 'of-type'),
    canonical: derivedKey(parameter, 'canonical'),
  };
  keys.set(parameter, made);
  return made;
}

/** The key under which the values of a parameter are found. */
export function rowsKey({ key, shared }: Pick<SearchParameter, 'key' | 'shared'>): number {
  return shared?.key ?? key;
}
