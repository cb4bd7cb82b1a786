// What differs between the record that somebody opened, the one that is stored now, and what is in the form.
import { isSameJson } from '../difference/same-json.ts';

/** A part of a record that a form may change. */
export interface Part<Item> {
  readonly field: keyof Item;
  readonly label: string;
  /** What it is, for who reads it; empty for nothing. */
  words(item: Item): string;
}

/** A part that somebody else has changed since it was opened. */
export interface PartChange {
  readonly label: string;
  readonly before: string;
  readonly now: string;
  /** Whether the form has yet another value, which would replace theirs. */
  readonly isMineToo: boolean;
}

/** Those of the changes that differ from what was opened. */
export function ownChanges<Item extends object>(opened: Item, changes: Partial<Item>): Partial<Item> {
  const own = (Object.keys(changes) as (keyof Item)[]).filter((field) => !isSamePart(opened, changes, field));
  return Object.fromEntries(own.map((field) => [field, changes[field]])) as Partial<Item>;
}

/** Whether both records are the same in these parts. */
export function isSameIn<Item extends object>(parts: readonly Pick<Part<Item>, 'field'>[], a: Item, b: Item): boolean {
  return parts.every(({ field }) => isSamePart(a, b, field));
}

export function theirChanges<Item extends object>(
  parts: readonly Part<Item>[],
  { opened, now, changes }: { readonly opened: Item; readonly now: Item; readonly changes: Partial<Item> },
): PartChange[] {
  const own = ownChanges(opened, changes);
  return parts
    .filter(({ field }) => !isSamePart(opened, now, field))
    .map(({ field, label, words }) => ({
      label,
      before: words(opened),
      now: words(now),
      isMineToo: Object.hasOwn(own, field) && !isSamePart(own, now, field),
    }));
}

function isSamePart<Item extends object>(a: Partial<Item>, b: Partial<Item>, field: keyof Item): boolean {
  return isSameJson(written(a[field]), written(b[field]));
}

/** Without members that are null, and without the names that a response adds to guids. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = Object.entries(value).filter(([name, each]) => each != null && !name.endsWith('_name'));
  return Object.fromEntries(members.map(([name, each]) => [name, written(each)]));
}
