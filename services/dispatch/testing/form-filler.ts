// Fills in a render-ready form at random, by that form and docs/reference/dispatch.md alone, like a renderer without
// FHIR.
import fc from 'fast-check';
import type { RenderReadyForm, RenderReadyItem } from '#fhir/forms/render-ready-form.ts';
import { type Draw, pick } from './questionnaires.ts';
import { holds } from './response-constraints.ts';

type Json = Record<string, unknown>;
type Value = Readonly<Json>;

/** The answers of one occurrence. Rules within it see these before those of the enclosing ones. */
interface Frame {
  readonly answers: Map<string, readonly Value[]>;
  readonly around: Frame | undefined;
}

export interface Filling {
  readonly draw: Draw;
  /** Returns a text that the whole pattern matches. */
  readonly matching: (pattern: string) => string;
}

/** Texts that the whole pattern matches. */
export const textMatching = (pattern: string) => fc.stringMatching(new RegExp(`^(?:${pattern})$`));

/** The items at any depth, each before those within it. */
export function everyItem(items: readonly RenderReadyItem[]): RenderReadyItem[] {
  return items.flatMap((item) => [item, ...everyItem(item.items ?? [])]);
}

const ANY: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false],
  decimal: [0.5, 0.75, 1.25, 2],
  integer: [0, 1, 2],
  date: ['2026-01-01', '2026-01-02'],
  dateTime: ['2026-01-01T08:00:00Z', '2026-01-02T08:00:00Z'],
  time: ['08:00:00', '12:30:00'],
  string: ['a', 'ab', 'abc'],
  text: ['ab', 'a\nb'],
  url: ['https://kedja.dev/a'],
  coding: [{ system: 'https://kedja.dev/libraries/other', code: 'other' }],
  attachment: [{ contentType: 'image/png', size: '10', title: 'A picture' }],
  reference: [{ reference: 'Organization/a' }],
};

/** More tries than any of the forms needs to find random answers that meet the constraints. */
const TRIES = 1000;

export function fillForm(form: RenderReadyForm, filling: Filling): Json {
  const items = fill(form.items, { answers: new Map(), around: undefined }, filling);
  return {
    resourceType: 'QuestionnaireResponse',
    questionnaire: form.url,
    status: 'completed',
    ...(items.length === 0 ? {} : { item: items }),
  };
}

/** The warnings that a renderer shows for the filled form. */
export function warningsOf(form: RenderReadyForm, response: Json): string[] {
  return (form.constraints ?? [])
    .filter(({ expression }) => !holds(expression, response, { base: 'QuestionnaireResponse', response }))
    .map(({ message }) => message);
}

function fill(items: readonly RenderReadyItem[], frame: Frame, filling: Filling): Json[] {
  return items.flatMap((item) => {
    if (item.type === 'display' || !isShown(item, frame)) return [];
    return item.type === 'group' ? fillGroup(item, frame, filling) : fillQuestion(item, frame, filling);
  });
}

function fillGroup(item: RenderReadyItem, frame: Frame, filling: Filling): Json[] {
  return Array.from({ length: countOf(item, filling.draw) }, () => {
    const inner = fill(item.items ?? [], item.repeats ? within(frame) : frame, filling);
    return { linkId: item.link_id, text: item.label, ...(inner.length === 0 ? {} : { item: inner }) };
  });
}

/** Fills the question until its constraints hold. */
function fillQuestion(item: RenderReadyItem, frame: Frame, filling: Filling): Json[] {
  const forbids = (item.constraints ?? []).filter(({ severity }) => severity === 'error');
  for (let left = TRIES; left > 0; left -= 1) {
    const filled = fillOnce(item, frame, filling);
    const place = { base: 'QuestionnaireResponse.item', response: undefined } as const;
    if (filled.every((each) => forbids.every(({ expression }) => holds(expression, each, place)))) return filled;
  }
  throw new Error(`Nothing was found that the constraints of ${item.link_id} allow`);
}

function fillOnce(item: RenderReadyItem, frame: Frame, filling: Filling): Json[] {
  frame.answers.delete(item.link_id);
  const values = valuesOf(item, filling);
  if (values.length === 0) return [];
  frame.answers.set(item.link_id, values);
  const answer = values.map((value) => {
    const inner = fill(item.items ?? [], within(frame), filling);
    return { ...value, ...(inner.length === 0 ? {} : { item: inner }) };
  });
  return [{ linkId: item.link_id, text: item.label, answer }];
}

function within(around: Frame): Frame {
  return { answers: new Map(), around };
}

function countOf({ required, repeats, limits = {} }: RenderReadyItem, draw: Draw): number {
  const least = limits.min_answers ?? 1;
  if (!required && draw(3) === 0) return 0;
  if (!repeats) return 1;
  const most = limits.max_answers ?? least + 2;
  return least + draw(most - least + 1);
}

function valuesOf(item: RenderReadyItem, filling: Filling): Value[] {
  if (item.read_only || item.hidden === true) return item.initial ?? [];
  const values = Array.from({ length: countOf(item, filling.draw) }, () => oneValue(item, filling));
  const exclusive = (item.options ?? []).filter((option) => option.exclusive === true).map(({ answer }) => answer);
  const alone = values.find((value) => exclusive.some((answer) => isSame(answer, value)));
  if (alone === undefined || values.length === 1) return values;
  const others = (item.options ?? []).filter((option) => option.exclusive !== true);
  return values.map((value) => (isSame(value, alone) ? (others[0]?.answer ?? value) : value));
}

function oneValue(item: RenderReadyItem, filling: Filling): Value {
  const { draw } = filling;
  const { options = [], other_answers: others } = item;
  if (options.length > 0 && (others === 'none' || draw(2) === 0)) return pick(draw, options).answer;
  if (others === 'text') return { valueString: 'In own words' };
  return { [item.answer_element ?? '']: freeValue(item, filling) };
}

function freeValue({ type, limits = {}, units = [] }: RenderReadyItem, { draw, matching }: Filling): unknown {
  if (limits.pattern !== undefined) return matching(limits.pattern);
  if (type === 'quantity') {
    const unit = units.length === 0 ? undefined : pick(draw, units);
    const value = [limits.min_value, limits.max_value].find((limit) => limit !== undefined) ?? { value: 1 + draw(3) };
    const named = unit === undefined ? {} : { system: unit.system, code: unit.code, unit: unit.label };
    return limits.min_value === undefined ? { ...(value as Json), ...named } : value;
  }
  const { min_value: least, max_value: most } = limits;
  const fits = (value: unknown) =>
    (least === undefined || compare(value, least) >= 0) && (most === undefined || compare(value, most) <= 0);
  const candidates = [...(ANY[type] ?? []), ...[least, most].filter((limit) => limit !== undefined)].filter(fits);
  return pick(draw, candidates);
}

function isShown({ conditions }: RenderReadyItem, frame: Frame): boolean {
  if (conditions === undefined) return true;
  const holds = conditions.rules.map(({ link_id: question, operator, answer }) =>
    ruleHolds(operator, answersOf(question, frame), Object.values(answer)[0]),
  );
  return conditions.behavior === 'all' ? holds.every(Boolean) : holds.some(Boolean);
}

function answersOf(question: string, frame: Frame | undefined): readonly Value[] {
  if (frame === undefined) return [];
  return frame.answers.get(question) ?? answersOf(question, frame.around);
}

function ruleHolds(operator: string, answers: readonly Value[], wanted: unknown): boolean {
  const values = answers.map((answer) => Object.values(answer)[0]);
  if (operator === 'exists') return values.length > 0 === wanted;
  if (operator === '!=') return !values.some((value) => compare(value, wanted) === 0);
  return values.some((value) => {
    const order = compare(value, wanted);
    switch (operator) {
      case '=':
        return order === 0;
      case '>':
        return order > 0;
      case '<':
        return order < 0;
      case '>=':
        return order >= 0;
      default:
        return order <= 0;
    }
  });
}

/** Negative, zero or positive; NaN when two values cannot be compared. */
function compare(left: unknown, right: unknown): number {
  if (isQuantity(left) && isQuantity(right)) {
    return left.code === right.code && left.system === right.system ? left.value - right.value : Number.NaN;
  }
  if (typeof left === 'object' || typeof right === 'object') return isSame(left, right) ? 0 : Number.NaN;
  if (typeof left !== typeof right) return Number.NaN;
  if (left === right) return 0;
  const isMoment = (value: unknown) => /^\d{4}-\d\d-\d\dT/.test(String(value));
  if (isMoment(left) && isMoment(right)) return Date.parse(String(left)) - Date.parse(String(right));
  return (left as string) < (right as string) ? -1 : 1;
}

function isQuantity(value: unknown): value is { value: number; code?: string; system?: string } {
  return typeof value === 'object' && value !== null && 'value' in value;
}

/** Codings are equal by system and code. */
function isSame(left: unknown, right: unknown): boolean {
  const bare = (value: unknown) => JSON.stringify(value, (name, inner) => (name === 'display' ? undefined : inner));
  return bare(left) === bare(right);
}
