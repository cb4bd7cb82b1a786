// Version rules of a request. They select the version of a code system or value set where a definition names none, or
// override the one that it names. They are the parameters system-version, check-system-version, force-system-version
// and default-valueset-version (hl7.org/fhir/R5/valueset-operation-expand.html).
import { type Canonical, fitsVersion, splitCanonical } from '../catalog/catalog.ts';
import { TerminologyError } from '../terminology-error.ts';

export interface VersionRules {
  /** By URL of the system: used when the definition names no version. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The version that must result. */
  readonly checked: ReadonlyMap<string, string>;
  /** Used whatever the definition names. */
  readonly forced: ReadonlyMap<string, string>;
  /** By URL of the value set. */
  readonly valueSets: ReadonlyMap<string, string>;
}

export const NO_RULES: VersionRules = {
  defaults: new Map(),
  checked: new Map(),
  forced: new Map(),
  valueSets: new Map(),
};

/** Canonicals with versions, by URL; one without a version rules nothing. */
export function versionsByUrl(canonicals: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    canonicals.flatMap((canonical) => {
      const { url, version } = splitCanonical(canonical);
      return version === undefined ? [] : [[url, version] as const];
    }),
  );
}

/** @throws TerminologyError `version-error` when the version differs from the one of check-system-version */
export function systemVersion(rules: VersionRules, url: string, named: string | undefined): string | undefined {
  const version = uncheckedVersion(rules, url, named);
  const checked = rules.checked.get(url);
  if (checked !== undefined && version !== undefined && !fitsVersion(version, checked)) {
    const message = `The version '${version}' is not allowed for system '${url}': required to be '${checked}' by a version-check parameter`;
    throw new TerminologyError('invalid', message, 'version-error');
  }
  return version;
}

/** The version that is used, without the check. */
function uncheckedVersion(rules: VersionRules, url: string, named: string | undefined): string | undefined {
  return rules.forced.get(url) ?? named ?? rules.defaults.get(url) ?? rules.checked.get(url);
}

/**
 * Runs a function; if the version check fails, runs it again without the check and returns the issue, which a
 * validation reports among others.
 */
export function reportedVersions<T>(rules: VersionRules, use: (rules: VersionRules) => T): { used: T; issue?: string } {
  try {
    return { used: use(rules) };
  } catch (error) {
    if (!(error instanceof TerminologyError) || error.kind !== 'version-error') throw error;
    return { used: use({ ...rules, checked: new Map() }), issue: error.message };
  }
}

export function valueSetVersion(rules: VersionRules, { url, version }: Canonical): string | undefined {
  return version ?? rules.valueSets.get(url);
}
