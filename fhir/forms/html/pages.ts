// Divides a long form into pages (decision L8). A group has a page of its own. A group that is too long for one is
// divided in turn.
import type { FilledItem } from '../filling.ts';
import type { RenderReadyForm, RenderReadyItem } from '../render-ready-form.ts';
import { childPath, ROOT } from './fields.ts';

/** The most questions of a form that stays on one page, and about as many on each page of a longer one. */
const QUESTIONS_OF_PAGE = 12;

/** A group that is divided among pages. */
export interface DividedGroup {
  readonly item: RenderReadyItem;
  readonly path: string;
}

export interface FormPage {
  /** The groups around its items, from the outermost inwards. */
  readonly groups: readonly DividedGroup[];
  /** The paths of its items. */
  readonly paths: readonly string[];
}

interface Part {
  readonly groups: readonly DividedGroup[];
  readonly path: string;
  readonly questions: number;
  /** Whether it begins a page and ends it. */
  readonly isAlone: boolean;
}

/** At least one page. */
export function pagesOf(form: RenderReadyForm): FormPage[] {
  const parts = form.items.flatMap((item, index) => partsOf(item, childPath(ROOT, index), []));
  const total = parts.reduce((sum, { questions }) => sum + questions, 0);
  if (total <= QUESTIONS_OF_PAGE) return [{ groups: [], paths: form.items.map((_, index) => childPath(ROOT, index)) }];
  const pages: { groups: readonly DividedGroup[]; paths: string[]; questions: number; isClosed: boolean }[] = [];
  for (const { groups, path, questions, isAlone } of parts) {
    const last = pages.at(-1);
    const isSame = last !== undefined && !last.isClosed && !isAlone && last.groups.at(-1)?.path === groups.at(-1)?.path;
    if (isSame && last.questions + questions <= QUESTIONS_OF_PAGE) {
      last.paths.push(path);
      last.questions += questions;
    } else pages.push({ groups, paths: [path], questions, isClosed: isAlone });
  }
  return pages;
}

/** The items of a page. */
export function itemsOfPage(page: FormPage, items: readonly FilledItem[]): FilledItem[] {
  const wanted = new Set(page.paths);
  const found: FilledItem[] = [];
  const look = (each: FilledItem): void => {
    if (wanted.has(each.path)) found.push(each);
    else if (page.paths.some((path) => path.startsWith(`${each.path}-`))) {
      for (const { items: inner } of each.occurrences) inner.forEach(look);
    }
  };
  items.forEach(look);
  return found;
}

/** The index of the page that has the field; undefined for a group that is divided among pages. */
export function pageOfPath(pages: readonly FormPage[], path: string): number | undefined {
  const isIn = (root: string) => path === root || (path.startsWith(root) && /^[-_.]/.test(path.slice(root.length)));
  const found = pages.findIndex(({ paths }) => paths.some(isIn));
  return found === -1 ? undefined : found;
}

/** The index of the page where an issue is shown: that of its field, or the first of its group. */
export function pageOfIssue(pages: readonly FormPage[], path: string): number {
  const first = pages.findIndex(({ groups }) => groups.some((group) => group.path === path));
  return pageOfPath(pages, path) ?? Math.max(0, first);
}

function partsOf(item: RenderReadyItem, path: string, groups: readonly DividedGroup[]): Part[] {
  const questions = questionsIn(item);
  const isDivided = item.type === 'group' && !item.repeats && questions > QUESTIONS_OF_PAGE;
  if (!isDivided)
    return [{ groups, path, questions, isAlone: item.type === 'group' && groups.length === 0 && questions > 2 }];
  return (item.items ?? []).flatMap((child, index) =>
    partsOf(child, childPath(path, index), [...groups, { item, path }]),
  );
}

function questionsIn(item: RenderReadyItem): number {
  const own = item.type === 'group' || item.type === 'display' || item.hidden === true ? 0 : 1;
  return (item.items ?? []).reduce((sum, child) => sum + questionsIn(child), own);
}
