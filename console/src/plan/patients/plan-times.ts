// When what is in a plan is due, was done, and reached its goals: the rows of its picture on a time axis.
import type { CarePlan } from 'fhir/r5';
import type { Plan } from '../../clinical/care-plan.ts';
import { DAYS, type Repeat } from '../../clinical/timing.ts';
import { isWithin, type Series } from '../../clinical/values.ts';

const DAY_MS = 86_400_000;
/** A plan without an end is drawn so far ahead. */
const AHEAD_MS = 28 * DAY_MS;
/** More marks than these are a smear: the span says it. */
const MOST_MARKS = 60;

export interface PlanTimes {
  readonly from: number;
  readonly to: number;
  readonly hasEnd: boolean;
  readonly activities: readonly { readonly id: string; readonly title: string; readonly due: readonly number[] }[];
  readonly done: readonly number[];
  readonly goals: readonly {
    readonly key: string;
    readonly name: string;
    readonly readings: readonly { readonly at: number; readonly value: number; readonly isReached: boolean }[];
  }[];
}

/** Undefined for a plan that does not say when it begins. */
export function planTimesOf(
  plan: Plan,
  carePlan: CarePlan,
  series: readonly Series[],
  now: number,
): PlanTimes | undefined {
  const start = plan.start ?? carePlan.created ?? carePlan.meta?.lastUpdated;
  if (start === undefined) return undefined;
  const from = Date.parse(start);
  const to = plan.end === undefined ? Math.max(now, from) + AHEAD_MS : Date.parse(plan.end);
  if (!(from <= to)) return undefined;
  const progress = (carePlan.activity ?? []).flatMap((activity) => activity.progress ?? []);
  return {
    from,
    to,
    hasEnd: plan.end !== undefined,
    activities: plan.activities.map(({ id, title, repeat, steps }) => ({
      id,
      title,
      due: dueTimes(
        [repeat, ...steps.map((step) => step.repeat)].find((each) => each !== undefined),
        from,
        to,
      ),
    })),
    done: progress.flatMap(({ time }) => (time === undefined ? [] : [Date.parse(time)])),
    goals: series.flatMap(({ key, name, readings, goal }) =>
      goal === undefined
        ? []
        : [
            {
              key,
              name,
              readings: readings.map((reading) => ({
                at: Date.parse(reading.at),
                value: reading.value,
                isReached: isWithin(reading, goal) === true,
              })),
            },
          ],
    ),
  };
}

/** Days on which it is due; none where that is too often to be drawn, or not said. */
export function dueTimes(repeat: Repeat | undefined, from: number, to: number): number[] {
  const { period = 1, periodUnit, dayOfWeek = [] } = repeat ?? {};
  const days = { d: 1, wk: 7, mo: 30, a: 365 }[periodUnit ?? ''];
  if (days === undefined) return [];
  const names: readonly string[] = DAYS;
  // Sunday is 0 in JavaScript.
  const weekdays = dayOfWeek.map((day) => (names.indexOf(day) + 1) % 7);
  const step = (weekdays.length > 0 ? 1 : days * period) * DAY_MS;
  if ((to - from) / step > MOST_MARKS * 7) return [];
  const found: number[] = [];
  for (let at = from; at <= to; at += step)
    if (weekdays.length === 0 || weekdays.includes(new Date(at).getDay())) found.push(at);
  return found.length > MOST_MARKS ? [] : found;
}
