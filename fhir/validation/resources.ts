// Walks resources within resources: contained ones with the rules dom-2 to dom-5, entries of bundles, and parameters.
// It also resolves `#id` references (hl7.org/fhir/R5/references.html#contained).
import type { Shape, Slot } from '../definitions/shapes.ts';
import { checkContents } from './bundle-contents.ts';
import {
  addBrokenInvariant,
  addIssue,
  isJsonObject,
  type JsonObject,
  type Scope,
  type ValidationContext,
} from './context.ts';

const CONTAINED_PATH = 'DomainResource.contained';
const LOCAL_TYPES = new Set(['canonical', 'uri', 'url']);

/** Walks a resource in an element of type Resource. */
export function enterResource(context: ValidationContext, slot: Slot, value: JsonObject): void {
  const shape = resourceShape(context, value);
  if (shape === undefined) return;
  if (slot.element.path === CONTAINED_PATH) {
    walkContained(context, shape, value);
    return;
  }
  walkAsRoot(context, shape, value);
}

/** Walks a resource with a scope of its own, then checks that each contained resource is used. */
export function walkAsRoot(context: ValidationContext, shape: Shape, value: JsonObject): void {
  const { scope, containedId, resource, elementIds } = context;
  context.scope = scopeOf(value);
  context.elementIds = undefined;
  context.resource = value;
  context.containedId = undefined;
  context.walkObject(context, shape, value);
  if (shape.path === 'Bundle') checkContents(context, value);
  checkContainedAreUsed(context, value);
  checkProfiles(context, shape, value);
  context.scope = scope;
  context.elementIds = elementIds;
  context.containedId = containedId;
  context.resource = resource;
}

/** The shape of a resource by its resourceType; notes an error when there is no such type. */
export function resourceShape(context: ValidationContext, value: JsonObject): Shape | undefined {
  const { resourceType } = value;
  if (typeof resourceType !== 'string') {
    addIssue(context, 'required', 'must name the type of the resource', 'resourceType');
    return undefined;
  }
  if (!context.definitions.isResourceType(resourceType)) {
    addIssue(context, 'structure', 'is not a resource type of FHIR R5', 'resourceType');
    return undefined;
  }
  return context.definitions.shape(resourceType);
}

/** The scope of a resource: its contained resources by id. */
export function scopeOf(resource: JsonObject): Scope {
  const list = resource['contained'];
  return {
    resource,
    contained: Array.isArray(list) ? typesById(list) : NONE,
    referenced: new Set(),
    referringOut: new Set(),
  };
}

const NONE: ReadonlyMap<string, string> = new Map();

function typesById(list: readonly unknown[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const each of list) {
    if (isJsonObject(each) && typeof each['id'] === 'string') types.set(each['id'], String(each['resourceType']));
  }
  return types;
}

/** The types of a bundle's resources by full URL; empty for any other resource. */
export function fullUrlsOf(resource: JsonObject): ReadonlyMap<string, string> {
  const entries = resource['resourceType'] === 'Bundle' ? resource['entry'] : undefined;
  if (!Array.isArray(entries)) return NONE;
  const types = new Map<string, string>();
  for (const entry of entries) {
    if (!isJsonObject(entry) || !isJsonObject(entry['resource']) || typeof entry['fullUrl'] !== 'string') continue;
    const { resourceType } = entry['resource'];
    if (typeof resourceType === 'string') types.set(entry['fullUrl'], resourceType);
  }
  return types;
}

/** Notes that a `#id` was used; in canonicals and URIs too, as dom-3 counts them. */
export function noteLocalReference(context: ValidationContext, typeCode: string, text: string): void {
  if (LOCAL_TYPES.has(typeCode)) noteReferenced(context, text.slice(1));
}

/** Notes that `#id` was referred to; an empty id is the containing resource. */
export function noteReferenced(context: ValidationContext, id: string): void {
  if (id !== '') context.scope.referenced.add(id);
  else if (context.containedId !== undefined) context.scope.referringOut.add(context.containedId);
}

/**
 * Ids of elements are unique within their resource; those of a StructureDefinition's elements may occur in both of its
 * views (sdf-16, sdf-17).
 */
export function checkElementId(context: ValidationContext, { id }: JsonObject): void {
  if (typeof id !== 'string' || context.resource['resourceType'] === 'StructureDefinition') return;
  context.elementIds ??= new Set();
  if (context.elementIds.has(id))
    addIssue(context, 'duplicate', 'is the id of another element of the resource too', 'id');
  context.elementIds.add(id);
}

function walkContained(context: ValidationContext, shape: Shape, value: JsonObject): void {
  if (value['contained'] !== undefined) {
    addBroken(context, 'dom-2', 'A contained resource shall not contain further resources');
  }
  const meta = value['meta'];
  if (isJsonObject(meta)) {
    if (meta['versionId'] !== undefined || meta['lastUpdated'] !== undefined) {
      addBroken(context, 'dom-4', 'A contained resource shall not have a meta.versionId or a meta.lastUpdated');
    }
    if (meta['security'] !== undefined)
      addBroken(context, 'dom-5', 'A contained resource shall not have a security label');
  }
  const { containedId, resource, elementIds } = context;
  context.elementIds = undefined;
  context.resource = value;
  context.containedId = typeof value['id'] === 'string' ? value['id'] : undefined;
  context.walkObject(context, shape, value);
  checkProfiles(context, shape, value);
  context.elementIds = elementIds;
  context.containedId = containedId;
  context.resource = resource;
}

function checkProfiles(context: ValidationContext, { path }: Shape, value: JsonObject): void {
  if (value['extension'] !== undefined || value['modifierExtension'] !== undefined) {
    context.checkExtensions(context, { path, type: path, shape: path }, value);
  }
  if (value['meta'] !== undefined) context.checkClaims(context, value);
}

function checkContainedAreUsed(context: ValidationContext, value: JsonObject): void {
  const contained = value['contained'];
  if (!Array.isArray(contained)) return;
  const { referenced, referringOut } = context.scope;
  const seen = new Set<unknown>();
  for (const [index, each] of contained.entries()) {
    if (!isJsonObject(each)) continue;
    context.path.push('contained', index);
    const { id } = each;
    if (id === undefined) addIssue(context, 'required', 'is required: a contained resource is referred to by it', 'id');
    else if (seen.has(id)) addIssue(context, 'duplicate', 'is the id of another contained resource too', 'id');
    else if (typeof id === 'string' && !referenced.has(id) && !referringOut.has(id)) {
      addBroken(
        context,
        'dom-3',
        'A contained resource shall be referred to from elsewhere in the resource, or refer to it',
      );
    }
    seen.add(id);
    context.path.pop();
    context.path.pop();
  }
}

function addBroken(context: ValidationContext, key: string, human: string): void {
  addBrokenInvariant(context, { key, human, severity: 'error' });
}
