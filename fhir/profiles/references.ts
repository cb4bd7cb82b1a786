// Checks the targets of references against a profile: contained resources and entries of the same bundle; of all other
// targets only the type (hl7.org/fhir/R5/references.html#literal).
import { isJsonObject, type ValidationContext } from '../validation/context.ts';
import { scopeOf } from '../validation/resources.ts';
import { isContainedIn, resolveText, typeOfTarget as typeOfText } from '../validation/targets.ts';
import { type Item, objectOf, resourceItem } from './items.ts';
import type { ProfileType } from './profile.ts';
import { urlOfBase } from './registry.ts';
import { cachedResult, isWithoutIssue, type Run, report } from './run.ts';

/** The text of a Reference, CodeableReference or canonical. */
function referenceOf({ value }: Item): string | undefined {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  const { reference } = value;
  if (isJsonObject(reference)) return typeof reference['reference'] === 'string' ? reference['reference'] : undefined;
  return typeof reference === 'string' ? reference : undefined;
}

/** The target of an item's reference; undefined when it is neither contained nor in the bundle. */
export function resolveItem(context: ValidationContext, item: Item): Item | undefined {
  const found = resolveText(context, referenceOf(item));
  return found && resourceItem(context.definitions, found);
}

/** The type of an item's target, where it is known. */
export function typeOfTarget(context: ValidationContext, item: Item): string | undefined {
  const text = referenceOf(item);
  const named = objectOf(item)?.['type'];
  // The text of a canonical names no type: only its target has one.
  if (item.type !== 'canonical') return typeOfText(context, text, named);
  const resolved = resolveText(context, text);
  return resolved === undefined ? undefined : String(resolved['resourceType']);
}

/** Checks that a reference's target is allowed by one of the types. */
export function checkTargets(run: Run, types: readonly ProfileType[], item: Item): void {
  if (types.some(({ targets }) => targets === undefined)) return;
  const targets = types.flatMap((type) => type.targets ?? []);
  const resolved = resolveItem(run.context, item);
  const issue =
    resolved === undefined
      ? issueOfType(run, targets, typeOfTarget(run.context, item))
      : issueOfTarget(run, targets, resolved);
  if (issue !== undefined) report(run, { code: 'value', message: issue });
}

/** A bundled target is `referenced` too; outside a bundle, whether a target is bundled is not known. */
export function checkAggregation({ context, ...run }: Run, types: readonly ProfileType[], item: Item): void {
  const text = referenceOf(item);
  if (text === undefined || types.some(({ aggregation }) => aggregation === undefined)) return;
  const modes = new Set(types.flatMap(({ aggregation }) => aggregation ?? []));
  const isBundled = !text.startsWith('#') && resolveText(context, text) !== undefined;
  const isOpen = context.profiles.root['resourceType'] !== 'Bundle';
  const fits = text.startsWith('#')
    ? modes.has('contained')
    : modes.has('referenced') || (modes.has('bundled') && (isBundled || isOpen));
  if (fits) return;
  const message = `must point to a resource that is ${[...modes].join(' or ')}`;
  report({ context, ...run }, { code: 'value', message });
}

function issueOfType({ context }: Run, targets: readonly string[], type: string | undefined): string | undefined {
  if (type === undefined || !context.definitions.isResourceType(type)) return undefined;
  const types = targets.map((url) => typeOf(context, url));
  if (types.some((allowed) => allowed === undefined || context.definitions.isKindOf(type, allowed))) return undefined;
  return `must point to ${listed(types)}, not to ${type}`;
}

/** Why a resource conforms to none of the target profiles. */
function issueOfTarget(run: Run, targets: readonly string[], resolved: Item): string | undefined {
  let reason = '';
  for (const url of targets) {
    const type = typeOf(run.context, url);
    if (type === undefined) return undefined;
    if (!run.context.definitions.isKindOf(resolved.type, type)) continue;
    const follows = conformsToProfile(run, url, resolved);
    if (follows.holds) return undefined;
    reason ||= follows.first;
  }
  if (reason === '') return issueOfType(run, targets, resolved.type);
  return `must point to a resource that follows ${listed(targets)}, which it does not: ${reason}`;
}

/** The resource type of a profile's canonical URL; undefined when unknown. */
export function typeOf({ definitions, profiles }: ValidationContext, url: string): string | undefined {
  const base = urlOfBase(url);
  if (base !== undefined && definitions.kindOf(base) !== undefined) return base;
  return profiles.registry.find(url)?.type;
}

/** Whether a resource or value conforms to the profile of a URL; true for an unknown profile. */
export function conformsToProfile(
  run: Run,
  url: string,
  item: Item,
): { readonly holds: boolean; readonly first: string } {
  const profile = run.context.profiles.registry.find(url);
  const object = objectOf(item);
  if (profile === undefined || object === undefined) return { holds: true, first: '' };
  let first = '';
  const holds = cachedResult(run, profile, object, () => {
    const found = isWithoutIssue(run, () =>
      checkElsewhere(run, { ...run, profile, slice: undefined }, { ...item, steps: [] }),
    );
    first = found.first;
    return found.holds;
  });
  return { holds, first };
}

/** `#id` in another resource refers to a resource that it contains. */
function checkElsewhere({ context }: Run, run: Run, item: Item): void {
  const { scope, resource } = context;
  const object = objectOf(item);
  const isContained = object !== undefined && (object === scope.resource || isContainedIn(scope.resource, object));
  if (object !== undefined && item.shape !== undefined && context.definitions.kindOf(item.type) === 'resource') {
    if (!isContained) context.scope = scopeOf(object);
    context.resource = object;
  }
  run.checkItem(run, run.profile.root, item);
  context.scope = scope;
  context.resource = resource;
}

function listed(names: readonly (string | undefined)[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
