// Looks up elements of R5 for the compiler of search expressions, from the definitions in memory.
import { type Definitions, r5Definitions } from '../../definitions/definitions.ts';
import type { ElementDefinition } from '../../definitions/shapes.ts';
import type { ElementLookup, ElementStep } from './compile-expression.ts';

const BACKBONES = new Set(['BackboneElement', 'Element']);

/** Required value sets whose codes are checked by syntax, not by a list. */
const SYNTAX_SYSTEMS: Readonly<Record<string, string>> = {
  'http://hl7.org/fhir/ValueSet/all-languages': 'urn:ietf:bcp:47',
  'http://hl7.org/fhir/ValueSet/languages': 'urn:ietf:bcp:47',
  'http://hl7.org/fhir/ValueSet/mimetypes': 'urn:ietf:bcp:13',
};

/** A lookup of an element's steps by name, from a type or from a path within one. */
export function r5ElementLookup(): ElementLookup {
  const definitions = r5Definitions();
  return (place, name) => {
    const element = definitions.shape(place)?.elements.find((each) => each.name === name);
    return element === undefined ? [] : stepsOf(element, definitions);
  };
}

function stepsOf(element: ElementDefinition, definitions: Definitions): ElementStep[] {
  const { name, path, shapePath } = element;
  // A content reference: the shape's path differs from the element's (`Questionnaire.item.item`).
  if (shapePath?.includes('.') && shapePath !== path)
    return [{ property: name, type: 'BackboneElement', place: shapePath }];
  return element.types.map(({ code }, index) => ({
    property: element.jsonNames[index] ?? name,
    type: withSystem(code, element, definitions),
    place: BACKBONES.has(code) ? path : code,
  }));
}

/** Adds to the type the only system of an element's codes. */
function withSystem(code: string, { binding }: ElementDefinition, definitions: Definitions): string {
  if (code !== 'code' || binding?.strength !== 'required') return code;
  const valueSet = binding.valueSet.split('|')[0] ?? '';
  const systems = definitions.codeSet(valueSet)?.systems ?? [];
  const system = SYNTAX_SYSTEMS[valueSet] ?? (systems.length === 1 ? systems[0] : undefined);
  return system === undefined ? code : `code=${system}`;
}
