// Whether a coded value is in a value set that is known here (hl7.org/fhir/R5/terminologies.html#strength).
import { codeSyntax } from '../code-syntax.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { isJsonObject, type JsonObject } from '../validation/context.ts';
import type { Item } from './items.ts';

/** Whether the codes of a value set can be told here. */
export function isKnownSet(definitions: Definitions, valueSet: string): boolean {
  return definitions.codeSet(valueSet) !== undefined || codeSyntax(valueSet) !== undefined;
}

/** Undefined when the value set is not known, or the value is nothing that could be in one. */
export function isInValueSet(definitions: Definitions, valueSet: string, { type, value }: Item): boolean | undefined {
  if (!isKnownSet(definitions, valueSet)) return undefined;
  if (typeof value === 'string') return hasCode(definitions, valueSet, value);
  if (!isJsonObject(value)) return undefined;
  switch (type) {
    case 'Coding':
    case 'Quantity':
      return value['code'] === undefined && type === 'Quantity' ? undefined : hasCoding(definitions, valueSet, value);
    case 'CodeableConcept':
      return hasConcept(definitions, valueSet, value);
    case 'CodeableReference':
      return isJsonObject(value['concept']) ? hasConcept(definitions, valueSet, value['concept']) : undefined;
    default:
      return undefined;
  }
}

function hasConcept(definitions: Definitions, valueSet: string, { coding }: JsonObject): boolean {
  return Array.isArray(coding) && coding.some((each) => isJsonObject(each) && hasCoding(definitions, valueSet, each));
}

function hasCoding(definitions: Definitions, valueSet: string, { system, code }: JsonObject): boolean {
  if (typeof code !== 'string' || typeof system !== 'string') return false;
  const syntax = codeSyntax(valueSet);
  if (syntax?.systems.includes(system) && syntax.isValid(code)) return true;
  return definitions.codeSet(valueSet)?.has(system, code) ?? false;
}

function hasCode(definitions: Definitions, valueSet: string, code: string): boolean {
  return definitions.codeSet(valueSet)?.hasCode(code) === true || codeSyntax(valueSet)?.isValid(code) === true;
}
