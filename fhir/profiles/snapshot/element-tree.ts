// Converts lists of ElementDefinitions to trees of elements and slices, and back
// (hl7.org/fhir/R5/elementdefinition.html#id).
import type { ElementJson, ElementRules } from './structure.ts';

export interface ElementTree {
  /** The last part of the path: `Observation`, `component`, `value[x]`. */
  readonly name: string;
  readonly slice: string | undefined;
  rules: ElementRules;
  children: ElementTree[];
  slices: ElementTree[];
}

interface Step {
  readonly name: string;
  readonly slice: string | undefined;
}

/** The tree of a snapshot or differential; undefined when there is no element. */
export function toTree(elements: readonly ElementJson[]): ElementTree | undefined {
  const [first] = elements;
  if (first === undefined) return undefined;
  const root = newTree({ name: first.path.split('.', 1)[0] ?? '', slice: undefined });
  const open = new Map<string, Step>();
  for (const element of elements) {
    const { path: _path, id: _id, ...rules } = element;
    const place = placeAt(root, stepsOf(element, open).slice(1));
    place.rules = rules;
  }
  return root;
}

/** The elements of a tree in the order of a snapshot, with their paths and ids. */
export function toElements(tree: ElementTree, path = '', id = ''): ElementJson[] {
  const ownPath = path === '' ? tree.name : `${path}.${tree.name}`;
  const segment = tree.slice === undefined ? tree.name : `${tree.name}:${tree.slice}`;
  const ownId = id === '' ? segment : `${id}.${segment}`;
  return [
    { id: ownId, path: ownPath, ...tree.rules },
    ...tree.children.flatMap((child) => toElements(child, ownPath, ownId)),
    ...tree.slices.flatMap((slice) => toElements(slice, path, id)),
  ];
}

/** A copy of a tree. The rules are shared, as they are replaced and never changed. */
export function cloneTree(tree: ElementTree): ElementTree {
  return { ...tree, children: tree.children.map(cloneTree), slices: tree.slices.map(cloneTree) };
}

/** The slice with this name, which may be a slice of a slice (`a/b`). */
export function findSlice(tree: ElementTree, name: string): ElementTree | undefined {
  for (const slice of tree.slices) {
    if (slice.slice === name) return slice;
    const inner = name.startsWith(`${slice.slice}/`) ? findSlice(slice, name) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The parent of a slice with this name: the slice that it reslices, or the element. */
export function sliceParent(tree: ElementTree, name: string): ElementTree {
  const outer = tree.slices.find(({ slice }) => slice !== undefined && name.startsWith(`${slice}/`));
  return outer === undefined ? tree : sliceParent(outer, name);
}

/** The element at a path of names within a tree, without slices. */
export function findPath(tree: ElementTree, path: string): ElementTree | undefined {
  let place: ElementTree | undefined = tree;
  for (const name of path.split('.').slice(1)) place = place?.children.find((child) => child.name === name);
  return place;
}

function newTree({ name, slice }: Step): ElementTree {
  return { name, slice, rules: slice === undefined ? {} : { sliceName: slice }, children: [], slices: [] };
}

function placeAt(root: ElementTree, steps: readonly Step[]): ElementTree {
  let place = root;
  for (const step of steps) {
    const known = place.children.find((child) => child.name === step.name);
    const child = known ?? newTree({ name: step.name, slice: undefined });
    if (known === undefined) place.children.push(child);
    place = step.slice === undefined ? child : openSlice(child, step.slice);
  }
  return place;
}

function openSlice(tree: ElementTree, slice: string): ElementTree {
  const known = findSlice(tree, slice);
  if (known !== undefined) return known;
  const created = newTree({ name: tree.name, slice });
  sliceParent(tree, slice).slices.push(created);
  return created;
}

/** The steps of an element: from its id when that fits the path, else from the slices that were opened last. */
function stepsOf({ id, path, sliceName }: ElementJson, open: Map<string, Step>): Step[] {
  const names = path.split('.');
  const given = id?.split('.').map(readSegment);
  const steps = given !== undefined && fits(given, names, sliceName) ? given : stepsByOrder(names, sliceName, open);
  for (const key of [...open.keys()]) if (key.startsWith(`${path}.`)) open.delete(key);
  const last = steps.at(-1);
  if (last !== undefined) open.set(path, last);
  return steps;
}

function readSegment(segment: string): Step {
  const colon = segment.indexOf(':');
  return colon < 0
    ? { name: segment, slice: undefined }
    : { name: segment.slice(0, colon), slice: segment.slice(colon + 1) };
}

function fits(steps: readonly Step[], names: readonly string[], sliceName: string | undefined): boolean {
  if (steps.length !== names.length) return false;
  const isSame = steps.every(({ name }, index) => {
    const given = names[index] ?? '';
    return name === given || (name.endsWith('[x]') && given.startsWith(name.slice(0, -3)));
  });
  return isSame && (sliceName === undefined || steps.at(-1)?.slice === sliceName);
}

function stepsByOrder(
  names: readonly string[],
  sliceName: string | undefined,
  open: ReadonlyMap<string, Step>,
): Step[] {
  return names.map((name, index) => {
    if (index === names.length - 1) return { name, slice: sliceName };
    return open.get(names.slice(0, index + 1).join('.')) ?? { name, slice: undefined };
  });
}
