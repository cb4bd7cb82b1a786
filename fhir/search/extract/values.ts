// Converts values of data types to index values, for each search type (hl7.org/fhir/R5/search.html, "summary table" of
// each type).
import { parseDateTimePeriod } from '../../primitives/date-time.ts';
import type { SearchType } from '../parameters/definitions.ts';
import { exactText, indexedText, laterBeginnings, normaliseContact, normaliseText } from './normalise.ts';

/** One value of a parameter, without the parameter's key. */
export type IndexValue =
  | { readonly kind: 'token'; readonly system: string | undefined; readonly code: string }
  | { readonly kind: 'ofType'; readonly system: string | undefined; readonly code: string }
  | StringValue
  | TextValue
  | { readonly kind: 'date'; readonly low: number; readonly high: number }
  | QuantityValue
  /** `isCut`: a version was removed from its end. */
  | { readonly kind: 'uri'; readonly value: string; readonly isCut: boolean }
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'identifier'; readonly system: string | undefined; readonly code: string };

/** A normalised text; without `exact` the part from one of its later words on. */
export interface StringValue {
  readonly kind: 'string';
  readonly value: string;
  /** As written. */
  readonly exact: string | undefined;
  /** The whole text, where `value` is only its beginning. */
  readonly whole: string | undefined;
}

/** The display of a code or a reference. */
export interface TextValue {
  readonly kind: 'text';
  readonly value: string;
  readonly whole: string | undefined;
}

export interface QuantityValue {
  readonly kind: 'quantity';
  readonly low: number;
  readonly high: number;
  readonly system: string | undefined;
  readonly code: string | undefined;
  readonly unit: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;
/** Converts an element's value to index values; always a new array. */
export type Convert = (value: unknown, codeSystem: string | undefined) => IndexValue[];

/** Bounds of time in the index, in milliseconds: the ends of an open period. */
const TIME_MIN = -8_640_000_000_000_000;
const TIME_MAX = 8_640_000_000_000_000;

const CURRENCIES = 'urn:iso:std:iso:4217';
export const BOOLEANS = 'http://terminology.hl7.org/CodeSystem/special-values';

const NAME_PARTS = ['text', 'family', 'given', 'prefix', 'suffix'];
const ADDRESS_PARTS = ['text', 'line', 'city', 'district', 'state', 'postalCode', 'country'];

/** The conversion of each data type, for each search type. The compiler drops branches to other data types. */
export const CONVERTERS: Readonly<Record<SearchType, Readonly<Record<string, Convert>>>> = {
  token: {
    Coding: (value) => addCoding([], record(value)),
    CodeableConcept: codeableConcept,
    CodeableReference: (value) => codeableConcept(record(value)['concept']),
    Identifier: identifierToken,
    ContactPoint: contactToken,
    code: (value, system) => {
      const code = text(value);
      return code === undefined ? [] : [token(system, code)];
    },
    boolean: (value) => (typeof value === 'boolean' ? [token(BOOLEANS, String(value))] : []),
    ...all(['id', 'string', 'uri', 'url', 'canonical', 'oid', 'uuid', 'markdown'], plainToken),
  },
  string: {
    HumanName: (value) => parts(record(value), NAME_PARTS),
    Address: (value) => parts(record(value), ADDRESS_PARTS),
    CodeableConcept: (value) => parts(record(value), ['text']),
    Identifier: (value) => parts(record(value), ['value']),
    ...all(['string', 'markdown', 'code', 'id', 'uri'], (value) => addStrings([], value)),
  },
  reference: {
    Reference: referenceValues,
    CodeableReference: (value) => referenceValues(record(value)['reference']),
    ...all(['canonical', 'uri', 'url'], canonicalValues),
    ...all(['Composition', 'MessageHeader', 'Resource'], containedReference),
  },
  date: {
    Period: (value) => period(record(value)),
    Timing: (value) => timing(record(value)),
    ...all(['date', 'dateTime', 'instant'], dateValue),
  },
  number: all(['decimal', 'integer', 'positiveInt', 'unsignedInt', 'integer64'], (value) => {
    const number = Number(value);
    return Number.isFinite(number) ? [quantity({ low: number, high: number })] : [];
  }),
  quantity: {
    ...all(['Quantity', 'Age', 'Count', 'Distance', 'Duration'], (value) => quantityValue(record(value))),
    Money: (value) => money(record(value)),
    Range: (value) => range(record(value)),
    Ratio: (value) => quantityValue(record(record(value)['numerator'])),
    SampledData: (value) => sampledData(record(value)),
  },
  uri: all(['uri', 'url', 'canonical', 'oid', 'uuid'], canonicalValues),
  // Their values are those of their components, or are no elements.
  composite: {},
  special: {},
};

function all(types: readonly string[], convert: Convert): Record<string, Convert> {
  return Object.fromEntries(types.map((type) => [type, convert]));
}

function token(system: string | undefined, code: string): IndexValue {
  return { kind: 'token', system, code: exactText(code) };
}

function plainToken(value: unknown): IndexValue[] {
  const code = text(value);
  return code === undefined ? [] : [token(undefined, code)];
}

// The functions below append to a list, as lists of lists would be allocated for every element of every write.

function addCoding(values: IndexValue[], { system, code, display }: Json): IndexValue[] {
  const written = text(code);
  if (written !== undefined) values.push(token(text(system), written));
  return addText(values, display);
}

function addText(values: IndexValue[], value: unknown): IndexValue[] {
  const written = text(value);
  if (written !== undefined) values.push({ kind: 'text', ...shortened(normaliseText(written)) });
  return values;
}

function codeableConcept(value: unknown): IndexValue[] {
  const concept = record(value);
  const values: IndexValue[] = [];
  for (const coding of items(concept['coding'])) addCoding(values, record(coding));
  return addText(values, concept['text']);
}

/** `phone|0701234567`: the kind of contact replaces the system. */
function contactToken(value: unknown): IndexValue[] {
  const contact = record(value);
  const number = text(contact['value']);
  return number === undefined ? [] : [token(text(contact['system']), normaliseContact(number))];
}

function identifierToken(value: unknown): IndexValue[] {
  const identifier = record(value);
  const number = text(identifier['value']);
  const type = record(identifier['type']);
  const values = addText([], type['text']);
  if (number === undefined) return values;
  values.push(token(text(identifier['system']), number));
  for (const item of items(type['coding'])) {
    const { system, code } = record(item);
    const written = text(code);
    if (written === undefined) continue;
    values.push({ kind: 'ofType', system: text(system), code: exactText(`${written}|${number}`) });
  }
  return values;
}

function parts(value: Json, names: readonly string[]): IndexValue[] {
  const values: IndexValue[] = [];
  for (const name of names) {
    const part = value[name];
    if (Array.isArray(part)) for (const item of part) addStrings(values, item);
    else addStrings(values, part);
  }
  return values;
}

function addStrings(values: IndexValue[], value: unknown): IndexValue[] {
  const written = text(value);
  if (written === undefined) return values;
  const normalised = normaliseText(written);
  values.push({ kind: 'string', exact: written, ...shortened(normalised) });
  if (!normalised.includes(' ')) return values;
  for (const value of laterBeginnings(normalised)) {
    values.push({ kind: 'string', value, exact: undefined, whole: undefined });
  }
  return values;
}

function shortened(normalised: string): { readonly value: string; readonly whole: string | undefined } {
  const value = indexedText(normalised);
  return { value, whole: value.length === normalised.length ? undefined : normalised };
}

function referenceValues(value: unknown): IndexValue[] {
  const { reference, identifier, display } = record(value);
  const values: IndexValue[] = [];
  const address = text(reference);
  if (address !== undefined) values.push({ kind: 'reference', reference: address });
  const named = record(identifier);
  const code = text(named['value']);
  if (code !== undefined) values.push({ kind: 'identifier', system: text(named['system']), code: exactText(code) });
  return addText(values, display);
}

/** A canonical is indexed by its URL with and without the version. */
function canonicalValues(value: unknown): IndexValue[] {
  return texts(value).flatMap((canonical): IndexValue[] => {
    const bar = canonical.indexOf('|');
    const whole: IndexValue = { kind: 'uri', value: exactText(canonical), isCut: false };
    return bar === -1 ? [whole] : [whole, { kind: 'uri', value: exactText(canonical.slice(0, bar)), isCut: true }];
  });
}

function containedReference(value: unknown): IndexValue[] {
  const resource = record(value);
  const type = text(resource['resourceType']);
  return type === undefined
    ? []
    : texts(resource['id']).map((id) => ({ kind: 'reference', reference: `${type}/${id}` }));
}

function dateValue(value: unknown): IndexValue[] {
  const found = typeof value === 'string' ? parseDateTimePeriod(value) : undefined;
  return found === undefined ? [] : [{ kind: 'date', low: found.start, high: found.end }];
}

function period(value: Json): IndexValue[] {
  const start = parseDateTimePeriod(text(value['start']) ?? '');
  const end = parseDateTimePeriod(text(value['end']) ?? '');
  if (start === undefined && end === undefined) return [];
  return [{ kind: 'date', low: start?.start ?? TIME_MIN, high: end?.end ?? TIME_MAX }];
}

/** The outer limits of a Timing: its events and the bounds of its repetition. */
function timing(value: Json): IndexValue[] {
  const bounds = period(record(record(value['repeat'])['boundsPeriod']));
  const found = [...items(value['event']).flatMap(dateValue), ...bounds].filter((item) => item.kind === 'date');
  if (found.length === 0) return [];
  return [
    {
      kind: 'date',
      low: found.reduce((least, { low }) => Math.min(least, low), TIME_MAX),
      high: found.reduce((greatest, { high }) => Math.max(greatest, high), TIME_MIN),
    },
  ];
}

function quantity(value: Partial<QuantityValue> & { low: number; high: number }): IndexValue {
  const { low, high, system, code, unit } = value;
  const indexed = (text: string | undefined) => (text === undefined ? undefined : exactText(text));
  return { kind: 'quantity', low, high, system, code: indexed(code), unit: indexed(unit) };
}

function quantityValue(value: Json): IndexValue[] {
  const number = value['value'];
  if (typeof number !== 'number') return [];
  const comparator = text(value['comparator']) ?? '';
  return [
    quantity({
      low: comparator.startsWith('<') ? Number.NEGATIVE_INFINITY : number,
      high: comparator.startsWith('>') ? Number.POSITIVE_INFINITY : number,
      system: text(value['system']),
      code: text(value['code']),
      unit: text(value['unit']),
    }),
  ];
}

function money(value: Json): IndexValue[] {
  const number = value['value'];
  const code = text(value['currency']);
  return typeof number === 'number' ? [quantity({ low: number, high: number, system: CURRENCIES, code })] : [];
}

function range(value: Json): IndexValue[] {
  const low = record(value['low']);
  const high = record(value['high']);
  const either = text(low['code']) === undefined && text(low['unit']) === undefined ? high : low;
  if (typeof low['value'] !== 'number' && typeof high['value'] !== 'number') return [];
  return [
    quantity({
      low: typeof low['value'] === 'number' ? low['value'] : Number.NEGATIVE_INFINITY,
      high: typeof high['value'] === 'number' ? high['value'] : Number.POSITIVE_INFINITY,
      system: text(either['system']),
      code: text(either['code']),
      unit: text(either['unit']),
    }),
  ];
}

/** The limits of the samples, in the unit of the origin. */
function sampledData(value: Json): IndexValue[] {
  const { lowerLimit, upperLimit } = value;
  if (typeof lowerLimit !== 'number' || typeof upperLimit !== 'number') return [];
  const origin = record(value['origin']);
  const [system, code, unit] = [text(origin['system']), text(origin['code']), text(origin['unit'])];
  return [quantity({ low: lowerLimit, high: upperLimit, system, code, unit })];
}

/** The object itself, or an empty one for anything else. */
export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}
