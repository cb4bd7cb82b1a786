// Generates the snapshot of a StructureDefinition from its differential and its base's snapshot. It covers slices,
// elements of slices and data types, types of choices by short name, content references
// (hl7.org/fhir/R5/profiling.html#snapshot).
import { cloneTree, type ElementTree, findPath, findSlice, sliceParent, toTree } from './element-tree.ts';
import { mergeRules, widenings } from './merge.ts';
import type { ConstraintJson, ElementRules, SlicingJson, Structure } from './structure.ts';

/** A source of the snapshots on which others are built. */
export interface SnapshotSource {
  /** The snapshot of a canonical URL, also of a type's; undefined when unknown. The result must not be changed. */
  readonly snapshot: (url: string) => ElementTree | undefined;
  readonly structure: (url: string) => Structure | undefined;
}

export interface Snapshot {
  readonly tree: ElementTree;
  /** Problems of the differential, each with the id of its element. */
  readonly problems: readonly string[];
}

const BASE = 'http://hl7.org/fhir/StructureDefinition/';
const BY_URL: SlicingJson = { discriminator: [{ type: 'value', path: 'url' }], ordered: false, rules: 'open' };
const BY_TYPE: SlicingJson = { discriminator: [{ type: 'type', path: '$this' }], ordered: false, rules: 'open' };

interface Work {
  readonly structure: Structure;
  readonly source: SnapshotSource;
  readonly root: ElementTree;
  readonly problems: string[];
}

/** The canonical URL of an element's type: `Quantity`. */
export function urlOfType(code: string): string {
  return code.includes(':') ? code : BASE + code;
}

/** Generates the snapshot of a structure from that of its base. */
export function generateSnapshot(
  structure: Structure,
  base: ElementTree | undefined,
  source: SnapshotSource,
): Snapshot {
  const differential = toTree(structure.differential ?? []);
  const root = base === undefined ? undefined : { ...cloneTree(base), name: structure.type };
  if (differential === undefined) return { tree: root ?? emptyTree(structure), problems: [] };
  if (root === undefined) return { tree: withBases(differential, differential.name), problems: [] };
  const work: Work = { structure, source, root, problems: [] };
  if (differential.name !== structure.type)
    work.problems.push(`${differential.name} is not the type of the definition`);
  else if (structure.isProfile) apply(work, root, differential, structure.type);
  else specialise(work, root, differential);
  return { tree: root, problems: work.problems };
}

function emptyTree({ type }: Structure): ElementTree {
  return { name: type, slice: undefined, rules: {}, children: [], slices: [] };
}

/** A specialised type: it has its own root, and the base's elements come first. */
function specialise(work: Work, root: ElementTree, own: ElementTree): void {
  const constraint = [...(root.rules.constraint ?? []), ...(own.rules.constraint ?? [])];
  root.rules = withBase({ ...own.rules, ...(constraint.length > 0 ? { constraint } : {}) }, own.name);
  for (const child of own.children) {
    const known = root.children.findIndex(({ name }) => name === child.name);
    if (known >= 0) root.children[known] = redefined(root.children[known], child);
    else root.children.push(withInherited(work, child, `${own.name}.${child.name}`));
  }
}

function redefined(known: ElementTree | undefined, child: ElementTree): ElementTree {
  return {
    ...child,
    rules: { ...known?.rules, ...child.rules },
    children: child.children.length > 0 ? child.children : (known?.children ?? []),
  };
}

/** Adds the children of its type before an element's own children, and each type's constraints to its elements. */
function withInherited(work: Work, tree: ElementTree, path: string): ElementTree {
  const [type] = tree.rules.type ?? [];
  const children = tree.children.map((child) => withInherited(work, child, `${path}.${child.name}`));
  const base = children.length === 0 || type === undefined ? undefined : work.source.snapshot(urlOfType(type.code));
  const own = new Set((tree.rules.constraint ?? []).map(({ key }) => key));
  const inherited = constraintsOf(work, type?.code ?? 'Element');
  const constraint = [...inherited.filter(({ key }) => !own.has(key)), ...(tree.rules.constraint ?? [])];
  const { contentReference } = tree.rules;
  const rules = {
    ...tree.rules,
    ...(contentReference?.startsWith('#') ? { contentReference: work.structure.url + contentReference } : {}),
    ...(constraint.length > 0 ? { constraint } : {}),
  };
  return {
    ...tree,
    rules: withBase(rules, path),
    children: [...(base?.children.map(cloneTree) ?? []), ...children],
  };
}

function withBases(tree: ElementTree, path: string): ElementTree {
  const children = tree.children.map((child) => withBases(child, `${path}.${child.name}`));
  return { ...tree, rules: withBase(tree.rules, path), children };
}

/** Sets `base`: the path and cardinality of an element's first definition. */
function withBase(rules: ElementRules, path: string): ElementRules {
  const { base, min = 0, max = '1' } = rules;
  return base === undefined ? { ...rules, base: { path, min, max } } : rules;
}

/** The constraints of Element and Extension; those of other data types are published with the type only. */
function constraintsOf({ source }: Work, code: string): readonly ConstraintJson[] {
  if (source.structure(urlOfType(code))?.kind === 'resource' || code.includes(':')) return [];
  const types = code === 'Extension' ? ['Element', code] : ['Element'];
  return types.flatMap((type) => source.structure(urlOfType(type))?.differential?.[0]?.constraint ?? []);
}

/** Applies a part of the differential to the element that it constrains. */
function apply(work: Work, target: ElementTree, own: ElementTree, id: string): void {
  for (const issue of widenings(target.rules, own.rules)) work.problems.push(`${id} ${issue}`);
  target.rules = mergeRules(target.rules, own.rules, work.structure.url);
  if (own.children.length > 0) unfold(work, target, id);
  for (const child of own.children) applyChild(work, target, child, `${id}.${child.name}`);
  for (const slice of own.slices) applySlice(work, target, slice, id);
}

function applyChild(work: Work, parent: ElementTree, own: ElementTree, id: string): void {
  const known = parent.children.find(({ name }) => name === own.name || name === `${own.name}[x]`);
  if (known !== undefined) {
    apply(work, known, own, id);
    return;
  }
  const choice = parent.children.find((child) => typeOfShortName(child, own.name) !== undefined);
  if (choice === undefined) work.problems.push(`${id} is not an element of what it constrains`);
  else applyType(work, choice, own, id);
}

/** The type of a choice's short name: `Quantity` for `valueQuantity` of `value[x]`. */
function typeOfShortName({ name, rules }: ElementTree, short: string): string | undefined {
  if (!name.endsWith('[x]') || !short.startsWith(name.slice(0, -3))) return undefined;
  const suffix = short.slice(name.length - 3);
  return rules.type?.find(({ code }) => code.charAt(0).toUpperCase() + code.slice(1) === suffix)?.code;
}

/** `valueQuantity` is the slice of `value[x]` for Quantity; a required one excludes all other types. */
function applyType(work: Work, choice: ElementTree, own: ElementTree, id: string): void {
  const code = typeOfShortName(choice, own.name);
  const isOnly = (own.rules.min ?? 0) > 0;
  const type = choice.rules.type?.filter((each) => each.code === code) ?? [];
  const slicing = { ...BY_TYPE, ...choice.rules.slicing, ...(isOnly ? { rules: 'closed' } : {}) };
  choice.rules = { ...choice.rules, slicing, ...(isOnly ? { type, min: Math.max(1, choice.rules.min ?? 0) } : {}) };
  const slice: ElementTree = {
    ...own,
    name: choice.name,
    slice: own.name,
    rules: { ...own.rules, sliceName: own.name },
  };
  applySlice(work, choice, slice, id.slice(0, id.length - own.name.length) + choice.name);
}

function applySlice(work: Work, target: ElementTree, own: ElementTree, id: string): void {
  const name = own.slice ?? '';
  const sliceId = `${id}:${name}`;
  const known = findSlice(target, name);
  if (known !== undefined) {
    apply(work, known, own, sliceId);
    return;
  }
  const parent = sliceParent(target, name);
  if (parent.rules.slicing === undefined) implySlicing(work, parent, id);
  const { slicing: _slicing, ...rules } = parent.rules;
  const created: ElementTree = {
    ...cloneTree(parent),
    slice: name,
    slices: [],
    rules: { ...rules, sliceName: name, min: 0, ...typeOfSlice(parent, name) },
  };
  parent.slices.push(created);
  apply(work, created, own, sliceId);
}

/** A slice of a choice that has a type's name has that type. */
function typeOfSlice(choice: ElementTree, name: string): ElementRules {
  const code = typeOfShortName(choice, name);
  return code === undefined ? {} : { type: choice.rules.type?.filter((type) => type.code === code) ?? [] };
}

function implySlicing(work: Work, target: ElementTree, id: string): void {
  const isExtension = target.name === 'extension' || target.name === 'modifierExtension';
  const slicing = isExtension ? BY_URL : target.name.endsWith('[x]') ? BY_TYPE : undefined;
  if (slicing === undefined) work.problems.push(`${id} has slices, but does not say how they are told apart`);
  else target.rules = { ...target.rules, slicing };
}

/** Adds the children of an element's content reference, type, or type profile. */
export function unfold(work: Pick<Work, 'root' | 'source' | 'problems'>, target: ElementTree, id: string): void {
  if (target.children.length > 0) return;
  const { contentReference, type } = target.rules;
  const found = contentReference === undefined ? typeTree(work, type ?? []) : referredTree(work, contentReference);
  if (found === undefined) {
    work.problems.push(`${id} has no elements that could be constrained`);
    return;
  }
  target.children = found.children.map((child) => cloneTree(child));
  if (contentReference === undefined) return;
  const { contentReference: _reference, ...rules } = target.rules;
  target.rules = { ...rules, ...(found.rules.type === undefined ? {} : { type: found.rules.type }) };
}

function typeTree({ source }: Pick<Work, 'source'>, types: NonNullable<ElementRules['type']>): ElementTree | undefined {
  const [type, ...others] = types;
  if (type === undefined) return undefined;
  if (others.length > 0) return source.snapshot(urlOfType('Element'));
  const [profile, ...more] = type.profile ?? [];
  const byProfile = profile === undefined || more.length > 0 ? undefined : source.snapshot(profile);
  return byProfile ?? source.snapshot(urlOfType(type.code));
}

function referredTree({ root, source }: Pick<Work, 'root' | 'source'>, reference: string): ElementTree | undefined {
  const [url = '', path = ''] = reference.split('#');
  // A content reference is to the type's element, without a profile's rules.
  const base = url === '' ? undefined : source.snapshot(url);
  return findPath(base ?? root, path);
}
