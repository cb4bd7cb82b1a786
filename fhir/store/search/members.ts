// The members that a List, Group or CareTeam names (hl7.org/fhir/R5/search.html#list, #in): those that are members now.

import { parseDateTimePeriod } from '#fhir/primitives/date-time.ts';
import { parseReference } from '#fhir/resources/references.ts';
import { record } from '#fhir/search/extract/values.ts';
import type { Criterion } from '#fhir/search/parse/query.ts';
import { validationError } from '#lib/errors.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { findCurrent } from '../read/lookup.ts';
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
  const slices = createSlices();
  for (const { types, id } of collections) {
    let isFound = false;
    for (const type of types) {
      const found = await findCurrent(db, { resourceType: type, id }, access);
      if (found === undefined || found.isDeleted) continue;
      isFound = true;
      const collection = record(await parseInSlices(found.content, { slices }));
      for (const member of membersIn(collection)) {
        const target = parseReference(referenceTo(member, collection['resourceType'], now) ?? '', baseUrl);
        if (target?.kind === 'relative' && target.type === resourceType) ids.add(target.id);
        await slices.rest();
      }
    }
    if (isFound) continue;
    const message = `${name} names no ${types.join(' or ')} that is there: ${id}`;
    throw validationError([{ message, field: name, code: 'not-found' }]);
  }
  return [...ids];
}

const MEMBERS: Readonly<Record<string, string>> = { List: 'entry', Group: 'member', CareTeam: 'participant' };

/** Those who have been members, too. */
function membersIn(collection: Json): readonly unknown[] {
  const members = collection[MEMBERS[String(collection['resourceType'])] ?? ''];
  return Array.isArray(members) ? members : [];
}

/** The reference to a member; undefined for one who has left, or whose entry is struck out. */
function referenceTo(member: unknown, collectionType: unknown, now: number): string | undefined {
  const { deleted, item, inactive, period, entity, coveragePeriod, member: carer } = record(member);
  switch (collectionType) {
    case 'List':
      return deleted === true ? undefined : referenceOf(item);
    case 'Group':
      return inactive !== true && isNow(record(period), now) ? referenceOf(entity) : undefined;
    case 'CareTeam':
      return isNow(record(coveragePeriod), now) ? referenceOf(carer) : undefined;
    default:
      return undefined;
  }
}

function isNow({ start, end }: Json, now: number): boolean {
  const begins = parseDateTimePeriod(String(start ?? ''))?.start ?? Number.NEGATIVE_INFINITY;
  const ends = parseDateTimePeriod(String(end ?? ''))?.end ?? Number.POSITIVE_INFINITY;
  return begins <= now && now <= ends;
}

function referenceOf(value: unknown): string | undefined {
  const { reference } = record(value);
  return typeof reference === 'string' ? reference : undefined;
}
