// A form in parts (hl7.org/fhir/R5/valueset-questionnaire-item-control.html), as its author wished: pages, one after
// the other, and tabs. Who reads the answers sees all below each other.
import type { FormItem } from '../form.ts';

export interface Part {
  /** The link id of the group or question that it is named after. */
  readonly id: string;
  readonly title: FormItem;
  readonly items: readonly FormItem[];
}

const isPage = ({ type, control }: FormItem) => type === 'group' && control === 'page';

/**
 * The pages of a form. A group that is a page has what follows it until the next one. What comes before the first is on
 * the first. Undefined for a form of fewer than two.
 */
export function pagesOf(items: readonly FormItem[]): readonly Part[] | undefined {
  if (items.filter(isPage).length < 2) return undefined;
  const pages: { id: string; title: FormItem; items: FormItem[] }[] = [];
  const before: FormItem[] = [];
  for (const item of items) {
    if (isPage(item)) pages.push({ id: item.link_id, title: item, items: [...before.splice(0), item] });
    else (pages.at(-1)?.items ?? before).push(item);
  }
  return pages;
}

/** The tabs of a group: one for each of its items. Undefined for a group without tabs, and for one that repeats. */
export function tabsOf({ type, control, repeats, items = [] }: FormItem): readonly Part[] | undefined {
  if (type !== 'group' || control !== 'tab-container' || repeats) return undefined;
  const shown = items.filter((item) => item.hidden !== true && item.type !== 'display');
  if (shown.length < 2) return undefined;
  // What is displayed goes with the tab after it, and with the last one at the end.
  const tabs = shown.map((item) => ({ id: item.link_id, title: item, items: [item] }));
  let waiting: FormItem[] = [];
  for (const item of items) {
    const tab = tabs.find(({ id }) => id === item.link_id);
    if (tab === undefined) waiting.push(item);
    else {
      tab.items.unshift(...waiting);
      waiting = [];
    }
  }
  tabs.at(-1)?.items.push(...waiting);
  return tabs;
}

/** How many issues are within a part; `path` is that of the element around it. */
export function issuesWithin(part: Part, path: string, issues: ReadonlyMap<string, unknown>): number {
  const starts = part.items.map(({ link_id: id }) => `${path}/${id}.`);
  return [...issues.keys()].filter((place) => starts.some((start) => place.startsWith(start))).length;
}
