// What helps to answer a question: a text that is shown with it, which is an item within it, and a page to read.
import { withControl } from './controls.ts';
import { extensionsOf, isHelp, withExtension } from './extensions.ts';
import { type Item, newLinkId } from './tree.ts';

const LINK = 'questionnaire-supportLink';

export function helpOf({ item = [] }: Item): Item | undefined {
  return item.find(isHelp);
}

/** The item with its help changed; without text there is none. */
export function withHelp(item: Item, change: (help: Item) => Item): Item {
  const { item: inner = [], ...rest } = item;
  const before = helpOf(item);
  const help = change(before ?? withControl<Item>({ linkId: newLinkId(), type: 'display', text: '' }, 'help'));
  const others = inner.filter((each) => each !== before);
  const next = (help.text ?? '') === '' ? others : [help, ...others];
  return next.length === 0 ? rest : { ...rest, item: next };
}

/** The first of its pages; the others stay as they are. */
export function linkOf(item: Item): string {
  return extensionsOf(item, LINK)[0]?.valueUri ?? '';
}

export function withLink(item: Item, address: string): Item {
  const [, ...others] = extensionsOf(item, LINK).map(({ valueUri = '' }) => ({ valueUri }));
  return withExtension(item, LINK, address === '' ? others : [{ valueUri: address }, ...others]);
}

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

export function isHidden(item: Item): boolean {
  return extensionsOf(item, 'questionnaire-hidden')[0]?.valueBoolean === true;
}

export function withHidden(item: Item, isOn: boolean): Item {
  return withExtension(item, 'questionnaire-hidden', isOn ? [{ valueBoolean: true }] : []);
}

export function withReadOnly({ readOnly: _, ...item }: Item, isOn: boolean): Item {
  return isOn ? { ...item, readOnly: true } : item;
}
