// Validates a resource against the profiles that it claims in `meta.profile`, and against those that a caller names
// (hl7.org/fhir/R5/resource.html#Meta.profile).
import { addIssue, addWarning, isJsonObject, type JsonObject, type ValidationContext } from '../validation/context.ts';
import { checkElement, checkItem } from './check.ts';
import { type Item, resourceItem } from './items.ts';
import type { Profile } from './profile.ts';
import { urlOfBase } from './registry.ts';
import { restoringPlace, TooManySteps } from './run.ts';

/** Checks a resource against each profile that it claims; an unknown profile gives a warning. */
export function checkClaims(context: ValidationContext, resource: JsonObject): void {
  const { meta } = resource;
  const claims: unknown = isJsonObject(meta) ? meta['profile'] : undefined;
  if (!Array.isArray(claims)) return;
  for (const [index, claim] of claims.entries()) {
    if (typeof claim !== 'string') continue;
    const issue = checkNamed(context, claim, resource);
    if (issue === undefined) continue;
    const field = `meta.profile[${index}]`;
    if (issue.isWrongType) addIssue(context, 'value', issue.message, field);
    else addWarning(context, 'not-found', issue.message, field);
  }
}

/** Checks a resource against profiles; an unknown profile is an error. */
export function checkNamedProfiles(
  context: ValidationContext,
  profiles: readonly string[],
  resource: JsonObject,
): void {
  for (const url of profiles) {
    const issue = checkNamed(context, url, resource);
    if (issue !== undefined)
      context.issues.add({
        message: `The resource ${issue.message}`,
        code: issue.isWrongType ? 'value' : 'not-found',
      });
  }
}

interface ClaimIssue {
  readonly message: string;
  readonly isWrongType: boolean;
}

function checkNamed(context: ValidationContext, canonical: string, resource: JsonObject): ClaimIssue | undefined {
  const { definitions, profiles } = context;
  const type = String(resource['resourceType']);
  const base = urlOfBase(canonical);
  if (base !== undefined && definitions.kindOf(base) !== undefined) {
    if (definitions.isKindOf(type, base)) return undefined;
    return { message: `names ${canonical}, the definition of ${base}, and is a ${type}`, isWrongType: true };
  }
  const problem = profiles.registry.problemOf(canonical);
  if (problem !== undefined)
    return { message: `names the profile ${canonical}, which cannot be used: ${problem}`, isWrongType: false };
  const profile = profiles.registry.find(canonical);
  if (profile === undefined) {
    return {
      message: `names the profile ${canonical}, which is not known here: nothing can be said about it`,
      isWrongType: false,
    };
  }
  if (!definitions.isKindOf(type, profile.type)) {
    return { message: `names ${canonical}, a profile of ${profile.type}, and is a ${type}`, isWrongType: true };
  }
  checkProfile(context, profile, resourceItem(definitions, resource));
  return undefined;
}

/** Checks the resource at the current place against a profile. */
export function checkProfile(context: ValidationContext, profile: Profile, item: Item): void {
  try {
    restoringPlace(context, () =>
      checkItem({ context, profile, slice: undefined, checkItem, checkElement }, profile.root, item),
    );
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    addIssue(context, 'too-costly', `cannot be checked against the profile ${profile.url}: it takes too many steps`);
  }
}
