// Resolves the plan of a CarePlan (decision D1): the self-contained PlanDefinition, and its concepts, activities,
// transactions, goals and timing. Pure.

import { codingsOf } from '#fhir/forms/questionnaire/value-set.ts';
import { compact, textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectOf, objectsOf, textsOf } from '#fhir/json/objects.ts';
import { ServiceError } from '#lib/errors.ts';

export interface PlanConcept {
  readonly system?: string;
  readonly code?: string;
  readonly display?: string;
}

export interface PlanTransaction {
  /** The id within the plan. */
  readonly transaction_id: string;
  /** The guid in the library of the plan service, when it names one. */
  readonly transaction_guid?: string;
  readonly activity_id: string;
  readonly title?: string;
  readonly concept?: PlanConcept;
  /** FHIR data type of the answer. */
  readonly response_type?: string;
  readonly unit?: PlanConcept;
  readonly timing?: FhirObject;
  readonly required?: boolean;
  /** The permitted answers of a coded transaction. */
  readonly values?: readonly FhirObject[];
}

export interface PlanActivity {
  readonly activity_id: string;
  readonly activity_guid?: string;
  readonly title?: string;
  readonly description?: string;
  readonly concept?: PlanConcept;
  readonly timing?: FhirObject;
  readonly goal_ids: readonly string[];
}

export interface PlanGoal {
  readonly goal_id: string;
  readonly description?: string;
  readonly targets: readonly FhirObject[];
}

export interface PlanTiming {
  readonly applies_to: 'activity' | 'transaction';
  readonly id: string;
  readonly title?: string;
  readonly timing: FhirObject;
}

export interface ResolvedPlan {
  readonly concepts: readonly PlanConcept[];
  readonly activities: readonly PlanActivity[];
  readonly transactions: readonly PlanTransaction[];
  readonly goals: readonly PlanGoal[];
  readonly timing: readonly PlanTiming[];
}

/**
 * The most transactions and values of one plan. A short plan may repeat the same definition, and that the same codes.
 */
const MAX_RESOLVED = 50_000;

/**
 * Reads the plan; `plan` is self-contained.
 * @throws ServiceError `unprocessable` for a plan that is too large
 */
export function resolvePlan(plan: FhirObject): ResolvedPlan {
  const contained = containedIn(plan);
  const actions = actionsOf(plan);
  const activities = actions.map((action, index) => readActivity(action, definitionOf(action, contained), index));
  const transactions: PlanTransaction[] = [];
  let resolved = 0;
  for (const [index, action] of actions.entries()) {
    const definition = definitionOf(action, contained);
    for (const fragment of textsOf(definition?.['observationResultRequirement'])) {
      const observation = contained(fragment);
      if (observation === undefined) continue;
      const activityId = activities[index]?.activity_id ?? '';
      const transaction = readTransaction(observation, { fragment, activityId, contained });
      resolved += 1 + (transaction.values?.length ?? 0);
      if (resolved > MAX_RESOLVED) throw tooCostly();
      transactions.push(transaction);
    }
  }
  const goals = objectsOf(plan['goal']).map(readGoal);
  return {
    concepts: distinctConcepts(activities, transactions, plan),
    activities,
    transactions,
    goals,
    timing: [
      ...activities.flatMap((item) => timingOf('activity', item.activity_id, item)),
      ...transactions.flatMap((item) => timingOf('transaction', item.transaction_id, item)),
    ],
  };
}

function tooCostly(): ServiceError {
  const message = `The plan comes to more than ${MAX_RESOLVED} transactions and permitted values`;
  return new ServiceError('unprocessable', message, { issues: [{ message, code: 'too-costly' }] });
}

/** The codes that a contract must cover: those of the activities, else those of the transactions. */
export function codesToMatch(plan: ResolvedPlan): { system: string; code: string }[] {
  const of = (items: readonly { readonly concept?: PlanConcept }[]) =>
    items.flatMap(({ concept }) =>
      concept?.system === undefined || concept.code === undefined
        ? []
        : [{ system: concept.system, code: concept.code }],
    );
  const activities = of(plan.activities);
  const codes = activities.length > 0 ? activities : of(plan.transactions);
  return [...new Map(codes.map((code) => [`${code.system}|${code.code}`, code])).values()];
}

/** All actions that are no mere groups, in order. */
export function actionsOf(plan: FhirObject): FhirObject[] {
  return objectsOf(plan['action']).flatMap((action) => {
    const inner = actionsOf(action);
    const isGroup = inner.length > 0 && action['definitionCanonical'] === undefined && action['code'] === undefined;
    return isGroup ? inner : [action, ...inner];
  });
}

/** Finds the contained resource of `#id`. */
export type Contained = (fragment: string | undefined) => FhirObject | undefined;

export function containedIn(plan: FhirObject): Contained {
  const byId = new Map<unknown, FhirObject>();
  for (const resource of objectsOf(plan['contained'])) {
    if (!byId.has(resource['id'])) byId.set(resource['id'], resource);
  }
  return (fragment) => (fragment?.startsWith('#') === true ? byId.get(fragment.slice(1)) : undefined);
}

function definitionOf(action: FhirObject, contained: Contained): FhirObject | undefined {
  const definition = contained(textIn(action['definitionCanonical']));
  return definition?.['resourceType'] === 'ActivityDefinition' ? definition : undefined;
}

function readActivity(action: FhirObject, definition: FhirObject | undefined, index: number): PlanActivity {
  const first = (name: string) => action[name] ?? definition?.[name];
  return {
    activity_id:
      textIn(action['id']) ?? textIn(action['linkId']) ?? textIn(definition?.['id']) ?? `action-${index + 1}`,
    ...compact({
      activity_guid: guidOf(definition?.['identifier'], 'activity'),
      title: textIn(first('title')) ?? textIn(definition?.['name']),
      description: textIn(first('description')),
      concept: conceptOf(first('code')),
      timing: objectOf(first('timingTiming')),
    }),
    goal_ids: textsOf(action['goalId']),
  };
}

function readTransaction(
  observation: FhirObject,
  { fragment, activityId, contained }: { fragment: string; activityId: string; contained: Contained },
): PlanTransaction {
  const concept = conceptOf(observation['code']);
  const title = textIn(observation['title']) ?? textIn(objectOf(observation['code'])?.['text']) ?? concept?.display;
  const [unit] = objectsOf(observation['permittedUnit']);
  return {
    transaction_id: fragment.slice(1),
    activity_id: activityId,
    ...compact({
      transaction_guid: guidOf(observation['identifier'], 'transaction'),
      title,
      concept,
      response_type: textsOf(observation['permittedDataType'])[0],
      unit: unit && codingOf(unit),
      timing: objectOf(extensionValue(observation, 'timing', 'valueTiming')),
      required: extensionValue(observation, 'required', 'valueBoolean'),
      values: valuesOf(observation, contained),
    }),
  };
}

/** The identifier of our own system, whether the element has one or a list. */
function guidOf(identifier: unknown, kind: string): string | undefined {
  const identifiers = Array.isArray(identifier) ? objectsOf(identifier) : objectsOf([identifier]);
  return textIn(identifiers.find(({ system }) => system === `https://kedja.dev/ids/${kind}`)?.['value']);
}

function valuesOf(observation: FhirObject, contained: Contained): FhirObject[] | undefined {
  const [qualified] = objectsOf(observation['qualifiedValue']);
  const valueSet = contained(textIn(qualified?.['validCodedValueSet']));
  return valueSet && codingsOf(valueSet);
}

/** The value of our own extension whose name ends with `name`. */
function extensionValue(resource: FhirObject, name: string, value: string): unknown {
  const found = objectsOf(resource['extension']).find(
    ({ url }) => typeof url === 'string' && url.startsWith('https://kedja.dev/fhir/') && url.endsWith(name),
  );
  return found?.[value];
}

function readGoal(goal: FhirObject, index: number): PlanGoal {
  const description = objectOf(goal['description']);
  return {
    goal_id: textIn(goal['id']) ?? `goal-${index + 1}`,
    ...compact({ description: textIn(description?.['text']) ?? conceptOf(description)?.display }),
    targets: objectsOf(goal['target']).map((target) =>
      compact({
        concept: conceptOf(target['measure']),
        ...Object.fromEntries(Object.entries(target).filter(([name]) => name.startsWith('detail') || name === 'due')),
      }),
    ),
  };
}

function conceptOf(concept: unknown): PlanConcept | undefined {
  const [coding] = objectsOf(objectOf(concept)?.['coding']);
  const text = textIn(objectOf(concept)?.['text']);
  if (coding === undefined) return text === undefined ? undefined : { display: text };
  return codingOf(text === undefined || coding['display'] !== undefined ? coding : { ...coding, display: text });
}

function codingOf(coding: FhirObject): PlanConcept {
  return compact({
    system: textIn(coding['system']),
    code: textIn(coding['code']),
    display: textIn(coding['display']),
  });
}

function timingOf(
  appliesTo: PlanTiming['applies_to'],
  id: string,
  item: { readonly title?: string; readonly timing?: FhirObject },
): PlanTiming[] {
  if (item.timing === undefined) return [];
  const title = item.title === undefined ? {} : { title: item.title };
  return [{ applies_to: appliesTo, id, ...title, timing: item.timing }];
}

function distinctConcepts(
  activities: readonly PlanActivity[],
  transactions: readonly PlanTransaction[],
  plan: FhirObject,
): PlanConcept[] {
  const targets = objectsOf(plan['goal']).flatMap((goal) => objectsOf(goal['target']));
  const concepts = [
    ...activities.map(({ concept }) => concept),
    ...transactions.map(({ concept }) => concept),
    ...targets.map((target) => conceptOf(target['measure'])),
  ].filter((concept) => concept !== undefined);
  return [
    ...new Map(concepts.map((item) => [`${item.system}|${item.code}|${item.code ?? item.display}`, item])).values(),
  ];
}
