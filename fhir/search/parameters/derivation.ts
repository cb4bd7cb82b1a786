// SearchParameter.derivedFrom: a parameter that derives from an official one must have its type and some of its base
// resources (hl7.org/fhir/R5/searchparameter-definitions.html#SearchParameter.derivedFrom).
import type { Issue } from '#lib/errors.ts';
import type { SearchParameter, SearchParameters } from './definitions.ts';

type Json = Readonly<Record<string, unknown>>;

/** Why a parameter cannot derive from the official one that it names. Other parameters are not checked. */
export function derivationIssues(
  { derivedFrom, type }: Json,
  bases: readonly string[],
  official: SearchParameters,
): Issue[] {
  const url = typeof derivedFrom === 'string' ? (derivedFrom.split('|', 1)[0] ?? '') : '';
  const known = url === '' ? [] : officialOf(url, official);
  const [first] = known;
  if (first === undefined) return [];
  const issues: Issue[] = [];
  if (first.type !== type) {
    const message = `A parameter derived from ${url} is of its type, ${first.type}`;
    issues.push({ message, field: 'SearchParameter.type', code: 'business-rule' });
  }
  const others = bases.filter((base) => !known.some(({ resourceType }) => resourceType === base));
  if (others.length > 0) {
    const message = `${url}, from which the parameter is derived, is no parameter of ${others.slice(0, 3).join(', ')}`;
    issues.push({ message, field: 'SearchParameter.base', code: 'business-rule' });
  }
  return issues;
}

function officialOf(url: string, official: SearchParameters): SearchParameter[] {
  return [...official.resourceTypes].flatMap((type) =>
    [...official.forType(type).values()].filter((parameter) => parameter.url === url),
  );
}
