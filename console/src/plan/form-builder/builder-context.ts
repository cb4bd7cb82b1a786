// What every part of the builder needs: the form, its issues, and the language into which its texts are translated.
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormLanguage } from './model/form.ts';
import type { BuilderIssue } from './model/issues.ts';
import type { Item } from './model/tree.ts';
import type { Draft } from './use-draft.ts';

export interface Builder {
  readonly draft: Draft;
  readonly items: readonly Item[];
  readonly issues: readonly BuilderIssue[];
  /** Undefined for a form in one language. */
  readonly other: FormLanguage | undefined;
  /** Issues are shown at the fields when somebody has wanted to publish; before, only what was typed wrongly. */
  readonly showsAll: boolean;
  readonly opened: string | undefined;
  open(id: string | undefined): void;
}

const Context = createContext<Builder | undefined>(undefined);

export const BuilderProvider = Context.Provider;

/** @throws Error outside of the builder */
export function useBuilder(): Builder {
  const found = useContext(Context);
  if (found === undefined) throw new Error('This is a part of the form builder');
  return found;
}

/** Wrong from the first letter on; the others say what is still missing. */
const TYPED_WRONG: readonly BuilderIssue['code'][] = [
  'number',
  'order',
  'pattern',
  'sameOption',
  'ruleGone',
  'tooLong',
  'initial',
  'address',
  'slider',
  'unreadable',
  'expressionGone',
  'itself',
  'sameVariable',
];

/** What is wrong with a field, in words; undefined where nothing is. */
export function useIssue(linkId: string | undefined, field: string): string | undefined {
  const { t } = useTranslation();
  const { issues, showsAll } = useBuilder();
  const found = issues.find((issue) => issue.linkId === linkId && issue.field === field);
  if (found === undefined || (!showsAll && !TYPED_WRONG.includes(found.code))) return undefined;
  return t(`formBuilder.issue.${found.code}`, { at: found.at ?? 0 });
}

/** What an item is called where others speak of it. */
export function useTitleOf(): (item: Pick<Item, 'text'> | undefined) => string {
  const { t } = useTranslation();
  return (item) => item?.text?.trim() || t('formBuilder.noText');
}
