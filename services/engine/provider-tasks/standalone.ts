// A contained resource taken out of its container (hl7.org/fhir/R5/references.html#contained): `#id` is resolved within
// one resource, so what it names among its siblings goes with it, or the reference would lead to nothing.

type Json = Readonly<Record<string, unknown>>;

/**
 * The resource with the siblings that it names, and those that these name, as its own `contained`; the very same when
 * it names none.
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

/** The texts `#id` of a value, without the sign; those that name nothing are passed over by the caller. */
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
