// Extensions of concepts and designations that operations read and expansions repeat. A model keeps them among the
// properties, under names that no property can have.
import { type Json, objects, text } from '../json.ts';

const BASE = 'http://hl7.org/fhir/StructureDefinition/';
export const STANDARDS_STATUS = `${BASE}structuredefinition-standards-status`;
export const VALUE_SET_DEPRECATED = `${BASE}valueset-deprecated`;
export const ITEM_WEIGHT = `${BASE}itemWeight`;
export const LABELS: readonly string[] = [`${BASE}codesystem-label`, `${BASE}valueset-label`];
export const ORDERS: readonly string[] = [`${BASE}codesystem-conceptOrder`, `${BASE}valueset-conceptOrder`];

/** Extensions that become properties of an expansion (label, order, weight). */
const AS_PROPERTY = new Set([...LABELS, ...ORDERS, ITEM_WEIGHT]);
const KEPT = new Set([
  ...AS_PROPERTY,
  STANDARDS_STATUS,
  VALUE_SET_DEPRECATED,
  ...['rendering-style', 'rendering-xhtml', 'valueset-concept-definition', 'coding-sctdescid'].map(
    (name) => `${BASE}${name}`,
  ),
]);

/** The extensions of an element that are kept. */
export function extensionsOf({ extension }: Json): readonly Json[] {
  return extension === undefined ? NONE : objects(extension).filter(({ url }) => KEPT.has(text(url) ?? ''));
}

const NONE: readonly Json[] = [];

/** Those that an expansion repeats as extensions. */
export function repeated(extensions: readonly Json[]): readonly Json[] {
  return extensions.filter(({ url }) => !AS_PROPERTY.has(text(url) ?? ''));
}

/** The value of the first extension with one of the URLs. */
export function extensionValue(extensions: readonly Json[], urls: readonly string[]): unknown {
  const found = extensions.find(({ url }) => urls.includes(text(url) ?? ''));
  return Object.entries(found ?? {}).find(([name]) => name.startsWith('value'))?.[1];
}

/** `deprecated`, `withdrawn` …; undefined when there is none. */
export function standardsStatusOf(element: Json): string | undefined {
  return text(extensionValue(objects(element['extension']), [STANDARDS_STATUS]));
}

const PREFIX = '\u0001';

/** The name of the property that keeps extensions. */
export const EXTENSION_PROPERTY = `${PREFIX}extension`;
