// Decides whether a definition, or one context of an extension, is for R5 (hl7.org/fhir/extensions,
// version-specific-use).
import { isJsonObject, type JsonObject } from '../validation/context.ts';

const RANGE = 'http://hl7.org/fhir/StructureDefinition/version-specific-use';
const R5 = 5;

/** Whether the element with these extensions is for R5: it has no version range, or one that contains R5. */
export function isForR5({ extension }: JsonObject): boolean {
  const ranges = extensionsOf(extension, RANGE);
  return ranges.length === 0 || ranges.some((range) => containsR5(range['extension']));
}

function containsR5(bounds: unknown): boolean {
  const start = versionOf(extensionsOf(bounds, 'startFhirVersion')[0]);
  const end = versionOf(extensionsOf(bounds, 'endFhirVersion')[0]);
  return (start === undefined || start <= R5) && (end === undefined || end >= R5);
}

/** `4.3` of `4.3.0`; undefined for any other text. */
function versionOf(bound: JsonObject | undefined): number | undefined {
  const value = bound?.['valueCode'] ?? bound?.['valueString'];
  const [found] = typeof value === 'string' ? (/^\d+(?:\.\d+)?/.exec(value) ?? []) : [];
  return found === undefined ? undefined : Number(found);
}

function extensionsOf(list: unknown, url: string): JsonObject[] {
  return (Array.isArray(list) ? list : []).filter(isJsonObject).filter((each) => each['url'] === url);
}
