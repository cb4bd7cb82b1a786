// Decides which slice a value belongs to: each discriminator is evaluated on the slice's definition and on the value
// (hl7.org/fhir/R5/profiling.html#discriminator).

import { isInValueSet } from './binding.ts';
import { type PathStep, parseDiscriminatorPath } from './discriminator-path.ts';
import { type Item, itemsOf, objectOf } from './items.ts';
import type { Discriminator, ProfileNode } from './profile.ts';
import { conformsToProfile, resolveItem, typeOf, typeOfTarget } from './references.ts';
import { isWithoutIssue, type Run } from './run.ts';
import { hasPattern, isEqual } from './values.ts';

/** Undefined when a reference that cannot be resolved would have to be followed. */
export type Match = boolean | undefined;

export interface Matching {
  readonly match: Match;
  /** Whether a discriminator decided it, and not only the rules of the slice. */
  readonly isDecided: boolean;
}

/** Whether the slice's definition has no rule for the discriminator. */
const SILENT = Symbol('silent');

interface Candidate {
  readonly item: Item;
  /** Its index in the list, and that of the slice among the slices. */
  readonly index: number;
  readonly sliceIndex: number;
}

/** Whether a value belongs to a slice. Where no discriminator decides, it does when it keeps all the slice's rules. */
export function matchesSlice(
  run: Run,
  by: readonly Discriminator[],
  slice: ProfileNode,
  candidate: Candidate,
): Matching {
  let match: Match = true;
  let isDecided = false;
  for (const discriminator of by) {
    const found = matchesOne(run, discriminator, slice, candidate);
    if (found === SILENT) continue;
    isDecided = true;
    if (found === false) return { match: false, isDecided };
    if (found === undefined) match = undefined;
  }
  return { match: isDecided ? match : followsRules(run, slice, candidate.item), isDecided };
}

function followsRules(run: Run, node: ProfileNode, item: Item): boolean {
  return isWithoutIssue(run, () => run.checkItem(run, node, { ...item, steps: [] })).holds;
}

function matchesOne(
  run: Run,
  { type, path }: Discriminator,
  slice: ProfileNode,
  candidate: Candidate,
): Match | typeof SILENT {
  if (type === 'position') return candidate.index === candidate.sliceIndex;
  const steps = parseDiscriminatorPath(path);
  if (steps === undefined) return SILENT;
  const nodes = nodesAt(run, [slice], steps);
  if (nodes.length === 0) return SILENT;
  switch (type) {
    case 'value':
      return matchesValue(run, nodes, itemsAt(run, [candidate.item], steps));
    case 'exists':
      return matchesExistence(nodes, itemsAt(run, [candidate.item], steps));
    case 'type':
      return matchesType(run, nodes, candidate.item, steps);
    case 'profile':
      return matchesProfile(run, nodes, itemsAt(run, [candidate.item], steps));
    default:
      return type satisfies never;
  }
}

/**
 * The nodes at a path of a slice's definition: the slice's own, those of required slices below, those of the profiles
 * it names.
 */
function nodesAt(run: Run, from: readonly ProfileNode[], steps: readonly PathStep[]): ProfileNode[] {
  return steps.reduce<ProfileNode[]>((nodes, step) => nodes.flatMap((node) => nextNodes(run, node, step)), [...from]);
}

function nextNodes(run: Run, node: ProfileNode, step: PathStep): ProfileNode[] {
  switch (step.kind) {
    case 'element':
      return childrenOf(run, node, step.name);
    case 'extension':
      return extensionsOf(run, node, step.url);
    case 'ofType':
      return [node, ...(node.slices ?? [])].filter(
        ({ types }) => types === undefined || types.some(({ code }) => code === step.type),
      );
    case 'resolve':
      return (node.types ?? []).flatMap(({ targets }) => (targets ?? []).flatMap((url) => rootOf(run, url)));
    default:
      return step satisfies never;
  }
}

function rootOf(run: Run, url: string): ProfileNode[] {
  const profile = run.context.profiles.registry.find(url);
  if (profile !== undefined) return [profile.root];
  const type = typeOf(run.context, url);
  return type === undefined ? [] : [{ name: type, types: [{ code: type }] }];
}

function childrenOf(run: Run, node: ProfileNode, name: string): ProfileNode[] {
  const own = (node.children ?? []).filter((child) => child.name === name).flatMap(withRequiredSlices);
  if (own.length > 0) return own;
  const profiles = (node.types ?? []).flatMap((type) => type.profiles ?? []);
  const below = profiles.flatMap((url) => rootOf(run, url)).flatMap((root) => childrenOf(run, root, name));
  if (below.length > 0 || name !== 'url') return below;
  // The URL of an extension is that of its definition, also for an unknown definition.
  return profiles.map((url) => ({ name, fixed: url.split('|', 1)[0] }));
}

function withRequiredSlices(node: ProfileNode): ProfileNode[] {
  return [node, ...(node.slices ?? []).filter(({ min }) => min !== undefined && min > 0)];
}

function extensionsOf(run: Run, node: ProfileNode, url: string): ProfileNode[] {
  const slices = (node.children ?? [])
    .filter(({ name }) => name === 'extension')
    .flatMap((child) => child.slices ?? []);
  return slices.filter((slice) => childrenOf(run, slice, 'url').some(({ fixed }) => fixed === url));
}

/** The values at a path; undefined when a reference on the way cannot be resolved. */
function itemsAt(run: Run, from: readonly Item[], steps: readonly PathStep[]): Item[] | undefined {
  let items = [...from];
  for (const step of steps) {
    const next = items.map((item) => nextItems(run, item, step));
    if (next.includes(undefined)) return undefined;
    items = next.flatMap((each) => each ?? []);
  }
  return items;
}

function nextItems(run: Run, item: Item, step: PathStep): Item[] | undefined {
  const { definitions } = run.context;
  switch (step.kind) {
    case 'element':
      return itemsOf(definitions, item, step.name);
    case 'extension':
      return itemsOf(definitions, item, 'extension').filter((each) => objectOf(each)?.['url'] === step.url);
    case 'ofType':
      return item.type === step.type ? [item] : [];
    case 'resolve': {
      const target = resolveItem(run.context, item);
      return target && [target];
    }
    default:
      return step satisfies never;
  }
}

function matchesValue(
  run: Run,
  nodes: readonly ProfileNode[],
  items: readonly Item[] | undefined,
): Match | typeof SILENT {
  const restricting = nodes.filter((node) => restrictsValues(run, node));
  if (restricting.length === 0) return SILENT;
  if (items === undefined) return undefined;
  return restricting.every((node) => items.some((item) => hasValue(run, node, item)));
}

/** Whether the definition of an element restricts its values. */
function restrictsValues(
  { context: { definitions } }: Run,
  { fixed, pattern, binding, children, slices }: ProfileNode,
): boolean {
  if (fixed !== undefined || pattern !== undefined || children !== undefined || slices !== undefined) return true;
  return binding?.[0] === 'required' && definitions.codeSet(binding[1]) !== undefined;
}

function hasValue(run: Run, node: ProfileNode, item: Item): boolean {
  const { fixed, pattern, binding } = node;
  if (fixed === undefined && pattern === undefined && binding === undefined) return followsRules(run, node, item);
  if (fixed !== undefined && !isEqual(fixed, item.value)) return false;
  if (pattern !== undefined && !hasPattern(pattern, item.value)) return false;
  return binding?.[0] !== 'required' || isInValueSet(run.context, binding[1], item) !== false;
}

function matchesExistence(nodes: readonly ProfileNode[], items: readonly Item[] | undefined): Match | typeof SILENT {
  if (items === undefined) return undefined;
  if (nodes.some(({ max }) => max === 0)) return items.length === 0;
  return nodes.some(({ min }) => min !== undefined && min > 0) ? items.length > 0 : SILENT;
}

/** A reference's text often names the type of its target, which then need not be resolved. */
function matchesType(
  run: Run,
  nodes: readonly ProfileNode[],
  item: Item,
  steps: readonly PathStep[],
): Match | typeof SILENT {
  const codes = nodes.flatMap((node) => (node.types ?? []).map(({ code }) => code));
  const isTarget = steps.at(-1)?.kind === 'resolve';
  const names = isTarget ? nodes.map(({ name }) => name) : codes;
  if (names.length === 0) return SILENT;
  const found = itemsAt(run, [item], isTarget ? steps.slice(0, -1) : steps);
  if (found === undefined) return undefined;
  const types = found.map((each) => (isTarget ? typeOfTarget(run.context, each) : each.type));
  if (types.some((type) => type !== undefined && names.some((name) => run.context.definitions.isKindOf(type, name))))
    return true;
  return types.includes(undefined) ? undefined : false;
}

function matchesProfile(
  run: Run,
  nodes: readonly ProfileNode[],
  items: readonly Item[] | undefined,
): Match | typeof SILENT {
  if (items === undefined) return undefined;
  // After `resolve()` the nodes are the roots of the target profiles.
  const urls = nodes.flatMap((node) => (node.types ?? []).flatMap((type) => type.profiles ?? []));
  if (urls.length === 0) return items.some((item) => nodes.some((node) => followsRules(run, node, item)));
  return items.some((item) => urls.some((url) => conformsToProfile(run, url, item).holds));
}
