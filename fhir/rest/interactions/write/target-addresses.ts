// Collects the addresses on this server that a resource refers to, whether they exist or not. Pure.
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { parseReference } from '#fhir/resources/references.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import { MAX_ISSUES } from '#fhir/validation/issue-list.ts';

/** So many references to one address are named: no answer names more errors. */
const MAX_NAMED = MAX_ISSUES;

/** What a resource refers to, perhaps many times. */
export interface ReferenceTarget extends ResourceAddress {
  /** As FHIRPath expressions: `Observation.subject.reference`. */
  readonly fields: readonly string[];
}

/** The resources of this server that a resource refers to, each once. */
export function referenceTargets(resource: unknown, baseUrl: string): ReferenceTarget[] {
  if (!isJsonObject(resource)) return [];
  const found = new Map<string, Found>();
  collect(resource, String(resource['resourceType']), baseUrl, found);
  return [...found.values()];
}

interface Found extends ResourceAddress {
  readonly fields: string[];
}

function collect(value: unknown, place: string, baseUrl: string, found: Map<string, Found>): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) collect(each, `${place}[${index}]`, baseUrl, found);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const field = `${place}.${name}`;
    if (name !== 'reference' || typeof member !== 'string') {
      collect(member, field, baseUrl, found);
      continue;
    }
    const parsed = parseReference(member, baseUrl);
    if (parsed?.kind === 'relative') {
      const address = `${parsed.type}/${parsed.id}`;
      const target = found.get(address) ?? { resourceType: parsed.type, id: parsed.id, fields: [] };
      if (target.fields.length < MAX_NAMED) target.fields.push(field);
      found.set(address, target);
    }
  }
}
