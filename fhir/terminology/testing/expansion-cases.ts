// Expansions and lookups, with what is said of each: one row for each rule.
import type { Json } from '../json.ts';
import { RIGS, url } from './asked.ts';
import { VESSELS } from './vessels.ts';

export interface ExpansionCase {
  readonly name: string;
  readonly asked: readonly Json[];
  /** The header Accept-Language. */
  readonly accepted?: string;
  /** The codes in order: `code`, `code|version`, and `(…)` for those below. */
  readonly codes?: string;
  /** Lines of `expansion.parameter`, all of them. */
  readonly parameters?: readonly string[];
  /** Displays of the codes at the top. */
  readonly displays?: readonly (string | undefined)[];
  /** Members of the first code. */
  readonly first?: Json;
  /** The codes of `expansion.property`. */
  readonly properties?: readonly string[];
  /** The issues of an OperationOutcome in its place. */
  readonly refused?: readonly string[];
}

const text = (name: string, valueString: string): Json => ({ name, valueString });
const flag = (name: string, valueBoolean = true): Json => ({ name, valueBoolean });
const ALL_RIGS = 'fore-and-aft (sloop lugger xebec dhow)';
const used = (canonical: string) => `used-codesystem=${canonical}`;

export const EXPANSIONS: readonly ExpansionCase[] = [
  {
    name: 'the newest version where none is named',
    asked: [url('vessels')],
    codes: 'ship boat ferry',
    parameters: [used(`${VESSELS}|2.0.0`)],
  },
  {
    name: 'the version of system-version, which is listed where it decides',
    asked: [url('vessels'), text('system-version', `${VESSELS}|1.0.0`)],
    codes: 'ship boat raft',
    parameters: [used(`${VESSELS}|1.0.0`), `system-version=${VESSELS}|1.0.0`],
  },
  {
    name: 'and is not listed where the value set names a version',
    asked: [url('vessels-1'), text('system-version', `${VESSELS}|2.0.0`)],
    codes: 'ship boat raft',
    parameters: [used(`${VESSELS}|1.0.0`)],
  },
  {
    name: 'a forced version',
    asked: [url('vessels-9'), text('force-system-version', `${VESSELS}|1.x`)],
    codes: 'ship boat raft',
    parameters: [used(`${VESSELS}|1.0.0`), `force-system-version=${VESSELS}|1.x`],
  },
  {
    name: 'codes of a system without stored definition, which is not listed',
    asked: [url('languages-listed')],
    codes: 'sv fi',
    parameters: [],
  },
  {
    name: 'another version than the checked one is refused',
    asked: [url('vessels-1'), text('check-system-version', `${VESSELS}|2.x`)],
    refused: ['error version-error'],
  },
  { name: 'a version that is not known is refused', asked: [url('vessels-9')], refused: ['error not-found'] },
  {
    name: 'codes of several versions are shown with theirs',
    asked: [url('both')],
    codes: 'ship|1.0.0 boat|1.0.0 raft|1.0.0 ship|2.0.0 boat|2.0.0 ferry|2.0.0',
    parameters: [used(`${VESSELS}|1.0.0`), used(`${VESSELS}|2.0.0`)],
  },
  {
    name: 'where versions match, a code is there once, in its latest version',
    asked: [url('both-matched')],
    codes: 'raft|1.0.0 ship|2.0.0 boat|2.0.0 ferry|2.0.0',
    parameters: [used(`${VESSELS}|1.0.0`), used(`${VESSELS}|2.0.0`), 'versionsMatch=true'],
  },
  {
    name: 'excluded codes of another version count where one version is included',
    asked: [url('later')],
    codes: 'ferry|2.0.0',
    parameters: [used(`${VESSELS}|2.0.0`), used(`${VESSELS}|1.0.0`), 'versionsMatch=true'],
  },
  {
    name: 'and only for their own version where several are included',
    asked: [url('some-of-both')],
    codes: 'boat|1.0.0 raft|1.0.0 ship|2.0.0 boat|2.0.0 ferry|2.0.0',
  },
  { name: 'a whole code system is a hierarchy', asked: [url('rigs')], codes: ALL_RIGS },
  { name: 'and a list when it is filtered', asked: [url('rigs'), text('filter', 'fore')], codes: 'fore-and-aft' },
  {
    name: 'an empty expansion has no list',
    asked: [url('rigs'), text('filter', 'schooner')],
    codes: '',
    parameters: ['filter=schooner', used(RIGS)],
  },
  {
    name: 'a filter by a boolean takes codes that have the value',
    asked: [url('rigs-selectable')],
    codes: 'xebec',
  },
  { name: 'a standard property is found by its address', asked: [url('rigs-abstract')], codes: 'fore-and-aft' },
  { name: 'values have a case', asked: [url('rigs-none')], codes: '' },
  { name: 'inactive codes are left out', asked: [url('rigs-active')], codes: 'fore-and-aft (sloop xebec)' },
  {
    name: 'the status of a code is always shown, and weight and order where they are known',
    asked: [url('rigs'), flag('excludeNested')],
    codes: 'fore-and-aft sloop lugger xebec dhow',
    properties: ['weight', 'status'],
  },
  {
    name: 'a property that is asked for',
    asked: [url('rigs'), flag('excludeNested'), text('property', 'masts'), text('filter', 'sloop')],
    first: {
      property: [
        { code: 'masts', valueInteger: 1 },
        { code: 'weight', valueDecimal: 2.5 },
      ],
    },
    properties: ['masts', 'weight'],
  },
  {
    name: 'what the value set says of a code',
    asked: [url('labelled')],
    codes: 'xebec sloop',
    first: {
      display: 'Chebec',
      extension: [
        { url: 'http://hl7.org/fhir/StructureDefinition/valueset-concept-definition', valueString: 'Three masts' },
      ],
      property: [
        { code: 'label', valueString: 'b)' },
        { code: 'order', valueDecimal: 2 },
      ],
    },
    properties: ['weight', 'label', 'order'],
  },
  {
    name: 'a supplement is used when the value set asks for it',
    asked: [url('rigs-fi'), text('filter', 'sluuppi'), text('designation', 'fi'), text('property', 'crew')],
    first: {
      display: 'Sloop',
      designation: [{ language: 'fi', value: 'Sluuppi' }],
      property: [
        { code: 'crew', valueInteger: 3 },
        { code: 'label', valueString: 'S.' },
        { code: 'weight', valueDecimal: 2.5 },
      ],
    },
    parameters: ['filter=sluuppi', 'designation=fi', used(RIGS), 'used-supplement=http://x.org/rigs-fi|7'],
  },
  { name: 'and not otherwise', asked: [url('rigs'), text('filter', 'sluuppi')], codes: '' },
  { name: 'a supplement that is not known', asked: [url('rigs-missing')], refused: ['error not-found'] },
  {
    name: 'the shown name is no designation, and the own name becomes one',
    asked: [url('vessels'), text('displayLanguage', 'sv'), flag('includeDesignations'), text('filter', 'boat')],
    first: { display: 'Båt', designation: [{ language: 'en', value: 'Boat' }] },
    parameters: ['filter=boat', 'includeDesignations=true', 'displayLanguage=sv', used(`${VESSELS}|2.0.0`)],
  },
  {
    name: 'no other language is taken where none is accepted',
    asked: [url('rigs'), text('displayLanguage', 'de, *;q=0'), text('filter', 'sloop')],
    first: { display: undefined },
  },
  {
    name: 'any other language is, where it is not said',
    asked: [url('rigs'), text('displayLanguage', 'de;q=0.8, fi'), text('filter', 'sloop')],
    first: { display: 'Sloop' },
  },
  {
    name: 'what is no language is ignored',
    asked: [url('rigs'), text('displayLanguage', '-'), text('filter', 'sloop')],
    parameters: ['filter=sloop', used(RIGS)],
  },
  {
    name: 'the language that the value set asks for',
    asked: [url('rigs-sv'), text('filter', 'slup')],
    first: { display: 'Slup' },
    parameters: ['filter=slup', 'displayLanguage=sv', used(RIGS)],
  },
  {
    name: 'the language that the value set asks for comes before Accept-Language',
    asked: [url('rigs-sv'), text('filter', 'slup')],
    accepted: 'en',
    first: { display: 'Slup' },
    parameters: ['filter=slup', 'displayLanguage=sv', used(RIGS)],
  },
  {
    name: 'and displayLanguage before both',
    asked: [url('rigs-sv'), text('filter', 'slup'), text('displayLanguage', 'en')],
    accepted: 'sv',
    first: { display: 'Sloop' },
  },
  {
    name: 'Accept-Language comes before the language that the value set is in',
    asked: [url('rigs-en'), text('filter', 'slup')],
    accepted: 'sv',
    first: { display: 'Slup' },
    parameters: ['filter=slup', 'displayLanguage=sv', used(RIGS)],
  },
  {
    name: 'the language that a value set asks for by the extension of HL7’s tools',
    asked: [url('rigs-sv-tools'), text('filter', 'slup')],
    first: { display: 'Slup' },
  },
  {
    name: 'warnings of the value set, of those within it, and of their code systems',
    asked: [url('of-old'), flag('excludeNested')],
    parameters: [
      'excludeNested=true',
      used(RIGS),
      'used-valueset=http://x.org/vs/old|1',
      'warning-withdrawn=http://x.org/vs/old|1',
    ],
  },
  {
    name: 'a warning of the value set itself',
    asked: [url('old')],
    parameters: [used(RIGS), 'warning-withdrawn=http://x.org/vs/old|1'],
  },
  {
    name: 'a draft code system',
    asked: [url('knots')],
    parameters: [used('http://x.org/knots|1'), 'warning-draft=http://x.org/knots|1'],
  },
  {
    name: 'of a code system that does not distinguish cases, listed codes are taken in any case and shown in their own',
    asked: [url('rigs-in-capitals')],
    codes: 'sloop',
    first: { display: 'Sloop rig' },
  },
  { name: 'so are the codes of a filter by the hierarchy', asked: [url('rigs-below-capitals')], codes: 'sloop' },
  { name: 'and those of a filter by code', asked: [url('rigs-among-capitals')], codes: 'sloop xebec' },
  { name: 'not so where cases are distinguished', asked: [url('vessels-in-capitals')], codes: '' },
  {
    name: 'codes of a fragment have the names that the fragment knows',
    asked: [url('buoys-listed'), flag('includeDesignations', false)],
    codes: 'can nun',
    displays: [undefined, 'Nun'],
    parameters: ['includeDesignations=false', used('http://x.org/buoys|1'), 'fragment=http://x.org/buoys|1'],
  },
  { name: 'a code system whose codes are not there', asked: [url('tides')], refused: ['error not-found'] },
  { name: 'a value set that consists of itself', asked: [url('circle')], refused: ['error vs-invalid'] },
  {
    name: 'a filter without a value',
    asked: [url('rigs-broken')],
    refused: ['error vs-invalid ValueSet.compose.include[0].filter[0]'],
  },
];
