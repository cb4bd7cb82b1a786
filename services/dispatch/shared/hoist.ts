// Turns a resource into a contained resource. Contained resources cannot nest, so its own contained resources are moved
// beside it under new ids (hl7.org/fhir/R5/domainresource.html, dom-2 to dom-5; decision D6).

import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, isObject, isPlain, objectsOf, omit } from '#fhir/json/objects.ts';

export interface Hoisted {
  readonly resource: FhirObject;
  /** The resources that it contained, in their order. */
  readonly contained: readonly FhirObject[];
}

const MAX_ID = 64;
/** Elements whose value is free text: a text of the form `#id` is no reference there. */
const TEXT_ELEMENTS = new Set(['text', 'display', 'title', 'description', 'purpose', 'name', 'linkId', 'div']);

/** `id` is the resource's id inside the container; its own contained resources are called `<id>-<their id>`. */
export function hoist(resource: FhirObject, id: string): Hoisted {
  const inner = objectsOf(resource['contained']);
  const names = new Map<string, string>([['#', `#${id}`]]);
  inner.forEach((item, index) => {
    const own = textIn(item['id']) ?? '';
    const wanted = `${id}-${own}`;
    names.set(`#${own}`, `#${wanted.length <= MAX_ID ? wanted : `${id}-${index + 1}`}`);
  });
  const rename = (item: FhirObject, newId: string) => ({ ...bare(item), ...renamed(bare(item), names), id: newId });
  return {
    resource: ordered(rename(omit(resource, 'contained'), id)),
    contained: inner.map((item) => ordered(rename(item, names.get(`#${textIn(item['id']) ?? ''}`)?.slice(1) ?? ''))),
  };
}

/** Without versions, security labels and narrative, which contained resources may not or should not have. */
function bare(resource: FhirObject): FhirObject {
  const meta = isObject(resource['meta'])
    ? omit(resource['meta'], 'versionId', 'lastUpdated', 'security', 'source')
    : {};
  const rest = omit(resource, 'meta', 'text');
  return Object.keys(meta).length === 0 ? rest : { ...rest, meta };
}

function renamed(object: FhirObject, names: ReadonlyMap<string, string>): FhirObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, renamedValue(key, value, names)]));
}

function renamedValue(key: string, value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return TEXT_ELEMENTS.has(key) ? value : (names.get(value) ?? value);
  if (Array.isArray(value)) return value.map((item) => renamedValue(key, item, names));
  return isPlain(value) ? renamed(value, names) : value;
}

/** resourceType and id first, as readers expect. */
function ordered(resource: FhirObject): FhirObject {
  return { resourceType: resource['resourceType'], id: resource['id'], ...omit(resource, 'resourceType', 'id') };
}
