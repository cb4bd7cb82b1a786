// Reads parsed FHIR JSON without trusting its shape: what is absent or of another type is undefined or empty.

import { parseExactJson } from './exact-json.ts';
import { textIn } from './members.ts';

export type FhirObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is FhirObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object of a JSON text, whose numbers keep their digits; an empty one for any other value. @throws SyntaxError */
export function parseObject(text: string): FhirObject {
  const parsed = parseExactJson(text);
  return isObject(parsed) ? parsed : {};
}

/** Whether it is a plain object; the number objects of exact JSON are not. */
export function isPlain(value: unknown): value is FhirObject {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

export function objectOf(value: unknown): FhirObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The objects of a list element. */
export function objectsOf(value: unknown): readonly FhirObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The texts of a list element. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** `Reference.reference` of a Reference element. */
export function referenceOf(value: unknown): string | undefined {
  return textIn(objectOf(value)?.['reference']);
}

/**
 * The id of a literal reference to that type (`Patient/x`, also with a base URL or a version); undefined for any other.
 */
export function idOfReference(value: unknown, type: string): string | undefined {
  const match = /^(?:https?:\/\/\S+\/)?([A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/.exec(
    referenceOf(value) ?? '',
  );
  return match?.[1] === type ? match[2] : undefined;
}

/** A copy without the named members. */
export function omit(object: FhirObject, ...names: readonly string[]): FhirObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
