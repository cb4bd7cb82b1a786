// What stands in the index beside a parameter's own values, under keys of its own: what modifiers ask, and quantities in base units.
import type { SearchParameter } from './definitions.ts';
import { nameKey } from './keys.ts';

export const TWINS = ['text', 'identifier', 'of-type', 'canonical'] as const;
export type Twin = (typeof TWINS)[number];

export function twinKey({ resourceType, code }: Pick<SearchParameter, 'resourceType' | 'code'>, twin: Twin): number {
  return nameKey(`${resourceType}.${code}:${twin}`);
}
