// Users' profiles and extensions over the official ones. They are compiled on first use, and reported with their
// problems when they cannot be used (decision E3; docs/adr/0014).
import { expressionIssues } from '../fhirpath/pattern-calls.ts';
import { compileFhirPath } from '../validation/rules/fhirpath-test.ts';
import { compileProfile } from './compile.ts';
import { officialStructure } from './official.ts';
import type { Profile, ProfileNode } from './profile.ts';
import { type ProfileRegistry, r5Profiles } from './registry.ts';
import { toElements } from './snapshot/element-tree.ts';
import { createSnapshotLibrary, type SnapshotLibrary } from './snapshot/snapshot-library.ts';
import type { ElementJson, Structure } from './snapshot/structure.ts';

export interface CustomProfiles extends ProfileRegistry {
  /** A new object whenever users' definitions may have changed. */
  readonly generation: number;
  /** The user's definition with a canonical URL. */
  readonly custom: (canonical: string) => Structure | undefined;
  /** The URLs of users' definitions. */
  readonly urls: () => readonly string[];
  /** Replaces all users' definitions. */
  readonly replace: (structures: readonly Structure[]) => void;
  /** The problems that a definition would have if it were stored. */
  readonly problemsOf: (structure: Structure) => readonly string[];
  /** The snapshot of a definition, stored or not, and the problems that prevent it. */
  readonly snapshotOf: (structure: Structure) => {
    readonly elements: readonly ElementJson[];
    readonly problems: readonly string[];
  };
  /** A user's or official definition by its canonical URL. */
  readonly structure: (canonical: string) => Structure | undefined;
}

interface Known {
  readonly profile: Profile | undefined;
  readonly problems: readonly string[];
}

/** Users' definitions by canonical URL. */
type Definitions = (canonical: string) => Structure | undefined;

/** A registry over the official one; official definitions cannot be replaced. */
export function createCustomProfiles(official: ProfileRegistry = r5Profiles()): CustomProfiles {
  let definitions = new Map<string, readonly Structure[]>();
  const registry = createProfilesOver((canonical) => pick(definitions, canonical), official);
  return {
    ...registry.profiles,
    get generation() {
      return registry.generation();
    },
    urls: () => [...definitions.keys()],
    replace: (structures) => {
      definitions = Map.groupBy(structures.filter(isUsable), ({ url }) => url);
      registry.forget();
    },
  };
}

type Compiled = Omit<CustomProfiles, 'generation' | 'urls' | 'replace'>;

/** A registry of users' definitions that the caller stores; call `forget` when they change. */
export function createProfilesOver(
  custom: Definitions,
  official: ProfileRegistry = r5Profiles(),
): { readonly profiles: Compiled; readonly generation: () => number; readonly forget: () => void } {
  let generation = 0;
  let compiled = new Map<Structure, Known>();
  const structure = (canonical: string): Structure | undefined => officialStructure(canonical) ?? custom(canonical);
  let library: SnapshotLibrary = createSnapshotLibrary(structure);
  const known = (canonical: string): Known | undefined => {
    const found = custom(canonical);
    if (found === undefined) return undefined;
    const before = compiled.get(found);
    if (before !== undefined) return before;
    const created = compile(found, library);
    compiled.set(found, created);
    return created;
  };
  const profiles: Compiled = {
    find: (canonical) => official.find(canonical) ?? known(canonical)?.profile,
    problemOf: (canonical) => known(canonical)?.problems[0],
    custom,
    problemsOf: (given) => compile(given, libraryWith(given, structure)).problems,
    snapshotOf: (given) => {
      const { tree, problems } = libraryWith(given, structure).snapshotOf({ ...given, snapshot: undefined });
      return { elements: toElements(tree), problems };
    },
    structure,
  };
  const forget = (): void => {
    generation += 1;
    compiled = new Map();
    library = createSnapshotLibrary(structure);
  };
  return { profiles, generation: () => generation, forget };
}

/** Whether a stored definition is a profile. */
function isUsable({ isProfile }: Structure): boolean {
  return isProfile;
}

/** The library in which other definitions that refer to the URL of the given definition get that definition. */
function libraryWith(given: Structure, structure: (canonical: string) => Structure | undefined): SnapshotLibrary {
  const names = new Set([given.url, `${given.url}|${given.version}`]);
  return createSnapshotLibrary((canonical) => (names.has(canonical) ? given : structure(canonical)));
}

function compile(structure: Structure, library: SnapshotLibrary): Known {
  try {
    const snapshot = library.snapshotOf(structure);
    if (snapshot.problems.length > 0) return { profile: undefined, problems: snapshot.problems };
    const { profile, problems } = compileProfile(structure, snapshot.tree, library);
    const all = [...problems, ...expressionProblems(profile.root, profile.type)];
    return all.length > 0
      ? { profile: undefined, problems: all }
      : { profile: { ...profile, isCustom: true }, problems: [] };
  } catch (error) {
    // An unforeseen definition must not prevent writes of other resources.
    return {
      profile: undefined,
      problems: [`it cannot be read: ${error instanceof Error ? error.message : 'unknown'}`],
    };
  }
}

/** Invariants that are invalid FHIRPath, or cannot be evaluated in linear time. */
function expressionProblems({ constraints, children, slices, name }: ProfileNode, path: string): string[] {
  const own = (constraints ?? []).flatMap(({ key, expression }) => {
    try {
      const issues = expressionIssues(expression);
      if (issues.length > 0) return issues.map((issue) => `the constraint ${key} of ${path}: ${issue}`);
      compileFhirPath(expression, 'Element', true);
      return [];
    } catch {
      return [`the expression of the constraint ${key} of ${path} is not FHIRPath`];
    }
  });
  const below = [...(children ?? []).map((child) => [child, `${path}.${child.name}`] as const)];
  const beside = (slices ?? []).map((slice) => [slice, `${path}:${slice.slice ?? name}`] as const);
  return [...own, ...[...below, ...beside].flatMap(([node, place]) => expressionProblems(node, place))];
}

/** The definition with that version, or the latest. */
function pick(custom: ReadonlyMap<string, readonly Structure[]>, canonical: string): Structure | undefined {
  if (custom.size === 0) return undefined;
  const [url = '', version] = canonical.split('|');
  const all = custom.get(url);
  if (all === undefined) return undefined;
  if (version !== undefined) return all.find((each) => each.version === version);
  return all.toSorted((a, b) => (a.version ?? '').localeCompare(b.version ?? '', 'en', { numeric: true })).at(-1);
}
