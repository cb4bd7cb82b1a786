// The members that a List, Group or CareTeam names (hl7.org/fhir/R5/search.html#list, #in): those that are members now.
import { validationError } from '#lib/errors.ts';
import { parseDateTimePeriod } from '#lib/fhir/date-time.ts';
import { parseReference } from '#lib/fhir/references.ts';
import type { Criterion } from '#lib/fhir/search/query.ts';
import { record } from '#lib/fhir/search/values.ts';
import { findCurrent } from './lookup.ts';
import type { Lookups } from './lookups.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The ids of the members that are of the searched type.
 * @throws ServiceError `validation_error` naming a collection that is not there, or not to be seen
 */
export async function membersOf(
  { name, resourceType, collections }: Extract<Criterion, { kind: 'members' }>,
  { db, access, now, baseUrl }: Lookups,
): Promise<string[]> {
  const ids = new Set<string>();
  for (const { types, id } of collections) {
    let isFound = false;
    for (const type of types) {
      const found = await findCurrent(db, { resourceType: type, id }, access);
      if (found === undefined || found.isDeleted) continue;
      isFound = true;
      for (const reference of currentMembers(JSON.parse(found.content), now)) {
        const target = parseReference(reference, baseUrl);
        if (target?.kind === 'relative' && target.type === resourceType) ids.add(target.id);
      }
    }
    if (isFound) continue;
    const message = `${name} names no ${types.join(' or ')} that is there: ${id}`;
    throw validationError([{ message, field: name, issue: 'not-found' }]);
  }
  return [...ids];
}

/** The references to members; those who have left, or whose entry is struck out, are none. */
function currentMembers(collection: Json, now: number): string[] {
  switch (collection['resourceType']) {
    case 'List':
      return rows(collection['entry'])
        .filter(({ deleted }) => deleted !== true)
        .flatMap(({ item }) => referenceOf(item));
    case 'Group':
      return rows(collection['member'])
        .filter(({ inactive, period }) => inactive !== true && isNow(record(period), now))
        .flatMap(({ entity }) => referenceOf(entity));
    case 'CareTeam':
      return rows(collection['participant'])
        .filter(({ coveragePeriod }) => isNow(record(coveragePeriod), now))
        .flatMap(({ member }) => referenceOf(member));
    default:
      return [];
  }
}

function isNow({ start, end }: Json, now: number): boolean {
  const begins = parseDateTimePeriod(String(start ?? ''))?.start ?? Number.NEGATIVE_INFINITY;
  const ends = parseDateTimePeriod(String(end ?? ''))?.end ?? Number.POSITIVE_INFINITY;
  return begins <= now && now <= ends;
}

function rows(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function referenceOf(value: unknown): string[] {
  const { reference } = record(value);
  return typeof reference === 'string' ? [reference] : [];
}
