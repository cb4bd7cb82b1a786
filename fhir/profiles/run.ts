// What checking a profile carries along, and how its errors are told: with their place, the profile, and the slice they
// are about.
import { currentPath, type JsonObject, type ValidationContext } from '../validation/context.ts';
import type { Item } from './items.ts';
import type { Profile, ProfileNode } from './profile.ts';

export interface Run {
  readonly context: ValidationContext;
  readonly profile: Profile;
  /** The slice that is being checked, the innermost. */
  readonly slice: string | undefined;
  /** The walk itself, for what it calls to go on with. */
  readonly checkItem: (run: Run, node: ProfileNode, item: Item) => void;
  readonly checkElement: (run: Run, node: ProfileNode, items: readonly Item[]) => void;
}

export interface Report {
  readonly code: string;
  readonly message: string;
  /** The element of the current place that the error is about. */
  readonly element?: string;
  readonly severity?: 'warning';
}

/** Thrown when a resource asks for more steps than any that is meant well. */
export class TooManySteps extends Error {}

const MAX_STEPS = 1_000_000;

export function countStep({ context: { profiles } }: Run): void {
  profiles.steps += 1;
  if (profiles.steps > MAX_STEPS) throw new TooManySteps();
}

/** Notes an error at the current place. */
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

/** Whether the work finds no error, which ends it; what it finds is named to nobody but the caller. */
export function isWithoutIssue(
  { context }: Run,
  work: () => void,
): { readonly holds: boolean; readonly first: string } {
  return context.issues.trial(() => keepingPlace(context, work));
}

/** Does the work; when it ends in the middle, what it was at is as before. */
export function keepingPlace(context: ValidationContext, work: () => void): void {
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

/** Does the work at the place of an item. */
export function atItem({ context: { path } }: Run, { steps }: Item, work: () => void): void {
  path.push(...steps);
  work();
  path.length -= steps.length;
}

/**
 * Whether an object follows a profile, found out once. What is asked for while it is being found out counts as
 * following.
 */
export function remember(
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
