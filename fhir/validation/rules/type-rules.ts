// Checks rules of data types that the specification states in prose and not as an invariant. They are the form and
// target of references, and the rules of other types by type name.
import type { Shape, Slot } from '../../definitions/shapes.ts';
import { isAbsoluteUri } from '../../primitives/primitives.ts';
import { type ParsedReference, parseReference, typeOfUrl } from '../../resources/references.ts';
import { addIssue, addWarning, type JsonObject, type ValidationContext } from '../context.ts';
import { adviseOrder } from '../quantity-order.ts';
import { noteReferenced } from '../resources.ts';
import { checkExtensionUrl, checkFullUrl, checkIdentifier, checkSystem } from './address-rules.ts';
import { checkAttachment } from './attachment-rules.ts';
import { checkCoding } from './coding-rules.ts';

/** Checks an object after the walk over its members. */
export function checkTypeRules(context: ValidationContext, shape: Shape, slot: Slot, value: JsonObject): void {
  switch (shape.path) {
    case 'Reference':
      checkReference(context, slot, value);
      return;
    case 'Extension':
      checkExtensionUrl(context, value);
      return;
    case 'Coding':
      checkCoding(context, slot.element.path, value);
      return;
    case 'Identifier':
      checkIdentifier(context, value);
      return;
    case 'Quantity':
      checkSystem(context, value);
      if (value['comparator'] !== undefined && slot.type.profiles.includes('SimpleQuantity')) {
        addIssue(context, 'invariant', 'is not used in a SimpleQuantity (sqty-1)', 'comparator');
      }
      return;
    case 'Range':
      adviseOrder(context, value, 'low', 'high');
      return;
    case 'RatioRange':
      adviseOrder(context, value, 'lowNumerator', 'highNumerator');
      return;
    case 'Attachment':
      checkAttachment(context, value);
      return;
    case 'Bundle.entry':
      checkFullUrl(context, value);
      return;
    default:
  }
}

function checkReference(context: ValidationContext, slot: Slot, value: JsonObject): void {
  const { reference, type } = value;
  if (typeof reference !== 'string' || reference === '') {
    checkTarget(context, slot, namedType(type), 'type');
    return;
  }
  checkNamedType(context, type);
  const parsed = parseReference(reference);
  if (parsed === undefined) {
    checkOddReference(context, slot, reference);
    return;
  }
  if (parsed.kind === 'conditional' && !context.allowsConditionalReferences) {
    addIssue(
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
    addIssue(context, 'value', `must be ${target}, as the reference says`, 'type');
  } else if (target === undefined) checkTarget(context, slot, named, 'type');
}

/**
 * Checks a relative URL that no FHIR server can have: `Device/a_b`, whose id has an invalid character, or `device/1` or
 * `x`, which name no type. R5 allows any URL in a reference, and its own examples have such ones: they get a warning. A
 * text that is not a URL, or names no resource, is an error.
 */
function checkOddReference(context: ValidationContext, slot: Slot, reference: string): void {
  const forms = 'Type/id, an absolute URL, urn:uuid:… or #id of a contained resource';
  if (/[\s#?]/.test(reference)) {
    addIssue(context, 'value', `must be ${forms}`, 'reference');
    return;
  }
  addWarning(context, 'value', `should be ${forms}: as it is, nobody can follow it`, 'reference');
  checkTarget(context, slot, typeOfUrl(reference), 'reference');
}

function targetType(context: ValidationContext, parsed: ParsedReference): string | undefined {
  if ('type' in parsed) return parsed.type;
  if (parsed.kind === 'uri') return context.fullUrls.get(parsed.uri) ?? typeOfUrl(parsed.uri);
  if (parsed.kind !== 'contained') return undefined;
  if (parsed.id === '') return namedType(context.scope.resource['resourceType']);
  return context.scope.contained.get(parsed.id);
}

/**
 * Checks `Reference.type`. A plain name is an R5 resource type; other types, such as logical models, have an absolute
 * URL. Beside a literal reference it must agree with that (hl7.org/fhir/R5/references-definitions.html#Reference.type).
 * Alone, an unknown name gets a warning, as the binding is extensible.
 */
function checkNamedType(context: ValidationContext, type: unknown): void {
  if (typeof type !== 'string' || isAbsoluteUri(type) || context.definitions.kindOf(type) === 'resource') return;
  addIssue(context, 'value', 'must be a resource type of FHIR R5, or the address of another type', 'type');
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
  addIssue(context, 'value', `must point to ${listed(targets)}, not to ${target}`, element);
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
