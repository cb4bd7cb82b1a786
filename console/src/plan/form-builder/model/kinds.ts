// The kinds of items, as somebody who makes a form chooses among them: R5's types of items, each with its settings.
import { extensionsOf } from './extensions.ts';
import { type Item, newLinkId } from './tree.ts';

export type Kind = Item['type'];

/** In the order in which they are offered. */
export const KINDS = {
  common: ['boolean', 'coding', 'string', 'text', 'quantity', 'integer', 'date'],
  more: ['decimal', 'time', 'dateTime', 'attachment', 'url', 'reference'],
  structure: ['group', 'display'],
} as const satisfies Readonly<Record<string, readonly Kind[]>>;

export type OfferedKind = (typeof KINDS)[keyof typeof KINDS][number];

/** Undefined for a kind of R5 that is not offered (`question`, which has no type). */
export function offeredKind(kind: Kind): OfferedKind | undefined {
  return Object.values<readonly OfferedKind[]>(KINDS)
    .flat()
    .find((each) => each === kind);
}

/** Whether somebody answers it. */
export function isQuestion({ type }: Pick<Item, 'type'>): boolean {
  return type !== 'group' && type !== 'display';
}

export function newItem(kind: OfferedKind): Item {
  return { linkId: newLinkId(), type: kind, text: '', ...startOf(kind) };
}

/** What every kind may have; all else belongs to the kind. */
const COMMON = ['linkId', 'prefix', 'text', '_text', 'definition', 'code'] as const;
const CONDITIONS = ['enableWhen', 'enableBehavior', 'disabledDisplay'] as const;
/** Whether it is shown, and the pages that help, do not depend on the kind. */
const KEPT_EXTENSIONS = ['questionnaire-hidden', 'questionnaire-supportLink'] as const;
const ANSWERED = ['required', 'repeats'] as const;

/** The item as one of another kind: its texts and conditions stay, its limits and answers do not fit. */
export function withKind(item: Item, kind: OfferedKind): Item {
  if (item.type === kind) return item;
  const names: readonly (keyof Item)[] = [...COMMON, ...CONDITIONS, ...(kind === 'display' ? [] : ANSWERED)];
  const kept = Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
  const inner = kind === 'display' || item.item === undefined ? {} : { item: item.item };
  const extension = KEPT_EXTENSIONS.flatMap((name) => extensionsOf(item, name));
  const extended = extension.length === 0 ? {} : { extension };
  return { linkId: item.linkId, ...kept, ...inner, ...extended, ...startOf(kind), type: kind };
}

/** Two answers to write, or kilograms to replace: an empty question says less. */
function startOf(kind: OfferedKind): Partial<Item> {
  if (kind !== 'coding') return {};
  return { answerOption: [newOption(), newOption()] };
}

/** Its code stays when its text changes, so that answers can be compared over versions of the form. */
export function newOption(text = '') {
  return { valueCoding: { code: `a-${crypto.randomUUID().slice(0, 8)}`, display: text } };
}
