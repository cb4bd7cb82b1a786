// Parts of a content without inactive or abstract concepts.
import { andBits, hasBit, withoutBits } from '../model/bitset.ts';
import type { KnownPart, Part } from './content.ts';
import { filtered } from './filter.ts';

/** The part without inactive concepts. */
export function activePart(part: Part): Part {
  return withoutMarked(part, 'inactive');
}

/** The part without abstract concepts. */
export function choosablePart(part: Part): Part {
  return withoutMarked(part, 'notSelectable');
}

/** Cached by part, as a call after unfinished work passes the same part again. */
const unmarked = { inactive: new WeakMap<Part, Part>(), notSelectable: new WeakMap<Part, Part>() };

function withoutMarked(part: Part, property: 'inactive' | 'notSelectable'): Part {
  if (part.kind === 'loose') return part;
  const found = unmarked[property].get(part) ?? withoutThose(part, property);
  unmarked[property].set(part, found);
  return found;
}

function withoutThose(part: KnownPart, property: 'inactive' | 'notSelectable'): Part {
  const marked = filtered(part.view, { property, op: '=', value: 'true' });
  const bits = withoutBits(part.bits, marked);
  const inactive = property === 'inactive' ? andBits(part.bits, marked) : part.inactive;
  return { ...part, bits, inactive, order: part.order?.filter((place) => hasBit(bits, place)) };
}
