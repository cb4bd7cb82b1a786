// Dates, numbers and quantities as ranges, and what each prefix means for two of them
// (hl7.org/fhir/R5/search.html#prefix).
import { UcumLhcUtils } from '@lhncbc/ucum-lhc';
import type { Found, Json } from './parameters.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

const EVER: Range = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
const PREFIX = /^(eq|ne|gt|ge|lt|le|sa|eb|ap)?(.*)$/;

function takePrefix(text: string): [prefix: string, rest: string] {
  const [, prefix = 'eq', rest = ''] = PREFIX.exec(text) ?? [];
  return [prefix, rest];
}

/** The first and the last millisecond of what is written: `2020-02` is a month. */
function timeRange(text: string): Range {
  const [, year = '', month, day, hour, minute, second, fraction, zone = 'Z'] =
    /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const low = Date.parse(
    `${year}-${month ?? '01'}-${day ?? '01'}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}.${(fraction ?? '0').padEnd(3, '0').slice(0, 3)}${zone}`,
  );
  if (fraction !== undefined) return { low, high: low };
  if (second !== undefined) return { low, high: low + 999 };
  if (hour !== undefined) return { low, high: low + 59_999 };
  if (day !== undefined) return { low, high: low + 86_399_999 };
  const after = month === undefined || month === '12' ? [Number(year) + 1, 0] : [Number(year), Number(month)];
  return { low, high: Date.UTC(after[0] ?? 0, after[1]) - 1 };
}

/** The ranges of time that an element stands for; a Timing reaches from its first event to its last. */
export function timesOf({ type, value }: Found): Range[] {
  if (type === 'Period') return periodOf(value as Json);
  if (type !== 'Timing') return typeof value === 'string' ? [timeRange(value)] : [];
  const { event = [], repeat = {} } = value as { event?: string[]; repeat?: { boundsPeriod?: Json } };
  const all = [...event.map(timeRange), ...periodOf(repeat.boundsPeriod ?? {})];
  if (all.length === 0) return [];
  return [{ low: Math.min(...all.map(({ low }) => low)), high: Math.max(...all.map(({ high }) => high)) }];
}

function periodOf({ start, end }: Json): Range[] {
  if (start === undefined && end === undefined) return [];
  return [
    {
      low: typeof start === 'string' ? timeRange(start).low : EVER.low,
      high: typeof end === 'string' ? timeRange(end).high : EVER.high,
    },
  ];
}

/** Whether a resource's time fulfils `ge2020-01`. */
export function isTime(of: Range, asked: string): boolean {
  const [prefix, text] = takePrefix(asked);
  const given = timeRange(text.replace(/ (?=\d\d:\d\d$)/, '+'));
  const isInside = of.low >= given.low && of.high <= given.high;
  const margin = Math.round(Math.abs(Date.now() - (given.low + given.high) / 2) / 10);
  return holds(prefix, of, {
    ...given,
    isInside,
    isAtLeast: of.high > given.high || isInside,
    isAtMost: of.low < given.low || isInside,
    isNear: of.low <= given.high + margin && of.high >= given.low - margin,
  });
}

/** What differs between times and numbers in the comparison with a given range. */
interface Comparison extends Range {
  readonly isInside: boolean;
  readonly isAtLeast: boolean;
  readonly isAtMost: boolean;
  readonly isNear: boolean;
}

function holds(prefix: string, of: Range, { low, high, isInside, isAtLeast, isAtMost, isNear }: Comparison): boolean {
  switch (prefix) {
    case 'eq':
      return isInside;
    case 'ne':
      return !isInside;
    case 'gt':
      return of.high > high;
    case 'ge':
      return isAtLeast;
    case 'lt':
      return of.low < low;
    case 'le':
      return isAtMost;
    case 'sa':
      return of.low > high;
    case 'eb':
      return of.high < low;
    default:
      return isNear;
  }
}

/** Numbers keep fewer digits than this; what is behind is the rounding of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

/**
 * Whether a number or quantity fulfils `lt5.40`: equality counts the digits written, order takes the number as exact.
 */
export function isNumber(of: Range, asked: string, convert = (value: number) => value): boolean {
  const [prefix, text] = takePrefix(asked);
  const [, digits = '', exponent = '0'] = /^[+-]?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const half = 0.5 * 10 ** (Number(exponent) - digits.length);
  const value = rounded(convert(Number(text)));
  const low = rounded(convert(Number(text) - half));
  const high = rounded(convert(Number(text) + half));
  const margin = Math.abs(value) / 10;
  return holds(prefix, of, {
    low: value,
    high: value,
    isInside: rounded(of.low) >= low && rounded(of.high) < high,
    isAtLeast: of.high >= value,
    isAtMost: of.low <= value,
    isNear: of.low <= rounded(value + margin) && of.high >= rounded(value - margin),
  });
}

/** A range in a unit. */
export interface Amount extends Range {
  readonly system?: string | undefined;
  readonly code?: string | undefined;
  readonly unit?: string | undefined;
}

/** The amounts that an element of a number or quantity parameter stands for. */
export function amountsOf({ type, value }: Found): Amount[] {
  if (typeof value === 'number') return [{ low: value, high: value }];
  const of = value as Json;
  switch (type) {
    case 'Range':
      return rangeOf(of['low'] as Json | undefined, of['high'] as Json | undefined);
    case 'Ratio':
      return amountsOf({ type: 'Quantity', value: of['numerator'] });
    case 'Money':
      return typeof of['value'] === 'number'
        ? [{ low: of['value'], high: of['value'], system: 'urn:iso:std:iso:4217', code: of['currency'] as string }]
        : [];
    case 'SampledData':
      return sampled(of);
    default:
      return quantity(of);
  }
}

function quantity({ value, comparator = '', system, code, unit }: Json = {}): Amount[] {
  if (typeof value !== 'number') return [];
  const low = String(comparator).startsWith('<') ? EVER.low : value;
  const high = String(comparator).startsWith('>') ? EVER.high : value;
  return [{ low, high, ...({ system, code, unit } as object) }];
}

function rangeOf(low: Json = {}, high: Json = {}): Amount[] {
  if (low['value'] === undefined && high['value'] === undefined) return [];
  const { system, code, unit } = (low['code'] === undefined && low['unit'] === undefined ? high : low) as Amount & Json;
  return [
    { low: (low['value'] as number) ?? EVER.low, high: (high['value'] as number) ?? EVER.high, system, code, unit },
  ];
}

function sampled({ lowerLimit, upperLimit, origin }: Json): Amount[] {
  if (typeof lowerLimit !== 'number' || typeof upperLimit !== 'number') return [];
  return [{ ...(origin as Amount), low: lowerLimit, high: upperLimit }];
}

const ucum = UcumLhcUtils.getInstance();

/** A number of a unit in UCUM's base units, and their name; undefined when UCUM does not know the unit. */
function inBaseUnits(code: string | undefined, value: number): { magnitude: number; unit: string } | undefined {
  if (code === undefined) return undefined;
  const { status, magnitude, unitToExp = {} } = ucum.convertToBaseUnits(code, Number.isFinite(value) ? value : 1);
  if (status !== 'succeeded' || magnitude === undefined) return undefined;
  return { magnitude: Number.isFinite(value) ? rounded(magnitude) : value, unit: JSON.stringify(unitToExp) };
}

const UCUM = 'http://unitsofmeasure.org';

/** The amount in base units; undefined for what is in no unit of UCUM. */
export function baseAmount({
  low,
  high,
  system,
  code,
}: Pick<Amount, 'low' | 'high' | 'system' | 'code'>): Amount | undefined {
  const [from, to] = system === UCUM ? [inBaseUnits(code, low), inBaseUnits(code, high)] : [];
  return from === undefined || to === undefined
    ? undefined
    : { low: from.magnitude, high: to.magnitude, unit: from.unit };
}

/** Whether an amount fulfils `lt5.4|http://unitsofmeasure.org|mg`: what UCUM knows is compared in base units. */
export function isAmount(
  amount: Amount,
  number: string,
  { system, code }: { readonly system: string; readonly code: string },
): boolean {
  if (code === '') return isNumber(amount, number);
  if (system === '') return (amount.code === code || amount.unit === code) && isNumber(amount, number);
  const unit = system === UCUM ? inBaseUnits(code, 1)?.unit : undefined;
  if (unit === undefined) return amount.code === code && amount.system === system && isNumber(amount, number);
  const base = baseAmount(amount);
  return base?.unit === unit && isNumber(base, number, (value) => inBaseUnits(code, value)?.magnitude ?? Number.NaN);
}
