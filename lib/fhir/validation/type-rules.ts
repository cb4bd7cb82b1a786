// Rules of data types that stand in the text of the specification rather than in an invariant: the form and target of references,
// absolute extension URLs, quantities without comparator.
import type { Shape, Slot } from '../definitions/shapes.ts';
import { type ParsedReference, parseReference } from '../references.ts';
import { addFault, currentPath, isJsonObject, type JsonObject, type ValidationContext } from './context.ts';
import { noteReferenced } from './resources.ts';

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Checks an object whose members have been walked. */
export function checkTypeRules(context: ValidationContext, shape: Shape, slot: Slot, value: JsonObject): void {
  if (shape.path === 'Reference') checkReference(context, slot, value);
  else if (shape.path === 'Extension') checkExtensionUrl(context, value);
  else if (shape.path === 'Bundle.entry') checkFullUrl(context, value);
  else if (slot.type.profiles.includes('SimpleQuantity') && value['comparator'] !== undefined) {
    addFault(context, 'invariant', 'is not used in a SimpleQuantity (sqty-1)', 'comparator');
  }
}

/**
 * An address of a resource must not disagree with its type and id (hl7.org/fhir/R5/bundle.html#Bundle.entry.fullUrl). Official examples do:
 * it is a warning. What is yet to be created has no id of its own.
 */
function checkFullUrl(context: ValidationContext, { fullUrl, resource, request }: JsonObject): void {
  if (typeof fullUrl !== 'string' || !isJsonObject(resource)) return;
  if (isJsonObject(request) && request['method'] === 'POST') return;
  const address = parseReference(fullUrl);
  if (address?.kind !== 'absolute') return;
  const { resourceType, id } = resource;
  if (address.type === resourceType && (id === undefined || address.id === id)) return;
  const field = `${currentPath(context)}.fullUrl`;
  const message = `${field} should end with ${String(resourceType)}/${String(id ?? '…')}: the type and id of the resource`;
  context.faults.add({ message, field, issue: 'value', severity: 'warning' });
}

function checkReference(context: ValidationContext, slot: Slot, value: JsonObject): void {
  const { reference, type } = value;
  if (typeof reference !== 'string' || reference === '') {
    checkTarget(context, slot, namedType(type), 'type');
    return;
  }
  const parsed = parseReference(reference);
  if (parsed === undefined) {
    const forms = 'Type/id, an absolute URL, urn:uuid:… or #id of a contained resource';
    addFault(context, 'value', `must be ${forms}`, 'reference');
    return;
  }
  if (parsed.kind === 'conditional' && !context.allowsConditionalReferences) {
    addFault(
      context,
      'value',
      'must name a resource: a search is resolved only in what is created or updated whole',
      'reference',
    );
    return;
  }
  if (parsed.kind === 'contained') noteReferenced(context, parsed.id);
  const target = targetType(context, parsed);
  checkTarget(context, slot, target, 'reference');
  const named = namedType(type);
  if (named !== undefined && target !== undefined && named !== target && context.definitions.isResourceType(named)) {
    addFault(context, 'value', `must be ${target}, as the reference says`, 'type');
  } else if (target === undefined) checkTarget(context, slot, named, 'type');
}

function targetType(context: ValidationContext, parsed: ParsedReference): string | undefined {
  if ('type' in parsed) return parsed.type;
  if (parsed.kind === 'uri') return context.fullUrls.get(parsed.uri);
  if (parsed.kind !== 'contained') return undefined;
  if (parsed.id === '') return namedType(context.scope.resource['resourceType']);
  return context.scope.contained.get(parsed.id);
}

/** The resource type that `Reference.type` names: a plain name, or its canonical URL. */
function namedType(type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  return type.replace('http://hl7.org/fhir/StructureDefinition/', '');
}

function checkTarget(context: ValidationContext, slot: Slot, target: string | undefined, element: string): void {
  const { targets } = slot.type;
  if (target === undefined || targets === undefined || !context.definitions.isResourceType(target)) return;
  if (targets.some((allowed) => context.definitions.isKindOf(target, allowed))) return;
  addFault(context, 'value', `must point to ${listed(targets)}, not to ${target}`, element);
}

function checkExtensionUrl(context: ValidationContext, value: JsonObject): void {
  const { url } = value;
  const isNested = context.path.filter((step) => step === 'extension' || step === 'modifierExtension').length > 1;
  if (typeof url === 'string' && !isNested && !SCHEME.test(url)) {
    addFault(context, 'value', 'must be an absolute URL', 'url');
  }
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
