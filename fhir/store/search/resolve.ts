// Resolves a search before it is planned. It looks up the codes of value sets and hierarchies and the members of lists,
// and brings the index of words up to date.

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import { NO_CODES, unite } from '#fhir/terminology/code-selection.ts';
import type { Json } from '#fhir/terminology/json.ts';
import type { StoredTerminology } from '#fhir/terminology/terminology.ts';
import { TerminologyError } from '#fhir/terminology/terminology-error.ts';
import { validationError } from '#lib/errors.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { accessCondition } from '../access.ts';
import { catchUpText } from '../index/text-index.ts';
import { findCurrent } from '../read/lookup.ts';
import type { Lookups } from './lookups.ts';
import { membersOf } from './members.ts';
import type { CheckedBy } from './sql/index-rows.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';

/**
 * The search with everything looked up; the very same when there is nothing to.
 * @throws ServiceError `validation_error` for a value set, code or list that is not there to be asked
 */
export async function resolveQuery(query: SearchQuery, lookups: Lookups): Promise<SearchQuery> {
  if (!query.criteria.some((criterion) => holds(criterion, isOpen))) return query;
  if (query.criteria.some((criterion) => holds(criterion, ({ kind }) => kind === 'words')))
    await catchUpText(lookups.db, lookups.workerThreads);
  return { ...query, criteria: await resolveAll(query.criteria, lookups) };
}

function isOpen({ kind }: Criterion): boolean {
  return kind === 'codes' || kind === 'members' || kind === 'words';
}

/** A condition that has no other within it. */
type WithoutParts = Exclude<Criterion, CheckedBy<'references' | 'conditions'>>;

/** Whether the condition, or one within it, is such. */
function holds(criterion: Criterion, test: (criterion: Criterion) => boolean): boolean {
  if (test(criterion)) return true;
  switch (criterion.kind) {
    case 'chain':
      return criterion.links.some((link) => holds(link.criterion, test));
    case 'has':
    case 'not':
      return holds(criterion.criterion, test);
    case 'all':
    case 'any':
      return criterion.criteria.some((each) => holds(each, test));
    default:
      criterion satisfies WithoutParts;
      return false;
  }
}

/** One after the other: a transaction has one connection. */
async function resolveAll(criteria: readonly Criterion[], lookups: Lookups): Promise<Criterion[]> {
  const resolved: Criterion[] = [];
  for (const criterion of criteria) resolved.push(await resolve(criterion, lookups));
  return resolved;
}

async function resolve(criterion: Criterion, lookups: Lookups): Promise<Criterion> {
  switch (criterion.kind) {
    case 'codes':
      return selectionOf(criterion, lookups);
    case 'members':
      return { kind: 'id', ids: await membersOf(criterion, lookups) };
    case 'chain': {
      const inner = await resolveAll(
        criterion.links.map((link) => link.criterion),
        lookups,
      );
      const links = criterion.links.flatMap(({ resourceType }, index) => {
        const found = inner[index];
        return found === undefined ? [] : [{ resourceType, criterion: found }];
      });
      return { ...criterion, links };
    }
    case 'has':
    case 'not':
      return { ...criterion, criterion: await resolve(criterion.criterion, lookups) };
    case 'all':
    case 'any':
      return { ...criterion, criteria: await resolveAll(criterion.criteria, lookups) };
    default:
      return criterion satisfies WithoutParts;
  }
}

async function selectionOf(
  { name, parameter, relation, values }: Extract<Criterion, { kind: 'codes' }>,
  lookups: Lookups,
): Promise<Criterion> {
  const { terminology } = lookups;
  const stored = storedTerminology(lookups);
  let selection = NO_CODES;
  try {
    for (const value of values) {
      const found =
        value.kind === 'valueSet'
          ? await terminology.valueSet(value.address, stored)
          : await terminology[relation === 'above' ? 'above' : 'below'](value, stored);
      selection = unite(selection, found);
    }
  } catch (error) {
    if (!(error instanceof TerminologyError)) throw error;
    throw validationError([{ message: `${name} cannot be asked: ${error.message}`, field: name, code: error.issue }]);
  }
  return { kind: 'selection', parameter, isNegated: relation === 'not-in', selection };
}

/** Definitions that users have stored, as far as the caller may see them. */
function storedTerminology({ db, access }: Pick<Lookups, 'db' | 'access'>): StoredTerminology {
  return {
    byUrl: async (resourceType, url) => {
      const values = new SqlValues();
      const type = values.key(nameKey(resourceType));
      const text = `SELECT r.content FROM fhir_uri i JOIN fhir_resource r ON r.type = ${type} AND r.rid = i.rid
        WHERE i.param = ${values.key(nameKey(`${resourceType}.url`))} AND i.value = ${values.bind(url, 'text')} AND NOT r.deleted
          AND ${accessCondition(access(resourceType), resourceType, 'r', values)}`;
      const { rows } = await db.query<{ content: string }>(reusable(text), values.list);
      const found: Json[] = [];
      for (const { content } of rows) found.push((await parseInSlices(content)) as Json);
      return found;
    },
    valueSet: async (id) => {
      const found = await findCurrent(db, { resourceType: 'ValueSet', id }, access);
      return found === undefined || found.isDeleted ? undefined : ((await parseInSlices(found.content)) as Json);
    },
  };
}
