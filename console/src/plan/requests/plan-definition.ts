// The plan of a request's snapshot as it is shown: read from the copy of the PlanDefinition, which a draft may change.
import type {
  ActivityDefinition,
  FhirResource,
  ObservationDefinition,
  PlanDefinition,
  PlanDefinitionAction,
  PlanDefinitionGoalTarget,
} from 'fhir/r5';
import type { GoalTarget, Plan, PlanActivity, PlanStep } from '../../clinical/care-plan.ts';
import type { Repeat } from '../../clinical/timing.ts';

const REQUIRED = /\/transaction-required$/;
const TIMING = /\/transaction-timing$/;

export interface SnapshotPlan extends Pick<Plan, 'title' | 'goals' | 'activities'> {
  /** Whether something in it has a code by which providers are found. */
  readonly hasCode: boolean;
}

export function planInSnapshot(plan: PlanDefinition | undefined): SnapshotPlan {
  // What is contained is a resource of some type.
  const inner = (plan?.contained ?? []) as readonly FhirResource[];
  const contained = new Map(inner.map((each) => [`#${each.id}`, each]));
  const actions = actionsIn(plan?.action ?? []);
  return {
    title: plan?.title ?? '',
    goals: (plan?.goal ?? []).map(({ id, description, target = [] }, index) => ({
      id: id ?? String(index),
      text: description.text ?? description.coding?.[0]?.display ?? '',
      targets: target.map(targetOf),
    })),
    activities: actions.map((action, index) => activityOf(action, index, contained)),
    hasCode: actions.some((action) => hasCode(action, contained)),
  };
}

function targetOf({ measure, detailQuantity, detailRange }: PlanDefinitionGoalTarget): GoalTarget {
  const { system, code } = measure?.coding?.[0] ?? {};
  return {
    ...(system === undefined || code === undefined ? {} : { concept: { system, code } }),
    ...(detailQuantity === undefined ? {} : { detailQuantity }),
    ...(detailRange === undefined ? {} : { detailRange }),
  } as GoalTarget;
}

/** Groups of actions are opened: what is done are the innermost. */
function actionsIn(actions: readonly PlanDefinitionAction[]): PlanDefinitionAction[] {
  return actions.flatMap((action) => {
    const inner = actionsIn(action.action ?? []);
    return inner.length === 0 ? [action] : inner;
  });
}

type Contained = ReadonlyMap<string, FhirResource>;

function activityOf(action: PlanDefinitionAction, index: number, contained: Contained): PlanActivity {
  const definition = definitionOf(action, contained);
  const steps = (definition?.observationResultRequirement ?? []).flatMap((reference) => {
    const found = contained.get(reference);
    return found?.resourceType === 'ObservationDefinition' ? [stepOf(found)] : [];
  });
  return {
    id: action.id ?? String(index),
    title: action.title ?? definition?.title ?? action.code?.text ?? '',
    description: action.description ?? definition?.description,
    repeat: (action.timingTiming ?? definition?.timingTiming)?.repeat as Repeat | undefined,
    steps,
  };
}

function definitionOf({ definitionCanonical = '' }: PlanDefinitionAction, contained: Contained) {
  const found = contained.get(definitionCanonical);
  return found?.resourceType === 'ActivityDefinition' ? (found as ActivityDefinition) : undefined;
}

function stepOf({ id = '', title, code, extension = [] }: ObservationDefinition): PlanStep {
  const required = extension.find(({ url }) => REQUIRED.test(url))?.valueBoolean;
  const timing = extension.find(({ url }) => TIMING.test(url))?.valueTiming;
  return {
    id,
    title: title ?? code.text ?? code.coding?.[0]?.display ?? '',
    isOptional: required === false,
    repeat: timing?.repeat as Repeat | undefined,
  };
}

function hasCode(action: PlanDefinitionAction, contained: Contained): boolean {
  const definition = definitionOf(action, contained);
  const steps = (definition?.observationResultRequirement ?? []).map((reference) => contained.get(reference));
  const codes = [
    action.code,
    definition?.code,
    ...steps.map((step) => (step?.resourceType === 'ObservationDefinition' ? step.code : undefined)),
  ];
  return codes.some((code) =>
    code?.coding?.some(({ system, code: value }) => system !== undefined && value !== undefined),
  );
}
