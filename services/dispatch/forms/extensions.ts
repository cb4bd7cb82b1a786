// Reads FHIR's extensions of Questionnaire items (hl7.org/fhir/extensions), whatever the type of their value.
import { type FhirObject, objectOf, objectsOf, textOf } from '../shared/json.ts';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const UNIT_VALUE_SET = 'questionnaire-unitValueSet';

/** The value of the extension with that short name. */
export function extensionValue(element: FhirObject, name: string): unknown {
  return extensionValues(element, name)?.[0];
}

/** The values of a repeatable extension; undefined when there is none. */
export function extensionValues(element: FhirObject, name: string): unknown[] | undefined {
  const values = objectsOf(element['extension'])
    .filter(({ url }) => url === CORE + name)
    .flatMap((extension) => valueIn(extension) ?? []);
  return values.length === 0 ? undefined : values;
}

/** The complex extensions with that short name. */
export function nestedExtensions(element: FhirObject, name: string): FhirObject[] {
  return objectsOf(element['extension']).filter(({ url }) => url === CORE + name);
}

/** The value of a part of a complex extension. */
export function nestedValue(extension: FhirObject, part: string): unknown {
  const found = objectsOf(extension['extension']).find(({ url }) => url === part);
  return found && valueIn(found);
}

/** The texts of an element in other languages (hl7.org/fhir/extensions: translation), by tag; undefined for none. */
export function translationsOf(sibling: unknown): Readonly<Record<string, string>> | undefined {
  const found = nestedExtensions(objectOf(sibling) ?? {}, 'translation').flatMap((extension) => {
    const [language, content] = [textOf(nestedValue(extension, 'lang')), textOf(nestedValue(extension, 'content'))];
    return language === undefined || content === undefined ? [] : [[language, content] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function valueIn(extension: FhirObject): unknown {
  return Object.entries(extension).find(([key]) => key.startsWith('value'))?.[1];
}

/** The address of the ValueSet that lists the units of a quantity. */
export function unitSourceOf(item: FhirObject): string | undefined {
  return textOf(extensionValue(item, UNIT_VALUE_SET));
}

/** Sets the address of the item's units; unchanged for an item that names none. */
export function withUnitSource(item: FhirObject, source: string): FhirObject {
  const extension = objectsOf(item['extension']).map((each) =>
    each['url'] === CORE + UNIT_VALUE_SET ? { ...each, valueCanonical: source } : each,
  );
  return extension.length === 0 ? item : { ...item, extension };
}
