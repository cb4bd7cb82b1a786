// A code system with its hierarchy, read from a CodeSystem resource (hl7.org/fhir/R5/codesystem.html).
import { objects, text } from './json.ts';

export interface Concept {
  readonly parents: readonly string[];
  readonly children: readonly string[];
  /** By code: the values as text. */
  readonly properties: ReadonlyMap<string, readonly string[]>;
}

export interface CodeSystem {
  readonly url: string;
  readonly version: string | undefined;
  /** Whether all its codes are listed. */
  readonly isComplete: boolean;
  /** Whether a concept above another subsumes it. */
  readonly isSubsuming: boolean;
  readonly concepts: ReadonlyMap<string, Concept>;
}

interface Draft {
  readonly parents: Set<string>;
  readonly children: Set<string>;
  readonly properties: Map<string, string[]>;
}

/** Properties that place a concept under another (hl7.org/fhir/R5/codesystem.html#defined-props). */
const PARENT_PROPERTIES = new Set(['parent', 'subsumedBy']);

/** The system; undefined for a supplement, which has no codes of its own, and for one without a URL. */
export function readCodeSystem(resource: Readonly<Record<string, unknown>>): CodeSystem | undefined {
  const url = text(resource['url']);
  if (url === undefined || resource['content'] === 'supplement') return undefined;
  const concepts = new Map<string, Draft>();
  addConcepts(objects(resource['concept']), undefined, concepts);
  for (const [code, { properties }] of concepts) {
    for (const name of PARENT_PROPERTIES) for (const parent of properties.get(name) ?? []) link(parent, code, concepts);
    for (const child of properties.get('child') ?? []) link(code, child, concepts);
  }
  const meaning = resource['hierarchyMeaning'];
  return {
    url,
    version: text(resource['version']),
    isComplete: resource['content'] === 'complete',
    isSubsuming: meaning === undefined || meaning === 'is-a',
    concepts: new Map(
      [...concepts].map(([code, { parents, children, properties }]) => [
        code,
        { parents: [...parents], children: [...children], properties },
      ]),
    ),
  };
}

/** The concept and all that lie under it; empty when the system has no such code. */
export function withDescendants(system: CodeSystem, code: string): Set<string> {
  return reach(system, code, ({ children }) => children);
}

/** The concept and all that lie above it; empty when the system has no such code. */
export function withAncestors(system: CodeSystem, code: string): Set<string> {
  return reach(system, code, ({ parents }) => parents);
}

/** Polyhierarchies and circles visit each concept once. */
function reach({ concepts }: CodeSystem, code: string, next: (concept: Concept) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [code];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const concept = concepts.get(at);
    if (concept === undefined || found.has(at)) continue;
    found.add(at);
    open.push(...next(concept));
  }
  return found;
}

function addConcepts(
  given: readonly Readonly<Record<string, unknown>>[],
  parent: string | undefined,
  concepts: Map<string, Draft>,
): void {
  for (const concept of given) {
    const code = text(concept['code']);
    if (code === undefined) continue;
    if (!concepts.has(code)) {
      concepts.set(code, { parents: new Set(), children: new Set(), properties: propertiesOf(concept) });
    }
    if (parent !== undefined) link(parent, code, concepts);
    addConcepts(objects(concept['concept']), code, concepts);
  }
}

function link(parent: string, child: string, concepts: ReadonlyMap<string, Draft>): void {
  const above = concepts.get(parent);
  const below = concepts.get(child);
  if (above === undefined || below === undefined || parent === child) return;
  above.children.add(child);
  below.parents.add(parent);
}

function propertiesOf(concept: Readonly<Record<string, unknown>>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const property of objects(concept['property'])) {
    const name = text(property['code']);
    const key = Object.keys(property).find((each) => each.startsWith('value'));
    if (name === undefined || key === undefined) continue;
    const value = property[key];
    const [coding] = key === 'valueCoding' ? objects(value) : [];
    const written = coding === undefined ? String(value) : text(coding['code']);
    if (written !== undefined) found.set(name, [...(found.get(name) ?? []), written]);
  }
  return found;
}
