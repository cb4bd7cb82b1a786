// Answers and labels of a form in words, in the language of the reader.
import { html, type Language, type Markup } from '#lib/html/html.ts';
import { type Translate, translator } from '#lib/html/messages.ts';
import { decimalText } from '../issue-text.ts';
import type { AnswerOption, RenderReadyForm, RenderReadyItem } from '../render-ready-form.ts';
import { type AnswerValue, isRecord, isSameAnswer, numberText, valueIn } from '../values.ts';
import messages from './form.messages.json' with { type: 'json' };

export interface Reader {
  readonly language: Language;
  /** The IANA name of the zone of the times that are shown. */
  readonly timeZone: string;
}

export type FormTextName = keyof typeof messages;
export type FormTexts = Translate<FormTextName>;

export function formTexts(language: Language): FormTexts {
  return translator(messages, language);
}

type Labelled = Pick<RenderReadyItem, 'label' | 'translations'> | AnswerOption;

/** The label in the language, or as the author wrote it. */
export function labelIn({ label, translations = {} }: Labelled, language: Language): string {
  return translated(translations, language) ?? label;
}

export function titleIn({ title, translations = {} }: RenderReadyForm, language: Language): string {
  return translated(translations, language) ?? title;
}

/** With its prefix, as in `2. Weight`. */
export function fullLabel(item: RenderReadyItem, language: Language): string {
  const label = labelIn(item, language);
  return item.prefix === undefined ? label : `${item.prefix} ${label}`.trim();
}

/** The answer as one text. */
export function answerText(item: RenderReadyItem, answer: AnswerValue, { language, timeZone }: Reader): string {
  const option = item.options?.find((each) => isSameAnswer(each.answer, answer));
  if (option !== undefined) return labelIn(option, language);
  const value = valueIn(answer);
  const text = formTexts(language);
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
  if (typeof value === 'string') return item.type === 'dateTime' ? momentText(value, { language, timeZone }) : value;
  if (!isRecord(value)) return decimalText(numberText(value), language);
  if ('value' in value) {
    const unit = value['unit'] ?? value['code'];
    return `${decimalText(numberText(value['value']), language)}${typeof unit === 'string' ? ` ${unit}` : ''}`;
  }
  const { display, title, url, reference, code } = value;
  const words = [display, title, reference, code].find((each) => typeof each === 'string' && each !== '');
  return [words, url].filter((each) => typeof each === 'string').join(' – ');
}

/** A text of several lines, each shown as one. */
export function linesOf(text: string): Markup {
  return html`${text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`;
}

/** A FHIR dateTime as a day, or as a day and a time in the zone. */
function momentText(text: string, { language, timeZone }: Reader): string {
  const moment = text.includes('T') ? new Date(text) : undefined;
  if (moment === undefined || Number.isNaN(moment.getTime())) return text;
  return new Intl.DateTimeFormat(language === 'sv' ? 'sv-SE' : 'en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone,
  }).format(moment);
}

/** By the tag of the language, with or without a region. */
function translated(translations: Readonly<Record<string, string>>, language: Language): string | undefined {
  const tag = Object.keys(translations).find((each) => each.toLowerCase().split('-')[0] === language);
  return tag === undefined ? undefined : translations[tag] || undefined;
}
