// Sets of codes of several code systems. Of a system that cannot be listed here (LOINC, BCP-47) a set may hold all
// codes, or all except some. So a search can use "the whole of X without a, b".

/** The codes of one system, or the codes that are excluded from all. */
export interface CodesOfSystem {
  readonly isAllBut: boolean;
  readonly codes: ReadonlySet<string>;
}

/** By system; `''` for no system. A system that is not listed has no code in the set. */
export type CodeSelection = ReadonlyMap<string, CodesOfSystem>;

export const NO_CODES: CodeSelection = new Map();
const NONE: CodesOfSystem = { isAllBut: false, codes: new Set() };

export function selectCodes(system: string, codes: Iterable<string>): CodeSelection {
  return new Map([[system, { isAllBut: false, codes: new Set(codes) }]]);
}

export function selectWhole(system: string): CodeSelection {
  return new Map([[system, { isAllBut: true, codes: new Set() }]]);
}

/** The union. */
export function unite(a: CodeSelection, b: CodeSelection): CodeSelection {
  return combine(a, b, [...a.keys(), ...b.keys()], uniteCodes);
}

/** The difference: codes of the first selection that are not in the second. */
export function subtract(a: CodeSelection, b: CodeSelection): CodeSelection {
  return combine(a, b, [...a.keys()], (mine, { isAllBut, codes }) =>
    intersectCodes(mine, { isAllBut: !isAllBut, codes }),
  );
}

export function hasCode(selection: CodeSelection, system: string, code: string): boolean {
  const found = selection.get(system);
  return found !== undefined && found.codes.has(code) !== found.isAllBut;
}

/** The number of codes that it names, including those excluded from a whole system. */
export function sizeOf(selection: CodeSelection): number {
  let size = 0;
  for (const { codes } of selection.values()) size += codes.size;
  return size;
}

function combine(
  a: CodeSelection,
  b: CodeSelection,
  systems: readonly string[],
  of: (a: CodesOfSystem, b: CodesOfSystem) => CodesOfSystem,
): CodeSelection {
  const found = new Map<string, CodesOfSystem>();
  for (const system of systems) {
    const codes = of(a.get(system) ?? NONE, b.get(system) ?? NONE);
    if (codes.isAllBut || codes.codes.size > 0) found.set(system, codes);
  }
  return found;
}

function uniteCodes(a: CodesOfSystem, b: CodesOfSystem): CodesOfSystem {
  if (!a.isAllBut && !b.isAllBut) return { isAllBut: false, codes: a.codes.union(b.codes) };
  if (a.isAllBut && b.isAllBut) return { isAllBut: true, codes: a.codes.intersection(b.codes) };
  const [whole, some] = a.isAllBut ? [a, b] : [b, a];
  return { isAllBut: true, codes: whole.codes.difference(some.codes) };
}

function intersectCodes(a: CodesOfSystem, b: CodesOfSystem): CodesOfSystem {
  if (a.isAllBut && b.isAllBut) return { isAllBut: true, codes: a.codes.union(b.codes) };
  if (!a.isAllBut && !b.isAllBut) return { isAllBut: false, codes: a.codes.intersection(b.codes) };
  const [whole, some] = a.isAllBut ? [a, b] : [b, a];
  return { isAllBut: false, codes: some.codes.difference(whole.codes) };
}
