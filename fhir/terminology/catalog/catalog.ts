// The catalog of known definitions by canonical URL, with several versions of each. It has layers, of which an earlier
// one takes precedence: the request's definitions, users' stored ones, HL7's.
import { compareVersions } from '#fhir/primitives/business-version.ts';
import { type Json, text } from '../json.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';

export const DEFINITION_TYPES = ['CodeSystem', 'ValueSet', 'ConceptMap'] as const;
export type DefinitionType = (typeof DEFINITION_TYPES)[number];

/** One version of a definition; its content is read on first use, and cached. */
export interface Definition {
  readonly url: string;
  readonly version: string | undefined;
  readonly id: string | undefined;
  readonly status: string | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  /** For a supplement, the canonical of the code system that it extends. */
  readonly supplements: string | undefined;
  /** The resource; of a code system possibly without its concepts. */
  readonly resource: () => Json;
  /** The resource as JSON text, where it is available without serialising. */
  readonly text?: () => string;
}

export interface CodeSystemDefinition extends Definition {
  /** The URL of the value set of all its codes, if it names one. */
  readonly whole?: string | undefined;
  readonly model: () => CodeSystemModel;
}

export interface Catalog {
  /** Changes whenever the content changes: results computed from the catalog are valid for one generation. */
  readonly generation: number;
  codeSystems(url: string): readonly CodeSystemDefinition[];
  /** The supplements of a code system. */
  supplements(url: string): readonly CodeSystemDefinition[];
  valueSets(url: string): readonly Definition[];
  /** The code systems that name the value set of this URL as the one of all their codes. */
  systemsOfWhole(url: string): readonly CodeSystemDefinition[];
  conceptMaps(url: string): readonly Definition[];
  byId(type: DefinitionType, id: string): Definition | undefined;
  /** Every concept map, for translations that name none. */
  allConceptMaps(): readonly Definition[];
  /** The canonicals of all known definitions of a type. */
  list(type: DefinitionType): readonly Definition[];
}

/** Combines catalogs; a version in an earlier one hides the same version in a later one. */
export function layered(layers: readonly Catalog[]): Catalog {
  const merge = <T extends Definition>(of: (layer: Catalog) => readonly T[]): readonly T[] => {
    let only: readonly T[] | undefined;
    let several: (readonly T[])[] | undefined;
    for (const layer of layers) {
      const list = of(layer);
      if (list.length === 0) continue;
      if (several !== undefined) several.push(list);
      else if (only === undefined) only = list;
      else several = [only, list];
    }
    // Nearly every URL is in one layer, in one version.
    if (several === undefined && (only === undefined || only.length === 1)) return only ?? [];
    const lists = several ?? [only ?? []];
    const found = new Map<string, T>();
    for (const list of lists) {
      for (const each of list) {
        // A version may have any characters but no line break, and a URL has no spaces.
        const key = each.version === undefined ? each.url : `${each.url}\n${each.version}`;
        if (!found.has(key)) found.set(key, each);
      }
    }
    return [...found.values()];
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

/** A catalog that delegates to `latest()` on each use; its generation changes when the definitions may have changed. */
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

/** An implicit value set of SNOMED CT by an expression, in which bars and number signs have their own meaning. */
const WITH_EXPRESSION = '?fhir_vs=ecl/';

export function splitCanonical(canonical: string): Canonical {
  if (canonical.includes(WITH_EXPRESSION)) return splitWithExpression(canonical);
  const fragment = canonical.indexOf('#');
  const withoutFragment = fragment === -1 ? canonical : canonical.slice(0, fragment);
  const bar = withoutFragment.indexOf('|');
  if (bar === -1) return { url: withoutFragment, version: undefined };
  return { url: withoutFragment.slice(0, bar), version: withoutFragment.slice(bar + 1) || undefined };
}

/** Terms are between two bars: an odd one is the bar of the version. */
function splitWithExpression(canonical: string): Canonical {
  const bar = canonical.lastIndexOf('|');
  if (canonical.split('|').length % 2 === 1) return { url: canonical, version: undefined };
  return { url: canonical.slice(0, bar), version: canonical.slice(bar + 1) || undefined };
}

export function joinCanonical({ url, version }: Canonical): string {
  return version === undefined ? url : `${url}|${version}`;
}

/**
 * The requested version, which may be a pattern (`5.x`). Without one, or when several match, the latest that is not
 * retired.
 */
export function pickVersion<T extends Definition>(found: readonly T[], version: string | undefined): T | undefined {
  if (version === undefined) return latest(found);
  const exact = found.find((each) => each.version === version);
  return exact ?? latest(found.filter((each) => each.version !== undefined && fitsVersion(each.version, version)));
}

const PATTERN = /^(?:\d+|[xX*])(?:\.(?:\d+|[xX*]))*$/;
const WILDCARD = /^[xX*]$/;
/** An edition of SNOMED CT, which is any of its versions. */
const SNOMED_EDITION = /^http:\/\/snomed\.info\/x?sct\/\d+$/;

/**
 * Whether a version is the requested one, or matches its pattern. A wildcard stands for one part, and the last one for
 * all that follow (`1.x.x`, `1.*`). A version without a wildcard is no pattern: `1` is not `1.0`. An edition of SNOMED
 * CT is any version of it.
 */
export function fitsVersion(version: string, wanted: string): boolean {
  if (version === wanted) return true;
  if (SNOMED_EDITION.test(wanted)) return version.startsWith(`${wanted}/version/`);
  if (!PATTERN.test(wanted)) return false;
  const [parts, pattern] = [version.split('.'), wanted.split('.')];
  if (pattern.length > parts.length) return false;
  if (pattern.length < parts.length && !WILDCARD.test(pattern.at(-1) ?? '')) return false;
  return pattern.every((part, at) => WILDCARD.test(part) || part === parts[at]);
}

function latest<T extends Definition>(found: readonly T[]): T | undefined {
  if (found.length < 2) return found[0];
  const current = found.filter(({ status }) => status !== 'retired');
  return (current.length > 0 ? current : found).reduce<T | undefined>(
    (best, each) => (best === undefined || compareVersions(each.version, best.version) > 0 ? each : best),
    undefined,
  );
}

/** The metadata of a definition. */
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
