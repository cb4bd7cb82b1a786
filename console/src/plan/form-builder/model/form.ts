// A form from its first draft to its next version, and what two versions of it have different.
import type { Questionnaire } from 'fhir/r5';
import { withQuestionsRenamed } from './expressions.ts';
import { translationOf, withTranslation } from './extensions.ts';
import { copyOf, everyItem, type Item } from './tree.ts';

export type FormLanguage = 'sv' | 'en';

/** Its id is made here, so that a form that is sent twice is stored once. */
export function newForm(language: FormLanguage): Questionnaire {
  const id = crypto.randomUUID();
  return {
    resourceType: 'Questionnaire',
    id,
    url: `urn:uuid:${id}`,
    language,
    title: '',
    status: 'draft',
    subjectType: ['Patient'],
    item: [],
  };
}

/** A form of its own with the same questions. */
export function copyOfForm(form: Questionnaire, title: string): Questionnaire {
  const { meta: _, version: _version, date: _date, url: _url, identifier: _identifier, name: _name, ...rest } = form;
  const { id, url } = newForm('sv');
  const copied = copyOf({ linkId: '', type: 'group', item: form.item ?? [] }, withQuestionsRenamed);
  return {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(url === undefined ? {} : { url }),
    title,
    status: 'draft',
    item: copied.item ?? [],
  };
}

function languageOf({ language }: Questionnaire): FormLanguage {
  return language?.startsWith('en') === true ? 'en' : 'sv';
}

export function otherLanguage(form: Questionnaire): FormLanguage {
  return languageOf(form) === 'sv' ? 'en' : 'sv';
}

/** Whether any of its texts has a translation. */
export function isTranslated(form: Questionnaire): boolean {
  const other = otherLanguage(form);
  if (translationOf(form._title, other) !== undefined) return true;
  return everyItem(form.item ?? []).some(
    ({ _text, answerOption = [] }) =>
      translationOf(_text, other) !== undefined ||
      answerOption.some(({ valueCoding }) => translationOf(valueCoding?._display, other) !== undefined),
  );
}

/** The form in its own language alone. */
export function withoutTranslations(form: Questionnaire): Questionnaire {
  const other = otherLanguage(form);
  const plain = <Of extends object>(element: Of, name: string): Of => {
    const { [name]: sibling, ...rest } = element as Readonly<Record<string, Parameters<typeof withTranslation>[0]>>;
    const left = withTranslation(sibling, other, '');
    return (left === undefined ? rest : { ...rest, [name]: left }) as Of;
  };
  const plainItem = (item: Item): Item => ({
    ...plain(item, '_text'),
    ...(item.answerOption === undefined
      ? {}
      : {
          answerOption: item.answerOption.map((option) =>
            option.valueCoding === undefined
              ? option
              : { ...option, valueCoding: plain(option.valueCoding, '_display') },
          ),
        }),
    ...(item.item === undefined ? {} : { item: item.item.map(plainItem) }),
  });
  const whole = plain(plain(form, '_title'), '_description');
  return { ...whole, ...(form.item === undefined ? {} : { item: form.item.map(plainItem) }) };
}

/** As it is published: active from that day on, as the version after the one that was published before. */
export function asPublished(form: Questionnaire, today: string): Questionnaire {
  return { ...form, status: 'active', date: today, version: nextVersion(form) };
}

function nextVersion({ status, version }: Questionnaire): string {
  if (version === undefined) return '1';
  if (status === 'draft') return version;
  const last = /^(.*?)(\d+)$/.exec(version);
  return last === null ? `${version}.1` : `${last[1]}${Number(last[2]) + 1}`;
}

export interface FormDifferences {
  readonly hasOtherTitle: boolean;
  /** Texts of items. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly isReordered: boolean;
}

/** What the second has that the first has not, and so on. */
export function differencesOf(before: Questionnaire, after: Questionnaire): FormDifferences {
  const [first, second] = [own(before), own(after)];
  const names = (from: ReadonlyMap<string, Item>, to: ReadonlyMap<string, Item>) =>
    [...from].flatMap(([id, item]) => (to.has(id) ? [] : [item.text ?? '']));
  const both = [...second].filter(([id]) => first.has(id));
  return {
    hasOtherTitle: before.title !== after.title,
    added: names(second, first),
    removed: names(first, second),
    changed: both.flatMap(([id, item]) =>
      JSON.stringify(bare(first.get(id))) === JSON.stringify(bare(item)) ? [] : [item.text ?? ''],
    ),
    isReordered:
      JSON.stringify([...first.keys()].filter((id) => second.has(id))) !== JSON.stringify(both.map(([id]) => id)),
  };
}

function own({ item = [] }: Questionnaire): ReadonlyMap<string, Item> {
  return new Map(everyItem(item).map((each) => [each.linkId, each]));
}

/** Without what is within it, which is compared by itself. */
function bare(item: Item | undefined): object {
  const { item: _, ...rest } = item ?? { linkId: '', type: 'display' };
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
