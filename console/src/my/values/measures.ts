// What the patient's plans ask to be measured, as questions, and the Observations of the answers. Pure.
import type { CodeableConcept, Observation } from 'fhir/r5';
import { answersIn, askedAs, MEASURED_AT, observed } from '../../../../fhir/plans/measured-values.ts';
import type { PlanContext } from '../../clinical/care-plan.ts';
import { isWeekly, type Repeat, weekdaysOf } from '../../clinical/timing.ts';
import type { Filled } from '../../forms/filled.ts';
import type { FormItem } from '../../forms/form.ts';
import { toResponseItems } from '../../forms/response.ts';

export interface Measure {
  readonly item: FormItem;
  readonly code: CodeableConcept;
  readonly plan: string;
  /** Whether it is measured in every week, or whenever one wants to. */
  readonly isOften: boolean;
}

type Transaction = NonNullable<PlanContext['snapshot']>['transactions'][number];

/** What the active plans have, in their order. What several of them ask for is in it once. */
export function measuresOf(contexts: readonly PlanContext[]): Measure[] {
  const all = contexts
    .filter(({ careplan }) => careplan.status === 'active')
    .flatMap(({ careplan_guid: plan, snapshot }) =>
      (snapshot?.transactions ?? []).map((transaction): [string, Measure] => {
        const activity = snapshot?.activities.find(({ activity_id: id }) => id === transaction.activity_id);
        const repeat = transaction.timing?.repeat ?? activity?.timing?.repeat;
        return [sameness(transaction), { plan, ...asked(plan, transaction), isOften: isOften(repeat) }];
      }),
    );
  const once = new Map<string, Measure>();
  for (const [key, measure] of all) if (once.get(key)?.isOften !== true) once.set(key, measure);
  return [...once.values()];
}

function isOften(repeat: Repeat | undefined): boolean {
  return repeat === undefined || weekdaysOf(repeat) !== undefined || isWeekly(repeat);
}

function sameness({ concept, unit, title, transaction_id: id }: Transaction): string {
  const what = concept?.code === undefined ? (title ?? id) : `${concept.system ?? ''}|${concept.code}`;
  return `${what}\n${unit?.code ?? unit?.display ?? ''}`;
}

function asked(plan: string, transaction: Transaction): Pick<Measure, 'item' | 'code'> {
  const { transaction_id: id, title, concept, unit, values = [] } = transaction;
  const name = title ?? concept?.display ?? id;
  const type = transaction.response_type ?? (unit === undefined ? 'string' : 'Quantity');
  const [kind, element] = values.length > 0 ? (['coding', 'valueCoding'] as const) : askedAs(type);
  const label = unit?.display ?? unit?.code;
  const item: FormItem = {
    link_id: `${plan}:${id}`,
    type: kind,
    label: name,
    required: false,
    // Nothing has to be filled in here, which the page says once instead of every label.
    asked: true,
    repeats: false,
    read_only: false,
    answer_element: element,
    ...(kind === 'quantity' && unit !== undefined ? { units: [label === undefined ? unit : { ...unit, label }] } : {}),
    ...(kind === 'coding' ? { options: values.map(optionOf), other_answers: 'none' } : {}),
  };
  const code = concept?.code === undefined ? { text: name } : { coding: [concept], text: concept.display ?? name };
  return { item, code };
}

function optionOf(coding: { readonly display?: string; readonly code?: string }) {
  return { label: coding.display ?? coding.code ?? '', answer: { valueCoding: coding } };
}

/** When it was measured, where the patient has said so. */
export function measuredAt(items: readonly FormItem[], filled: Filled): string | undefined {
  const answers = new Map(answersIn(toResponseItems(items, filled)));
  const at = answers.get(MEASURED_AT)?.['valueDateTime'];
  return typeof at === 'string' ? at : undefined;
}

/** The Observations of what is answered, by the `link_id` of the question. `now` is a FHIR dateTime. */
export function reportsOf(
  measures: readonly Measure[],
  { items, filled, now }: { readonly items: readonly FormItem[]; readonly filled: Filled; readonly now: string },
): [id: string, report: Observation][] {
  const answers = new Map(answersIn(toResponseItems(items, filled)));
  const at = measuredAt(items, filled) ?? now;
  return measures.flatMap(({ item: { link_id: id }, code, plan }): [string, Observation][] => {
    const answer = answers.get(id);
    if (answer === undefined) return [];
    // The engine writes whose it is and who says so. The plan says which unit it is for.
    const basedOn = [{ reference: `CarePlan/${plan}` }];
    const about = { resourceType: 'Observation', status: 'final', basedOn, code, effectiveDateTime: at } as const;
    return [[id, { ...about, ...observed(answer) } as Observation]];
  });
}
