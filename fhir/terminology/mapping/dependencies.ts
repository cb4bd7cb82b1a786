// Compares the dependencies in a request with those of a mapping (hl7.org/fhir/R5/conceptmap.html, dependsOn).
import { isInPart } from '../content/content.ts';
import { type Json, objects, text } from '../json.ts';
import type { AttributeValue, MapTarget } from './concept-map-model.ts';
import type { MappingContext } from './mapping-context.ts';

/** `unknown`: the request has no value for an attribute on which the mapping depends. */
export type Fulfilment = 'fulfilled' | 'contradicted' | 'unknown';

export function fulfilmentOf({ dependsOn }: MapTarget, context: MappingContext): Fulfilment {
  const verdicts = dependsOn.map((each) => {
    const given = context.dependencies.filter(
      ({ attribute }) => attribute === each.attribute || attribute === each.code,
    );
    if (given.length === 0) return 'unknown';
    return given.some(({ value }) => isFulfilled(each, value, context)) ? 'fulfilled' : 'contradicted';
  });
  if (verdicts.includes('contradicted')) return 'contradicted';
  return verdicts.includes('unknown') ? 'unknown' : 'fulfilled';
}

function isFulfilled({ value, valueSet }: AttributeValue, given: unknown, context: MappingContext): boolean {
  if (valueSet !== undefined) {
    const { system, code } = comparable(given);
    return (context.codesOf(valueSet) ?? []).some(
      (part) => (system === undefined || part.system === system) && isInPart(part, code ?? ''),
    );
  }
  const [wanted] = Object.values(value ?? {});
  const [a, b] = [comparable(wanted), comparable(given)];
  return a.code === b.code && a.number === b.number && (a.system ?? b.system) === (b.system ?? a.system);
}

/** A comparable form of a code, Coding, string, boolean or Quantity. */
function comparable(value: unknown): { system?: string | undefined; code?: string | undefined; number?: number } {
  const [object] = objects(value);
  if (object === undefined) return { code: String(value) };
  const code = text(object['code']) ?? text(object['unit']);
  const number = Number(object['value']);
  return { system: text(object['system']), code, ...(isQuantity(object) ? { number } : {}) };
}

function isQuantity({ value }: Json): boolean {
  return value !== undefined;
}
