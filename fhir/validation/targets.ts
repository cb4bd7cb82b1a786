// Resolves references to contained resources and to entries of the same bundle
// (hl7.org/fhir/R5/references.html#literal).
import { literalType, parseReference, typeOfUrl } from '../resources/references.ts';
import { isJsonObject, type JsonObject, type ValidationContext } from './context.ts';
import { objectsIn } from './rules/predicates.ts';

/** The target of a literal reference; undefined when it is neither contained nor in the bundle. */
export function resolveText(context: ValidationContext, text: string | undefined): JsonObject | undefined {
  const parsed = text === undefined ? undefined : parseReference(text);
  if (text === undefined || parsed === undefined) return undefined;
  if (parsed.kind === 'contained') return containedIn(context.scope.resource, parsed.id);
  return (
    bundled(context).get(text) ??
    (parsed.kind === 'relative' ? bundled(context).get(`${parsed.type}/${parsed.id}`) : undefined)
  );
}

/**
 * The type of a reference's target: that of the resolved resource, or the one that its text or `Reference.type` names.
 */
export function typeOfTarget(context: ValidationContext, text: string | undefined, named: unknown): string | undefined {
  const resolved = resolveText(context, text);
  if (resolved !== undefined) return String(resolved['resourceType']);
  return (
    (text === undefined ? undefined : (literalType(text) ?? typeOfUrl(text))) ??
    (typeof named === 'string' ? named : undefined)
  );
}

/** The contained resources by id, for each resource: a reference then costs one lookup. */
const containedOf = new WeakMap<JsonObject, ReadonlyMap<unknown, JsonObject>>();

function containedIn(resource: JsonObject, id: string): JsonObject | undefined {
  if (id === '') return resource;
  return containedById(resource).get(id);
}

/** Whether the object is contained in the resource. */
export function isContainedIn(resource: JsonObject, object: JsonObject): boolean {
  return Array.isArray(resource['contained']) && containedById(resource).get(object['id']) === object;
}

/** The first of several with the same id. */
function containedById(resource: JsonObject): ReadonlyMap<unknown, JsonObject> {
  const known = containedOf.get(resource);
  if (known !== undefined) return known;
  const byId = new Map<unknown, JsonObject>();
  for (const each of objectsIn(resource, 'contained')) if (!byId.has(each['id'])) byId.set(each['id'], each);
  containedOf.set(resource, byId);
  return byId;
}

/** Resources of the outermost bundle by full URL, and by type and id. */
function bundled({ profiles }: ValidationContext): ReadonlyMap<string, JsonObject> {
  if (profiles.bundled !== undefined) return profiles.bundled;
  const { resourceType, entry } = profiles.root;
  const found = new Map<string, JsonObject>();
  for (const each of resourceType === 'Bundle' && Array.isArray(entry) ? entry : []) {
    const resource: unknown = isJsonObject(each) ? each['resource'] : undefined;
    if (!isJsonObject(resource)) continue;
    found.set(`${String(resource['resourceType'])}/${String(resource['id'])}`, resource);
    if (typeof each.fullUrl === 'string') found.set(each.fullUrl, resource);
  }
  profiles.bundled = found;
  return found;
}
