// Reading what the consent gate decides by from dispatch's FHIR store, in the caller's transaction (decision D7).
import type { Queryable } from '#lib/db/database.ts';
import { ALL_ACCESS } from '#lib/fhir-store/access.ts';
import type { FhirStore } from '#lib/fhir-store/store.ts';
import type { ShownVersion } from '#lib/fhir-store/stored-version.ts';
import type { Consent, Recipient, Reference } from './consent.ts';
import type { ConsentSource } from './service.ts';

const PAGE = '1000';
/** Deeper hierarchies of organisations, and circles, are not followed: their upper end then counts as unknown. */
const MAX_LEVELS = 16;

interface StoredConsent extends Consent {
  readonly subject?: Reference;
}

interface StoredOrganisation {
  readonly id: string;
  readonly partOf?: Reference;
}

/**
 * Consents by their `patient` search parameter, organisations by `Organization.partOf`. An organisation that dispatch has no record
 * of stands by itself.
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
    const found = await findAll(db, 'Consent', [
      ['patient', patientGuids.map((guid) => `Patient/${guid}`).join(',')],
      ['status', 'active'],
    ]);
    for (const content of found) {
      const consent: StoredConsent = JSON.parse(content);
      byPatient.get(idOf(consent.subject) ?? '')?.push(consent);
    }
    return byPatient;
  }

  async function parentsOf(db: Queryable, guids: readonly string[]): Promise<Map<string, string>> {
    const found = await findAll(db, 'Organization', [['_id', guids.join(',')]]);
    const organisations = found.map((content): StoredOrganisation => JSON.parse(content));
    return new Map(
      organisations.flatMap(({ id, partOf }) => {
        const parent = idOf(partOf);
        return parent === undefined ? [] : [[id, parent] as const];
      }),
    );
  }

  async function lineagesOf(db: Queryable, organisationGuids: readonly string[]): Promise<Map<string, Recipient>> {
    const parents = new Map<string, string>();
    let level = [...new Set(organisationGuids)];
    for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth += 1) {
      const found = await parentsOf(db, level);
      level = [...new Set(found.values())].filter((guid) => !parents.has(guid) && !found.has(guid));
      for (const [child, parent] of found) parents.set(child, parent);
    }
    return new Map(organisationGuids.map((guid) => [guid, lineageOf(guid, parents, level)]));
  }

  return { consentsOf, lineagesOf };
}

/** Up to the top; `unread` are those whose own parents have not been looked up. */
function lineageOf(guid: string, parents: ReadonlyMap<string, string>, unread: readonly string[]): Recipient {
  const guids = new Set<string>();
  let current: string | undefined = guid;
  while (current !== undefined && !guids.has(current)) {
    guids.add(current);
    current = parents.get(current);
  }
  const isCircle = current !== undefined;
  return { guids, isComplete: !isCircle && !unread.some((item) => guids.has(item)) };
}

/** The id in `Type/id`, also at the end of a URL and before a version. */
function idOf(reference: Reference | undefined): string | undefined {
  return /(?:^|\/)[A-Z][A-Za-z]+\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/.*)?$/.exec(reference?.reference ?? '')?.[1];
}
