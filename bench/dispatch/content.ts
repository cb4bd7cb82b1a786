// The content of the benchmark of dispatch: one plan of a few activities, three forms of fifty items, and generated
// patients with consent.
import { LOCAL_ORGANISATION } from '#lib/auth/data-scope.ts';

const LIBRARY = 'https://bench.example.org/library';
const FORMS = 3;
const ITEMS = 50;
const ACTIVITIES = 4;

const KINDS = { patient: 0, consent: 1, careplan: 2, plan: 3, form: 4, provider: 5, stranger: 6, request: 7 } as const;

/** The guid of what is made up, by its kind and number. */
export function guidOf(kind: keyof typeof KINDS, index: number): string {
  return `019b0000-000${KINDS[kind]}-7000-8000-${index.toString(16).padStart(12, '0')}`;
}

export type Resource = Readonly<Record<string, unknown>> & { readonly resourceType: string; readonly id: string };

const concept = (code: string, text: string) => ({ coding: [{ system: LIBRARY, code, display: text }], text });

const PLAN_URL = 'https://bench.example.org/plans/heart-failure';

/** A plan for every ServiceRequest. */
export function plan(): Resource {
  const daily = { repeat: { frequency: 1, period: 1, periodUnit: 'd' } };
  const numbers = Array.from({ length: ACTIVITIES }, (_, index) => index + 1);
  return {
    resourceType: 'PlanDefinition',
    id: guidOf('plan', 0),
    url: PLAN_URL,
    version: '1',
    title: 'Heart failure at home',
    status: 'active',
    contained: numbers.map((number) => ({
      resourceType: 'ActivityDefinition',
      id: `activity-${number}`,
      title: `Visit of kind ${number}`,
      status: 'active',
      kind: 'ServiceRequest',
      code: concept(`visit-${number}`, `Visit of kind ${number}`),
      intent: 'plan',
      timingTiming: daily,
    })),
    action: numbers.map((number) => ({
      id: `action-${number}`,
      title: `Visit of kind ${number}`,
      code: concept(`visit-${number}`, `Visit of kind ${number}`),
      definitionCanonical: `#activity-${number}`,
    })),
  };
}

/** Three forms of fifty items each: groups of ten with questions of five kinds, some of which depend on another. */
export function forms(): Resource[] {
  return Array.from({ length: FORMS }, (_, form) => ({
    resourceType: 'Questionnaire',
    id: guidOf('form', form),
    url: `https://bench.example.org/forms/${form + 1}`,
    version: '1',
    title: `Assessment ${form + 1}`,
    status: 'active',
    subjectType: ['Patient'],
    item: Array.from({ length: ITEMS / 10 }, (_, group) => ({
      linkId: `${group + 1}`,
      type: 'group',
      text: `Part ${group + 1}`,
      item: Array.from({ length: 9 }, (_, index) => question(`${group + 1}`, index + 1)),
    })),
  }));
}

function question(group: string, number: number): object {
  const linkId = `${group}.${number}`;
  const text = `Question ${linkId}: how has it been since the last visit?`;
  switch (number % 5) {
    case 1:
      return { linkId, text, type: 'boolean', required: true };
    case 2: {
      const enableWhen = [{ question: `${group}.1`, operator: '=', answerBoolean: true }];
      const answerOption = ['none', 'little', 'much'].map((code) => ({
        valueCoding: { system: LIBRARY, code, display: code },
      }));
      return { linkId, text, type: 'coding', enableWhen, answerOption };
    }
    case 3:
      return { linkId, text, type: 'decimal' };
    case 4:
      return { linkId, text, type: 'text', maxLength: 2000 };
    default:
      return { linkId, text, type: 'date' };
  }
}

export const ORGANISATION = LOCAL_ORGANISATION;

export function patientOf(index: number): Resource {
  const id = guidOf('patient', index);
  return {
    resourceType: 'Patient',
    id,
    identifier: [{ system: 'https://bench.example.org/patients', value: String(100_000 + index) }],
    name: [{ family: `Öberg-${index}`, given: ['Åsa', 'Maria'] }],
    telecom: [{ system: 'phone', value: `+46701${String(index).padStart(6, '0')}` }],
    gender: 'female',
    birthDate: '1950-01-02',
    address: [{ line: [`Storgatan ${index}`], city: 'Norrvik', postalCode: '12345' }],
    managingOrganization: { reference: `Organization/${ORGANISATION}` },
  };
}

/**
 * A provider's organisation, part of no other: the exceptions of consents are checked against the stored organisations.
 */
export function organisationOf(index: number): Resource {
  return { resourceType: 'Organization', id: providerOf(index), active: true, name: `Provider ${index}` };
}

/** Permits, except to one organisation that is none of the providers. */
export function consentOf(index: number): Resource {
  const actor = [{ reference: { reference: `Organization/${guidOf('stranger', index)}` } }];
  return {
    resourceType: 'Consent',
    id: guidOf('consent', index),
    status: 'active',
    subject: { reference: `Patient/${guidOf('patient', index)}` },
    date: '2026-01-01',
    decision: 'permit',
    provision: [{ actor }],
  };
}

export function carePlanOf(index: number): Resource {
  return {
    resourceType: 'CarePlan',
    id: guidOf('careplan', index),
    status: 'active',
    intent: 'plan',
    title: 'Care at home',
    subject: { reference: `Patient/${guidOf('patient', index)}` },
    instantiatesCanonical: [PLAN_URL],
  };
}

export const providerOf = (index: number): string => guidOf('provider', index);
