// Caches snapshots by canonical URL. A definition's own snapshot is used as it is; others are generated on first use
// along the chain of base definitions. Missing bases and circles are reported.
import { type ElementTree, toTree } from './element-tree.ts';
import { generateSnapshot, type Snapshot, type SnapshotSource } from './snapshot.ts';
import type { Structure } from './structure.ts';

export interface SnapshotLibrary extends SnapshotSource {
  /** The snapshot of a structure, and the problems that prevent it. */
  readonly snapshotOf: (structure: Structure) => Snapshot;
}

/** Snapshots of the definitions that `find` returns by canonical URL. */
export function createSnapshotLibrary(find: (url: string) => Structure | undefined): SnapshotLibrary {
  const created = new Map<Structure, Snapshot>();
  const underWay: Structure[] = [];
  const make = (structure: Structure): Snapshot => {
    const given = toTree(structure.snapshot ?? []);
    if (given !== undefined) return { tree: given, problems: [] };
    const { baseDefinition } = structure;
    if (baseDefinition === undefined) return generateSnapshot(structure, undefined, library);
    const base = find(baseDefinition);
    if (base === undefined) return broken(structure, `its base ${baseDefinition} is not known here`);
    if (base === structure || underWay.includes(base)) {
      return broken(structure, `it is based on itself, through ${circle(underWay, base)}`);
    }
    const below = library.snapshotOf(base);
    const { tree, problems } = generateSnapshot(structure, below.tree, library);
    return { tree, problems: [...below.problems.map((problem) => `in its base ${base.url}: ${problem}`), ...problems] };
  };
  const library: SnapshotLibrary = {
    structure: find,
    snapshotOf: (structure) => {
      const known = created.get(structure);
      if (known !== undefined) return known;
      underWay.push(structure);
      try {
        const snapshot = make(structure);
        created.set(structure, snapshot);
        return snapshot;
      } finally {
        underWay.pop();
      }
    },
    snapshot: (url) => {
      const structure = find(url);
      // A profile that refers to itself has no snapshot to unfold yet.
      return structure === undefined || underWay.includes(structure) ? undefined : library.snapshotOf(structure).tree;
    },
  };
  return library;
}

function circle(underWay: readonly Structure[], base: Structure): string {
  return underWay
    .slice(underWay.indexOf(base))
    .map(({ url }) => url)
    .join(' and ');
}

function broken({ type }: Structure, problem: string): Snapshot {
  const tree: ElementTree = { name: type, slice: undefined, rules: {}, children: [], slices: [] };
  return { tree, problems: [problem] };
}
