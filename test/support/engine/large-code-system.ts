// Generates a code system of any size, the same each time: twelve levels, some concepts with two parents, names in two
// languages, properties.

export interface GeneratedConcept {
  readonly code: string;
  /** Its parent; undefined for the first. */
  readonly parent: string | undefined;
  /** A second parent, for one in twenty. */
  readonly secondParent: string | undefined;
  readonly display: string;
  readonly swedish: string;
  readonly synonym: string;
  readonly severity: string;
  readonly site: string;
  readonly isInactive: boolean;
  /** From 1 to 12. */
  readonly level: number;
}

export const LARGE_URL = 'https://kedja.example/fhir/CodeSystem/findings';
const LARGE_VERSION = '2026';
export const SEVERITIES = ['none', 'mild', 'moderate', 'severe', 'fatal'] as const;
const SITES = 200;
const LEVELS = 12;

const KINDS = ['Fracture', 'Inflammation', 'Injury', 'Neoplasm', 'Infection', 'Stenosis', 'Rupture', 'Degeneration'];
const KINDS_SV = ['Fraktur', 'Inflammation', 'Skada', 'Tumör', 'Infektion', 'Förträngning', 'Ruptur', 'Degeneration'];
const MANNERS = ['acute', 'chronic', 'recurrent', 'congenital', 'open', 'closed', 'bilateral'];
const MANNERS_SV = ['akut', 'kronisk', 'återkommande', 'medfödd', 'öppen', 'sluten', 'dubbelsidig'];
const SYLLABLES = ['ra', 'di', 'ul', 'fe', 'mo', 'ti', 'bi', 'sca', 'pho', 'lu', 'na', 'te', 'cla', 'vi', 'pa', 'tel'];

/** A generated name of a part of the body; there are 4,096. */
export function partOf(number: number): string {
  const syllable = (of: number): string => SYLLABLES[of & 15] ?? '';
  const name = syllable(number) + syllable(number >> 4) + syllable(number >> 8);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A hash of the number, spread over all 32 bits. */
export function mixed(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function codeOf(number: number): string {
  return String(100_000_000 + number * 7);
}

/** The concepts in the order of a nested list: each before its children. */
export function* generateConcepts(size: number): Generator<GeneratedConcept> {
  const open = [{ size, level: 1, parent: undefined as string | undefined }];
  // Few children for each, so that some concepts are left for the last level.
  const branches = Math.max(2, Math.floor(size ** (1 / (LEVELS - 1))));
  let number = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const concept = conceptOf(number, at.parent, at.level);
    yield concept;
    number += 1;
    const rest = at.size - 1;
    const count = Math.min(rest, at.level === LEVELS - 1 ? rest : branches);
    for (let child = 0; child < count; child += 1) {
      const share = Math.floor((rest * (child + 1)) / count) - Math.floor((rest * child) / count);
      open.push({ size: share, level: at.level + 1, parent: concept.code });
    }
  }
}

function conceptOf(number: number, parent: string | undefined, level: number): GeneratedConcept {
  const chance = mixed(number + 1);
  const [kind, manner, part] = [chance % KINDS.length, (chance >>> 3) % MANNERS.length, partOf((chance >>> 6) & 4095)];
  const serial = (chance >>> 18) % 1000;
  return {
    code: codeOf(number),
    parent,
    secondParent: number > 100 && chance % 20 === 0 ? codeOf((chance >>> 8) % (number - 50)) : undefined,
    display: `${KINDS[kind]} of ${part}, ${MANNERS[manner]}, grade ${serial}`,
    swedish: `${MANNERS_SV[manner]} ${KINDS_SV[kind]?.toLowerCase()} i ${part}, grad ${serial}`,
    synonym: `${part} ${KINDS[kind]?.toLowerCase()} (${MANNERS[manner]})`,
    severity: SEVERITIES[chance % SEVERITIES.length] ?? 'none',
    site: `site ${(chance >>> 5) % SITES}`,
    isInactive: chance % 50 === 7,
    level,
  };
}

/** As CodeSystem.concept of FHIR, without the concepts below it; its parents as properties where `hasParents`. */
export function asConcept(made: GeneratedConcept, hasParents: boolean): object {
  const parents = [...(hasParents ? [made.parent] : []), made.secondParent].filter((each) => each !== undefined);
  return {
    code: made.code,
    display: made.display,
    designation: [
      { language: 'sv', value: made.swedish },
      { language: 'en', use: { system: 'http://snomed.info/sct', code: '900000000000013009' }, value: made.synonym },
    ],
    property: [
      ...parents.map((parent) => ({ code: 'parent', valueCode: parent })),
      { code: 'severity', valueCode: made.severity },
      { code: 'site', valueString: made.site },
      ...(made.isInactive ? [{ code: 'inactive', valueBoolean: true }] : []),
    ],
  };
}

/** The resource without its concepts. */
export function largeHead(): object {
  return {
    resourceType: 'CodeSystem',
    url: LARGE_URL,
    version: LARGE_VERSION,
    name: 'Findings',
    title: 'Made-up findings',
    status: 'active',
    language: 'en',
    content: 'complete',
    caseSensitive: true,
    hierarchyMeaning: 'is-a',
    property: [
      { code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' },
      { code: 'severity', description: 'How grave it is', type: 'code' },
      { code: 'site', description: 'Where it is', type: 'string' },
      { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
    ],
  };
}

/** Lines of NDJSON: the head, then a concept each. */
export function* largeNdjson(size: number): Generator<string> {
  yield `${JSON.stringify(largeHead())}\n`;
  for (const made of generateConcepts(size)) yield `${JSON.stringify(asConcept(made, true))}\n`;
}

/** The text of the resource, its concepts nested, piece by piece. */
export function* largeJson(size: number): Generator<string> {
  yield `${JSON.stringify(largeHead()).slice(0, -1)},"concept":[\n`;
  let level = 0;
  for (const made of generateConcepts(size)) {
    if (made.level > level) yield level === 0 ? '' : ',"concept":[\n';
    else yield `}${']}'.repeat(level - made.level)},\n`;
    level = made.level;
    yield JSON.stringify(asConcept(made, false)).slice(0, -1);
  }
  yield `}${']}'.repeat(level - 1)}]}\n`;
}

/** Rows of a CSV file, with its header. */
export function* largeCsv(size: number): Generator<string> {
  yield 'code,display,parent,designation:sv,designation:en,property:severity:code,property:site,property:inactive:boolean\n';
  for (const made of generateConcepts(size)) {
    const parents = [made.parent, made.secondParent].filter((each) => each !== undefined).join('|');
    const cells = [
      made.code,
      `"${made.display}"`,
      parents,
      `"${made.swedish}"`,
      made.synonym,
      made.severity,
      made.site,
    ];
    yield `${[...cells, made.isInactive ? 'true' : ''].join(',')}\n`;
  }
}
