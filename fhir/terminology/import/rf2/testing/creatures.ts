// A small release in RF2 with content that is made up: creatures, what they breathe and where they live. Identifiers
// have valid check digits; only the metadata has those of SNOMED CT.
import { withCheckDigit } from '../sctid.ts';

export const MODULE = withCheckDigit('110000000010');
const DATE = '20260131';
export const VERSION = `http://snomed.info/sct/${MODULE}/version/${DATE}`;
const CORE = '900000000000207008';
const [FSN, SYNONYM, DEFINITION] = ['900000000000003001', '900000000000013009', '900000000000550004'];
const [PREFERRED, ACCEPTABLE] = ['900000000000548007', '900000000000549004'];
const [DEFINED, PRIMITIVE] = ['900000000000073002', '900000000000074008'];
const [AMERICAN, SWEDISH] = ['900000000000509007', '46011000052107'] as const;
export const BRITISH = '900000000000508004';

/** Identifiers of the made-up concepts by name. */
export const id = (name: keyof typeof NUMBERS): string => withCheckDigit(`99${NUMBERS[name]}00`);
const NUMBERS = {
  creature: 1001,
  dragon: 1002,
  frostDragon: 1003,
  fireDragon: 1004,
  seaDragon: 1005,
  griffin: 1006,
  oldDragon: 1007,
  substance: 1101,
  ice: 1102,
  fire: 1103,
  steam: 1104,
  place: 1201,
  mountain: 1202,
  sea: 1203,
  breathes: 1301,
  livesIn: 1302,
  heads: 1303,
  favourites: 1401,
  map: 1402,
} as const;

interface Term {
  readonly language: 'en' | 'sv';
  readonly type: string;
  readonly term: string;
  /** Language reference sets in which it is preferred, and acceptable. */
  readonly preferred?: readonly string[];
  readonly acceptable?: readonly string[];
}

interface MadeConcept {
  readonly id: string;
  readonly names: readonly Term[];
  readonly parents?: readonly string[];
  /** Group, type, and a concept or a concrete value. */
  readonly attributes?: readonly (readonly [group: number, type: string, target: string])[];
  readonly isInactive?: boolean;
  readonly isDefined?: boolean;
  readonly moduleId?: string;
  readonly time?: string;
}

const BOTH = [AMERICAN, BRITISH];
const fsn = (term: string): Term => ({ language: 'en', type: FSN, term, preferred: BOTH });
const en = (term: string, preferred: readonly string[] = BOTH, acceptable: readonly string[] = []): Term => ({
  language: 'en',
  type: SYNONYM,
  term,
  preferred,
  acceptable,
});
const sv = (term: string, isPreferred = true): Term => ({
  language: 'sv',
  type: SYNONYM,
  term,
  ...(isPreferred ? { preferred: [SWEDISH] } : { acceptable: [SWEDISH] }),
});

const ROOT = '138875005';
const metadata = (each: string, term: string, parent = ROOT): MadeConcept => ({
  id: each,
  names: [fsn(`${term} (metadata)`), en(term)],
  parents: [parent],
  moduleId: CORE,
  time: '20020131',
});

const CONCEPTS: readonly MadeConcept[] = [
  { id: ROOT, names: [fsn('Root (root)'), en('Root')], moduleId: CORE, time: '20020131' },
  metadata('116680003', 'Is a'),
  metadata('609096000', 'Role group'),
  metadata('900000000000522004', 'Historical association'),
  metadata('900000000000527005', 'Same as', '900000000000522004'),
  metadata('900000000000523009', 'Possibly equivalent to', '900000000000522004'),
  metadata(id('breathes'), 'Breathes'),
  metadata(id('livesIn'), 'Lives in'),
  metadata(id('heads'), 'Number of heads'),
  metadata(id('favourites'), 'Favourite creatures'),
  metadata(id('map'), 'Map to letters'),
  { id: id('creature'), names: [fsn('Creature (creature)'), en('Creature'), sv('varelse')], parents: [ROOT] },
  { id: id('substance'), names: [fsn('Substance (substance)'), en('Substance')], parents: [ROOT] },
  { id: id('ice'), names: [fsn('Ice (substance)'), en('Ice'), sv('is')], parents: [id('substance')] },
  { id: id('fire'), names: [fsn('Fire (substance)'), en('Fire'), sv('eld')], parents: [id('substance')] },
  { id: id('steam'), names: [fsn('Steam (substance)'), en('Steam')], parents: [id('ice'), id('fire')] },
  { id: id('place'), names: [fsn('Place (place)'), en('Place')], parents: [ROOT] },
  { id: id('mountain'), names: [fsn('Mountain (place)'), en('Mountain'), sv('berg')], parents: [id('place')] },
  { id: id('sea'), names: [fsn('Sea (place)'), en('Sea'), sv('hav')], parents: [id('place')] },
  {
    id: id('dragon'),
    names: [
      fsn('Dragon (creature)'),
      en('Dragon'),
      { language: 'en', type: DEFINITION, term: 'A creature with scales that breathes something.', preferred: BOTH },
      sv('drake'),
      sv('lindorm', false),
    ],
    parents: [id('creature')],
  },
  {
    id: id('frostDragon'),
    names: [
      fsn('Frost dragon (creature)'),
      en('Gray frost dragon', [AMERICAN], [BRITISH]),
      en('Grey frost dragon', [BRITISH]),
      sv('frostdrake'),
    ],
    parents: [id('dragon')],
    attributes: [
      [1, id('breathes'), id('ice')],
      [1, id('livesIn'), id('mountain')],
      [0, id('heads'), '#1'],
    ],
    isDefined: true,
  },
  {
    id: id('fireDragon'),
    names: [fsn('Fire dragon (creature)'), en('Fire dragon'), sv('elddrake')],
    parents: [id('dragon')],
    attributes: [
      [1, id('breathes'), id('fire')],
      [1, id('livesIn'), id('mountain')],
      [2, id('breathes'), id('steam')],
      [2, id('livesIn'), id('sea')],
      [0, id('heads'), '#3'],
    ],
    isDefined: true,
    time: '20250731',
  },
  {
    id: id('seaDragon'),
    names: [fsn('Sea dragon (creature)'), en('Sea dragon'), sv('havsdrake')],
    parents: [id('dragon'), id('creature')],
    attributes: [[1, id('livesIn'), id('sea')]],
  },
  { id: id('griffin'), names: [fsn('Griffin (creature)'), en('Griffin')], parents: [id('creature')] },
  { id: id('oldDragon'), names: [fsn('Wyrm (creature)'), en('Wyrm')], isInactive: true, time: '20240131' },
];

export interface Member {
  readonly refset: string;
  readonly component: string;
  readonly values?: readonly string[];
}

const FAVOURITES: readonly Member[] = [
  { refset: id('favourites'), component: id('frostDragon') },
  { refset: id('favourites'), component: id('griffin') },
  { refset: id('favourites'), component: id('oldDragon') },
];
const ASSOCIATIONS: readonly Member[] = [
  { refset: '900000000000527005', component: id('oldDragon'), values: [id('dragon')] },
  { refset: '900000000000523009', component: id('oldDragon'), values: [id('griffin')] },
];
const MAPS: readonly Member[] = [
  { refset: id('map'), component: id('dragon'), values: ['D1.0'] },
  { refset: id('map'), component: id('griffin'), values: ['G2.5'] },
];

const common = (
  each: string,
  { isInactive = false, moduleId = MODULE, time = DATE }: Partial<MadeConcept>,
): string[] => [each, time, isInactive ? '0' : '1', moduleId];
const table = (rows: readonly (readonly string[])[]): string => rows.map((row) => `${row.join('\t')}\r\n`).join('');
const COMMON = ['id', 'effectiveTime', 'active', 'moduleId'];
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The files of the release by their names. */
export function creatureFiles(): Map<string, string> {
  const terms = CONCEPTS.flatMap((concept) => concept.names.map((name) => ({ concept, ...name }))).map((each, at) => ({
    ...each,
    id: withCheckDigit(`88${1000 + at}01`),
  }));
  const described = (isDefinition: boolean, language: string): string[][] =>
    terms
      .filter((each) => (each.type === DEFINITION) === isDefinition && each.language === language)
      .map(({ concept, id: each, language: of, type, term }) => [
        ...common(each, { ...concept, isInactive: false }),
        concept.id,
        of,
        type,
        term,
        '900000000000448009',
      ]);
  const descriptionHead = [...COMMON, 'conceptId', 'languageCode', 'typeId', 'term', 'caseSignificanceId'];
  const dialects = (language: string): string[][] =>
    terms
      .filter((each) => each.language === language)
      .flatMap(({ id: each, preferred = [], acceptable = [] }) => [
        ...preferred.map((refset) => [refset, each, PREFERRED]),
        ...acceptable.map((refset) => [refset, each, ACCEPTABLE]),
      ])
      .map((cells, at) => [...common(uuid(at), {}), ...cells]);
  const members = (list: readonly Member[]): string[][] =>
    list.map(({ refset, component, values = [] }, at) => [...common(uuid(at), {}), refset, component, ...values]);
  const memberHead = [...COMMON, 'refsetId', 'referencedComponentId'];
  const name = (form: string, language = ''): string => `Snapshot/${form}Snapshot${language}_XX_${DATE}.txt`;
  return new Map([
    [
      name('Terminology/sct2_Concept_'),
      table([
        [...COMMON, 'definitionStatusId'],
        ...CONCEPTS.map((each) => [...common(each.id, each), each.isDefined === true ? DEFINED : PRIMITIVE]),
      ]),
    ],
    [name('Terminology/sct2_Description_', '-en'), table([descriptionHead, ...described(false, 'en')])],
    [name('Terminology/sct2_Description_', '-sv'), table([descriptionHead, ...described(false, 'sv')])],
    [name('Terminology/sct2_TextDefinition_', '-en'), table([descriptionHead, ...described(true, 'en')])],
    ...relationshipFiles(name),
    [
      name('Refset/Language/der2_cRefset_Language', '-en'),
      table([[...memberHead, 'acceptabilityId'], ...dialects('en')]),
    ],
    [
      name('Refset/Language/der2_cRefset_Language', '-sv'),
      table([[...memberHead, 'acceptabilityId'], ...dialects('sv')]),
    ],
    [name('Refset/Content/der2_Refset_Simple'), table([memberHead, ...members(FAVOURITES)])],
    [
      name('Refset/Content/der2_cRefset_Association'),
      table([[...memberHead, 'targetComponentId'], ...members(ASSOCIATIONS)]),
    ],
    [name('Refset/Map/der2_sRefset_SimpleMap'), table([[...memberHead, 'mapTarget'], ...members(MAPS)])],
    [
      name('Refset/Metadata/der2_ssRefset_ModuleDependency'),
      table([
        [...memberHead, 'sourceEffectiveTime', 'targetEffectiveTime'],
        [...common(uuid(1), {}), '900000000000534007', CORE, DATE, '20020131'],
      ]),
    ],
    // Files of other release types are passed over.
    [`Full/Terminology/sct2_Concept_Full_XX_${DATE}.txt`, 'nothing of RF2\n'],
    ['Readme.txt', 'A made-up release\n'],
  ]);
}

function relationshipFiles(name: (form: string) => string): [string, string][] {
  const [INFERRED, EXISTENTIAL] = ['900000000000011006', '900000000000451002'];
  let count = 0;
  const row = (concept: MadeConcept, target: string, group: number, type: string): string[] => {
    count += 1;
    const own = common(withCheckDigit(`77${1000 + count}02`), concept);
    return [...own, concept.id, target, String(group), type, INFERRED, EXISTENTIAL];
  };
  const attributes = CONCEPTS.flatMap((concept) => (concept.attributes ?? []).map((each) => ({ concept, each })));
  const isConcrete = (target: string): boolean => target.startsWith('#');
  const rows = (concrete: boolean): string[][] =>
    attributes
      .filter(({ each: [, , target] }) => isConcrete(target) === concrete)
      .map(({ concept, each: [group, type, target] }) => row(concept, target, group, type));
  const parents = CONCEPTS.flatMap((each) => (each.parents ?? []).map((parent) => row(each, parent, 0, '116680003')));
  const rest = ['relationshipGroup', 'typeId', 'characteristicTypeId', 'modifierId'];
  return [
    [
      name('Terminology/sct2_Relationship_'),
      table([[...COMMON, 'sourceId', 'destinationId', ...rest], ...parents, ...rows(false)]),
    ],
    [
      name('Terminology/sct2_RelationshipConcreteValues_'),
      table([[...COMMON, 'sourceId', 'value', ...rest], ...rows(true)]),
    ],
  ];
}
