// A patient's plan as it is shown: the CarePlan with what it was made from (GET /careplans/{guid}/context), without a
// word of FHIR.
import type { CarePlan } from 'fhir/r5';
import { DAYS, type DayOfWeek, isWeekly, type Repeat, weekdaysOf } from './timing.ts';

interface Concept {
  readonly system?: string;
  readonly code?: string;
  readonly display?: string;
}

interface Quantity {
  readonly value?: number;
  readonly unit?: string;
  readonly comparator?: string;
}

export interface GoalTarget {
  readonly concept?: Concept;
  readonly detailQuantity?: Quantity;
  readonly detailRange?: { readonly low?: Quantity; readonly high?: Quantity };
}

interface Timing {
  readonly repeat?: Repeat;
}

/** The answer of `/careplans/{guid}/context`, as far as it is used. */
export interface PlanContext {
  readonly careplan_guid: string;
  readonly careplan: CarePlan;
  readonly snapshot: {
    readonly plan_definition?: { readonly title?: string };
    readonly activities: readonly { activity_id: string; title?: string; description?: string; timing?: Timing }[];
    readonly transactions: readonly {
      transaction_id: string;
      activity_id: string;
      title?: string;
      concept?: Concept;
      required?: boolean;
      timing?: Timing;
      unit?: { display?: string; code?: string; system?: string };
      response_type?: string;
      /** The answers of a coded one. */
      values?: readonly { system?: string; code?: string; display?: string }[];
    }[];
    readonly goals: readonly { goal_id: string; description?: string; targets?: readonly GoalTarget[] }[];
  } | null;
}

export interface PlanStep {
  readonly id: string;
  readonly title: string;
  readonly isOptional: boolean;
  readonly repeat: Repeat | undefined;
}

export interface PlanActivity {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly repeat: Repeat | undefined;
  readonly steps: readonly PlanStep[];
}

export interface Plan {
  readonly guid: string;
  readonly title: string;
  readonly isActive: boolean;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly goals: readonly { id: string; text: string; targets: readonly GoalTarget[] }[];
  readonly activities: readonly PlanActivity[];
}

export function planOf({ careplan_guid: guid, careplan, snapshot }: PlanContext): Plan {
  const { activities = [], transactions = [], goals = [] } = snapshot ?? {};
  return {
    guid,
    title: careplan.title ?? snapshot?.plan_definition?.title ?? careplan.description ?? '',
    isActive: careplan.status === 'active',
    start: careplan.period?.start,
    end: careplan.period?.end,
    goals: goals.map(({ goal_id: id, description = '', targets = [] }) => ({ id, text: description, targets })),
    activities: activities.map(({ activity_id: id, title = '', description, timing }) => ({
      id,
      title,
      description,
      repeat: timing?.repeat,
      steps: transactions
        .filter((each) => each.activity_id === id)
        .map((each) => ({
          id: each.transaction_id,
          title: each.title ?? each.concept?.display ?? '',
          isOptional: each.required === false,
          repeat: each.timing?.repeat,
        })),
    })),
  };
}

export interface PlanWeek {
  readonly everyDay: readonly PlanStep[];
  /** What is done on some days alone. */
  readonly days: readonly { readonly day: DayOfWeek; readonly steps: readonly PlanStep[] }[];
  /** In the week, on days that are left open. */
  readonly someDay: readonly PlanStep[];
  /** Rarer than every week. */
  readonly rare: readonly PlanStep[];
}

/** What the plans have in an ordinary week. A step that several of them have is in it once. */
export function weekOf(plans: readonly Plan[]): PlanWeek {
  const all = plans.filter(({ isActive }) => isActive).flatMap(({ activities }) => activities.flatMap(stepsOf));
  const steps = [...new Map(all.map((step) => [`${step.title}\n${JSON.stringify(step.repeat)}`, step])).values()];
  const everyDay = steps.filter(({ repeat }) => weekdaysOf(repeat)?.length === DAYS.length);
  const fixed = steps.filter((step) => weekdaysOf(step.repeat) !== undefined && !everyDay.includes(step));
  const open = steps.filter(({ repeat }) => repeat !== undefined && weekdaysOf(repeat) === undefined);
  return {
    everyDay,
    days: DAYS.map((day) => ({ day, steps: fixed.filter(({ repeat }) => weekdaysOf(repeat)?.includes(day)) })),
    someDay: open.filter(({ repeat }) => repeat !== undefined && isWeekly(repeat)),
    rare: open.filter(({ repeat }) => repeat !== undefined && !isWeekly(repeat)),
  };
}

/** An activity without steps is done as one. */
function stepsOf({ id, title, repeat, steps }: PlanActivity): readonly PlanStep[] {
  return steps.length > 0 ? steps : [{ id, title, isOptional: false, repeat }];
}
