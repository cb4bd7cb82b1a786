// The measurements that caregivers report: for each plan the values, the newest last, one for each day or week back.
import { conceptOf, type DemoConcept, LIBRARY, UNITS } from './concepts.ts';
import type { FormKey } from './forms.ts';
import type { PlanKey } from './plans.ts';
import { answer } from './questionnaire.ts';

interface Series {
  readonly concept: string;
  readonly everyDays: number;
  /** Numbers, or codes of the concept's list. */
  readonly values: readonly (number | string)[];
}

const REPORTS: Readonly<Record<PlanKey, readonly Series[]>> = {
  heart: [
    daily('weight', 84.6, 84.9, 85.3, 85.8, 86.4, 86.1, 85.2, 84.4, 83.8, 83.5, 83.2, 83.3, 83.0, 82.9),
    daily('systolic', 148, 145, 149, 151, 146, 142, 139, 138, 135, 134, 131, 132, 128, 127),
    daily('diastolic', 88, 86, 90, 89, 87, 85, 84, 82, 81, 80, 79, 80, 78, 77),
    daily('pulse', 82, 84, 83, 86, 85, 80, 78, 76, 74, 75, 73, 72, 71, 72),
    { concept: 'nyha', everyDays: 28, values: ['III', 'II'] },
    { concept: 'nt-probnp', everyDays: 28, values: [2140, 1180] },
    { concept: 'potassium', everyDays: 28, values: [4.3, 4.6] },
  ],
  diabetes: [daily('glucose-fasting', 8.9, 8.4, 9.1, 7.8, 7.6, 7.2, 7.4)],
  copd: [
    daily('saturation', 88, 88, 89, 90, 89, 91, 91, 92, 91, 92, 93, 92, 93, 93),
    { concept: 'copd-score', everyDays: 7, values: [24, 21, 17] },
    { concept: 'breathlessness', everyDays: 7, values: ['level', 'level', 'hill'] },
    { concept: 'fev1', everyDays: 1, values: [1.61] },
  ],
  wound: [
    { concept: 'wound-area', everyDays: 3, values: [9.2, 8.8, 7.9, 6.4, 5.1, 3.8, 2.6] },
    { concept: 'pain', everyDays: 3, values: [7, 6, 6, 4, 3, 3, 2] },
    {
      concept: 'exudate',
      everyDays: 3,
      values: ['much', 'much', 'moderate', 'moderate', 'little', 'little', 'little'],
    },
  ],
};

/** The answers in the forms. */
const ANSWERS: Readonly<Record<FormKey, readonly object[]>> = {
  heart: [
    { linkId: 'weight', answer: [{ valueQuantity: quantityOf(82.9, 'kg') }] },
    { linkId: 'breath', answer: [{ valueCoding: answer('breath', 1, 'Bättre') }] },
    { linkId: 'pillows', answer: [{ valueBoolean: false }] },
    { linkId: 'other', answer: [{ valueString: 'Orkar gå till affären igen' }] },
  ],
  copd: [
    { linkId: 'cough', answer: [{ valueCoding: answer('cough', 2, 'Lite') }] },
    { linkId: 'phlegm', answer: [{ valueBoolean: false }] },
    { linkId: 'saturation', answer: [{ valueQuantity: quantityOf(91, 'percent') }] },
    { linkId: 'sleep', answer: [{ valueInteger: 7 }] },
  ],
  wound: [
    {
      linkId: 'size',
      item: [
        { linkId: 'length', answer: [{ valueQuantity: quantityOf(2.0, 'cm') }] },
        { linkId: 'width', answer: [{ valueQuantity: quantityOf(1.3, 'cm') }] },
      ],
    },
    { linkId: 'tissue', answer: [{ valueCoding: answer('tissue', 1, 'Granulation') }] },
    { linkId: 'fluid', answer: [{ valueCoding: answer('fluid', 2, 'Lite') }] },
    { linkId: 'redness', answer: [{ valueBoolean: false }] },
    { linkId: 'pain', answer: [{ valueInteger: 2 }] },
  ],
  diabetes: [
    { linkId: 'treatment', answer: [1, 2].map((at) => chosen('treatment', at, 'Kost och rörelse', 'Tabletter')) },
    { linkId: 'low', answer: [{ valueBoolean: false }] },
    { linkId: 'movement', answer: [{ valueQuantity: quantityOf(150, 'minutesPerWeek') }] },
    { linkId: 'question', answer: [{ valueString: 'Varför blodsockret är högre på helgen' }] },
  ],
  foot: [
    { linkId: 'feeling', answer: [{ valueBoolean: true }] },
    { linkId: 'pulse', answer: [{ valueBoolean: true }] },
    { linkId: 'risk', answer: [{ valueCoding: answer('risk', 1, '1: friska fötter') }] },
  ],
  home: [
    { linkId: 'living', answer: [{ valueCoding: answer('living', 1, 'Ensam') }] },
    { linkId: 'key', answer: [{ valueBoolean: true }] },
    { linkId: 'access', answer: [{ valueString: 'Porttelefon, våning 2' }] },
    { linkId: 'pets', answer: [{ valueBoolean: false }] },
    { linkId: 'aids', answer: [1, 2].map((at) => chosen('aids', at, 'Trygghetslarm', 'Rollator')) },
  ],
};

function chosen(linkId: string, position: number, ...displays: readonly string[]): object {
  return { valueCoding: answer(linkId, position, displays[position - 1] ?? '') };
}

export interface ReportSubject {
  readonly patientGuid: string;
  readonly patientName: string;
  /** Guids of concepts by their codes; what is chosen from the list of another concept is a text. */
  readonly concepts: ReadonlyMap<string, string>;
  /** Milliseconds since 1970: the approximate time of the newest value. */
  readonly now: number;
}

/** The values as R5 Observations; a partial report has the older half. */
export function observationsOf(plan: PlanKey, subject: ReportSubject, isPartial: boolean): object[] {
  return REPORTS[plan].flatMap(({ concept, everyDays, values }) => {
    const known = isPartial ? values.slice(0, Math.ceil(values.length / 2)) : values;
    return known.map((value, index) => {
      const daysAgo = (values.length - 1 - index) * everyDays;
      return observation(conceptOf(concept), value, { ...subject, takenAt: morningOf(subject.now, daysAgo) });
    });
  });
}

export function questionnaireResponse(form: FormKey, url: string, subject: ReportSubject): object {
  return {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: `${url}|1`,
    subject: referenceTo(subject),
    authored: new Date(subject.now).toISOString(),
    item: ANSWERS[form],
  };
}

function observation(
  concept: DemoConcept,
  value: number | string,
  subject: ReportSubject & { readonly takenAt: string },
): object {
  const { code, display, type } = concept;
  return {
    resourceType: 'Observation',
    status: 'final',
    category: [{ coding: [{ system: CATEGORY_SYSTEM, code: CATEGORIES[type] }] }],
    code: { coding: [{ system: LIBRARY.url, version: LIBRARY.version, code, display }], text: display },
    subject: referenceTo(subject),
    effectiveDateTime: subject.takenAt,
    ...answerValue(concept, value, subject.concepts),
    ...referenceRange(concept),
  };
}

/** What is normal, as a laboratory or a caregiver sends it with each value; nothing where there is no such range. */
function referenceRange({ normal, unit }: DemoConcept): object {
  if (normal === undefined || unit === undefined) return {};
  const { low, high } = normal;
  const range = {
    ...(low === undefined ? {} : { low: quantityOf(low, unit) }),
    ...(high === undefined ? {} : { high: quantityOf(high, unit) }),
    type: { coding: [{ system: RANGE_SYSTEM, code: 'normal', display: 'Normal Range' }] },
  };
  return { referenceRange: [range] };
}

const RANGE_SYSTEM = 'http://terminology.hl7.org/CodeSystem/referencerange-meaning';

const CATEGORY_SYSTEM = 'http://terminology.hl7.org/CodeSystem/observation-category';
const CATEGORIES: Readonly<Record<DemoConcept['type'], string>> = {
  measurement: 'vital-signs',
  laboratory: 'laboratory',
  assessment: 'survey',
  activity: 'activity',
};

function answerValue(concept: DemoConcept, value: number | string, guids: ReadonlyMap<string, string>): object {
  if (typeof value === 'number') {
    return concept.unit === undefined ? { valueInteger: value } : { valueQuantity: quantityOf(value, concept.unit) };
  }
  const display = concept.values?.find(({ code }) => code === value)?.display ?? value;
  const guid = guids.get(concept.code);
  if (guid === undefined) return { valueCodeableConcept: { text: display } };
  const system = `urn:uuid:${guid}`;
  return { valueCodeableConcept: { coding: [{ system, code: value, display }], text: display } };
}

function quantityOf(value: number, unit: keyof typeof UNITS): object {
  return { value, unit: UNITS[unit].name, system: 'http://unitsofmeasure.org', code: UNITS[unit].ucum_code };
}

function referenceTo({ patientGuid, patientName }: ReportSubject): object {
  return { reference: `Patient/${patientGuid}`, display: patientName };
}

/** Half past seven in the morning, that many days ago. */
function morningOf(now: number, daysAgo: number): string {
  const day = new Date(now - (daysAgo + 1) * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  return `${day}T07:30:00+01:00`;
}

function daily(concept: string, ...values: readonly number[]): Series {
  return { concept, everyDays: 1, values };
}
