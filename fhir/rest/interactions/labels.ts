// Profiles, tags and security labels of a resource, added and taken away
// (hl7.org/fhir/R5/resource-operation-meta-add.html, -meta-delete).
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';

export type MetaOperation = 'meta-add' | 'meta-delete';

export const LISTS = ['profile', 'security', 'tag'] as const;
export type Labels = Readonly<Record<(typeof LISTS)[number], readonly unknown[]>>;

/** Of a Meta. */
export function labelsOf(meta: JsonObject): Labels {
  const list = (name: (typeof LISTS)[number]): readonly unknown[] => (Array.isArray(meta[name]) ? meta[name] : []);
  return { profile: list('profile'), security: list('security'), tag: list('tag') };
}

/** Adds what is not there, or takes away what is; undefined when nothing changes. */
export function changing(operation: MetaOperation, given: Labels): (resource: JsonObject) => JsonObject | undefined {
  return (resource) => {
    const meta = isJsonObject(resource['meta']) ? resource['meta'] : {};
    const held = labelsOf(meta);
    const changed: Record<string, unknown> = { ...meta };
    let isChanged = false;
    for (const list of LISTS) {
      const named = new Set(given[list].map(keyOf));
      const known = new Set(held[list].map(keyOf));
      const after =
        operation === 'meta-add'
          ? [...held[list], ...given[list].filter((label) => !known.has(keyOf(label)))]
          : held[list].filter((label) => !named.has(keyOf(label)));
      if (after.length === held[list].length) continue;
      isChanged = true;
      if (after.length === 0) delete changed[list];
      else changed[list] = after;
    }
    return isChanged ? { ...resource, meta: changed } : undefined;
  };
}

/** A label is known by its system and code, a profile by its canonical. */
function keyOf(label: unknown): string {
  return JSON.stringify(isJsonObject(label) ? [label['system'] ?? '', label['code'] ?? ''] : label);
}
