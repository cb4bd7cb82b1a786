// What a plan asks to be measured, as a form (decision L8), and the Observations of its answers. A measure has its
// unit, the values that are possible at all, and those that are expected. The latter come from the
// ObservationDefinition's reference range, or from the goal about the same concept. Pure.
import type { RenderReadyForm, RenderReadyItem } from '#fhir/forms/render-ready-form.ts';
import { RENDER_VERSION } from '#fhir/forms/render-version.ts';
import { isRecord } from '#fhir/forms/values.ts';
import { compact, textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectOf, objectsOf } from '#fhir/json/objects.ts';
import { answersIn, askedAs, MEASURED_AT, observed } from './measured-values.ts';
import messages from './measures.messages.json' with { type: 'json' };
import { containedIn, type PlanGoal, type PlanTransaction, resolvePlan } from './plan-snapshot.ts';

/** The key of the form. */
export const MEASURES = 'measures';
const VALUES = 'values';

export interface Measure {
  readonly transaction: PlanTransaction;
  /** The CodeableConcept of the Observation. */
  readonly code: FhirObject | undefined;
  /** The range outside of which a value is impossible, and that which is expected. */
  readonly possible: Range;
  readonly expected: Range;
}

interface Range {
  readonly low?: unknown;
  readonly high?: unknown;
}

/** The plan that a ServiceRequest contains, with what it refers to. */
export function containedPlan(serviceRequest: FhirObject): FhirObject | undefined {
  const contained = objectsOf(serviceRequest['contained']);
  const plan = contained.find(({ resourceType }) => resourceType === 'PlanDefinition');
  return plan && { ...plan, contained };
}

/** The measures of the plan that a ServiceRequest contains, in their order, each once. */
export function measuresOf(serviceRequest: FhirObject): Measure[] {
  const plan = containedPlan(serviceRequest);
  if (plan === undefined) return [];
  const { transactions, goals } = resolvePlan(plan);
  const definitionOf = containedIn(plan);
  const once = new Map(transactions.map((transaction) => [transaction.transaction_id, transaction]));
  return [...once.values()].map((transaction) => {
    const definition = definitionOf(`#${transaction.transaction_id}`) ?? {};
    const reference = rangeOf(definition, transaction, ['reference', 'critical', undefined]);
    return {
      transaction,
      code: objectOf(definition['code']),
      possible: rangeOf(definition, transaction, ['absolute']),
      expected: Object.keys(reference).length > 0 ? reference : rangeOfGoals(goals, transaction),
    };
  });
}

/** Undefined when the plan has nothing to measure. */
export function measureForm(measures: readonly Measure[]): RenderReadyForm | undefined {
  if (measures.length === 0) return undefined;
  const text = (name: keyof typeof messages) => ({
    label: messages[name].sv,
    translations: { sv: messages[name].sv, en: messages[name].en },
  });
  const at: RenderReadyItem = {
    link_id: MEASURED_AT,
    type: 'dateTime',
    ...text('measuredAt'),
    required: false,
    repeats: false,
    read_only: false,
    answer_element: 'valueDateTime',
    items: [],
  };
  const values: RenderReadyItem = {
    link_id: VALUES,
    type: 'group',
    ...text('values'),
    required: true,
    repeats: false,
    read_only: false,
    items: measures.map(itemOf),
  };
  const { label: title, translations } = text('title');
  return { render_version: RENDER_VERSION, form_guid: MEASURES, title, translations, items: [at, values] };
}

interface ObservationContext {
  readonly subject: FhirObject;
  readonly basedOn: readonly FhirObject[];
  readonly performer: FhirObject;
  /** FHIR dateTime: when the values were sent, and measured unless the form says otherwise. */
  readonly now: string;
}

/** The Observations of the items of a response to {@link measureForm}. */
export function observationsOf(
  measures: readonly Measure[],
  items: readonly object[],
  context: ObservationContext,
): FhirObject[] {
  const { subject, basedOn, performer, now } = context;
  const answers = new Map(answersIn(items));
  const at = textIn(answers.get(MEASURED_AT)?.['valueDateTime']) ?? now;
  return measures.flatMap(({ transaction, code }) => {
    const value = answers.get(transaction.transaction_id);
    if (value === undefined) return [];
    return [
      {
        resourceType: 'Observation',
        status: 'final',
        basedOn,
        code: code ?? { text: transaction.title ?? transaction.transaction_id },
        subject,
        effectiveDateTime: at,
        issued: now,
        performer: [performer],
        ...observed(value),
      },
    ];
  });
}

function itemOf({ transaction, possible, expected }: Measure): RenderReadyItem {
  const {
    title,
    unit,
    values = [],
    response_type: responseType = unit === undefined ? 'string' : 'Quantity',
  } = transaction;
  const isCoded = values.length > 0 || responseType === 'CodeableConcept' || responseType === 'Coding';
  const [type, element] = isCoded ? (['coding', 'valueCoding'] as const) : askedAs(responseType);
  const limits = compact({ min_value: possible.low, max_value: possible.high });
  return {
    link_id: transaction.transaction_id,
    type,
    label: title ?? transaction.concept?.display ?? transaction.transaction_id,
    required: false,
    ...(transaction.required === true ? { asked: true as const } : {}),
    repeats: false,
    read_only: false,
    answer_element: element,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(expected).length === 0 ? {} : { expected }),
    ...(type === 'quantity' && unit !== undefined ? { units: [unitOf(unit)] } : {}),
    ...(isCoded && values.length > 0 ? { options: values.map(optionOf), other_answers: 'none' as const } : {}),
  };
}

function unitOf({ system, code, display }: NonNullable<PlanTransaction['unit']>) {
  const label = display ?? code;
  return {
    ...(system === undefined ? {} : { system }),
    ...(code === undefined ? {} : { code }),
    ...(label === undefined ? {} : { label }),
  };
}

function optionOf(coding: FhirObject) {
  return { label: textIn(coding['display']) ?? textIn(coding['code']) ?? '', answer: { valueCoding: coding } };
}

/** The first range of one of these categories, in the form of the answer. */
function rangeOf(
  definition: FhirObject,
  transaction: PlanTransaction,
  categories: readonly (string | undefined)[],
): Range {
  const qualified = objectsOf(definition['qualifiedValue']).filter(({ range }) => isRecord(range));
  for (const category of categories) {
    const found = qualified.find((each) => textIn(each['rangeCategory']) === category);
    if (found !== undefined) return inUnit(objectOf(found['range']), transaction);
  }
  return {};
}

/** By the first goal with a target for the same concept: a range, or a value with a comparator. */
function rangeOfGoals(goals: readonly PlanGoal[], transaction: PlanTransaction): Range {
  const { concept } = transaction;
  const targets = goals
    .flatMap((goal) => goal.targets)
    .filter(({ concept: of }) => concept?.code !== undefined && isRecord(of) && of['code'] === concept.code);
  for (const target of targets) {
    const range = objectOf(target['detailRange']);
    if (range !== undefined) return inUnit(range, transaction);
    const quantity = objectOf(target['detailQuantity']);
    const comparator = textIn(quantity?.['comparator']) ?? '';
    if (comparator.startsWith('<')) return inUnit({ high: quantity }, transaction);
    if (comparator.startsWith('>')) return inUnit({ low: quantity }, transaction);
  }
  return {};
}

/** Quantities with the measure's unit where they have none; bare numbers for an answer without a unit. */
function inUnit(range: FhirObject | undefined, { unit, response_type: type }: PlanTransaction): Range {
  const limitOf = (value: unknown): unknown => {
    const quantity = objectOf(value);
    if (quantity?.['value'] === undefined) return undefined;
    if (type === 'integer' || type === 'decimal') return quantity['value'];
    const { comparator: _, ...bare } = quantity;
    const own = { system: unit?.system, code: unit?.code, unit: unit?.display ?? unit?.code };
    return bare['code'] === undefined ? compact({ ...bare, ...own }) : bare;
  };
  return compact({ low: limitOf(range?.['low']), high: limitOf(range?.['high']) });
}
