// FHIRPath's `slice(structure, name)`: whether a value is in a slice of a profile
// (hl7.org/fhir/R5/fhirpath.html#functions).
import type { SliceQuestion, ValidationContext } from '../validation/context.ts';
import { checkElement, checkItem } from './check.ts';
import { type Item, itemsOf, resourceItem } from './items.ts';
import { matchesSlice } from './matching.ts';
import type { Profile, ProfileNode } from './profile.ts';

/** Whether the value is in the slice; a message when that is not known. */
export function isInSlice(context: ValidationContext, question: SliceQuestion): boolean | string {
  const { structure, slice: name, path, value } = question;
  const profile = context.profiles.registry.find(structure);
  if (profile === undefined) return `the profile ${structure} is not known here`;
  const found = sliceAt(profile, path.split('.').slice(1), name);
  if (found === undefined) return `the profile ${structure} has no slice ${name} at ${path}`;
  const items = itemsAt(context, path.split('.').slice(1));
  const index = items.findIndex((item) => item.value === value);
  const item = items[index];
  if (item === undefined) return 'it asks about a value that does not stand in the resource';
  const run = { context, profile, slice: name, checkItem, checkElement };
  const { match } = matchesSlice(run, found.by, found.node, { item, index, sliceIndex: found.sliceIndex });
  return match ?? 'it follows a reference to what is neither contained nor in the bundle';
}

function sliceAt({ root }: Profile, names: readonly string[], name: string) {
  let node: ProfileNode | undefined = root;
  for (const each of names) node = node?.children?.find((child) => child.name === each);
  const sliceIndex = node?.slices?.findIndex((slice) => slice.slice === name) ?? -1;
  const found = node?.slices?.[sliceIndex];
  if (node?.slicing === undefined || found === undefined) return undefined;
  return { node: found, sliceIndex, by: node.slicing.by };
}

function itemsAt({ definitions, resource }: ValidationContext, names: readonly string[]): readonly Item[] {
  let items = [resourceItem(definitions, resource)];
  for (const name of names) items = items.flatMap((item) => itemsOf(definitions, item, name));
  return items;
}
