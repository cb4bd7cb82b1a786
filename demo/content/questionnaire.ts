// Functions that build the items of the demo's forms, each one item of an R5 Questionnaire
// (hl7.org/fhir/R5/questionnaire.html).
import { UNITS, type UnitKey } from './concepts.ts';

export interface Item {
  readonly linkId: string;
  readonly text: string;
  readonly type: string;
  readonly required?: true;
  readonly [element: string]: unknown;
}

const ANSWERS = 'https://example.org/kedja/svar';
const CORE = 'http://hl7.org/fhir/StructureDefinition/';

export interface DemoForm {
  readonly id: string;
  readonly title: string;
  readonly purpose: string;
  readonly items: readonly Item[];
}

export function buildQuestionnaire({ id, title, purpose, items }: DemoForm) {
  return {
    resourceType: 'Questionnaire',
    id,
    language: 'sv',
    url: `https://example.org/kedja/formular/${id}`,
    version: '1',
    title,
    status: 'active',
    subjectType: ['Patient'],
    date: '2026-01-15',
    publisher: 'Region Norrvik (påhittad)',
    purpose,
    item: items,
  };
}

/** An answer as a Coding of the forms' own list; its code is the position in the list. */
export function answer(linkId: string, position: number, display: string): object {
  return { system: ANSWERS, code: `${linkId}-${position}`, display };
}

export function choice(linkId: string, text: string, ...displays: readonly string[]): Item {
  const answerOption = displays.map((display, index) => ({ valueCoding: answer(linkId, index + 1, display) }));
  return { linkId, text, type: 'coding', answerOption };
}

export function severalOf(linkId: string, text: string, ...displays: readonly string[]): Item {
  return { ...choice(linkId, text, ...displays), repeats: true };
}

export function measure(linkId: string, text: string, ...units: readonly UnitKey[]): Item {
  const extension = units.map((unit) => ({
    url: `${CORE}questionnaire-unitOption`,
    valueCoding: { system: 'http://unitsofmeasure.org', code: UNITS[unit].ucum_code, display: UNITS[unit].name },
  }));
  return { linkId, text, type: 'quantity', extension };
}

export function scale(linkId: string, text: string, from: number, to: number): Item {
  const extension = [
    { url: `${CORE}minValue`, valueInteger: from },
    { url: `${CORE}maxValue`, valueInteger: to },
  ];
  return { linkId, text, type: 'integer', extension };
}

export function yesNo(linkId: string, text: string): Item {
  return { linkId, text, type: 'boolean' };
}

export function free(linkId: string, text: string): Item {
  return { linkId, text, type: 'text', maxLength: 2000 };
}

export function day(linkId: string, text: string): Item {
  return { linkId, text, type: 'date' };
}

export function note(linkId: string, text: string): Item {
  return { linkId, text, type: 'display' };
}

export function group(linkId: string, text: string, ...item: readonly Item[]): Item {
  return { linkId, text, type: 'group', item };
}

export function must(item: Item): Item {
  return { ...item, required: true };
}

/** Enabled when the yes-or-no question was answered with yes. */
export function whenYes(question: Item, item: Item): Item {
  return { ...item, enableWhen: [{ question: question.linkId, operator: '=', answerBoolean: true }] };
}

/** Enabled when one of the answers at these positions (from 1) was chosen. */
export function whenChosen(question: Item, positions: readonly number[], item: Item): Item {
  const options = Array.isArray(question['answerOption']) ? question['answerOption'] : [];
  const enableWhen = positions.map((position) => ({
    question: question.linkId,
    operator: '=',
    answerCoding: options[position - 1].valueCoding,
  }));
  return { ...item, enableWhen, ...(positions.length > 1 ? { enableBehavior: 'any' } : {}) };
}
