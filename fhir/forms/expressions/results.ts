// What an expression found, as answers to its question.
import { type AnswerValue, isRecord } from '../values.ts';
import { plain } from './evaluator.ts';

/** What of an item decides how a result is read. */
export interface AnswerShape {
  readonly answer_element?: string;
  readonly repeats: boolean;
  readonly limits?: { readonly max_decimals?: number };
  readonly units?: readonly { readonly system?: string; readonly code?: string; readonly label?: string }[];
}

/** One answer for each result of the item's type; of a question with one answer the first. */
export function answersFrom(item: AnswerShape, results: readonly unknown[]): AnswerValue[] {
  const { answer_element: element } = item;
  if (element === undefined) return [];
  const answers = plain(results).flatMap((value) => {
    const read = readAs(item, element, value);
    return read === undefined ? [] : [{ [element]: read }];
  });
  return item.repeats ? answers : answers.slice(0, 1);
}

const MOMENT = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/;
const CLOCK = /^T?(\d\d:\d\d)(:\d\d)?/;

function readAs(item: AnswerShape, element: string, value: unknown): unknown {
  switch (element) {
    case 'valueBoolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'valueInteger':
      return Number.isSafeInteger(value) ? value : undefined;
    case 'valueDecimal':
      return rounded(item, value);
    case 'valueQuantity':
      return quantityOf(item, value);
    case 'valueString':
    case 'valueUri':
      return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined;
    case 'valueDate':
      return typeof value === 'string' && MOMENT.test(value) ? value.slice(0, 10) : undefined;
    case 'valueDateTime':
      return momentOf(value);
    case 'valueTime': {
      const [, clock, seconds = ':00'] = (typeof value === 'string' ? CLOCK.exec(value) : null) ?? [];
      return clock === undefined ? undefined : clock + seconds;
    }
    default:
      return isRecord(value) ? value : undefined;
  }
}

function rounded({ limits = {} }: AnswerShape, value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const { max_decimals: places = LONGEST_FRACTION } = limits;
  return Number(value.toFixed(Math.min(places, LONGEST_FRACTION)));
}

/** What binary fractions add to a decimal is cut off. */
const LONGEST_FRACTION = 10;

/** A moment of a response has a time zone; one without is taken as a day. */
function momentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !MOMENT.test(value)) return undefined;
  const [, day, time, zone] = /^([^T]+)(?:T(\d\d:\d\d(?::\d\d)?)[.\d]*(Z|[+-]\d\d:\d\d)?)?$/.exec(value) ?? [];
  if (time === undefined || zone === undefined) return day;
  return `${day}T${time.length === 5 ? `${time}:00` : time}${zone.replace('-00:00', 'Z')}`;
}

/** A bare number is in the unit of the question. */
function quantityOf(item: AnswerShape, value: unknown): unknown {
  const [, digits, code] = (typeof value === 'string' ? /^(-?[\d.]+) '(.+)'$/.exec(value) : null) ?? [];
  const given = isRecord(value) ? value : { value: digits === undefined ? value : Number(digits) };
  const number = rounded(item, given['value']);
  if (number === undefined) return undefined;
  if (isRecord(value)) return { ...value, value: number };
  const units = item.units ?? [];
  const unit = code === undefined ? units[0] : (units.find((each) => each.code === code) ?? { code, label: code });
  const { system = code === undefined ? undefined : UCUM, code: unitCode, label } = unit ?? {};
  return {
    value: number,
    ...(label === undefined ? {} : { unit: label }),
    ...(system === undefined || unitCode === undefined ? {} : { system, code: unitCode }),
  };
}

const UCUM = 'http://unitsofmeasure.org';
