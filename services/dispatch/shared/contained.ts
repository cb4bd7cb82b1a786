// Contained resources that nothing refers to any more (R5 dom-3 forbids them): they go when the element that named them has gone.
import { type FhirObject, isObject, objectsOf } from './json.ts';

/** The resource without the contained resources that cannot be reached from it, directly or through each other. */
export function pruneContained(resource: FhirObject): FhirObject {
  const { contained, ...rest } = resource;
  const all = objectsOf(contained);
  if (all.length === 0) return resource;
  const kept = new Set<FhirObject>();
  const reached = new Set(fragmentsIn(rest));
  for (;;) {
    // What refers to the container (`#`) needs nobody to refer to it.
    const found = all.filter((item) => !kept.has(item) && (reached.has(`#${String(item['id'])}`) || isBackward(item)));
    if (found.length === 0) break;
    for (const item of found) {
      kept.add(item);
      for (const fragment of fragmentsIn(item)) reached.add(fragment);
    }
  }
  if (kept.size === all.length) return resource;
  return kept.size === 0 ? rest : { ...resource, contained: all.filter((item) => kept.has(item)) };
}

function isBackward(item: FhirObject): boolean {
  return fragmentsIn(item).includes('#');
}

/** Every text of the form `#…` in the value. */
function fragmentsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('#') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(fragmentsIn);
  return isObject(value) ? Object.values(value).flatMap(fragmentsIn) : [];
}
