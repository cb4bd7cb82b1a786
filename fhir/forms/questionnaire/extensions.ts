// Reads FHIR's extensions of Questionnaire items (hl7.org/fhir/extensions), whatever the type of their value.
import { objectIn, objectsIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const UNIT_VALUE_SET = 'questionnaire-unitValueSet';

/** The value of the extension with that short name, or of another publisher's with that address. */
export function extensionValue(element: JsonObject, name: string): unknown {
  return extensionValues(element, name)?.[0];
}

/** The values of a repeatable extension; undefined when there is none. */
export function extensionValues(element: JsonObject, name: string): unknown[] | undefined {
  const values = objectsIn(element['extension'])
    .filter(({ url }) => url === (name.startsWith('http:') ? name : CORE + name))
    .flatMap((extension) => valueIn(extension) ?? []);
  return values.length === 0 ? undefined : values;
}

/** The complex extensions with that short name. */
export function nestedExtensions(element: JsonObject, name: string): JsonObject[] {
  return objectsIn(element['extension']).filter(({ url }) => url === CORE + name);
}

/** The value of a part of a complex extension. */
export function nestedValue(extension: JsonObject, part: string): unknown {
  const found = objectsIn(extension['extension']).find(({ url }) => url === part);
  return found && valueIn(found);
}

/** The texts of an element in other languages (hl7.org/fhir/extensions: translation), by tag; undefined for none. */
export function translationsOf(sibling: unknown): Readonly<Record<string, string>> | undefined {
  const found = nestedExtensions(objectIn(sibling) ?? {}, 'translation').flatMap((extension) => {
    const [language, content] = [textIn(nestedValue(extension, 'lang')), textIn(nestedValue(extension, 'content'))];
    return language === undefined || content === undefined ? [] : [[language, content] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function valueIn(extension: JsonObject): unknown {
  return Object.entries(extension).find(([key]) => key.startsWith('value'))?.[1];
}

/** The address of the ValueSet that lists the units of a quantity. */
export function unitSourceOf(item: JsonObject): string | undefined {
  return textIn(extensionValue(item, UNIT_VALUE_SET));
}

/** Sets the address of the item's units; unchanged for an item that names none. */
export function withUnitSource(item: JsonObject, source: string): JsonObject {
  const extension = objectsIn(item['extension']).map((each) =>
    each['url'] === CORE + UNIT_VALUE_SET ? { ...each, valueCanonical: source } : each,
  );
  return extension.length === 0 ? item : { ...item, extension };
}
