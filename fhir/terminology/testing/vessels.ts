// Definitions of vessels for tests of the terminology operations: every rule of versions, languages, supplements and
// statuses has its code here.
import type { Json } from '../json.ts';

export const VESSELS = 'http://x.org/vessels';
const STATUS = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status';

function codeSystem(url: string, more: Json): Json {
  return { resourceType: 'CodeSystem', url, status: 'active', content: 'complete', caseSensitive: true, ...more };
}

function vessels(version: string, more: readonly Json[]): Json {
  const concept = [
    { code: 'ship', display: version === '1.0.0' ? 'Ship' : 'Large ship' },
    { code: 'boat', display: 'Boat', designation: [{ language: 'sv', value: 'Båt' }] },
    ...more,
  ];
  return codeSystem(VESSELS, { version, language: 'en', concept });
}

const rigs = codeSystem('http://x.org/rigs', {
  language: 'en',
  caseSensitive: false,
  hierarchyMeaning: 'is-a',
  property: [
    { code: 'not-selectable', uri: 'http://hl7.org/fhir/concept-properties#notSelectable', type: 'boolean' },
    { code: 'masts', type: 'integer' },
  ],
  concept: [
    {
      code: 'fore-and-aft',
      display: 'Fore-and-aft rig',
      property: [{ code: 'not-selectable', valueBoolean: true }],
      concept: [
        {
          code: 'sloop',
          display: 'Sloop',
          designation: [
            { language: 'sv', value: 'Slup' },
            { language: 'en', value: 'Sloup', extension: [{ url: STATUS, valueCode: 'withdrawn' }] },
          ],
          property: [{ code: 'masts', valueInteger: 1 }],
          extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/itemWeight', valueDecimal: 2.5 }],
        },
        { code: 'lugger', display: 'Lugger', property: [{ code: 'status', valueCode: 'retired' }] },
        { code: 'xebec', display: 'Xebec', property: [{ code: 'not-selectable', valueBoolean: false }] },
        { code: 'dhow', display: 'Dhow', property: [{ code: 'inactive', valueBoolean: true }] },
      ],
    },
  ],
});

/** Concepts of each status; the property has a name of its own. */
const sails = codeSystem('http://x.org/sails', {
  version: '1',
  property: [{ code: 'stage', uri: 'http://hl7.org/fhir/concept-properties#status', type: 'code' }],
  concept: [
    { code: 'jib', display: 'Jib', property: [{ code: 'stage', valueCode: 'active' }] },
    { code: 'lateen', display: 'Lateen', property: [{ code: 'stage', valueCode: 'deprecated' }] },
    { code: 'ringtail', display: 'Ringtail', property: [{ code: 'stage', valueCode: 'retired' }] },
    { code: 'moonraker', display: 'Moonraker', extension: [{ url: STATUS, valueCode: 'withdrawn' }] },
    { code: 'gennaker', display: 'Gennaker', property: [{ code: 'stage', valueCode: 'experimental' }] },
  ],
});

const rigsInFinnish = codeSystem('http://x.org/rigs-fi', {
  version: '7',
  content: 'supplement',
  supplements: 'http://x.org/rigs',
  concept: [
    {
      code: 'sloop',
      designation: [{ language: 'fi', value: 'Sluuppi' }],
      property: [{ code: 'crew', valueInteger: 3 }],
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/codesystem-label', valueString: 'S.' }],
    },
  ],
});

function valueSet(name: string, compose: Json, more: Json = {}): Json {
  return { resourceType: 'ValueSet', url: `http://x.org/vs/${name}`, version: '1', status: 'active', compose, ...more };
}

const include = (system: string, more: Json = {}): Json => ({ include: [{ system, ...more }] });
const parameterOf = (name: string, value: string, folder = ''): Json => ({
  url: `http://hl7.org/fhir/${folder}StructureDefinition/valueset-expansion-parameter`,
  extension: [
    { url: 'name', valueCode: name },
    { url: 'value', valueString: value },
  ],
});
const bothVersions = {
  include: [
    { system: VESSELS, version: '1.0.0' },
    { system: VESSELS, version: '2.0.0' },
  ],
};

const RIGS = 'http://x.org/rigs';

export const DEFINITIONS: readonly Json[] = [
  vessels('1.0.0', [{ code: 'raft', display: 'Raft' }]),
  vessels('2.0.0', [{ code: 'ferry', display: 'Ferry' }]),
  rigs,
  rigsInFinnish,
  sails,
  codeSystem('http://x.org/knots', {
    status: 'draft',
    version: '1',
    concept: [{ code: 'bowline', display: 'Bowline' }],
  }),
  codeSystem('http://x.org/buoys', { content: 'fragment', version: '1', concept: [{ code: 'nun', display: 'Nun' }] }),
  valueSet('vessels', include(VESSELS)),
  valueSet('vessels-1', include(VESSELS, { version: '1.0.0' })),
  valueSet('vessels-1x', include(VESSELS, { version: '1.x' })),
  valueSet('vessels-9', include(VESSELS, { version: '9' })),
  valueSet(
    'vessels-9-filtered',
    include(VESSELS, { version: '9', filter: [{ property: 'code', op: '=', value: 'ship' }] }),
  ),
  valueSet('both', bothVersions),
  valueSet('both-matched', { ...bothVersions, extension: [parameterOf('versionsMatch', 'true')] }),
  valueSet('later', {
    include: [{ system: VESSELS, version: '2.0.0' }],
    exclude: [{ system: VESSELS, version: '1.0.0' }],
  }),
  valueSet('some-of-both', {
    ...bothVersions,
    exclude: [{ system: VESSELS, version: '1.0.0', concept: [{ code: 'ship' }] }],
  }),
  valueSet('rigs', include(RIGS)),
  valueSet('rigs-active', { ...include(RIGS), inactive: false }),
  valueSet('rigs-sv', { ...include(RIGS), extension: [parameterOf('displayLanguage', 'sv')] }),
  valueSet('rigs-sv-tools', { ...include(RIGS), extension: [parameterOf('displayLanguage', 'sv', 'tools/')] }),
  valueSet('rigs-en', include(RIGS), { language: 'en' }),
  valueSet('rigs-selectable', include(RIGS, { filter: [{ property: 'not-selectable', op: '=', value: 'false' }] })),
  valueSet('rigs-abstract', include(RIGS, { filter: [{ property: 'notSelectable', op: '=', value: 'true' }] })),
  valueSet('rigs-none', include(RIGS, { filter: [{ property: 'not-selectable', op: '=', value: 'TRUE' }] })),
  valueSet('rigs-below', include(RIGS, { filter: [{ property: 'concept', op: 'is-a', value: 'fore-and-aft' }] })),
  valueSet('rigs-in-capitals', {
    ...include(RIGS, { concept: [{ code: 'SLOOP', display: 'Sloop rig' }, { code: 'Xebec' }, { code: 'sloop' }] }),
    exclude: [{ system: RIGS, concept: [{ code: 'XEBEC' }] }],
  }),
  valueSet('rigs-below-capitals', include(RIGS, { filter: [{ property: 'concept', op: 'is-a', value: 'SLOOP' }] })),
  valueSet('rigs-among-capitals', include(RIGS, { filter: [{ property: 'code', op: 'in', value: 'SLOOP,XEBEC' }] })),
  valueSet('vessels-in-capitals', include(VESSELS, { concept: [{ code: 'SHIP' }] })),
  valueSet('rigs-broken', include(RIGS, { filter: [{ property: 'concept', op: 'is-a' }] })),
  valueSet('rigs-fi', include(RIGS), {
    extension: [
      { url: 'http://hl7.org/fhir/StructureDefinition/valueset-supplement', valueCanonical: 'http://x.org/rigs-fi' },
    ],
  }),
  valueSet('rigs-missing', include(RIGS), {
    extension: [
      { url: 'http://hl7.org/fhir/StructureDefinition/valueset-supplement', valueCanonical: 'http://x.org/no' },
    ],
  }),
  valueSet(
    'marked',
    include(RIGS, { concept: [{ code: 'sloop', extension: [{ url: STATUS, valueCode: 'deprecated' }] }] }),
  ),
  valueSet(
    'labelled',
    include(RIGS, {
      concept: [
        {
          code: 'xebec',
          display: 'Chebec',
          extension: [
            { url: 'http://hl7.org/fhir/StructureDefinition/valueset-label', valueString: 'b)' },
            { url: 'http://hl7.org/fhir/StructureDefinition/valueset-conceptOrder', valueInteger: 2 },
            { url: 'http://hl7.org/fhir/StructureDefinition/valueset-concept-definition', valueString: 'Three masts' },
          ],
        },
        { code: 'sloop' },
      ],
    }),
  ),
  codeSystem('http://x.org/tides', { content: 'not-present', version: '1' }),
  codeSystem('http://x.org/charts', {
    version: '1',
    versionNeeded: true,
    concept: [{ code: 'harbour', display: 'Harbour chart' }],
  }),
  valueSet('buoys-listed', include('http://x.org/buoys', { concept: [{ code: 'can' }, { code: 'nun' }] })),
  valueSet('tides', include('http://x.org/tides')),
  valueSet('tides-listed', include('http://x.org/tides', { concept: [{ code: 'neap' }] })),
  valueSet('charts', include('http://x.org/charts')),
  valueSet('charts-1', include('http://x.org/charts', { version: '1' })),
  valueSet('sails', include('http://x.org/sails')),
  valueSet('knots', include('http://x.org/knots')),
  valueSet('buoys', include('http://x.org/buoys')),
  valueSet('old', include(RIGS), { extension: [{ url: STATUS, valueCode: 'withdrawn' }] }),
  valueSet('of-old', { include: [{ valueSet: ['http://x.org/vs/old'] }] }),
  valueSet('of-missing', { include: [{ valueSet: ['http://x.org/vs/nowhere'] }] }),
  valueSet('of-unknown', include('http://x.org/unknown')),
  valueSet('of-listed', include('http://x.org/unknown', { concept: [{ code: 'x' }] })),
  valueSet('circle', { include: [{ valueSet: ['http://x.org/vs/circle'] }] }),
  valueSet('languages', include('urn:ietf:bcp:47')),
  valueSet('languages-listed', include('urn:ietf:bcp:47', { concept: [{ code: 'sv' }, { code: 'fi' }] })),
];
