// Reading what the consent gate decides by from dispatch's FHIR store, in the caller's transaction (decision D7).

import { isFhirId } from '#fhir/primitives/primitives.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { ShownVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Queryable } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { Consent, PatientConsents, Recipient, Reference } from './consent.ts';
import type { Person } from './person.ts';
import { findPersons } from './person-store.ts';
import type { ConsentSource } from './service.ts';

const PAGE = '1000';
/** Deeper hierarchies of organisations, and circles, are not followed: their upper end then counts as unknown. */
const MAX_LEVELS = 16;
/**
 * Values in the provisions and grantees of one consent: a consent with more cannot be evaluated. A provision with all
 * its elements has some twenty.
 */
const MAX_VALUES = 5_000;

interface StoredConsent extends Consent {
  readonly subject?: Reference;
}

interface StoredOrganisation {
  readonly id: string;
  readonly partOf?: Reference;
}

/** Where a lineage ends: no guids. */
const TOP = '';
const UNREADABLE = '?';

/**
 * Consents by their `patient` search parameter, also those of records that are the same person; organisations by
 * `Organization.partOf`. One that is not on record, and one whose `partOf` leads to such a one, might be part of any
 * other (docs/adr/0031).
 */
export function createConsentSource(store: FhirStore): ConsentSource {
  async function findAll(db: Queryable, resourceType: string, given: readonly [string, string][]): Promise<string[]> {
    const contents: ShownVersion[] = [];
    let cursor: string | undefined;
    do {
      const query = store.parse(resourceType, [...given, ['_count', PAGE], ['_total', 'none']]);
      const page = await store.search(db, cursor === undefined ? query : { ...query, cursor }, { access: ALL_ACCESS });
      contents.push(...page.matches);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return contents.map(({ content }) => content);
  }

  async function consentsOf(db: Queryable, patientGuids: readonly string[]): Promise<Map<string, Consent[]>> {
    const byPatient = new Map<string, Consent[]>(patientGuids.map((guid) => [guid, []]));
    if (patientGuids.length === 0) return byPatient;
    const found = await findAll(db, 'Consent', [
      ['patient', patientGuids.map((guid) => `Patient/${guid}`).join(',')],
      ['status', 'active'],
    ]);
    const slices = createSlices();
    for (const content of found) {
      const consent = (await parseInSlices(content, { slices })) as StoredConsent;
      await slices.rest();
      byPatient.get(idOf(consent.subject) ?? '')?.push(isModest(consent) ? consent : unevaluable(consent));
    }
    return byPatient;
  }

  async function filesOf(db: Queryable, patientGuids: readonly string[]): Promise<Map<string, PatientConsents>> {
    const [known, persons] = await Promise.all([
      consentsOf(db, patientGuids),
      findPersons(db, patientGuids, store.parameters.baseUrl),
    ]);
    const further = [...persons.values()].flatMap(({ own, others }) => [...own, ...others]);
    const unread = [...new Set(further)].filter((guid) => !known.has(guid));
    for (const [guid, consents] of await consentsOf(db, unread)) known.set(guid, consents);
    const of = (guids: ReadonlySet<string>) => [...guids].flatMap((guid) => known.get(guid) ?? []);
    const fileOf = ({ own, others, isWhole }: Person): PatientConsents => ({
      consents: of(own),
      objections: of(others),
      isComplete: isWhole,
    });
    return new Map([...persons].map(([guid, person]) => [guid, fileOf(person)]));
  }

  /** Of those that are on record; `''` for one that is part of none. */
  async function parentsOf(db: Queryable, guids: readonly string[]): Promise<Map<string, string>> {
    // Providers are called as their contract service calls them, which may be by no id of FHIR's.
    const ids = guids.filter(isFhirId);
    const found = ids.length === 0 ? [] : await findAll(db, 'Organization', [['_id', ids.join(',')]]);
    const organisations: StoredOrganisation[] = [];
    const slices = createSlices();
    for (const content of found) {
      organisations.push((await parseInSlices(content, { slices })) as StoredOrganisation);
      await slices.rest();
    }
    return new Map(
      organisations.map(({ id, partOf }) => [id, partOf === undefined ? TOP : (idOf(partOf) ?? UNREADABLE)]),
    );
  }

  async function lineagesOf(db: Queryable, organisationGuids: readonly string[]): Promise<Map<string, Recipient>> {
    const parents = new Map<string, string>();
    let level = [...new Set(organisationGuids)];
    for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth += 1) {
      const found = await parentsOf(db, level);
      level = [...new Set(found.values())].filter((guid) => guid !== TOP && !parents.has(guid) && !found.has(guid));
      for (const [child, parent] of found) parents.set(child, parent);
    }
    return new Map(organisationGuids.map((guid) => [guid, lineageOf(guid, parents)]));
  }

  return { consentsOf: filesOf, lineagesOf };
}

/** Complete when it leads to an organisation that is on record and part of none. */
function lineageOf(guid: string, parents: ReadonlyMap<string, string>): Recipient {
  const guids = new Set<string>();
  let current: string | undefined = guid;
  while (current !== undefined && current !== TOP && !guids.has(current)) {
    guids.add(current);
    current = parents.get(current);
  }
  return { guids, isComplete: current === TOP };
}

/** Whether what the gate reads of a consent is so little that one evaluation of it holds up nobody. */
function isModest({ provision, grantee }: Consent): boolean {
  return countValues([provision, grantee], MAX_VALUES) < MAX_VALUES;
}

/** The values within a JSON value, itself included; `most` when there are at least as many. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const name in value) {
    count += countValues((value as Record<string, unknown>)[name], most - count);
    if (count >= most) return most;
  }
  return count;
}

/** It has no decision, as one whose decision is not understood. */
function unevaluable({ id, status, period }: Consent): Consent {
  return { id, status, ...(period === undefined ? {} : { period }) };
}

/** The id in `Type/id`, also at the end of a URL and before a version. */
function idOf(reference: Reference | undefined): string | undefined {
  return /(?:^|\/)[A-Z][A-Za-z]+\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/.*)?$/.exec(reference?.reference ?? '')?.[1];
}
