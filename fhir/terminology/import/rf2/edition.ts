// The edition and the date of a release, and the CodeSystem that stands for it
// (hl7.org/fhir/R5/snomedct.html, SNOMED CT URI standard).
import type { Json } from '../../json.ts';
import { FileUnreadable } from '../assembly.ts';

const SNOMED = 'http://snomed.info/sct';
const VERSION = /^http:\/\/snomed\.info\/x?sct\/\d{6,18}\/version\/\d{8}$/;
const PROPERTY = 'http://hl7.org/fhir/concept-properties#';
/** The module of the metadata, on which every other one depends. */
const MODEL_MODULE = '900000000000012004';
const INTERNATIONAL = '900000000000207008';

/** What names the edition: modules of concepts, and what modules depend on. */
export class EditionEvidence {
  readonly #modules = new Set<string>();
  readonly #dependents = new Set<string>();
  readonly #needed = new Set<string>();
  #date = '';

  addConcept(moduleId: string, effectiveTime: string): void {
    this.#modules.add(moduleId);
    if (effectiveTime > this.#date) this.#date = effectiveTime;
  }

  addDependency(moduleId: string, on: string): void {
    this.#dependents.add(moduleId);
    this.#needed.add(on);
  }

  /**
   * The URI of the version.
   * @param date of the name of the file of concepts, where it has one
   * @throws FileUnreadable when several modules may be the edition
   */
  versionOf(date: string | undefined): string {
    const candidates = this.#dependents.size > 0 ? [...this.#dependents] : [...this.#modules];
    const tops = candidates.filter((id) => !this.#needed.has(id) && id !== MODEL_MODULE);
    const [module = INTERNATIONAL, ...more] = tops;
    if (more.length === 0) return `${SNOMED}/${module}/version/${date ?? this.#date}`;
    const message = `several modules may be the edition (${tops.join(', ')}): --version must name it, as ${SNOMED}/${module}/version/${date ?? this.#date}`;
    throw new FileUnreadable(1, message);
  }
}

export const ENGLISH = 'en';

interface HeadOptions {
  readonly version: string;
  readonly url?: string;
  readonly language?: string;
  readonly name?: string;
  readonly title?: string;
  readonly copyright?: string;
}

/** The resource without its concepts. @throws FileUnreadable for another URL, or a version that is none of SNOMED CT */
export function headOf({ version, url = SNOMED, language = ENGLISH, ...named }: HeadOptions): Json {
  if (url !== SNOMED) throw new FileUnreadable(1, `the URL of SNOMED CT is ${SNOMED}`);
  if (!VERSION.test(version))
    throw new FileUnreadable(1, `the version ${version} is none of SNOMED CT: ${SNOMED}/[module]/version/[date]`);
  return {
    resourceType: 'CodeSystem',
    url: SNOMED,
    version,
    name: 'SNOMED_CT',
    title: 'SNOMED CT',
    status: 'active',
    publisher: 'SNOMED International',
    description: `An edition of SNOMED CT: ${version}`,
    copyright: LICENCE,
    copyrightLabel: 'SNOMED CT Affiliate License',
    ...named,
    language,
    caseSensitive: true,
    valueSet: `${SNOMED}?fhir_vs`,
    hierarchyMeaning: 'is-a',
    compositional: true,
    versionNeeded: false,
    content: 'complete',
    filter: [
      { code: 'constraint', description: 'An expression constraint (ECL 2.2)', operator: ['='], value: 'ECL' },
      {
        code: 'concept',
        description: 'The hierarchy, or (in) members of a reference set',
        operator: ['is-a', 'descendent-of', 'is-not-a', 'generalizes', 'child-of', 'descendent-leaf', 'in'],
        value: 'A concept',
      },
    ],
    property: [
      { code: 'parent', uri: `${PROPERTY}parent`, description: 'A concept that is more general', type: 'code' },
      { code: 'child', uri: `${PROPERTY}child`, description: 'A concept that is more special', type: 'code' },
      {
        code: 'inactive',
        uri: `${PROPERTY}inactive`,
        description: 'Whether the concept is no longer in use',
        type: 'boolean',
      },
      {
        code: 'sufficientlyDefined',
        description: 'Whether its attributes are enough to define the concept',
        type: 'boolean',
      },
      { code: 'moduleId', description: 'The module to which the concept belongs', type: 'code' },
      {
        code: 'effectiveTime',
        description: 'When this state of the concept came into force, as YYYYMMDD',
        type: 'string',
      },
    ],
  };
}

const LICENCE =
  'SNOMED CT is the property of SNOMED International. Its use needs an affiliate licence, which the national release centre of a member country gives out.';
