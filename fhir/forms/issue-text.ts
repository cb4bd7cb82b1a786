// The issues of a form in words. Each code is a message of form-issues.messages.json.
import type { Language } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import messages from './form-issues.messages.json' with { type: 'json' };

export type IssueCode = keyof typeof messages;

/** What is wrong with an item or an answer. */
export interface IssueMessage {
  readonly code: IssueCode;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** What is wrong, as a sentence that is beside the question. */
export function issueText({ code, values = {} }: IssueMessage, language: Language): string {
  const { limit } = values;
  const isNumber = /^(?:min_value|max_value|unusually_)/.test(code) && typeof limit === 'string';
  const shown = isNumber ? { ...values, limit: decimalText(limit, language) } : values;
  return translator(messages, language)(code, shown);
}

/** A number, which a unit may follow, with a decimal comma in Swedish. */
export function decimalText(text: string, language: Language): string {
  return language === 'sv' ? text.replace(/^(-?\d+)\.(\d)/, '$1,$2') : text;
}
