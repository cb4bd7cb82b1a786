// Builds a plan as a self-contained R5 PlanDefinition: a reader needs nothing else of the library (decision E7;
// hl7.org/fhir/R5/plandefinition.html). Contained resources cannot nest, so ObservationDefinitions are contained beside
// the activities.
import { buildActivityParts, codeableConcept, quantity, startNumbering, UCUM } from './activity-definition.ts';
import type { ResolvedActivity, ResolvedGoal } from './resolved.ts';

export interface PlanParts {
  readonly url: string;
  readonly version: string;
  readonly title: string;
  readonly description: string | undefined;
  /** Milliseconds since the epoch. */
  readonly publishedAt: number;
  readonly activities: readonly ResolvedActivity[];
  readonly goals: readonly ResolvedGoal[];
}

const TYPE = {
  coding: [
    {
      system: 'http://terminology.hl7.org/CodeSystem/plan-definition-type',
      code: 'clinical-protocol',
      display: 'Clinical Protocol',
    },
  ],
};

export function buildPlanDefinition(plan: PlanParts): Readonly<Record<string, unknown>> {
  const numbering = startNumbering();
  const parts = plan.activities.map((activity) => buildActivityParts(activity, numbering));
  const contained = parts.flatMap((part) => [part.definition, ...part.observations, ...part.valueSets]);
  return {
    resourceType: 'PlanDefinition',
    contained,
    url: plan.url,
    version: plan.version,
    title: plan.title,
    type: TYPE,
    status: 'active',
    date: new Date(plan.publishedAt).toISOString(),
    ...(plan.description === undefined ? {} : { description: plan.description }),
    ...(plan.goals.length === 0 ? {} : { goal: plan.goals.map(buildGoal) }),
    action: plan.activities.map((activity, index) => buildAction(activity, index, plan.goals)),
  };
}

function buildAction(activity: ResolvedActivity, index: number, goals: readonly ResolvedGoal[]): object {
  const goalIds = goals.flatMap((goal, position) =>
    goal.activityGuids.includes(activity.guid) ? [goalId(position)] : [],
  );
  return {
    id: `action-${index + 1}`,
    title: activity.name,
    ...(activity.description === null ? {} : { description: activity.description }),
    code: codeableConcept(activity.concept),
    ...(goalIds.length === 0 ? {} : { goalId: goalIds }),
    definitionCanonical: `#activity-${index + 1}`,
  };
}

function buildGoal(goal: ResolvedGoal, position: number): object {
  const due = goal.due === null ? {} : { due: durationOf(goal.due) };
  return {
    id: goalId(position),
    description: { text: goal.name },
    ...(goal.description === null ? {} : { documentation: [{ type: 'documentation', display: goal.description }] }),
    target: [{ measure: codeableConcept(goal.concept), ...detailOf(goal), ...due }],
  };
}

function detailOf({ comparator, value, low, high, unit }: ResolvedGoal): object {
  if (value !== null) {
    const compared = comparator === null || comparator === '=' ? {} : { comparator };
    return { detailQuantity: { ...compared, ...quantity(value, unit) } };
  }
  if (low === null && high === null) return {};
  return {
    detailRange: {
      ...(low === null ? {} : { low: quantity(low, unit) }),
      ...(high === null ? {} : { high: quantity(high, unit) }),
    },
  };
}

function durationOf(due: NonNullable<ResolvedGoal['due']>): object {
  return { value: due.value, unit: due.unit, system: UCUM, code: due.unit };
}

function goalId(position: number): string {
  return `goal-${position + 1}`;
}
