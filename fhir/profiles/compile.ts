// Compiles snapshots to profiles. Rules that equal the type's own definition are left out, so that checking a profile
// costs only what it adds (docs/adr/0014).
import { parseDiscriminatorPath } from './discriminator-path.ts';
import type {
  Discriminator,
  ExtensionContext,
  Profile,
  ProfileConstraint,
  ProfileNode,
  ProfileType,
  Slicing,
} from './profile.ts';
import { cloneTree, type ElementTree } from './snapshot/element-tree.ts';
import { maximum } from './snapshot/merge.ts';
import { type SnapshotSource, unfold, urlOfType } from './snapshot/snapshot.ts';
import type { ElementRules, SlicingJson, Structure, TypeJson } from './snapshot/structure.ts';

const DISCRIMINATORS: readonly string[] = ['value', 'exists', 'type', 'profile', 'position'];
const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';
const CONTEXTS: readonly string[] = ['element', 'extension', 'fhirpath'];

/** Rules that are copied when the base's differ. */
const PLAIN = ['maxLength', 'mustHaveValue', 'valueAlternatives'] as const;

interface Work {
  readonly source: SnapshotSource;
  readonly root: ElementTree;
  readonly problems: string[];
}

export interface CompiledProfile {
  readonly profile: Profile;
  /** Problems of the snapshot, each with its place. */
  readonly problems: readonly string[];
}

/** Compiles a snapshot to a profile. */
export function compileProfile(structure: Structure, tree: ElementTree, source: SnapshotSource): CompiledProfile {
  const { url, version, type } = structure;
  // A copy, as the comparison unfolds it further; the cached snapshots must not change.
  const base = cloneTree(source.snapshot(urlOfType(type)) ?? emptyTree(type));
  const problems: string[] = [];
  const { min: _min, ...root } = compileNode({ source, root: base, problems }, tree, base, type);
  const context = structure.context
    .filter(isContext)
    .filter(({ type: kind, expression }) => kind !== 'element' || expression !== 'Element');
  const profile = {
    url,
    ...(version === undefined ? {} : { version }),
    type,
    root,
    ...(type === 'Extension' && context.length > 0 && context.length === structure.context.length ? { context } : {}),
    ...(type === 'Extension' && tree.rules['isModifier'] === true ? { isModifier: true as const } : {}),
    ...(type === 'Extension' && structure.isForOthers ? { isForOthers: true as const } : {}),
  };
  return { profile, problems };
}

function isContext(context: { readonly type: string; readonly expression: string }): context is ExtensionContext {
  return CONTEXTS.includes(context.type);
}

function emptyTree(name: string): ElementTree {
  return { name, slice: undefined, rules: {}, children: [], slices: [] };
}

/**
 * The rules of an element that differ from those of its base: the same element of the type, or the sliced element for a
 * slice.
 */
function compileNode(work: Work, given: ElementTree, base: ElementTree, id: string): ProfileNode {
  const tree = withoutPointlessSlice(given);
  const children = tree.children.flatMap((child) =>
    compileChild(work, child, baseOfChild(work, base, tree, child.name), `${id}.${child.name}`),
  );
  const unsliced = () => cloneTree({ ...tree, slices: [], rules: { ...tree.rules, min: 0 } });
  noteProblems(work, tree, id);
  return {
    name: tree.name.replace(/\[x\]$/, ''),
    ...(tree.slice === undefined ? {} : { slice: tree.slice }),
    ...cardinality(tree, base),
    ...compileRules(tree.rules, base.rules),
    ...typesOfSlice(tree),
    ...compileSlicing(tree),
    ...(tree.slices.length > 0
      ? { slices: tree.slices.map((slice) => compileNode(work, slice, unsliced(), `${id}:${slice.slice}`)) }
      : {}),
    ...(children.length > 0 ? { children } : {}),
  };
}

/** Slices of a choice are distinguished by type, also by the only type that is left. */
function typesOfSlice({ name, slice, rules }: ElementTree): Pick<ProfileNode, 'types'> {
  const types = slice !== undefined && name.endsWith('[x]') ? compileTypes(rules.type) : undefined;
  return types === undefined ? {} : { types };
}

/** A slice of an element without slicing is the element itself: some published profiles are written so. */
function withoutPointlessSlice(tree: ElementTree): ElementTree {
  const [slice, ...others] = tree.slices;
  if (slice === undefined || others.length > 0 || tree.rules.slicing !== undefined || tree.rules.max !== undefined)
    return tree;
  const { sliceName: _name, ...rules } = slice.rules;
  return { ...slice, slice: undefined, rules: { ...tree.rules, ...rules } };
}

function compileChild(work: Work, child: ElementTree, base: ElementTree | undefined, id: string): ProfileNode[] {
  if (base === undefined) {
    work.problems.push(`${id} is not an element of what it constrains`);
    return [];
  }
  const node = compileNode(work, child, base, id);
  return Object.keys(node).length === 1 ? [] : [node];
}

/** Notes problems that would otherwise be ignored. */
function noteProblems({ problems }: Work, { rules: { slicing }, slices }: ElementTree, id: string): void {
  if (slices.length > 0 && slicing === undefined)
    problems.push(`${id} has slices, but does not say how they are told apart`);
  for (const { type, path } of slicing?.discriminator ?? []) {
    if (type !== 'position' && parseDiscriminatorPath(path) === undefined) {
      problems.push(`${id} is sliced by the path ${path}, which discriminators may not have`);
    }
  }
}

function baseOfChild(work: Work, base: ElementTree, own: ElementTree, name: string): ElementTree | undefined {
  if (base.children.length === 0) {
    const unfolded = {
      ...base,
      rules: { ...base.rules, ...(isSingle(own) ? { type: own.rules.type } : {}) },
      children: [],
    };
    unfold({ ...work, problems: [] }, unfolded, '');
    base.children = unfolded.children.map(cloneTree);
  }
  return base.children.find((child) => child.name === name);
}

/** A choice that has been narrowed to one type has the elements of that type. */
function isSingle({ rules }: ElementTree): boolean {
  return rules.type?.length === 1;
}

function cardinality({ rules, slice }: ElementTree, base: ElementTree): Pick<ProfileNode, 'min' | 'max'> {
  const min = rules.min ?? 0;
  const max = maximum(rules.max);
  return {
    ...(min > (slice === undefined ? (base.rules.min ?? 0) : 0) ? { min } : {}),
    ...(max < maximum(base.rules.max) ? { max } : {}),
  };
}

function compileRules(rules: ElementRules, base: ElementRules): Partial<ProfileNode> {
  const isSystemType = base.type?.[0]?.code.startsWith('http://hl7.org/fhirpath/');
  const types = isSystemType ? undefined : compileTypes(rules.type);
  const constraints = compileConstraints(rules, base);
  const binding = compileBinding(rules, base);
  const maximum = maximumOf(rules);
  return {
    ...(types !== undefined && !isSame(types, compileTypes(base.type)) ? { types } : {}),
    ...choice('fixed', rules, base),
    ...choice('pattern', rules, base),
    ...choice('minValue', rules, base),
    ...choice('maxValue', rules, base),
    ...Object.fromEntries(
      PLAIN.flatMap((name) =>
        rules[name] === undefined || isSame(rules[name], base[name]) ? [] : [[name, rules[name]]],
      ),
    ),
    ...(binding === undefined ? {} : { binding }),
    ...(maximum === undefined || maximum === maximumOf(base) ? {} : { maximum }),
    ...(constraints.length > 0 ? { constraints } : {}),
  };
}

/** The value of a member such as `fixedUri`. */
function choice(name: string, rules: ElementRules, base: ElementRules): Record<string, unknown> {
  const member = Object.keys(rules).find((key) => key.startsWith(name) && /^[A-Z]/.test(key.slice(name.length)));
  if (member === undefined || isSame(rules[member], base[member])) return {};
  return { [name]: rules[member] };
}

function compileTypes(types: readonly TypeJson[] | undefined): ProfileType[] | undefined {
  return types?.map(({ code, profile, targetProfile, aggregation }) => ({
    code: code.replace('http://hl7.org/fhir/StructureDefinition/', ''),
    ...(profile === undefined ? {} : { profiles: profile }),
    ...(targetProfile === undefined || targetProfile.includes(urlOfType('Resource')) ? {} : { targets: targetProfile }),
    ...(aggregation === undefined ? {} : { aggregation }),
  }));
}

function compileConstraints({ constraint }: ElementRules, base: ElementRules): ProfileConstraint[] {
  const known = new Set((base.constraint ?? []).map(({ key, expression }) => `${key} ${expression}`));
  return (constraint ?? []).flatMap(({ key, severity, human, expression }) =>
    expression === undefined || known.has(`${key} ${expression}`)
      ? []
      : [{ key, severity: severity === 'warning' ? 'warning' : 'error', human, expression }],
  );
}

function compileBinding({ binding }: ElementRules, base: ElementRules): ProfileNode['binding'] {
  const { strength, valueSet } = binding ?? {};
  if (valueSet === undefined || (strength !== 'required' && strength !== 'extensible')) return undefined;
  const url = unversioned(valueSet);
  const isKnown =
    base.binding?.strength === strength && base.binding.valueSet?.replace(/\|.*$/, '') === url.replace(/\|.*$/, '');
  return isKnown ? undefined : [strength, url];
}

/** The maximum value set: an additional binding in R5, an extension in earlier versions. */
function maximumOf({ binding }: ElementRules): string | undefined {
  const added = binding?.additional?.find(({ purpose }) => purpose === 'maximum')?.valueSet;
  const extension = binding?.extension?.find(({ url }) => url === MAX_VALUE_SET);
  const named: unknown = added ?? extension?.['valueCanonical'] ?? extension?.['valueUri'];
  return typeof named === 'string' ? unversioned(named) : undefined;
}

/** Official value sets exist in one version, that of R5. */
function unversioned(valueSet: string): string {
  return isOfficialSet(valueSet) ? valueSet.replace(/\|.*$/, '') : valueSet;
}

function isOfficialSet(valueSet: string): boolean {
  return ['http://hl7.org/fhir/ValueSet/', 'http://terminology.hl7.org/'].some((start) => valueSet.startsWith(start));
}

function compileSlicing({ rules: { slicing }, slices }: ElementTree): { readonly slicing?: Slicing } {
  if (slicing === undefined || slices.length === 0) return {};
  const { rules, ordered } = slicing;
  return {
    slicing: {
      by: discriminatorsOf(slicing),
      rules: rules === 'closed' || rules === 'openAtEnd' ? rules : 'open',
      ...(ordered === true ? { isOrdered: true } : {}),
    },
  };
}

/** `pattern` is the old name of `value`. */
function discriminatorsOf({ discriminator }: SlicingJson): Discriminator[] {
  return (discriminator ?? []).flatMap(({ type, path }) => {
    const name = type === 'pattern' ? 'value' : type;
    return isDiscriminator(name) ? [{ type: name, path }] : [];
  });
}

function isDiscriminator(type: string): type is Discriminator['type'] {
  return DISCRIMINATORS.includes(type);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
