// Reads consents, patients and organisations for the consent gate from the FHIR store, in the caller's transaction
// (decision D7).

import type { FhirStore } from '#fhir/store/store.ts';
import type { Queryable } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import type { Consent, PatientConsents, Recipient, Reference } from './consent.ts';
import { type FoundFiles, findFiles } from './file-store.ts';
import type { Person } from './person.ts';
import { findPersons } from './person-store.ts';
import type { ConsentSource } from './service.ts';

/** Deeper hierarchies of organisations, and circles, are not followed: their top counts as unknown. */
const MAX_LEVELS = 16;
/**
 * The most values in the provisions and grantees of a consent that is evaluated. A provision with all elements has
 * about twenty.
 */
const MAX_VALUES = 5_000;

interface StoredConsent extends Consent {
  readonly subject?: Reference;
}

interface StoredOrganisation {
  readonly id: string;
  readonly partOf?: Reference;
}

/** The parent of an organisation that has none. */
const TOP = '';
const UNREADABLE = '?';

/**
 * Finds consents by their `patient` search parameter, for all records of a person, and organisations by
 * `Organization.partOf`. An organisation that is not stored, or has a parent that is not, might be part of any other
 * (docs/adr/0031).
 */
export function createConsentSource({ parameters: { baseUrl } }: Pick<FhirStore, 'parameters'>): ConsentSource {
  /** The consents that count for each patient. */
  async function consentsIn(
    { named, own }: Pick<FoundFiles, 'named' | 'own'>,
    patientGuids: readonly string[],
  ): Promise<Map<string, Consent[]>> {
    const byPatient = new Map(patientGuids.map((guid) => [guid, new Map<string, Consent>()]));
    const slices = createSlices();
    const add = async (content: string, record?: string) => {
      const consent = (await parseInSlices(content, { slices })) as StoredConsent;
      await slices.rest();
      // Each value takes two characters at least.
      const counted = content.length < 2 * MAX_VALUES || isModest(consent) ? consent : unevaluable(consent);
      byPatient.get(record ?? idOf(consent.subject) ?? '')?.set(consent.id, counted);
    };
    for (const content of named) await add(content);
    // What a person has decided counts for all their records; it names the one under their own guid.
    for (const { record, content } of own) await add(content, record);
    return new Map([...byPatient].map(([guid, consents]) => [guid, [...consents.values()]]));
  }

  async function filesOf(
    db: Queryable,
    patientGuids: readonly string[],
    found: FoundFiles,
  ): Promise<Map<string, PatientConsents>> {
    const known = await consentsIn(found, patientGuids);
    const persons = await findPersons(db, patientGuids, { linked: found.linked, baseUrl });
    const further = [...persons.values()].flatMap(({ own, others }) => [...own, ...others]);
    const unread = [...new Set(further)].filter((guid) => !known.has(guid));
    if (unread.length > 0) {
      const consents = await consentsIn(await findFiles(db, { patients: unread, organisations: [] }), unread);
      for (const [guid, each] of consents) known.set(guid, each);
    }
    const of = (guids: ReadonlySet<string>) => [...guids].flatMap((guid) => known.get(guid) ?? []);
    const fileOf = ({ own, others, isWhole }: Person): PatientConsents => ({
      consents: of(own),
      objections: of(others),
      isComplete: isWhole,
    });
    return new Map([...persons].map(([guid, person]) => [guid, fileOf(person)]));
  }

  /** The parents of those that are stored; `''` for an organisation without parent. */
  async function parentsIn({ organisations }: Pick<FoundFiles, 'organisations'>): Promise<Map<string, string>> {
    const parents = new Map<string, string>();
    const slices = createSlices();
    for (const { id, content } of organisations) {
      const { partOf } =
        content === undefined ? {} : ((await parseInSlices(content, { slices })) as StoredOrganisation);
      parents.set(id, partOf === undefined ? TOP : (idOf(partOf) ?? UNREADABLE));
      await slices.rest();
    }
    return parents;
  }

  async function lineagesOf(
    db: Queryable,
    organisationGuids: readonly string[],
    found: FoundFiles,
  ): Promise<Map<string, Recipient>> {
    const parents = new Map<string, string>();
    let read: Pick<FoundFiles, 'organisations'> = found;
    for (let depth = 1; ; depth += 1) {
      const next = await parentsIn(read);
      const level = [...new Set(next.values())].filter((guid) => guid !== TOP && !parents.has(guid) && !next.has(guid));
      for (const [child, parent] of next) parents.set(child, parent);
      if (level.length === 0 || depth === MAX_LEVELS) break;
      read = await findFiles(db, { patients: [], organisations: level });
    }
    return new Map(organisationGuids.map((guid) => [guid, lineageOf(guid, parents)]));
  }

  return {
    async read(db, asked) {
      const found = await findFiles(db, asked);
      const files = await filesOf(db, asked.patients, found);
      return { files, lineages: await lineagesOf(db, asked.organisations, found) };
    },
  };
}

/** Complete when the top is stored and has no parent. */
function lineageOf(guid: string, parents: ReadonlyMap<string, string>): Recipient {
  const guids = new Set<string>();
  let current: string | undefined = guid;
  while (current !== undefined && current !== TOP && !guids.has(current)) {
    guids.add(current);
    current = parents.get(current);
  }
  return { guids, isComplete: current === TOP };
}

/** Whether the consent is small enough to be evaluated without blocking the event loop. */
function isModest({ provision, grantee }: Consent): boolean {
  return countValues([provision, grantee], MAX_VALUES) < MAX_VALUES;
}

/** The number of values within a JSON value, itself included; at most `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const name in value) {
    count += countValues((value as Record<string, unknown>)[name], most - count);
    if (count >= most) return most;
  }
  return count;
}

/** A consent without a decision, which the gate treats as not evaluable. */
function unevaluable({ id, status, period }: Consent): Consent {
  return { id, status, ...(period === undefined ? {} : { period }) };
}

/** The id in `Type/id`, also at the end of a URL and before a version. */
function idOf(reference: Reference | undefined): string | undefined {
  return /(?:^|\/)[A-Z][A-Za-z]+\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/.*)?$/.exec(reference?.reference ?? '')?.[1];
}
