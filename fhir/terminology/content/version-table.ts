// The one table of versions. It says which version of a code system is used for an include of a value set and for a
// coding. The version rules of the request decide. There is no include where only the code system is named. The table
// also has what is said of the version. $expand, $validate-code and $lookup all ask it.
import { type Definition, fitsVersion, pickVersion } from '../catalog/catalog.ts';
import { unallowedVersion } from '../messages.ts';
import { TerminologyError } from '../terminology-error.ts';
import type { VersionRules } from './version-rules.ts';

/** What asks for a version, the strongest first. */
const SOURCES = ['force-system-version', 'include', 'system-version', 'check-system-version'] as const;
type Source = (typeof SOURCES)[number];

/** Parameters of the request that decide about versions. */
export type VersionParameter = Exclude<Source, 'include'>;

/** Of the version that is asked for by the strongest source. */
type Wanted = 'none' | 'known' | 'unknown';
/** Of the coding's own version, compared with the wanted one. */
type Given = 'none' | 'fits' | 'differs' | 'unknown';

/**
 * `wanted-unknown`, `given-unknown`: the code system is not known in that version. `differs`: the coding's version is
 * another than the wanted one. `differs-from-newest`: the same where no version is wanted.
 */
export type VersionFinding = 'wanted-unknown' | 'given-unknown' | 'differs' | 'differs-from-newest';

interface Row {
  /**
   * `fallback`: the version that `system-version` or `check-system-version` names, else the newest that is not retired.
   */
  readonly use: 'wanted' | 'given' | 'fallback';
  readonly findings: readonly VersionFinding[];
}

export const VERSION_TABLE: Readonly<Record<Wanted, Readonly<Record<Given, Row>>>> = {
  none: {
    none: { use: 'fallback', findings: [] },
    fits: { use: 'given', findings: [] },
    differs: { use: 'given', findings: [] },
    unknown: { use: 'fallback', findings: ['given-unknown', 'differs-from-newest'] },
  },
  known: {
    none: { use: 'wanted', findings: [] },
    fits: { use: 'given', findings: [] },
    differs: { use: 'wanted', findings: ['differs'] },
    unknown: { use: 'wanted', findings: ['differs', 'given-unknown'] },
  },
  unknown: {
    none: { use: 'fallback', findings: ['wanted-unknown'] },
    fits: { use: 'fallback', findings: ['wanted-unknown'] },
    differs: { use: 'given', findings: ['differs', 'wanted-unknown'] },
    unknown: { use: 'fallback', findings: ['differs', 'wanted-unknown', 'given-unknown'] },
  },
};

export interface VersionQuestion {
  readonly url: string;
  /** The version that the include names. */
  readonly named: string | undefined;
  /** The version of the coding. */
  readonly given: string | undefined;
}

export interface ChosenVersion<T> {
  /** The definition that is used; undefined when the code system is not known at all. */
  readonly definition: T | undefined;
  readonly findings: readonly VersionFinding[];
  /** The wanted version, as it is asked for. */
  readonly wanted: string | undefined;
  /** The parameter that asks for it, when it is not the include. */
  readonly parameter: VersionParameter | undefined;
}

/** @param known every known version of the code system */
export function chooseVersion<T extends Definition>(
  known: readonly T[],
  rules: VersionRules,
  question: VersionQuestion,
): ChosenVersion<T> {
  const { url, named, given } = question;
  const asked: Readonly<Record<Source, string | undefined>> = {
    'force-system-version': rules.forced.get(url),
    include: named,
    'system-version': rules.defaults.get(url),
    'check-system-version': rules.checked.get(url),
  };
  const source = SOURCES.find((each) => asked[each] !== undefined);
  const wanted = source === undefined ? undefined : asked[source];
  const ofWanted = wanted === undefined ? undefined : pickVersion(known, wanted);
  const ofGiven = given === undefined ? undefined : pickVersion(known, given);
  const row = VERSION_TABLE[stateOfWanted(wanted, ofWanted)][stateOfGiven({ given, wanted, ofGiven, ofWanted })];
  const fallback = asked['system-version'] ?? asked['check-system-version'];
  const otherwise = (): T | undefined => pickVersion(known, fallback) ?? pickVersion(known, undefined);
  return {
    definition: row.use === 'wanted' ? ofWanted : row.use === 'given' ? ofGiven : otherwise(),
    findings: row.findings,
    wanted,
    parameter: source === 'include' ? undefined : source,
  };
}

function stateOfWanted(wanted: string | undefined, found: Definition | undefined): Wanted {
  if (wanted === undefined) return 'none';
  return found === undefined ? 'unknown' : 'known';
}

interface Both {
  readonly given: string | undefined;
  readonly wanted: string | undefined;
  readonly ofGiven: Definition | undefined;
  readonly ofWanted: Definition | undefined;
}

function stateOfGiven({ given, wanted, ofGiven, ofWanted }: Both): Given {
  if (given === undefined) return 'none';
  const isWanted = given === wanted || (ofGiven !== undefined && ofGiven === ofWanted);
  if (isWanted) return 'fits';
  if (ofGiven?.version === undefined) return 'unknown';
  return wanted === undefined || fitsVersion(ofGiven.version, wanted) ? 'fits' : 'differs';
}

/** The version that check-system-version asks for, when the used one is another. */
export function violatedCheck(rules: VersionRules, url: string, used: string | undefined): string | undefined {
  const checked = rules.checked.get(url);
  const isFulfilled = checked === undefined || used === undefined || fitsVersion(used, checked);
  return isFulfilled ? undefined : checked;
}

/** @throws TerminologyError `exception` for another version than check-system-version asks for */
export function requireChecked(rules: VersionRules, url: string, used: string | undefined): void {
  const checked = rules.isChecking ? violatedCheck(rules, url, used) : undefined;
  if (checked === undefined) return;
  throw new TerminologyError('exception', unallowedVersion({ url, version: used }, checked), 'version-error');
}
