// Mutations of primitive values and codes: wrong formats, ranges, precision, white space, codes outside of their value
// sets.
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { pick } from '#test/support/random.ts';
import { changeMember, changeObject, isOf, isPrimitive, type MemberPlace, type Mutation, setValue } from './places.ts';

/** A number that is written as it is here. */
const written = (text: string): unknown => parseExactJson(text);

/** Wrong and odd values of each type; some are right. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  base64Binary: ['aGVsbG8=', 'aGVsbG8', 'a*bc', 'aGVs bG8=', ''],
  boolean: ['true', 1, 0, 'yes'],
  canonical: [
    'http://example.org/fhir/x|',
    'http://example.org/fhir/x|1.0',
    'http://example.org/a b',
    'x y',
    '|1.0',
    'http://example.org/x|1|2',
  ],
  code: [' x', 'x ', 'a  b', '', 'x\ty', 'a b'],
  date: [
    '2024-02-30',
    '2024-13',
    '24-01-01',
    '2024-1-1',
    '2024-01-01T10:00:00Z',
    '2023',
    '1850-01',
    '20240101',
    '9999-12-31',
  ],
  dateTime: [
    '2024-02-30',
    '2024-01-01T10:00:00',
    '2024-01-01T10:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01 10:00:00Z',
    '2024-01-01T10:00:00.123456Z',
    '2024',
    '2024-01-01T10:00:00+15:00',
    '2024-01-01T10:00:60Z',
    '2024-01-01T',
  ],
  decimal: [
    written('1.0'),
    written('1234567890123456789'),
    written('1.234567890123456789'),
    written('1e3'),
    written('1E-400'),
    written('123456789012345678'),
    '1.5',
    written('-0'),
    written('0.000'),
    written('1e400'),
  ],
  id: ['a_b', 'x'.repeat(65), 'a b', '', 'åb', 'a.b-c'],
  instant: ['2024-01-01', '2024-01-01T10:00:00', '2024-02-30T10:00:00Z', '2024-01-01T10:00:00.1Z', '2024-01-01T10:00Z'],
  integer: [written('1.0'), 1.5, '1', 2_147_483_648, -2_147_483_649, written('1e1'), written('-0'), 0, -1],
  integer64: ['1', 1, '9223372036854775808', '01', '1.0', 'x'],
  markdown: ['', ' ', 'a\u0001b', '\u00a0', '<script>alert(1)</script>', '  lead', 'a\u0000b'],
  positiveInt: [0, -1, 1, written('1.0'), 1.5, 2_147_483_648, '1', written('1e2')],
  string: [
    '',
    ' ',
    '\u00a0',
    'a\u0001b',
    ' lead',
    'trail ',
    'a\nb',
    '\t',
    '\u200b',
    'a\u007fb',
    5,
    true,
    'x'.repeat(2_000),
  ],
  time: ['24:00:00', '10:00', '10:00:00Z', '10:00:60', '10:00:00.123', '1:00:00'],
  unsignedInt: [-1, 0, written('1.0'), 2.5, 2_147_483_648, '1'],
  uri: [
    'a b',
    '',
    'relative/path',
    'urn:uuid:x',
    'urn:oid:x',
    'http://example.org/%',
    'http://',
    '#x',
    'urn:uuid:C757873D-EC9A-4326-A141-556F43239520',
    'http://example.org/å',
  ],
  url: ['a b', '', 'relative/path', 'mailto:a@example.org', 'http://example.org', 'example.org', 'ftp://example.org/x'],
};

const isCoded = ({ slot }: MemberPlace, strength: string): boolean => slot.element.binding?.strength === strength;

export const PRIMITIVES: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([type, values]): [string, Mutation] => [
      `odd ${type}`,
      (places) =>
        changeMember(places, isPrimitive(type), (place, random) => setValue(place, pick(random, values), random)),
    ]),
  ),
  'number instead of a text': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.type.primitive?.json === 'string',
      (place, random) => setValue(place, 5, random),
    ),
  'text instead of a number': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.type.primitive?.json === 'number',
      (place, random) => setValue(place, '5', random),
    ),
};

export const CODES: Readonly<Record<string, Mutation>> = {
  'code outside of a required value set': (places) =>
    changeMember(
      places,
      (place) => place.slot.type.code === 'code' && isCoded(place, 'required'),
      (place, random) => setValue(place, 'unheard-of', random),
    ),
  'code in another case': (places) =>
    changeMember(
      places,
      (place) => place.slot.type.code === 'code' && isCoded(place, 'required'),
      (place, random) => setValue(place, String(place.holder[place.name]).toUpperCase(), random),
    ),
  'coding outside of a required value set': (places) =>
    changeMember(places, (place) => isConcept(place) && isCoded(place, 'required'), setOtherCoding),
  'coding outside of an extensible value set': (places) =>
    changeMember(places, (place) => isConcept(place) && isCoded(place, 'extensible'), setOtherCoding),
  'coding outside of a preferred value set': (places) =>
    changeMember(places, (place) => isConcept(place) && isCoded(place, 'preferred'), setOtherCoding),
  'coding of no known code': (places) =>
    changeObject(places, isOf('Coding'), ({ object }) => {
      object['code'] = 'unheard-of';
    }),
  'code with white space': (places) =>
    changeMember(places, isPrimitive('code'), (place, random) => {
      setValue(place, ` ${String(place.holder[place.name])}`, random);
    }),
  'code that is a number': (places) =>
    changeMember(places, isPrimitive('code'), (place, random) => setValue(place, 7, random)),
  'code that is empty': (places) =>
    changeMember(places, isPrimitive('code'), (place, random) => setValue(place, '', random)),
  'coding whose system is a number': (places) =>
    changeObject(places, isOf('Coding'), ({ object }) => {
      object['system'] = 7;
    }),
  'concept without a list of codings': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }, random) => {
      object['coding'] = pick(random, [[], {}, { system: 'http://example.org/codes', code: 'x' }]);
    }),
  'concept with an empty coding': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }) => {
      object['coding'] = [{}];
    }),
  'coding whose version is a number': (places) =>
    changeObject(places, isOf('Coding'), ({ object }) => {
      object['version'] = 1;
    }),
  'coding chosen by the user': (places) =>
    changeObject(places, isOf('Coding'), ({ object }, random) => {
      object['userSelected'] = pick(random, [true, 'true']);
    }),
  'coding that is a text': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.type.code === 'Coding',
      (place, random) => setValue(place, 'x', random),
    ),
  'concept that is a text': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.type.code === 'CodeableConcept',
      (place, random) => setValue(place, 'x', random),
    ),
  'concept with a display': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }) => {
      object['display'] = 'x';
    }),
  'concept with a second coding': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }) => {
      const list = object['coding'];
      object['coding'] = [...(Array.isArray(list) ? list : []), { system: 'http://example.org/codes', code: 'x' }];
    }),
  'concept with a text too': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }, random) => {
      object['text'] = pick(random, ['x', '', 7]);
    }),
  'coding without a system': (places) =>
    changeObject(places, isOf('Coding'), ({ object }) => {
      delete object['system'];
    }),
  'coding of a relative system': (places) =>
    changeObject(places, isOf('Coding'), ({ object }, random) => {
      object['system'] = pick(random, ['my-codes', 'codes/mine', '/codes', 'loinc.org']);
    }),
  'coding with a display alone': (places) =>
    changeObject(places, isOf('Coding'), ({ object }) => {
      delete object['code'];
      object['display'] = 'x';
    }),
  'concept without coding and text': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }, random) => {
      for (const name of Object.keys(object)) delete object[name];
      Object.assign(
        object,
        pick(random, [
          { id: 'x' },
          { id: 'x', text: 'y' },
          { extension: [{ url: 'http://example.org/fhir/x', valueString: 'x' }] },
        ]),
      );
    }),
  'concept of a text alone': (places) =>
    changeObject(places, isOf('CodeableConcept'), ({ object }) => {
      delete object['coding'];
      object['text'] = 'x';
    }),
};

function isConcept({ slot }: MemberPlace): boolean {
  return slot.type.code === 'CodeableConcept' || slot.type.code === 'Coding';
}

function setOtherCoding(place: MemberPlace, random: () => number): void {
  const coding = { system: 'http://example.org/codes', code: 'x' };
  setValue(place, place.slot.type.code === 'Coding' ? coding : { coding: [coding] }, random);
}
