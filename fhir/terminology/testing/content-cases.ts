// Validations against code systems that are known in part, without their codes, or only with a version.
import type { Json } from '../json.ts';
import { coding, concept, flag, url, type ValidationCase } from './asked.ts';

const TIDES = 'http://x.org/tides';
const CHARTS = 'http://x.org/charts';
const tide = (code: string): Json => coding({ system: TIDES, code });
const harbour = (more: Json = {}): Json => coding({ system: CHARTS, code: 'harbour', ...more });
const force = (name: string): Json => ({ name, valueUri: `${CHARTS}|1` });

export const CONTENT_CASES: readonly ValidationCase[] = [
  {
    name: 'a code that a value set lists of a fragment, which knows it',
    asked: [url('buoys-listed'), coding({ system: 'http://x.org/buoys', code: 'nun' })],
    answer: { result: true, version: '1', display: 'Nun', issues: undefined },
  },
  {
    name: 'a code system whose codes are not there is as one that is unknown',
    type: 'CodeSystem',
    asked: [tide('neap')],
    answer: { result: false, 'x-unknown-system': TIDES, issues: ['error not-found Coding.system'] },
  },
  {
    name: 'also when a value set takes all of its codes',
    asked: [url('tides'), tide('neap')],
    answer: { result: false, 'x-caused-by-unknown-system': TIDES, issues: ['error not-found Coding.system'] },
  },
  {
    name: 'its codes that a value set lists are in it',
    asked: [url('tides-listed'), tide('neap')],
    answer: { result: true, issues: ['warning not-found Coding.system'] },
  },
  {
    name: 'and no others',
    asked: [url('tides-listed'), tide('spring')],
    answer: { result: false, issues: ['error not-found Coding.system', 'error not-in-vs Coding.code'] },
  },
  {
    name: 'a coding without the version that its code system needs',
    asked: [url('charts'), harbour()],
    answer: { result: false, display: 'Harbour chart', issues: ['error version-error Coding.version'] },
  },
  {
    name: 'the same in a CodeableConcept',
    asked: [url('charts'), concept([{ system: CHARTS, code: 'harbour' }])],
    answer: { result: false, issues: ['error version-error CodeableConcept.coding[0].version'] },
  },
  {
    name: 'a coding of another code system than the one that is asked',
    type: 'CodeSystem',
    asked: [{ name: 'url', valueUri: TIDES }, harbour({ version: '1' })],
    refused: ['error validation_error coding'],
  },
  {
    name: 'one of the same',
    type: 'CodeSystem',
    asked: [{ name: 'url', valueUri: CHARTS }, harbour({ version: '1' })],
    answer: { result: true, system: CHARTS },
  },
  {
    name: 'a CodeableConcept may have codings of other systems',
    type: 'CodeSystem',
    asked: [
      { name: 'url', valueUri: CHARTS },
      concept([
        { system: CHARTS, version: '1', code: 'harbour' },
        { system: 'http://x.org/sails', code: 'jib' },
      ]),
    ],
    answer: { result: true, code: 'harbour' },
  },
  {
    name: 'the coding has the version',
    asked: [url('charts'), harbour({ version: '1' })],
    answer: { result: true, issues: undefined },
  },
  {
    name: 'the value set has it',
    asked: [url('charts-1'), harbour()],
    answer: { result: true, issues: undefined },
  },
  ...['system-version', 'force-system-version'].map(
    (name): ValidationCase => ({
      name: `the request has it in ${name}`,
      type: 'CodeSystem',
      asked: [harbour(), force(name)],
      answer: { result: true, issues: undefined },
    }),
  ),
  {
    name: 'nobody asks whether it is needed where only membership is asked',
    asked: [url('charts'), harbour(), flag('valueset-membership-only')],
    answer: { result: true, issues: undefined },
  },
];
