// How often something is done, in words, and on which days of a week: FHIR's Timing (hl7.org/fhir/R5/datatypes.html
// #Timing) for a patient.
import type { TFunction } from 'i18next';

export type DayOfWeek = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/** The part of `Timing.repeat` that plans use. */
export interface Repeat {
  readonly frequency?: number;
  readonly period?: number;
  readonly periodUnit?: string;
  readonly dayOfWeek?: readonly string[];
  readonly timeOfDay?: readonly string[];
  readonly when?: readonly string[];
}

export const DAYS: readonly DayOfWeek[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const UNITS = ['min', 'h', 'd', 'wk', 'mo', 'a'] as const;
const MOMENTS = ['MORN', 'NOON', 'AFT', 'EVE', 'NIGHT', 'WAKE', 'HS', 'PC', 'AC', 'ACM', 'PCM', 'PCV'] as const;

/** `varje dag`, `3 gånger i veckan: måndag, onsdag`, `var tredje månad`; undefined where nothing is said. */
export function timingWords(repeat: Repeat | undefined, t: TFunction): string | undefined {
  if (repeat === undefined) return undefined;
  const parts = [oftenWords(repeat, t), momentWords(repeat, t)].filter((part) => part !== undefined);
  const days = daysOf(repeat).map((day) => t(`day.${day}`));
  const often = parts.join(', ');
  if (days.length === 0) return often === '' ? undefined : often;
  return [often, days.join(', ')].filter((part) => part !== '').join(': ');
}

function oftenWords({ frequency = 1, period = 1, periodUnit }: Repeat, t: TFunction): string | undefined {
  const unit = UNITS.find((each) => each === periodUnit);
  if (unit === undefined) return undefined;
  if (period === 2) return t(`timing.everyOther.${unit}`);
  if (period !== 1) return t(`timing.every.${unit}`, { period });
  return frequency === 1 ? t(`timing.each.${unit}`) : t(`timing.times.${unit}`, { frequency });
}

/** `på morgonen`, `klockan 07:00`; undefined where nothing is said. */
export function momentWords({ when = [], timeOfDay = [] }: Repeat = {}, t: TFunction): string | undefined {
  const words = when.flatMap((code) => {
    const known = MOMENTS.find((each) => each === code);
    return known === undefined ? [] : [t(`timing.when.${known}`)];
  });
  const times = timeOfDay.map((time) => t('timing.at', { time: time.slice(0, 5) }));
  return [...words, ...times].join(', ') || undefined;
}

function daysOf({ dayOfWeek = [] }: Repeat): DayOfWeek[] {
  return DAYS.filter((day) => dayOfWeek.includes(day));
}

/**
 * The days of every week on which it is done. Undefined where the timing leaves the days open, such as twice a week,
 * and for what is rarer than every week.
 */
export function weekdaysOf(repeat: Repeat | undefined): readonly DayOfWeek[] | undefined {
  if (repeat === undefined) return undefined;
  const { frequency = 1, period = 1, periodUnit } = repeat;
  const days = daysOf(repeat);
  if (days.length > 0 && period === 1 && (periodUnit === 'wk' || periodUnit === 'd' || periodUnit === undefined)) {
    return days;
  }
  const isDaily = period === 1 && (periodUnit === 'd' || periodUnit === 'h' || periodUnit === 'min');
  const isEachDay = periodUnit === 'wk' && period === 1 && frequency >= 7;
  return isDaily || isEachDay ? DAYS : undefined;
}

/** Whether it comes in every week, on whatever day. */
export function isWeekly({ period = 1, periodUnit }: Repeat): boolean {
  return periodUnit === 'wk' && period === 1;
}
