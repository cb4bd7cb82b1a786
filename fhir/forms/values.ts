// Values of answers (hl7.org/fhir/R5/questionnaireresponse.html): their order and equality as conditions and limits of
// a form compare them (questionnaire.html#enableWhen). Numbers may be those of exact JSON, which keep their digits.

type Json = Readonly<Record<string, unknown>>;

/** One value in its FHIR element, such as `{ valueBoolean: true }`. */
export type AnswerValue = Readonly<Record<string, unknown>>;

/** The element of an answer, such as `valueCoding`; undefined when there is none. */
export function elementOf(answer: AnswerValue): string | undefined {
  return Object.keys(answer).find((name) => /^value[A-Z]/.test(name));
}

/** The bare value of an answer. */
export function valueIn(answer: AnswerValue): unknown {
  const element = elementOf(answer);
  return element === undefined ? undefined : answer[element];
}

/** Whether it is a text of spaces alone, which answers nothing. */
export function isBlank(answer: AnswerValue): boolean {
  const value = valueIn(answer);
  return typeof value === 'string' && value.trim() === '';
}

/** The number of a plain or exact value; NaN for any other. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return isExactNumber(value) ? Number(JSON.stringify(value)) : Number.NaN;
}

/** A number as its text. */
export function numberText(value: unknown): string {
  return isExactNumber(value) ? JSON.stringify(value) : String(value);
}

/** Negative, zero or positive; NaN for values without an order, such as quantities of different units. */
export function compareValues(left: unknown, right: unknown): number {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  if (isQuantity(left) && isQuantity(right)) {
    return isSameUnit(left, right) ? numberOf(left['value']) - numberOf(right['value']) : Number.NaN;
  }
  if (typeof left !== 'string' || typeof right !== 'string') return isEqualValue(left, right) ? 0 : Number.NaN;
  const areMoments = left.includes('T') && right.includes('T');
  const moments = areMoments ? Date.parse(left) - Date.parse(right) : Number.NaN;
  if (!Number.isNaN(moments)) return moments;
  return left === right ? 0 : left > right ? 1 : -1;
}

/** Codings are equal by system and code, quantities by unit and value. */
export function isEqualValue(left: unknown, right: unknown): boolean {
  if (isQuantity(left) && isQuantity(right)) return compareValues(left, right) === 0;
  if (isRecord(left) && isRecord(right)) {
    if (left['code'] !== undefined) return left['system'] === right['system'] && left['code'] === right['code'];
    return JSON.stringify(left) === JSON.stringify(right);
  }
  if (typeof left !== typeof right) return numberOf(left) === numberOf(right);
  if (typeof left === 'string') return compareValues(left, right) === 0;
  return left === right;
}

/** Whether both answers have the same element and value. */
export function isSameAnswer(left: AnswerValue, right: AnswerValue): boolean {
  return elementOf(left) === elementOf(right) && isEqualValue(valueIn(left), valueIn(right));
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

function isQuantity(value: unknown): value is Json {
  return isRecord(value) && 'value' in value;
}

function isSameUnit(left: Json, right: Json): boolean {
  return left['system'] === right['system'] && (left['code'] ?? left['unit']) === (right['code'] ?? right['unit']);
}

/** The number objects of exact JSON have no prototype and are written as numbers. */
function isExactNumber(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'rawJSON' in value && Object.isFrozen(value);
}
