// What terminology knows: definitions by their canonical URLs, several versions side by side, in layers of which one
// that comes first goes before the others (what a request brings, what users have stored, what HL7 publishes).
import { compareVersions } from '#fhir/primitives/business-version.ts';
import { type Json, text } from '../json.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';

export const DEFINITION_TYPES = ['CodeSystem', 'ValueSet', 'ConceptMap'] as const;
export type DefinitionType = (typeof DEFINITION_TYPES)[number];

/** One version of a definition; what is in it is read when it is first asked for, and kept. */
export interface Definition {
  readonly url: string;
  readonly version: string | undefined;
  readonly id: string | undefined;
  readonly status: string | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  /** Of a supplement the canonical that it adds to. */
  readonly supplements: string | undefined;
  /** The resource; of a code system possibly without its concepts. */
  readonly resource: () => Json;
  /** The same as JSON, where that is there without being made from it. */
  readonly text?: () => string;
}

export interface CodeSystemDefinition extends Definition {
  /** The URL of the value set of all its codes, where it names one. */
  readonly whole?: string | undefined;
  readonly model: () => CodeSystemModel;
}

export interface Catalog {
  /** Another one whenever what it holds has changed: what was computed from it is to be kept no longer than that. */
  readonly generation: number;
  codeSystems(url: string): readonly CodeSystemDefinition[];
  /** The supplements of a code system. */
  supplements(url: string): readonly CodeSystemDefinition[];
  valueSets(url: string): readonly Definition[];
  /** The code systems that say that the value set of this URL has all of their codes. */
  systemsOfWhole(url: string): readonly CodeSystemDefinition[];
  conceptMaps(url: string): readonly Definition[];
  byId(type: DefinitionType, id: string): Definition | undefined;
  /** Every concept map, for translations that name none. */
  allConceptMaps(): readonly Definition[];
  /** The canonicals of all that is known of a type. */
  list(type: DefinitionType): readonly Definition[];
}

/** One catalog out of several; a version that an earlier one has hides that of a later one. */
export function layered(layers: readonly Catalog[]): Catalog {
  const merge = <T extends Definition>(of: (layer: Catalog) => readonly T[]): readonly T[] => {
    const lists = layers.map(of).filter((list) => list.length > 0);
    const [first, ...more] = lists;
    // Nearly every URL is known to one layer, in one version.
    if (first === undefined || (more.length === 0 && first.length === 1)) return first ?? [];
    const found: T[] = [];
    for (const list of lists) {
      for (const each of list) {
        if (!found.some(({ url, version }) => url === each.url && version === each.version)) found.push(each);
      }
    }
    return found;
  };
  return {
    get generation() {
      let sum = 0;
      for (const { generation } of layers) sum += generation;
      return sum;
    },
    codeSystems: (url) => merge((layer) => layer.codeSystems(url)),
    supplements: (url) => merge((layer) => layer.supplements(url)),
    valueSets: (url) => merge((layer) => layer.valueSets(url)),
    systemsOfWhole: (url) => merge((layer) => layer.systemsOfWhole(url)),
    conceptMaps: (url) => merge((layer) => layer.conceptMaps(url)),
    byId: (type, id) => layers.map((layer) => layer.byId(type, id)).find((found) => found !== undefined),
    allConceptMaps: () => layers.flatMap((layer) => layer.allConceptMaps()),
    list: (type) => layers.flatMap((layer) => layer.list(type)),
  };
}

/**
 * A catalog whose definitions are made (again) when somebody asks; its generation tells whether they may have changed.
 */
export function catalogFrom(generation: () => number, latest: () => Catalog): Catalog {
  return {
    get generation() {
      return generation();
    },
    codeSystems: (url) => latest().codeSystems(url),
    supplements: (url) => latest().supplements(url),
    valueSets: (url) => latest().valueSets(url),
    systemsOfWhole: (url) => latest().systemsOfWhole(url),
    conceptMaps: (url) => latest().conceptMaps(url),
    byId: (type, id) => latest().byId(type, id),
    allConceptMaps: () => latest().allConceptMaps(),
    list: (type) => latest().list(type),
  };
}

/** `url|version`. */
export interface Canonical {
  readonly url: string;
  readonly version: string | undefined;
}

export function splitCanonical(canonical: string): Canonical {
  const [withoutFragment = ''] = canonical.split('#');
  const bar = withoutFragment.indexOf('|');
  if (bar === -1) return { url: withoutFragment, version: undefined };
  return { url: withoutFragment.slice(0, bar), version: withoutFragment.slice(bar + 1) || undefined };
}

export function joinCanonical({ url, version }: Canonical): string {
  return version === undefined ? url : `${url}|${version}`;
}

/**
 * The version asked for, which may be a pattern (`5.x`, `5`); without one, or of several that fit, the latest that is
 * not retired.
 */
export function pickVersion<T extends Definition>(found: readonly T[], version: string | undefined): T | undefined {
  if (version === undefined) return latest(found);
  const exact = found.find((each) => each.version === version);
  return exact ?? latest(found.filter((each) => each.version !== undefined && fitsVersion(each.version, version)));
}

/**
 * Whether a version is the one asked for, or one of those a pattern stands for (terminology.hl7.org: `1.x.x`, `1.0`).
 */
export function fitsVersion(version: string, wanted: string): boolean {
  if (version === wanted) return true;
  const parts = version.split('.');
  const asked = wanted.split('.');
  if (!/^[\dxX*.]+$/.test(wanted) || asked.length > parts.length) return false;
  return asked.every((part, at) => /^[xX*]$/.test(part) || part === parts[at]);
}

function latest<T extends Definition>(found: readonly T[]): T | undefined {
  const current = found.filter(({ status }) => status !== 'retired');
  return (current.length > 0 ? current : found).reduce<T | undefined>(
    (best, each) => (best === undefined || compareVersions(each.version, best.version) > 0 ? each : best),
    undefined,
  );
}

/** What every definition says of itself. */
export function describe(resource: Json): Omit<Definition, 'resource'> | undefined {
  const url = text(resource['url']);
  if (url === undefined) return undefined;
  return {
    url,
    version: text(resource['version']),
    id: text(resource['id']),
    status: text(resource['status']),
    name: text(resource['name']),
    title: text(resource['title']),
    supplements: resource['content'] === 'supplement' ? text(resource['supplements']) : undefined,
  };
}
