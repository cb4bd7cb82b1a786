// What stands in the index beside a parameter's own values, under keys of its own: what modifiers ask, quantities in base
// units, codes with their dates, and which resources have several dates.
import type { SearchParameter } from './definitions.ts';
import { nameKey } from './keys.ts';

export const TWINS = ['text', 'identifier', 'of-type', 'canonical', 'dated', 'dated-other', 'several'] as const;
export type Twin = (typeof TWINS)[number];

export function twinKey({ resourceType, code }: Pick<SearchParameter, 'resourceType' | 'code'>, twin: Twin): number {
  return nameKey(`${resourceType}.${code}:${twin}`);
}
