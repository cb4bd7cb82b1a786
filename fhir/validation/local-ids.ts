// Resolves the `#id` of narratives and canonicals within their resource, contained resources included
// (hl7.org/fhir/R5/narrative.html#internal, references.html#canonical). Most lead to a contained resource, which is
// found without a search.
import type { Slot } from '../definitions/shapes.ts';
import { addIssue, isJsonObject, type JsonObject, type ValidationContext } from './context.ts';
import { noteReferenced } from './resources.ts';
import { type ScannedXhtml, scanXhtml } from './xhtml-scan.ts';

/** Notes the ids that links and images of a narrative name; these may be in another narrative of the resource. */
export function checkLocalLinks(context: ValidationContext, { local, ids }: ScannedXhtml): void {
  const own = new Set(ids);
  for (const id of local) noteReferenced(context, id);
  if (local.every((id) => own.has(id) || isWithin(context, id))) return;
  addIssue(context, 'not-found', 'must have links and images that lead to something: no such id is in the resource');
}

/**
 * Checks a canonical `#id`: it names a contained resource of a type that the element allows; `#` is the resource
 * itself.
 */
export function checkLocalCanonical(context: ValidationContext, { type: { targets } }: Slot, id: string): void {
  if (id === '') return;
  const { definitions, scope } = context;
  const type = scope.contained.get(id);
  if (type === undefined) {
    if (!isWithin(context, id)) addIssue(context, 'not-found', 'must name something contained: nothing has this id');
    return;
  }
  if (targets === undefined || !definitions.isResourceType(type)) return;
  // A target that is not a resource type (CanonicalResource) is an interface of several types.
  if (targets.some((allowed) => !definitions.isResourceType(allowed) || definitions.isKindOf(type, allowed))) return;
  addIssue(context, 'value', `must point to ${targets.join(' or ')}, not to ${type}`);
}

function isWithin({ scope }: ValidationContext, id: string): boolean {
  return scope.contained.has(id) || idsOf(scope.resource).has(id);
}

const known = new WeakMap<JsonObject, ReadonlySet<string>>();

/**
 * The ids of a resource, of its contained resources, of their elements and of their narratives. Called only for an id
 * that no contained resource has.
 */
function idsOf(resource: JsonObject): ReadonlySet<string> {
  const found = known.get(resource) ?? collectIds(resource);
  known.set(resource, found);
  return found;
}

/** Without recursion, as a client chooses the depth. */
function collectIds(resource: JsonObject): Set<string> {
  const ids = new Set<string>();
  const left: unknown[] = [resource];
  while (left.length > 0) {
    const value = left.pop();
    if (Array.isArray(value)) {
      for (const each of value) if (typeof each === 'object') left.push(each);
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'object') left.push(member);
        else if (typeof member !== 'string') continue;
        else if (name === 'id') ids.add(member);
        else if (name === 'div') for (const id of scanXhtml(member)?.ids ?? []) ids.add(id);
      }
    }
  }
  return ids;
}
