// Takes a contained resource out of its container (hl7.org/fhir/R5/references.html#contained). `#id` is resolved within
// one resource, so the siblings that it references are contained in the copy.

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the resource with the siblings that it references, directly or indirectly, as its own `contained`. Returns
 * the same object when it references none.
 */
export function standalone(resource: Json, siblings: readonly Json[]): Json {
  const byId = new Map(siblings.filter((each) => each !== resource).map((each) => [each['id'], each]));
  const taken = new Set<Json>();
  const waiting = [resource];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const id of localIds(next)) {
      const sibling = byId.get(id);
      if (sibling === undefined || taken.has(sibling)) continue;
      taken.add(sibling);
      waiting.push(sibling);
    }
  }
  return taken.size === 0 ? resource : { ...resource, contained: siblings.filter((each) => taken.has(each)) };
}

/** Yields the ids of texts `#id` in a value. The caller skips unknown ids. */
function localIds(value: unknown): string[] {
  const ids: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && next.startsWith('#')) ids.push(next.slice(1));
    else if (typeof next === 'object' && next !== null) for (const each of Object.values(next)) open.push(each);
  }
  return ids;
}
