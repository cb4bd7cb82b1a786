// Validations of codes, with what is said of each: one row for each rule.
import type { Json } from '../json.ts';
import { canonical, coding, concept, flag, language, RIGS, rig, url, type ValidationCase, vessel } from './asked.ts';
import { CONTENT_CASES } from './content-cases.ts';
import { VERSION_CASES } from './version-cases.ts';
import { VESSELS } from './vessels.ts';

const sail = (code: string): Json => coding({ system: 'http://x.org/sails', code });

const ofRemarks: readonly ValidationCase[] = [
  {
    name: 'a code that does not exist',
    asked: [url('vessels'), vessel('kite', { display: 'Kite' })],
    answer: {
      result: false,
      code: 'kite',
      system: VESSELS,
      version: '2.0.0',
      display: undefined,
      issues: ['error invalid-code Coding.code', 'error not-in-vs Coding.code'],
      message: `The provided code '${VESSELS}#kite ('Kite')' was not found in the value set 'http://x.org/vs/vessels|1'; Unknown code 'kite' in the CodeSystem '${VESSELS}' version '2.0.0'`,
    },
  },
  {
    name: 'a code that exists outside of the value set',
    asked: [url('rigs-below'), vessel('ship')],
    answer: { result: false, display: 'Large ship', issues: ['error not-in-vs Coding.code'] },
  },
  {
    name: 'a CodeableConcept with one right coding has no remark on the value set',
    asked: [url('vessels'), concept([{ system: VESSELS, code: 'ship' }], { text: 'A ship' })],
    answer: {
      result: true,
      code: 'ship',
      issues: undefined,
      codeableConcept: { coding: [{ system: VESSELS, code: 'ship' }], text: 'A ship' },
    },
  },
  {
    name: 'a CodeableConcept with a right and a wrong coding describes the right one',
    asked: [
      url('vessels'),
      concept([
        { system: VESSELS, code: 'kite' },
        { system: VESSELS, code: 'boat' },
      ]),
    ],
    answer: {
      result: false,
      code: 'boat',
      issues: [
        'error invalid-code CodeableConcept.coding[0].code',
        'information this-code-not-in-vs CodeableConcept.coding[0].code',
      ],
    },
  },
  {
    name: 'a CodeableConcept with no right coding describes none',
    asked: [url('rigs-below'), concept([{ system: VESSELS, code: 'ship' }])],
    answer: {
      result: false,
      code: undefined,
      system: undefined,
      display: undefined,
      issues: ['error not-in-vs', 'information this-code-not-in-vs CodeableConcept.coding[0].code'],
    },
  },
  {
    name: 'a coding without a system',
    asked: [url('vessels'), coding({ code: 'ship' })],
    answer: { result: false, issues: ['error not-in-vs Coding.code', 'warning invalid-data Coding'] },
  },
  {
    name: 'a code whose system cannot be inferred',
    asked: [url('vessels'), { name: 'code', valueCode: 'kite' }, flag('inferSystem')],
    answer: { result: false, issues: ['error cannot-infer code', 'error not-in-vs code'] },
  },
  {
    name: 'a system that is a value set',
    asked: [url('vessels'), coding({ system: 'http://x.org/vs/rigs', code: 'sloop' })],
    answer: { result: false, issues: ['error invalid-data Coding.system', 'error not-in-vs Coding.code'] },
  },
  {
    name: 'a system that is a supplement',
    type: 'CodeSystem',
    asked: [coding({ system: 'http://x.org/rigs-fi', code: 'sloop' })],
    answer: { result: false, issues: ['error invalid-data Coding.system'] },
  },
  {
    name: 'a system that is no absolute address',
    asked: [url('vessels'), coding({ system: 'vessels', code: 'ship' })],
    answer: {
      result: false,
      'x-unknown-system': undefined,
      issues: ['error invalid-data Coding.system', 'error not-found Coding.system', 'error not-in-vs Coding.code'],
    },
  },
  {
    name: 'an unknown system outside of the value set',
    asked: [url('vessels'), coding({ system: 'http://x.org/unknown', code: 'x' })],
    answer: {
      result: false,
      'x-unknown-system': 'http://x.org/unknown',
      'x-caused-by-unknown-system': undefined,
      issues: ['error not-found Coding.system', 'error not-in-vs Coding.code'],
    },
  },
  {
    name: 'an unknown system that the value set includes is the cause',
    asked: [url('of-unknown'), coding({ system: 'http://x.org/unknown', code: 'x' })],
    answer: {
      result: false,
      'x-unknown-system': undefined,
      'x-caused-by-unknown-system': 'http://x.org/unknown',
      issues: ['error not-found Coding.system'],
    },
  },
  {
    name: 'a code of an unknown system that the value set lists',
    asked: [url('of-listed'), coding({ system: 'http://x.org/unknown', code: 'x' })],
    answer: { result: true, issues: ['warning not-found Coding.system'] },
  },
  {
    name: 'an unknown value set within the value set',
    asked: [url('of-missing'), vessel('ship')],
    answer: { result: false, issues: ['error not-found'] },
  },
  { name: 'an unknown value set', asked: [url('nowhere'), vessel('ship')], refused: ['error not-found'] },
  {
    name: 'a filter without a value',
    asked: [url('rigs-broken'), rig('sloop')],
    refused: ['error vs-invalid ValueSet.compose.include[0].filter[0]'],
  },
  { name: 'a value set that consists of itself', asked: [url('circle'), rig('sloop')], refused: ['error vs-invalid'] },
  {
    name: 'an inactive code',
    asked: [url('rigs'), rig('dhow')],
    answer: {
      result: true,
      inactive: true,
      issues: ['warning code-comment Coding'],
      message: "The concept 'dhow' has a status of inactive and its use should be reviewed",
    },
  },
  {
    name: 'a code that its code system deprecates',
    asked: [url('sails'), sail('lateen')],
    answer: {
      result: true,
      inactive: undefined,
      status: 'deprecated',
      issues: ['warning code-comment Coding'],
      message: "The concept 'lateen' has a status of deprecated and its use should be reviewed",
    },
  },
  {
    name: 'a code that an extension of its code system withdraws',
    type: 'CodeSystem',
    asked: [sail('moonraker')],
    answer: { result: true, status: 'withdrawn', issues: ['warning code-comment Coding'] },
  },
  {
    name: 'the status of an inactive code is a property of any name',
    asked: [url('sails'), sail('ringtail')],
    answer: {
      result: true,
      inactive: true,
      status: 'retired',
      message: "The concept 'ringtail' has a status of retired and inactive and its use should be reviewed",
    },
  },
  ...['jib', 'gennaker'].map(
    (code): ValidationCase => ({
      name: `nothing speaks against the status of ${code}`,
      asked: [url('sails'), sail(code)],
      answer: { result: true, status: undefined, issues: undefined },
    }),
  ),
  {
    name: 'a retired code where inactive ones are left out',
    asked: [url('rigs-active'), rig('lugger')],
    answer: {
      result: false,
      inactive: true,
      status: 'retired',
      issues: ['error code-rule Coding.code', 'error not-in-vs Coding.code', 'warning code-comment Coding'],
    },
  },
  {
    name: 'an abstract code',
    asked: [url('rigs'), rig('fore-and-aft'), { name: 'abstract', valueBoolean: false }],
    answer: { result: false, issues: ['error code-rule Coding.code'] },
  },
  {
    name: 'a code in another case',
    asked: [url('rigs'), rig('SLOOP')],
    answer: {
      result: true,
      code: 'SLOOP',
      'normalized-code': 'sloop',
      message: undefined,
      issues: ['information code-rule Coding.code'],
    },
  },
  {
    name: 'a code that the value set lists in another case',
    asked: [url('rigs-in-capitals'), rig('sloop')],
    answer: { result: true, 'normalized-code': undefined, issues: undefined },
  },
  {
    name: 'a code that the value set excludes in another case',
    asked: [url('rigs-in-capitals'), rig('xebec')],
    answer: { result: false, issues: ['error not-in-vs Coding.code'] },
  },
  {
    name: 'an unknown code of a fragment',
    asked: [url('buoys'), coding({ system: 'http://x.org/buoys', code: 'can' })],
    answer: { result: true, issues: ['warning invalid-code Coding.code'] },
  },
  {
    name: 'membership alone',
    asked: [url('vessels'), vessel('kite', { display: 'Kite' }), flag('valueset-membership-only')],
    answer: { result: false, issues: ['error not-in-vs Coding.code'] },
  },
  {
    name: 'a draft code system',
    asked: [url('knots'), coding({ system: 'http://x.org/knots', code: 'bowline' })],
    answer: { result: true, message: undefined, issues: ['information status-check'] },
  },
  {
    name: 'a withdrawn value set within the value set',
    asked: [url('of-old'), rig('sloop')],
    answer: { result: true, issues: ['information status-check'] },
  },
  {
    name: 'a code that the value set marks as deprecated',
    asked: [url('marked'), rig('sloop')],
    answer: { result: true, issues: ['warning code-comment Coding.code'] },
  },
  {
    name: 'the display of a value set',
    asked: [url('labelled'), rig('xebec', { display: 'Chebec' })],
    answer: { result: true, issues: undefined },
  },
];

const sloop = (display: string) => rig('sloop', { display });
const spaced = rig('fore-and-aft', { display: 'Fore-and-aft  rig' });

const ofLanguages: readonly ValidationCase[] = [
  {
    name: 'a display in any language, where none is asked for',
    asked: [url('rigs'), sloop('Slup')],
    answer: { result: true, display: 'Sloop', issues: undefined },
  },
  {
    name: 'a display in the language that is asked for',
    asked: [url('rigs'), sloop('slup'), language('sv')],
    answer: { result: true, display: 'Slup', issues: undefined },
  },
  {
    name: 'a display in another language',
    asked: [url('rigs'), sloop('Sloop'), language('sv')],
    answer: {
      result: false,
      display: 'Slup',
      issues: ['error invalid-display Coding.display'],
      message: `Wrong Display Name 'Sloop' for ${RIGS}#sloop. Valid display is 'Slup' (sv) (for the language(s) 'sv')`,
    },
  },
  {
    name: 'the code has no name in the language, and the display is right otherwise',
    asked: [url('rigs'), sloop('Sloop'), language('de')],
    answer: { result: true, issues: ['information invalid-display Coding.display'] },
  },
  {
    name: 'the code has no name in the language, and the display is wrong',
    asked: [url('rigs'), sloop('Yawl'), language('de')],
    answer: { result: false, issues: ['error invalid-display Coding.display'] },
  },
  {
    name: 'the language that the value set asks for',
    asked: [url('rigs-sv'), sloop('Slup')],
    answer: { result: true, display: 'Slup', issues: undefined },
  },
  {
    name: 'and it comes before Accept-Language',
    asked: [url('rigs-sv'), sloop('Slup')],
    accepted: 'en',
    answer: { result: true, display: 'Slup', issues: undefined },
  },
  {
    name: 'Accept-Language comes before the language that the value set is in',
    asked: [url('rigs-en'), sloop('Slup')],
    accepted: 'sv',
    answer: { result: true, display: 'Slup', issues: undefined },
  },
  {
    name: 'the language that the value set is in',
    asked: [url('rigs-en'), sloop('Slup')],
    answer: { result: false, issues: ['error invalid-display Coding.display'] },
  },
  {
    name: 'a wrong display, with all that are right',
    asked: [url('rigs'), sloop('Yawl')],
    answer: {
      message: `Wrong Display Name 'Yawl' for ${RIGS}#sloop. Valid display is one of 2 choices: 'Sloop' (en) or 'Slup' (sv) (for the language(s) '--')`,
    },
  },
  {
    name: 'a lenient validation',
    asked: [url('rigs'), sloop('Yawl'), flag('lenient-display-validation')],
    answer: { result: true, issues: ['warning invalid-display Coding.display'] },
  },
  {
    name: 'a display that is withdrawn',
    asked: [url('rigs'), sloop('Sloup')],
    answer: { result: true, issues: ['warning display-comment Coding.display'] },
  },
  {
    name: 'a display with other spaces',
    asked: [url('rigs'), spaced],
    answer: { result: false, issues: ['error invalid-display Coding.display'] },
  },
  {
    name: 'a name of a supplement that nobody asks for',
    asked: [url('rigs'), sloop('Sluuppi')],
    answer: { result: false, issues: ['error invalid-display Coding.display'] },
  },
  {
    name: 'a name of a supplement that the request asks for',
    asked: [url('rigs'), sloop('Sluuppi'), canonical('useSupplement', 'http://x.org/rigs-fi')],
    answer: { result: true, issues: undefined },
  },
  {
    name: 'a name of a supplement that the value set asks for',
    asked: [url('rigs-fi'), sloop('Sluuppi')],
    answer: { result: true, issues: undefined },
  },
  {
    name: 'a supplement that is not known',
    asked: [url('rigs-missing'), sloop('Sloop')],
    refused: ['error not-found'],
  },
  {
    name: 'a language tag is answered with its name',
    asked: [url('languages'), coding({ system: 'urn:ietf:bcp:47', code: 'sv-FI' }), language('en')],
    answer: { result: true, display: 'Swedish (Finland)' },
  },
  {
    name: 'the value set of all units',
    asked: [
      canonical('url', 'http://unitsofmeasure.org/vs'),
      coding({ system: 'http://unitsofmeasure.org', code: 'mmol/L' }),
    ],
    answer: { result: true, display: 'mmol/L', issues: undefined },
  },
  {
    name: 'the value set of all language tags',
    asked: [canonical('url', 'urn:ietf:bcp:47?fhir_vs'), coding({ system: 'urn:ietf:bcp:47', code: 'not a tag' })],
    answer: { result: false, issues: ['error invalid-code Coding.code', 'error not-in-vs Coding.code'] },
  },
  {
    name: 'a unit is answered as it is written',
    type: 'CodeSystem',
    asked: [coding({ system: 'http://unitsofmeasure.org', code: 'mg/dL' })],
    answer: { result: true, display: 'mg/dL' },
  },
];

export const VALIDATIONS: readonly ValidationCase[] = [
  ...VERSION_CASES,
  ...CONTENT_CASES,
  ...ofRemarks,
  ...ofLanguages,
];
