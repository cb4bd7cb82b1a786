// Contained resources that nothing refers to any more (R5 dom-3 forbids them): they go when the element that named them
// has gone.
import { type FhirObject, isObject, objectsOf } from './json.ts';

/** The resource without the contained resources that cannot be reached from it, directly or through each other. */
export function pruneContained(resource: FhirObject): FhirObject {
  const { contained, ...rest } = resource;
  const all = objectsOf(contained);
  if (all.length === 0) return resource;
  const byFragment = Map.groupBy(all, (item) => `#${String(item['id'])}`);
  const named = new Map(all.map((item) => [item, fragmentsIn(item)]));
  const kept = new Set<FhirObject>();
  const reached = new Set<string>();
  // What refers to the container (`#`) needs nobody to refer to it.
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

/** Every text of the form `#…` in the value. */
function fragmentsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('#') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(fragmentsIn);
  return isObject(value) ? Object.values(value).flatMap(fragmentsIn) : [];
}
