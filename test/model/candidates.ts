// Candidate conditions for random searches: for each parameter the values that resources have, and some that nearly
// match. They come in every form of the parameter's type. Also which parameters lead from one type to another.
import { elementsOf, type Found, type Parameter, parametersOf, type SearchType, valuesOf } from './parameters.ts';
import { amountsOf } from './ranges.ts';
import type { StoredResource, World } from './reference-search.ts';
import { escaped, plainText } from './text.ts';
import { addressesOf, stringsOf, textsOf, tokensOf, urisOf } from './values.ts';

/** Characters of a text in a composite value; longer ones are refused (docs/reference/engine/search/composite.md). */
const MAX_COMPOSITE_TEXT = 64;

/** A way from one type to another. */
export interface Edge {
  readonly source: string;
  readonly code: string;
  readonly target: string;
}

export interface Candidates {
  /** `name=value` pairs with modifiers, without prefixes of chains: by type, then by parameter. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, readonly Asking[]>>;
  readonly edges: readonly Edge[];
}

/** A modifier with the values that it may have. */
export interface Asking {
  readonly modifier: string | undefined;
  readonly values: readonly string[];
  /** Prefixes that may be before each value. */
  readonly hasPrefix: boolean;
}

export function findCandidates(world: World): Candidates {
  const values = new Map<string, ReadonlyMap<string, readonly Asking[]>>();
  const edges = new Map<string, Edge>();
  for (const [type, kept] of world.byType) {
    const byCode = new Map<string, readonly Asking[]>();
    for (const parameter of parametersOf(type).values()) {
      const asking = askingsOf(parameter, kept);
      if (asking.length > 0) byCode.set(parameter.code, asking);
      if (parameter.type === 'reference')
        for (const edge of edgesOf(parameter, type, world)) edges.set(JSON.stringify(edge), edge);
    }
    values.set(type, byCode);
  }
  return { values, edges: [...edges.values()] };
}

function edgesOf(parameter: Parameter, source: string, { byType, byAddress, byUrl }: World): Edge[] {
  return (byType.get(source) ?? []).flatMap(({ resource }) => {
    const found = valuesOf(resource, parameter);
    const literal = found.flatMap(addressesOf).flatMap((address) => byAddress.get(address)?.type ?? []);
    const canonical = found
      .flatMap(({ value }) => urisOf(value))
      .flatMap((url) => (byUrl.get(url) ?? []).map(({ type }) => type));
    const edge = (target: string) => ({ source, code: parameter.code, target });
    const isMeant = ({ target }: Edge) => parameter.targets.length === 0 || parameter.targets.includes(target);
    return [...literal, ...canonical].map(edge).filter(isMeant);
  });
}

/** Values that some of the resources may be found by, with their modifiers. */
export function askingsOf(parameter: Parameter, kept: readonly StoredResource[]): Asking[] {
  if (parameter.code === '_lastUpdated') return [];
  if (parameter.type === 'composite') return compositeAskings(parameter, kept);
  const found = kept.flatMap(({ resource }) => valuesOf(resource, parameter));
  if (found.length === 0) return [];
  if (parameter.code === '_id') return [undefined, 'not'].map((modifier) => ask(modifier, tokenForms(found)));
  const askings = [...askingsOfType(parameter.type, found), ask('missing', ['true', 'false'])];
  return askings.filter(({ values }) => values.length > 0);
}

function ask(modifier: string | undefined, values: readonly string[], hasPrefix = false): Asking {
  return { modifier, values: [...new Set(values)].filter((value) => value !== ''), hasPrefix };
}

function askingsOfType(type: SearchType, found: readonly Found[]): Asking[] {
  switch (type) {
    case 'token': {
      const tokens = tokenForms(found);
      return [
        ask(undefined, tokens),
        ask(undefined, tokens),
        ask('not', tokens),
        ask('text', beginnings(found.flatMap(textsOf))),
        ask('of-type', ofTypes(found)),
      ];
    }
    case 'string': {
      const texts = found.flatMap(stringsOf);
      return [
        ask(undefined, beginnings(texts)),
        ask('contains', middles(texts)),
        ask('exact', texts.map(escaped)),
        ask('exact', texts.map(plainText)),
      ];
    }
    case 'reference':
      return referenceAskings(found);
    case 'date':
      return [ask(undefined, found.flatMap(({ value }) => timesIn(value)).flatMap(timeForms), true)];
    case 'number':
    case 'quantity':
      return [ask(undefined, found.flatMap(amountForms), true)];
    case 'uri':
      return uriAskings(found);
    case 'composite':
      return [];
    default:
      return type satisfies never;
  }
}

function tokenForms(found: readonly Found[]): string[] {
  return found.flatMap((each) =>
    tokensOf(each).flatMap(({ system, code }) => {
      // The system of a plain code follows from its binding, which the reference search does not know.
      if (typeof each.value !== 'object') return [escaped(code)];
      const other = each.type === 'ContactPoint' ? 'pager' : 'urn:codes:other';
      const forms = [escaped(code), `${escaped(system ?? '')}|${escaped(code)}`, `${other}|${escaped(code)}`];
      return [...forms, ...(system === undefined ? [] : [`${escaped(system)}|`])];
    }),
  );
}

function ofTypes(found: readonly Found[]): string[] {
  return found.flatMap(({ value }) => {
    const { value: number, type } = Object(value) as {
      value?: string;
      type?: { coding?: { system?: string; code?: string }[] };
    };
    return (type?.coding ?? []).map(({ system, code }) =>
      [system, code, number].map((part) => escaped(part ?? '')).join('|'),
    );
  });
}

/** The texts from one of their words on, cut short, in other letters. */
function beginnings(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const words = plainText(text).split(' ');
    const late = words.slice(-4).join(' ');
    return [text, text.toUpperCase(), part(text, 0, 3), words.at(-1) ?? '', part(words.slice(-2).join(' '), 0, 5), late]
      .filter((form) => plainText(form) !== '')
      .map(escaped);
  });
}

function middles(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => [part(text, 1, 4), part(text, -3), text])
    .filter((form) => plainText(form) !== '')
    .map(escaped);
}

function referenceAskings(found: readonly Found[]): Asking[] {
  const addresses = found.flatMap(addressesOf);
  const ids = addresses.filter((address) => !address.includes(':')).map((address) => address.split('/')[1] ?? '');
  const identifiers = found.flatMap(({ value }) => {
    const { identifier } = Object(value) as { identifier?: { system?: string; value?: string } };
    return identifier === undefined ? [] : tokenForms([{ type: 'Identifier', value: identifier }]);
  });
  const types = [
    ...new Set(addresses.filter((address) => !address.includes(':')).map((address) => address.split('/')[0] ?? '')),
  ];
  return [
    ask(undefined, addresses),
    ask(undefined, [...ids, ...addresses]),
    ask(undefined, found.flatMap(({ value }) => urisOf(value)).map(escaped)),
    ...types.map((type) => ask(type, ids)),
    ask('identifier', identifiers),
    ask('text', beginnings(found.flatMap(textsOf))),
  ];
}

/** Every time that is written in an element. */
function timesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.values(Object(value) as object).flatMap((member) =>
    /^\d{4}/.test(String(member)) || typeof member === 'object' ? timesIn(member) : [],
  );
}

/** The time itself and less exactly, at the day's midnight and beside it. */
function timeForms(text: string): string[] {
  if (!/^\d{4}/.test(text)) return [];
  const day = text.slice(0, 10);
  const isWhole = day.length === 10;
  return [
    text,
    text.slice(0, 4),
    text.slice(0, 7),
    day,
    ...(isWhole ? [`${day}T00:00:00Z`, `${day}T08:30Z`, `${day}T23:59:59.999+02:00`] : []),
  ];
}

function amountForms(found: Found): string[] {
  return amountsOf(found).flatMap(({ low, high, system, code, unit }) => {
    const numbers = [low, high]
      .filter(Number.isFinite)
      .flatMap((value) => [String(value), value.toPrecision(2), value.toPrecision(5), String(value + 0.05)]);
    if (found.type === 'decimal' || typeof found.value === 'number') return numbers;
    return numbers.flatMap((number) => [
      number,
      ...(code === undefined
        ? []
        : [`${number}|${escaped(system ?? '')}|${escaped(code)}`, `${number}||${escaped(code)}`]),
      ...(unit === undefined ? [] : [`${number}||${escaped(unit)}`]),
    ]);
  });
}

function uriAskings(found: readonly Found[]): Asking[] {
  const uris = found.flatMap(({ value }) => urisOf(value)).map(escaped);
  // Above and below are said of paths alone.
  const paths = uris.filter((uri) => uri.includes('://'));
  const parents = paths.map((uri) => uri.slice(0, uri.lastIndexOf('/')));
  const children = paths.map((uri) => `${uri}/x/y`);
  return [ask(undefined, uris), ask('below', [...uris, ...parents]), ask('above', [...uris, ...children])];
}

/** Of one element each component's value, and now and then one of another element. */
function compositeAskings(parameter: Parameter, kept: readonly StoredResource[]): Asking[] {
  const elements = kept.flatMap(({ resource }) => elementsOf(resource, parameter));
  const whole = elements.map((element) => element.map(({ type, values }) => firstForm(type, values)));
  const pairs = whole.flatMap((parts, index) => [
    parts,
    parts.map((part, at) => (at === 0 ? part : (whole[(index + 1) % whole.length]?.[at] ?? part))),
  ]);
  const values = pairs.filter((parts) => parts.every((part) => part !== '')).map((parts) => parts.join('$'));
  return values.length === 0 ? [] : [ask(undefined, values), ask('missing', ['true', 'false'])];
}

function firstForm(type: SearchType, found: readonly Found[]): string {
  const [asking] = askingsOfType(type, found);
  const value = asking?.values[found.length % (asking.values.length || 1)] ?? '';
  return type === 'string' && plainText(value).length > MAX_COMPOSITE_TEXT ? '' : value;
}

/** A part of a text by its characters: half of a surrogate pair cannot be sent. */
function part(text: string, start: number, end?: number): string {
  return [...text].slice(start, end).join('');
}
