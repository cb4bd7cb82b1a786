// What is wrong with one answer by the limits, options and units of its item (decision D12;
// docs/reference/dispatch.md#the-render-ready-form).
import { linearPattern, UnusablePattern } from '../fhirpath/linear-pattern.ts';
import { canonicalRange, UCUM } from '../ucum/canonical-quantity.ts';
import type { IssueMessage } from './issue-text.ts';
import type { RenderReadyItem, RenderReadyLimits } from './render-ready-form.ts';
import {
  type AnswerValue,
  compareValues,
  elementOf,
  isRecord,
  isSameAnswer,
  numberOf,
  numberText,
  valueIn,
} from './values.ts';

/** Every issue of the answer, in the words of form-issues.messages.json. */
export function issuesOfAnswer(item: RenderReadyItem, answer: AnswerValue): IssueMessage[] {
  if (isOption(item, answer)) return issuesOfLimits(item, valueIn(answer));
  if (item.options !== undefined && !isOtherAnswer(item, answer)) return [{ code: 'option' }];
  const isFreeText = item.other_answers === 'text' && elementOf(answer) === 'valueString';
  if (elementOf(answer) !== item.answer_element && !isFreeText) return [{ code: 'type' }];
  // A text beside the options is no value of the item's type, so its limits say nothing about it.
  return isFreeText && item.answer_element !== 'valueString' ? [] : issuesOfLimits(item, valueIn(answer));
}

/** Whether the answer is one of the item's options. */
function isOption(item: RenderReadyItem, answer: AnswerValue): boolean {
  const key = codeKey(answer);
  if (key !== undefined) return codesOf(item).has(key);
  return item.options?.some((option) => isSameAnswer(option.answer, answer)) === true;
}

const CODES = new WeakMap<RenderReadyItem, ReadonlySet<string>>();

/** The codes among the options, read once: a form may offer thousands, and be answered as often. */
function codesOf(item: RenderReadyItem): ReadonlySet<string> {
  const before = CODES.get(item);
  if (before !== undefined) return before;
  const codes = new Set((item.options ?? []).flatMap((option) => codeKey(option.answer) ?? []));
  CODES.set(item, codes);
  return codes;
}

/** Codings are the same by system and code; undefined for another value. */
function codeKey(answer: AnswerValue): string | undefined {
  const coding = answer['valueCoding'];
  if (!isRecord(coding) || typeof coding['code'] !== 'string') return undefined;
  return JSON.stringify([coding['system'] ?? null, coding['code']]);
}

function isOtherAnswer({ other_answers: others, answer_element: element }: RenderReadyItem, answer: AnswerValue) {
  if (others === 'any') return elementOf(answer) === element;
  return others === 'text' && elementOf(answer) === 'valueString';
}

function issuesOfLimits(item: RenderReadyItem, value: unknown): IssueMessage[] {
  const { limits = {}, units = [] } = item;
  return [
    ...issuesOfOrder(limits, value),
    ...(typeof value === 'string' ? issuesOfText(limits, value) : []),
    ...(isRecord(value) && item.type === 'quantity' ? issuesOfUnit(units, value) : []),
    ...(isRecord(value) ? issuesOfDocument(limits, value) : []),
  ];
}

function issuesOfOrder({ min_value: least, max_value: most, max_decimals: places }: RenderReadyLimits, value: unknown) {
  const issues: IssueMessage[] = [];
  if (least !== undefined && !(ordered(value, least) >= 0)) issues.push(limitIssue('min_value', least));
  if (most !== undefined && !(ordered(value, most) <= 0)) issues.push(limitIssue('max_value', most));
  const number = isRecord(value) ? value['value'] : value;
  const decimals = Number.isNaN(numberOf(number)) ? 0 : (numberText(number).split('.')[1]?.length ?? 0);
  if (places !== undefined && decimals > places) issues.push({ code: 'max_decimals', values: { limit: places } });
  return issues;
}

/** A limit as it is shown: `80 kg`. */
export function limitText(limit: unknown): string {
  if (!isRecord(limit)) return numberText(limit);
  const unit = unitOfLimit(limit);
  return [numberText(limit['value']), ...(unit === undefined ? [] : [unit])].join(' ');
}

/** Of a Quantity, as it is shown. */
export function unitOfLimit({ unit, code }: Readonly<Record<string, unknown>>): string | undefined {
  const shown = unit ?? code;
  return typeof shown === 'string' ? shown : undefined;
}

function limitIssue(code: IssueMessage['code'], limit: unknown): IssueMessage {
  return { code, values: { limit: limitText(limit) } };
}

/** As `compareValues`; quantities of different units of one kind are compared in UCUM's base units. */
function ordered(value: unknown, limit: unknown): number {
  const order = compareValues(value, limit);
  if (!Number.isNaN(order) || !isRecord(value) || !isRecord(limit)) return order;
  const [a, b] = [canonicalOf(value), canonicalOf(limit)];
  return a !== undefined && b !== undefined && a.unit === b.unit ? a.low - b.low : Number.NaN;
}

function canonicalOf({ value, system, code }: Readonly<Record<string, unknown>>) {
  const number = numberOf(value);
  return system === UCUM && typeof code === 'string' ? canonicalRange(number, number, code) : undefined;
}

/** Why the answer is to be confirmed: it is outside of what is expected. */
export function doubtsOfAnswer({ expected = {} }: RenderReadyItem, answer: AnswerValue): IssueMessage[] {
  const value = valueIn(answer);
  if (expected.low !== undefined && ordered(value, expected.low) < 0)
    return [limitIssue('unusually_low', expected.low)];
  if (expected.high !== undefined && ordered(value, expected.high) > 0)
    return [limitIssue('unusually_high', expected.high)];
  return [];
}

function issuesOfText(
  { min_length: least, max_length: most, pattern }: RenderReadyLimits,
  text: string,
): IssueMessage[] {
  const issues: IssueMessage[] = [];
  if (least !== undefined && text.length < least) issues.push({ code: 'min_length', values: { limit: least } });
  if (most !== undefined && text.length > most) issues.push({ code: 'max_length', values: { limit: most } });
  if (pattern !== undefined && !matchesWhole(pattern, text)) issues.push({ code: 'pattern' });
  return issues;
}

/** A pattern that cannot be run in linear time forbids nothing. */
function matchesWhole(pattern: string, text: string): boolean {
  try {
    return linearPattern(`^(?:${pattern})$`).matches(text);
  } catch (error) {
    if (error instanceof UnusablePattern) return true;
    throw error;
  }
}

function issuesOfUnit(
  units: NonNullable<RenderReadyItem['units']>,
  value: Readonly<Record<string, unknown>>,
): IssueMessage[] {
  if (units.length === 0) return [];
  const isKnown = units.some(({ system, code }) => value['system'] === system && value['code'] === code);
  return isKnown ? [] : [{ code: 'unit' }];
}

function issuesOfDocument(limits: RenderReadyLimits, value: Readonly<Record<string, unknown>>): IssueMessage[] {
  const { max_bytes: bytes, media_types: types = [], resource_types: targets = [] } = limits;
  const issues: IssueMessage[] = [];
  if (bytes !== undefined && sizeOf(value) > bytes) issues.push({ code: 'max_bytes', values: { limit: bytes } });
  if (types.length > 0 && !types.some((type) => isOfMediaType(String(value['contentType']), type))) {
    issues.push({ code: 'media_type', values: { limit: types.join(', ') } });
  }
  if (targets.length > 0 && !targets.includes(targetOf(value) ?? '')) {
    issues.push({ code: 'resource_type', values: { limit: targets.join(', ') } });
  }
  return issues;
}

/** @param wanted a media type, or all of a kind, such as `image/*` */
function isOfMediaType(type: string, wanted: string): boolean {
  return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

/** Bytes of an attachment, by its size or its data; NaN when neither is there. */
function sizeOf({ size, data }: Readonly<Record<string, unknown>>): number {
  if (typeof data === 'string') return Buffer.byteLength(data, 'base64');
  return Number(size ?? Number.NaN);
}

/** The type of resource that a reference leads to. */
function targetOf({ reference, type }: Readonly<Record<string, unknown>>): string | undefined {
  const named = /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/.exec(
    typeof reference === 'string' ? reference : '',
  )?.[1];
  return named ?? (typeof type === 'string' ? type : undefined);
}
