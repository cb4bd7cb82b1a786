// Media types and how much each is wanted (RFC 9110 §8.3.1, §12.5.1).

/** Of `Accept` a range, of `Content-Type` a type; names and the names of parameters are in lower case. */
export interface MediaRange {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The ranges of an `Accept` header. */
export function readAccept(header: string): MediaRange[] {
  return header.split(',').map(readMediaType);
}

/** A media type with its parameters, of which quotes are taken away. */
export function readMediaType(text: string): MediaRange {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  return { name: name.toLowerCase(), parameters: new Map(parameters.map(readParameter)) };
}

/** `name=value` as headers have it: names are the same in any case, values may stand in quotes (RFC 9110 §5.6.6). */
export function readParameter(text: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=');
  return [
    name.trim().toLowerCase(),
    value
      .join('=')
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  ];
}

/**
 * The weight, 0 to 1, of the most exact range that names one of the types, or the family of the first; 0 when none
 * does.
 */
export function weightOf(ranges: readonly MediaRange[], types: ReadonlySet<string>): number {
  const [first = ''] = types;
  const family = `${first.split('/')[0]}/*`;
  const exact = ranges.filter(({ name }) => types.has(name));
  const ofFamily = ranges.filter(({ name }) => name === family);
  const any = ranges.filter(({ name }) => name === '*/*' || name === '*');
  const [best = []] = [exact, ofFamily, any].filter((group) => group.length > 0);
  return Math.max(0, ...best.map(weight));
}

/** How much a range is wanted, 0 to 1. */
export function weight({ parameters }: MediaRange): number {
  const given = Number(parameters.get('q') ?? 1);
  return Number.isNaN(given) ? 1 : Math.min(given, 1);
}
