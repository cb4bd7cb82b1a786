// Validations of codes in several versions of their code system.
import { canonical, concept, url, type ValidationCase, vessel } from './asked.ts';
import { VESSELS } from './vessels.ts';

export const VERSION_CASES: readonly ValidationCase[] = [
  {
    name: 'the newest version where none is named',
    asked: [url('vessels'), vessel('ship')],
    answer: { result: true, version: '2.0.0', display: 'Large ship', issues: undefined },
  },
  {
    name: 'the version of the coding where the value set names none',
    asked: [url('vessels'), vessel('raft', { version: '1.0.0' })],
    answer: { result: true, version: '1.0.0', display: 'Raft', issues: undefined },
  },
  {
    name: 'a code that the version of the coding does not have',
    asked: [url('vessels'), vessel('ferry', { version: '1.0.0' })],
    answer: {
      result: false,
      version: '1.0.0',
      issues: ['error invalid-code Coding.code', 'error not-in-vs Coding.code'],
    },
  },
  {
    name: 'a version that is not known',
    asked: [url('vessels'), vessel('ship', { version: '9' })],
    answer: {
      result: false,
      version: '2.0.0',
      'x-caused-by-unknown-system': `${VESSELS}|9`,
      issues: ['error not-found Coding.system', 'warning vs-invalid Coding.version'],
      message: `A definition for CodeSystem '${VESSELS}' version '9' could not be found, so the code cannot be validated. Valid versions: 1.0.0 or 2.0.0`,
    },
  },
  {
    name: 'another version than the value set names',
    asked: [url('vessels-1'), vessel('ship', { version: '2.0.0' })],
    answer: { result: false, version: '1.0.0', display: 'Ship', issues: ['error vs-invalid Coding.version'] },
  },
  {
    name: 'a version that the pattern of the value set takes',
    asked: [url('vessels-1x'), vessel('raft', { version: '1.0.0' })],
    answer: { result: true, version: '1.0.0', issues: undefined },
  },
  {
    name: 'a value set with a version that is not known',
    asked: [url('vessels-9'), vessel('ship', { version: '1.0.0' })],
    answer: {
      result: false,
      version: '1.0.0',
      'x-caused-by-unknown-system': `${VESSELS}|9`,
      issues: ['error not-found Coding.system', 'error vs-invalid Coding.version'],
    },
  },
  {
    name: 'the same with a filter, which cannot be computed',
    asked: [url('vessels-9-filtered'), vessel('ship')],
    answer: { result: false, 'x-caused-by-unknown-system': `${VESSELS}|9`, issues: ['error not-found'] },
  },
  {
    name: 'a CodeableConcept of which nothing can be said is not described',
    asked: [url('vessels-9'), concept([{ system: VESSELS, code: 'ship' }])],
    answer: {
      result: false,
      code: undefined,
      system: undefined,
      issues: ['error not-found CodeableConcept.coding[0].system'],
    },
  },
  {
    name: 'the version of system-version',
    asked: [url('vessels'), vessel('raft'), canonical('system-version', `${VESSELS}|1.0.0`)],
    answer: { result: true, version: '1.0.0' },
  },
  {
    name: 'the version of force-system-version, whatever the value set names',
    asked: [
      url('vessels-9'),
      vessel('raft', { version: '1.0.0' }),
      canonical('force-system-version', `${VESSELS}|1.x`),
    ],
    answer: { result: true, version: '1.0.0', issues: undefined },
  },
  {
    name: 'force-system-version does not hide that the version of the coding is not known',
    asked: [url('vessels-1'), vessel('ship', { version: '9' }), canonical('force-system-version', `${VESSELS}|1.x`)],
    answer: {
      result: false,
      version: '1.0.0',
      issues: ['error not-found Coding.system', 'error vs-invalid Coding.version'],
    },
  },
  {
    name: 'another version than check-system-version asks for',
    asked: [url('vessels-1'), vessel('ship'), canonical('check-system-version', `${VESSELS}|2.x`)],
    answer: { result: false, version: '1.0.0', issues: ['error version-error Coding.version'] },
  },
  {
    name: 'of several versions the latest that has the code',
    asked: [url('both'), vessel('ship')],
    answer: { result: true, version: '2.0.0' },
  },
  {
    name: 'and the one that has the display',
    asked: [url('both'), vessel('ship', { display: 'Ship' })],
    answer: { result: true, version: '1.0.0', issues: undefined },
  },
  {
    name: 'a code of one of several versions alone',
    asked: [url('both'), vessel('raft')],
    answer: { result: true, version: '1.0.0' },
  },
  {
    name: 'the version of bare parameters',
    asked: [
      url('vessels-1'),
      { name: 'system', valueUri: VESSELS },
      { name: 'code', valueCode: 'ship' },
      { name: 'systemVersion', valueString: '2.0.0' },
    ],
    answer: { result: false, issues: ['error vs-invalid version'] },
  },
  {
    name: 'of a code system alone, the version of the coding is the one that is meant',
    type: 'CodeSystem',
    asked: [vessel('raft', { version: '1.0.0' }), canonical('check-system-version', `${VESSELS}|2.x`)],
    answer: { result: false, version: '1.0.0', issues: ['error version-error Coding.version'] },
  },
];
