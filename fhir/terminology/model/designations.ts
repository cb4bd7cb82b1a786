// Names of a concept. A description of SNOMED CT becomes one designation in its language, and one more for each dialect
// that prefers it (hl7.org/fhir/R5/snomedct.html). So the name of a dialect is found by its language tag.
import type { Json } from '../json.ts';
import { dialectTag } from './snomed/dialects.ts';

export interface Coding {
  readonly system?: string | undefined;
  readonly version?: string | undefined;
  readonly code?: string | undefined;
  readonly display?: string | undefined;
}

export interface Designation {
  readonly language: string | undefined;
  readonly use: Coding | undefined;
  readonly value: string;
  /** The extensions that are kept (./extensions.ts). */
  readonly extensions?: readonly Json[];
  /** The canonical of the supplement that adds it. */
  readonly source?: string;
  /** For a description of SNOMED CT. */
  readonly description?: DescriptionDetails;
}

/** What designations have in common; a code system has a list of these. */
export type DesignationKind = Omit<Designation, 'value'>;

export interface DescriptionDetails {
  readonly moduleId: string;
  /** `YYYYMMDD`; `''` where there are too many kinds of descriptions to distinguish them by it. */
  readonly effectiveTime: string;
  readonly dialects: readonly DescriptionDialect[];
}

export interface DescriptionDialect {
  /** The language reference set. */
  readonly refset: string;
  readonly isPreferred: boolean;
}

const SYNONYM = '900000000000013009';

const PREFERRED: Coding = {
  system: 'http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra',
  code: 'preferredForLanguage',
  display: 'Preferred For Language',
};

/** The kinds of the designations of a description, those of the dialects first. */
export interface ExpandedKind {
  readonly preferred: readonly DesignationKind[];
  readonly own: DesignationKind;
}

export function expandKind(kind: DesignationKind): ExpandedKind {
  const { language, use, description } = kind;
  if (description === undefined) return { preferred: NONE, own: kind };
  const own = { language, use };
  if (use?.code !== SYNONYM) return { preferred: NONE, own };
  const preferred = description.dialects
    .filter(({ isPreferred }) => isPreferred)
    .map(({ refset }) => ({ language: dialectTag(refset, language), use: PREFERRED }));
  return { preferred, own };
}

const NONE: readonly DesignationKind[] = [];
