// Parses media types and the quality values of Accept (RFC 9110 §8.3.1, §12.5.1).

/** A range of `Accept` or the type of `Content-Type`. The name and the names of parameters are in lower case. */
export interface MediaRange {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The ranges of an `Accept` header. */
export function readAccept(header: string): MediaRange[] {
  return header.split(',').map(readMediaType);
}

/** Parses a media type and its parameters, without quotes. */
export function readMediaType(text: string): MediaRange {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  return { name: name.toLowerCase(), parameters: new Map(parameters.map(readParameter)) };
}

/** Parses `name=value`: names are case-insensitive, values may be quoted (RFC 9110 §5.6.6). */
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
 * The quality value, 0 to 1, of the most specific range that matches one of the types, or the family of the first type.
 * It is 0 when none matches.
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

/** The quality value of a range, 0 to 1. */
export function weight({ parameters }: MediaRange): number {
  const given = Number(parameters.get('q') ?? 1);
  return Number.isNaN(given) ? 1 : Math.min(given, 1);
}
