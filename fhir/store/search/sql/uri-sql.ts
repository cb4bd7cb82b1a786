// Conditions on addresses: by their paths, and canonical ones by the versions that are behind them
// (hl7.org/fhir/R5/search.html#uri,
// #canonical).
import type { UriMatch } from '#fhir/search/parse/query.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf, beginsWith } from './text-sql.ts';

/** What may be between the parts of a version: 1.2 is below 1, and so is 1-draft. */
const DIVIDERS = ['.', '-'];

/** A condition on the index row `i`. */
export function uriCondition(value: string, match: UriMatch, values: SqlValues): string {
  switch (match) {
    case 'exact':
      return `i.value = ${values.bind(value, 'text')}`;
    case 'contains':
      return `i.value LIKE ${values.bind(`%${value.replace(/[\\%_]/g, '\\$&')}%`, 'text')}`;
    case 'below':
      return `(i.value = ${values.bind(value, 'text')} OR (${beginsWith(value.endsWith('/') ? value : `${value}/`, values)}))`;
    case 'above':
      return `i.value = ANY(${values.bind(pathsAbove(value), 'text[]')})`;
    case 'version-below':
      return versionsBelow(value, values);
    case 'version-above':
      return versionsAbove(value, values);
    default:
      return match satisfies never;
  }
}

/** The address itself and each shorter one that ends before a slash. */
export function pathsAbove(value: string): string[] {
  const paths = [value];
  const start = value.indexOf('://');
  for (let at = value.lastIndexOf('/'); at > start + 2 && at > 0; at = value.lastIndexOf('/', at - 1)) {
    paths.push(value.slice(0, at), value.slice(0, at + 1));
  }
  return paths;
}

/**
 * Every version that the one asked for is the beginning of; of a URL alone every version. A canonical is in the
 * index without its version, too.
 */
function versionsBelow(value: string, values: SqlValues): string {
  const same = `i.value = ${values.bind(value, 'text')}`;
  if (!value.includes('|')) return same;
  return anyOf([same, ...DIVIDERS.map((divider) => beginsWith(value + divider, values))]);
}

/**
 * Every version that is the beginning of the one asked for, and the URL where it is without one: it means them all.
 */
function versionsAbove(value: string, values: SqlValues): string {
  const bar = value.indexOf('|');
  const url = bar === -1 ? value : value.slice(0, bar);
  const bound = values.bind(url, 'text');
  const versions = bar === -1 ? [] : beginningsOf(value.slice(bar + 1)).map((version) => `${url}|${version}`);
  // The row `url|` says that the URL is there without a version although it is there with one, too.
  const named = `SELECT FROM fhir_uri n WHERE n.rid = i.rid AND n.param = i.param AND starts_with(n.value, ${bound} || '|')`;
  return anyOf([
    `i.value = ANY(${values.bind([...versions, `${url}|`], 'text[]')})`,
    `i.value = ${bound} AND NOT EXISTS (${named})`,
  ]);
}

/** `1.2.3`, `1.2`, `1`. */
function beginningsOf(version: string): string[] {
  const ends = [...version.matchAll(/[.-]/g)].map(({ index }) => index).filter((end) => end > 0);
  return version === '' ? [] : [...ends.map((end) => version.slice(0, end)), version];
}
