// Builds Parameters resources (hl7.org/fhir/R5/parameters.html).
import type { Json } from '../json.ts';
import type { Coding, Property } from '../model/code-system-model.ts';
import { PROPERTY_KINDS } from '../model/code-system-model.ts';

export interface Parameters {
  readonly resourceType: 'Parameters';
  readonly parameter: readonly Json[];
}

/** A Parameters resource of the given parts, in order, without undefined ones. */
export function parametersOf(...parameters: readonly (Json | undefined)[]): Parameters {
  return { resourceType: 'Parameters', parameter: defined(parameters) };
}

/** The member name of a value type. It is cached, as a newly concatenated string is slower as a property name. */
const members = new Map<string, string>();

function memberOf(kind: string): string {
  const known = members.get(kind) ?? `value${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  members.set(kind, known);
  return known;
}

/**
 * A parameter with a value; undefined without a value. The most frequent types are object literals, which are faster to
 * create.
 */
export function parameter(name: string, kind: string, value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  switch (kind) {
    case 'Code':
      return { name, valueCode: value };
    case 'String':
      return { name, valueString: value };
    case 'Uri':
      return { name, valueUri: value };
    case 'Boolean':
      return { name, valueBoolean: value };
    case 'Coding':
      return { name, valueCoding: value };
    default:
      return { name, [memberOf(kind)]: value };
  }
}

export function partsOf(name: string, ...parts: readonly (Json | undefined)[]): Json {
  return { name, part: defined(parts) };
}

/** The list itself, when nothing in it is undefined. */
function defined(list: readonly (Json | undefined)[]): readonly Json[] {
  return isDefined(list) ? list : list.filter((each) => each !== undefined);
}

function isDefined(list: readonly (Json | undefined)[]): list is readonly Json[] {
  return !list.includes(undefined);
}

/** A parameter with the value of a property. */
export function propertyParameter(name: string, property: Property): Json | undefined {
  if (property.kind === 'code') return parameter(name, 'Code', property.value);
  if (property.kind === 'string') return parameter(name, 'String', property.value);
  return { name, ...propertyValue(property) };
}

/** The value of a property under its FHIR member: `valueCode`, `valueBoolean` … */
export function propertyValue({ kind, value }: Property): Json {
  const known = PROPERTY_KINDS.includes(kind) ? kind : 'string';
  const member = memberOf(known);
  switch (known) {
    case 'Coding':
      return { [member]: JSON.parse(value) as Coding };
    case 'boolean':
      return { [member]: value === 'true' };
    case 'integer':
    case 'decimal':
      return { [member]: Number(value) };
    default:
      return { [member]: value };
  }
}
