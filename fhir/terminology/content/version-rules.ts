// The rules of a request on versions and supplements: the parameters system-version, check-system-version,
// force-system-version, default-valueset-version and useSupplement
// (hl7.org/fhir/R5/valueset-operation-expand.html).
import { type Canonical, splitCanonical } from '../catalog/catalog.ts';

export interface VersionRules {
  /** By URL of the system: used when the definition names no version. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The version that must result. */
  readonly checked: ReadonlyMap<string, string>;
  /** Used whatever the definition names. */
  readonly forced: ReadonlyMap<string, string>;
  /** By URL of the value set. */
  readonly valueSets: ReadonlyMap<string, string>;
  /** Canonicals of the supplements that are used. */
  readonly supplements: readonly string[];
  /** By URL of the system: the version of the coding that is compared with the definition. */
  readonly given: ReadonlyMap<string, string>;
  /** Whether another version than the checked one is an error; a validation reports it among its issues instead. */
  readonly isChecking: boolean;
}

export const NO_RULES: VersionRules = {
  defaults: new Map(),
  checked: new Map(),
  forced: new Map(),
  valueSets: new Map(),
  supplements: [],
  given: new Map(),
  isChecking: true,
};

/** Identifies equal rules; `''` for none. */
export function keyOfRules(rules: VersionRules): string {
  if (rules === NO_RULES) return '';
  const { defaults, checked, forced, valueSets, supplements, given, isChecking } = rules;
  return JSON.stringify([
    [defaults, checked, forced, valueSets, given].map((each) => [...each]),
    supplements,
    isChecking,
  ]);
}

/** Canonicals with versions, by URL; one without a version rules nothing. */
export function versionsByUrl(canonicals: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    canonicals.flatMap((canonical) => {
      const { url, version } = splitCanonical(canonical);
      return version === undefined ? [] : [[url, version] as const];
    }),
  );
}

export function valueSetVersion(rules: VersionRules, { url, version }: Canonical): string | undefined {
  return version ?? rules.valueSets.get(url);
}
