// The items of a form as a tree: found, changed, moved. Nothing is changed in place, and what the builder does not know
// of an item stays as it is.
import type { QuestionnaireItem } from 'fhir/r5';
import { isHelp } from './extensions.ts';

export type Item = QuestionnaireItem;

/** Among the items of a group, or of the form itself; the index counts the item that is moved, where it is there. */
export interface Place {
  readonly parent: string | undefined;
  readonly index: number;
}

/** All items, each before those within it. */
export function everyItem(items: readonly Item[]): Item[] {
  return items.flatMap((item) => [item, ...everyItem(item.item ?? [])]);
}

export function itemAt(items: readonly Item[], id: string): Item | undefined {
  return everyItem(items).find(({ linkId }) => linkId === id);
}

export function placeOf(items: readonly Item[], id: string, parent?: string): Place | undefined {
  const index = items.findIndex(({ linkId }) => linkId === id);
  if (index !== -1) return { parent, index };
  for (const { linkId, item = [] } of items) {
    const found = placeOf(item, id, linkId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The items with that one changed. */
export function withChanged(items: readonly Item[], id: string, change: (item: Item) => Item): Item[] {
  return items.map((item) => {
    if (item.linkId === id) return change(item);
    return item.item === undefined ? item : { ...item, item: withChanged(item.item, id, change) };
  });
}

export function without(items: readonly Item[], id: string): Item[] {
  return items.flatMap((item) => {
    if (item.linkId === id) return [];
    if (item.item === undefined) return [item];
    const { item: inner, ...rest } = item;
    const left = without(inner, id);
    return [left.length === 0 ? rest : { ...rest, item: left }];
  });
}

export function withInserted(items: readonly Item[], item: Item, { parent, index }: Place): Item[] {
  if (parent === undefined) return items.toSpliced(index, 0, item);
  return withChanged(items, parent, (group) => ({
    ...group,
    item: helpFirst((group.item ?? []).toSpliced(index, 0, item)),
  }));
}

/** The help of a group is no place in it. */
function helpFirst(items: readonly Item[]): Item[] {
  return [...items.filter(isHelp), ...items.filter((item) => !isHelp(item))];
}

/** Unchanged where the place is within the item itself. */
export function withMoved(items: readonly Item[], id: string, place: Place): readonly Item[] {
  const [item, from] = [itemAt(items, id), placeOf(items, id)];
  if (item === undefined || from === undefined) return items;
  if (place.parent !== undefined && everyItem([item]).some(({ linkId }) => linkId === place.parent)) return items;
  const isLater = from.parent === place.parent && place.index > from.index;
  return withInserted(without(items, id), item, { ...place, index: place.index - (isLater ? 1 : 0) });
}

/**
 * Where one step leads: past the next question, into a group that is there, or out of the group around it. Undefined
 * at the beginning and at the end of the form.
 */
export function stepFrom(items: readonly Item[], id: string, by: -1 | 1): Place | undefined {
  const from = placeOf(items, id);
  if (from === undefined) return undefined;
  const { parent, index } = from;
  const siblings = parent === undefined ? items : (itemAt(items, parent)?.item ?? []);
  const beside = siblings[index + by];
  const neighbour = beside !== undefined && isHelp(beside) ? undefined : beside;
  if (neighbour?.type === 'group') {
    return { parent: neighbour.linkId, index: by === 1 ? 0 : (neighbour.item ?? []).length };
  }
  if (neighbour !== undefined) return { parent, index: by === 1 ? index + 2 : index - 1 };
  const around = parent === undefined ? undefined : placeOf(items, parent);
  return around && { parent: around.parent, index: around.index + (by === 1 ? 1 : 0) };
}

/** Never that of an item that was removed: answers to it would be taken for answers to the new one. */
export function newLinkId(): string {
  return `q-${crypto.randomUUID().slice(0, 8)}`;
}

/**
 * The item and what is within it, under new names; conditions among them go with it.
 * @param rename gives what else of an item speaks of others their new names
 */
export function copyOf(item: Item, rename: (item: Item, names: ReadonlyMap<string, string>) => Item): Item {
  const names = new Map(everyItem([item]).map(({ linkId }) => [linkId, newLinkId()]));
  const renamed = (each: Item): Item => ({
    ...rename(each, names),
    linkId: names.get(each.linkId) ?? each.linkId,
    ...(each.enableWhen === undefined
      ? {}
      : {
          enableWhen: each.enableWhen.map((rule) => ({ ...rule, question: names.get(rule.question) ?? rule.question })),
        }),
    ...(each.item === undefined ? {} : { item: each.item.map(renamed) }),
  });
  return renamed(item);
}
