// The state of one profile check, and its issues: each names its place, the profile, and the slice.
import { currentPath, type JsonObject, type ValidationContext } from '../validation/context.ts';
import type { Item } from './items.ts';
import type { Profile, ProfileNode } from './profile.ts';

export interface Run {
  readonly context: ValidationContext;
  readonly profile: Profile;
  /** The innermost slice that is being checked. */
  readonly slice: string | undefined;
  /** The walk over an item, for callees that continue it. */
  readonly checkItem: (run: Run, node: ProfileNode, item: Item) => void;
  readonly checkElement: (run: Run, node: ProfileNode, items: readonly Item[]) => void;
}

export interface Report {
  readonly code: string;
  readonly message: string;
  /** The element at the current place that has the error. */
  readonly element?: string;
  readonly severity?: 'warning';
}

/** Thrown when a check takes more steps than any honest resource needs. */
export class TooManySteps extends Error {}

const MAX_STEPS = 1_000_000;

export function countStep({ context: { profiles } }: Run): void {
  profiles.steps += 1;
  if (profiles.steps > MAX_STEPS) throw new TooManySteps();
}

/** Adds an error at the current place. */
export function report(run: Run, { code, message, element, severity }: Report): void {
  const place = currentPath(run.context);
  const field = element === undefined ? place : `${place}.${element}`;
  const text = `${field} ${message} (${sourceOf(run)})`;
  run.context.issues.add({ message: text, field, code, ...(severity === undefined ? {} : { severity }) });
}

/** `slice SystolicBP of the profile http://…/bp`. */
export function sourceOf({ profile, slice }: Run): string {
  return slice === undefined ? `profile ${profile.url}` : `slice ${slice} of the profile ${profile.url}`;
}

/** Whether the work finds no error; the first one ends it. Its issues are not reported. */
export function isWithoutIssue(
  { context }: Run,
  work: () => void,
): { readonly holds: boolean; readonly first: string } {
  return context.issues.trial(() => restoringPlace(context, work));
}

/** Runs the work, and restores the current place if it throws. */
export function restoringPlace(context: ValidationContext, work: () => void): void {
  const { scope, resource, containedId } = context;
  const depth = context.path.length;
  try {
    work();
  } finally {
    context.path.length = depth;
    context.scope = scope;
    context.resource = resource;
    context.containedId = containedId;
  }
}

/** Runs the work at the place of an item. */
export function atItem({ context: { path } }: Run, { steps }: Item, work: () => void): void {
  path.push(...steps);
  work();
  path.length -= steps.length;
}

/**
 * Whether an object conforms to a profile, computed once. A recursive question about the same object and profile is
 * answered with true.
 */
export function cachedResult(
  { context: { profiles } }: Run,
  profile: Profile,
  object: JsonObject,
  find: () => boolean,
): boolean {
  profiles.following ??= new Map();
  const known = profiles.following.get(object) ?? new Map<Profile, boolean>();
  profiles.following.set(object, known);
  const before = known.get(profile);
  if (before !== undefined) return before;
  known.set(profile, true);
  const found = find();
  known.set(profile, found);
  return found;
}
