// Values of answers: where they are in an element, whether two are equal, and which is greater, as enableWhen, options
// and limits of a Questionnaire compare them (hl7.org/fhir/R5/questionnaire-definitions.html).
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';

/** The objects of a list; none for anything else. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The name of the element that holds the value, such as `valueCoding`; undefined where there is none. */
export function valueNameOf(element: JsonObject): string | undefined {
  return Object.keys(element).find((name) => /^value[A-Z]/.test(name));
}

/** The value of an answer, an option, an initial value or an extension. */
export function answerValue(element: JsonObject): unknown {
  const name = valueNameOf(element);
  return name === undefined ? undefined : element[name];
}

/** A text that is the same for equal values: of codings by system and code, of quantities by value and unit. */
export function keyOf(value: unknown): string {
  if (!isJsonObject(value)) return `${typeof value} ${String(value)}`;
  const { system, code, reference } = value;
  if (typeof value['value'] === 'number') return `quantity ${JSON.stringify([value['value'], system, code])}`;
  if (typeof code === 'string') return codeKey(system, code);
  if (typeof reference === 'string') return `reference ${reference}`;
  return JSON.stringify(value);
}

/** The key of a code. */
export function codeKey(system: unknown, code: unknown): string {
  return `code ${JSON.stringify([system ?? null, code])}`;
}

/** Whether two values are the same to a condition. */
export function isEqualValue(left: unknown, right: unknown): boolean {
  return keyOf(left) === keyOf(right) || orderOfValues(left, right) === 0;
}

/** Negative, zero or positive; NaN for values that have no order, such as quantities of different units. */
export function orderOfValues(left: unknown, right: unknown): number {
  if (isJsonObject(left) && isJsonObject(right)) {
    const isComparable = left['system'] === right['system'] && left['code'] === right['code'];
    const [a, b] = [left['value'], right['value']];
    return isComparable && typeof a === 'number' && typeof b === 'number' ? a - b : Number.NaN;
  }
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string') return left === right ? 0 : Number.NaN;
  const [a, b] = [instantOf(left), instantOf(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (left === right) return 0;
  return left > right ? 1 : -1;
}

/** The moment of a dateTime with a time; texts that say less are compared as texts. */
function instantOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}
