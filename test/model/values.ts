// Whether the values of one parameter fulfil a condition, for each search type and modifier
// (hl7.org/fhir/R5/search.html#ptypes).
import type { Found, Json, Parameter, SearchType } from './parameters.ts';
import { type Amount, amountsOf, isAmount, isNumber, isTime, timesOf } from './ranges.ts';
import { contains, divide, hasWordBeginning, plainContact, plainText, unescaped } from './text.ts';

interface Token {
  /** Undefined where the system follows from the element's definition. */
  readonly system: string | undefined;
  readonly code: string;
}

/** Whether one value of the condition is fulfilled by what was found. */
export function isFulfilled(
  found: readonly Found[],
  { type, targets }: Pick<Parameter, 'type' | 'targets'>,
  asked: Condition,
): boolean {
  const { modifier, value } = asked;
  switch (type) {
    case 'token':
      return tokenFulfils(found, modifier, value);
    case 'string':
      return found.flatMap(stringsOf).some((text) => stringFulfils(text, modifier, unescaped(value)));
    case 'reference':
      return referenceFulfils(found, targets, asked);
    case 'date':
      return found.flatMap(timesOf).some((time) => isTime(time, value));
    case 'number':
      return found.flatMap(amountsOf).some((amount) => isNumber(amount, value));
    case 'quantity':
      return found.flatMap(amountsOf).some((amount) => amountFulfils(amount, value));
    case 'uri':
      return found.flatMap(({ value: uri }) => urisOf(uri)).some((uri) => uriFulfils(uri, modifier, unescaped(value)));
    case 'composite':
      throw new Error(`no values of a ${type}`);
    default:
      return type satisfies never;
  }
}

export interface Condition {
  readonly modifier: string | undefined;
  readonly value: string;
}

function tokenFulfils(found: readonly Found[], modifier: string | undefined, value: string): boolean {
  if (modifier === 'text')
    return found.flatMap(textsOf).some((text) => plainText(text).startsWith(plainText(unescaped(value))));
  const parts = divide(value, '|').map(unescaped);
  if (modifier === 'of-type') {
    const [system, code, number] = parts;
    return found.some(({ value: of }) =>
      isOfType(of as Json, { system: system || undefined, code: code ?? '' }, number ?? ''),
    );
  }
  const isContact = found.some(({ type }) => type === 'ContactPoint');
  if (!isContact) return found.flatMap(tokensOf).some((token) => tokenEquals(token, parts));
  // Of a contact an empty kind is any.
  const wanted = parts[0] === '' ? parts.slice(1) : parts;
  return found.flatMap(tokensOf).some((token) => tokenEquals(token, wanted.map(plainContact)));
}

function tokenEquals({ system, code }: Token, [first = '', second]: readonly string[]): boolean {
  if (second === undefined) return code === first;
  return (second === '' || code === second) && (system ?? '') === first;
}

function isOfType(
  { value, type }: Json,
  { system, code }: { system: string | undefined; code: string },
  number: string,
): boolean {
  const codings = ((type as Json | undefined)?.['coding'] ?? []) as Json[];
  return (
    value === number &&
    codings.some((coding) => coding['code'] === code && (system === undefined || coding['system'] === system))
  );
}

/** The codes that are in an element. */
export function tokensOf({ type, value }: Found): Token[] {
  if (typeof value !== 'object') return [{ system: undefined, code: String(value) }];
  const of = value as { system?: string; code?: string; value?: string; coding?: Json[]; concept?: Json };
  switch (type) {
    case 'Coding':
      return of.code === undefined ? [] : [{ system: of.system, code: of.code }];
    case 'CodeableConcept':
      return (of.coding ?? []).flatMap((coding) => tokensOf({ type: 'Coding', value: coding }));
    case 'CodeableReference':
      return of.concept === undefined ? [] : tokensOf({ type: 'CodeableConcept', value: of.concept });
    case 'ContactPoint':
      return of.value === undefined ? [] : [{ system: of.system, code: plainContact(of.value) }];
    default:
      return of.value === undefined ? [] : [{ system: of.system, code: of.value }];
  }
}

/** What `:text` looks through: texts and displays of codes, of identifiers' types, of references. */
export function textsOf({ type, value }: Found): string[] {
  const of = value as {
    display?: string;
    text?: string;
    coding?: Json[];
    concept?: Json;
    type?: Json;
    reference?: Json;
  };
  switch (type) {
    case 'Coding':
    case 'Reference':
      return of.display === undefined ? [] : [of.display];
    case 'CodeableConcept':
      return [
        ...(of.text === undefined ? [] : [of.text]),
        ...(of.coding ?? []).flatMap((coding) => textsOf({ type: 'Coding', value: coding })),
      ];
    case 'CodeableReference':
      return of.concept === undefined ? [] : textsOf({ type: 'CodeableConcept', value: of.concept });
    case 'Identifier':
      return of.type?.['text'] === undefined ? [] : [String(of.type['text'])];
    default:
      return [];
  }
}

const NAME_PARTS = ['text', 'family', 'given', 'prefix', 'suffix'];
const ADDRESS_PARTS = ['text', 'line', 'city', 'district', 'state', 'postalCode', 'country'];

/** The texts of a string parameter's element. */
export function stringsOf({ type, value }: Found): string[] {
  if (typeof value === 'string') return [value];
  const of = value as Json;
  const parts =
    type === 'HumanName'
      ? NAME_PARTS
      : type === 'Address'
        ? ADDRESS_PARTS
        : type === 'Identifier'
          ? ['value']
          : ['text'];
  return parts.flatMap((part) => (of[part] ?? []) as string | string[]);
}

function stringFulfils(text: string, modifier: string | undefined, asked: string): boolean {
  if (modifier === 'exact') return text === asked;
  if (modifier === undefined) return hasWordBeginning(text, asked);
  return contains(text, asked);
}

function amountFulfils(amount: Amount, asked: string): boolean {
  const [number = '', system = '', code = ''] = divide(asked, '|').map(unescaped);
  return isAmount(amount, number, { system, code });
}

/** A canonical is found with its version and without. */
export function urisOf(value: unknown): string[] {
  return typeof value === 'string' ? [...new Set([value, value.split('|')[0] ?? ''])] : [];
}

function uriFulfils(uri: string, modifier: string | undefined, asked: string): boolean {
  if (uri === asked) return true;
  const isBelow = (lower: string, upper: string) => lower.startsWith(upper.endsWith('/') ? upper : `${upper}/`);
  if (modifier === 'below') return isBelow(uri, asked);
  return modifier === 'above' && /:\/\/[^/]+/.test(uri) && isBelow(asked, uri);
}

/** Where a reference leads: `Type/id` without a version, or an address outside. */
export function addressesOf({ type, value }: Found): string[] {
  if (typeof value === 'string') return [];
  const of = value as Json;
  const reference =
    type === 'CodeableReference' ? (of['reference'] as Json | undefined)?.['reference'] : of['reference'];
  return typeof reference === 'string' && !reference.startsWith('#')
    ? [reference.replace(/\/_history\/[^/]+$/, '')]
    : [];
}

function referenceFulfils(
  found: readonly Found[],
  targets: readonly string[],
  { modifier, value }: Condition,
): boolean {
  if (modifier === 'text') return tokenFulfils(found.map(plainReference), 'text', value);
  if (modifier === 'identifier') {
    return tokenFulfils(found.flatMap(identifiersOf), undefined, value);
  }
  const asked = unescaped(value);
  const canonicals = found.filter((each) => typeof each.value === 'string');
  if (canonicals.some((each) => urisOf(each.value).includes(asked))) return true;
  const types = modifier === undefined ? targets : [modifier];
  return found.flatMap(addressesOf).some((address) => {
    if (address.includes(':')) return address === asked;
    const [type = '', id] = address.split('/');
    if (asked.includes('/')) return address === asked && (modifier === undefined || type === modifier);
    return id === asked && (types.length === 0 || types.includes(type));
  });
}

/** The identifier of a reference. */
export function identifiersOf(found: Found): Found[] {
  const { identifier } = Object(plainReference(found).value) as { identifier?: Json };
  return identifier?.['value'] === undefined ? [] : [{ type: 'Identifier', value: identifier }];
}

function plainReference(found: Found): Found {
  return found.type === 'CodeableReference'
    ? { type: 'Reference', value: (found.value as Json)['reference'] ?? {} }
    : found;
}

/** Values of one search type, for a component of a composite. */
export function componentFulfils(found: readonly Found[], type: SearchType, value: string): boolean {
  return isFulfilled(found, { type, targets: [] }, { modifier: undefined, value });
}
