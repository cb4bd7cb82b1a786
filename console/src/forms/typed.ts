// Answers from what is typed, and back.

import { type Answer, type FormItem, UNREADABLE, type Unit } from './form.ts';

/** Digits with one comma or point, and spaces between thousands. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
/** Of FHIR's type `integer`. */
const MOST_INTEGER = 2_147_483_647;
/** Up to which JSON's numbers keep a whole number as it is. */
const MOST_DECIMAL = Number.MAX_SAFE_INTEGER;
/** A response has at most a megabyte, and text of a file is a third longer. */
const MOST_BYTES = 500_000;

/** A text that is no number is an answer that is never sent, so that its question can say so. */
export function numberAnswer(item: FormItem, typed: string, unit: Unit | undefined): Answer {
  const text = typed
    .replaceAll(/[\s\u00A0\u202F]/g, '')
    .replace(',', '.')
    .replace('\u2212', '-');
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!(Math.abs(value) <= mostOf(item))) return { [UNREADABLE]: typed };
  const element = item.answer_element ?? 'valueDecimal';
  if (item.type !== 'quantity') return { [element]: value };
  const { system, code, label } = unit ?? {};
  return {
    [element]: {
      value,
      ...(label === undefined ? {} : { unit: label }),
      ...(system === undefined || code === undefined ? {} : { system, code }),
    },
  };
}

/** A larger one would be refused by the service, or change on its way. */
function mostOf({ type }: FormItem): number {
  return type === 'integer' ? MOST_INTEGER : MOST_DECIMAL;
}

export function numberTextOf(answer: Answer | undefined): string {
  const value = answer === undefined ? undefined : Object.values(answer)[0];
  const number = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  return number === undefined ? '' : String(number).replace('.', ',');
}

/** `2026-11-26T14:05` in the reader's time zone, with that zone's offset. */
export function dateTimeAnswer(typed: string): Answer {
  return { valueDateTime: new Date(typed).toISOString().replace(/\.\d+Z$/, 'Z') };
}

export function dateTimeText(value: string): string {
  const date = new Date(value);
  if (value === '' || Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function timeAnswer(typed: string): Answer {
  return { valueTime: typed.length === 5 ? `${typed}:00` : typed };
}

/** Undefined for a file that is too large. */
export async function fileAnswer(file: File, mostBytes = MOST_BYTES): Promise<Answer | undefined> {
  if (file.size > Math.min(mostBytes, MOST_BYTES)) return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return {
    valueAttachment: {
      contentType: file.type || 'application/octet-stream',
      title: file.name,
      size: String(file.size),
      data,
    },
  };
}
