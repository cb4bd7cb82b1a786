// Removes contained resources without a reference to them, which R5 forbids (dom-3). They appear when the element that
// referred to them is removed.
import { type FhirObject, isObject, objectsOf } from '#fhir/json/objects.ts';

/** The resource without contained resources that no reference reaches, directly or through each other. */
export function pruneContained(resource: FhirObject): FhirObject {
  const { contained, ...rest } = resource;
  const all = objectsOf(contained);
  if (all.length === 0) return resource;
  const byFragment = Map.groupBy(all, (item) => `#${String(item['id'])}`);
  const named = new Map(all.map((item) => [item, fragmentsIn(item)]));
  const kept = new Set<FhirObject>();
  const reached = new Set<string>();
  // A resource that refers to the container (`#`) needs no reference to itself.
  const found = all.filter((item) => named.get(item)?.includes('#'));
  const reach = (fragments: readonly string[]): void => {
    for (const fragment of fragments) {
      if (reached.has(fragment)) continue;
      reached.add(fragment);
      for (const item of byFragment.get(fragment) ?? []) found.push(item);
    }
  };
  reach(fragmentsIn(rest));
  for (let item = found.pop(); item !== undefined; item = found.pop()) {
    if (kept.has(item)) continue;
    kept.add(item);
    reach(named.get(item) ?? []);
  }
  if (kept.size === all.length) return resource;
  return kept.size === 0 ? rest : { ...resource, contained: all.filter((item) => kept.has(item)) };
}

/** Every string `#…` in the value. */
function fragmentsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('#') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(fragmentsIn);
  return isObject(value) ? Object.values(value).flatMap(fragmentsIn) : [];
}
