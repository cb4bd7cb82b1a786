// Fills the database of the benchmark of dispatch directly: patients with consents as an import stores them, and
// requests as matching and pushing leave them. The requests are copied from one that went through the API.

import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { insertMatches } from '#services/dispatch/shared/match-store.ts';
import { consentOf, guidOf, ORGANISATION, organisationOf, patientOf, providerOf, type Resource } from './content.ts';
import { BASE_URL } from './site.ts';

const BATCH = 2000;

const store = createFhirStore({
  parameters: loadSearchParameters(BASE_URL),
  clock: systemClock,
  validate: () => [],
});

export async function storeResources(database: Database, resources: readonly Resource[]): Promise<void> {
  for (let start = 0; start < resources.length; start += BATCH) {
    const items = await Promise.all(
      resources.slice(start, start + BATCH).map((resource) =>
        store.prepareBulk({
          id: resource.id,
          source: readResourceText(JSON.stringify(resource)),
          organisation: ORGANISATION,
        }),
      ),
    );
    await database.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
  }
}

export function patientsWithConsents(count: number): Resource[] {
  return Array.from({ length: count }, (_, index) => [patientOf(index), consentOf(index)]).flat();
}

export function organisations(count: number): Resource[] {
  return Array.from({ length: count }, (_, index) => organisationOf(index));
}

/** What the measurements of dispatch have in common. */
export interface MeasureOptions {
  readonly isQuick: boolean;
  readonly patients: number;
}

/** One active request that went through the addresses. */
export interface Finalized {
  readonly id: string;
  readonly patientGuid: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface PendingRequest {
  readonly id: string;
  readonly providerGuid: string;
}

const COPY_REQUEST = `INSERT INTO service_request
    SELECT (r).* FROM unnest($2::uuid[], $3::text[]) AS n (id, patient_guid), LATERAL (
      SELECT jsonb_populate_record(s, jsonb_build_object('id', n.id, 'patient_guid', n.patient_guid)) AS r
      FROM service_request s WHERE s.id = $1
    ) made`;
const COPY_FORMS = `INSERT INTO form_attachment
    SELECT (r).* FROM unnest($2::uuid[]) AS n (id), LATERAL (
      SELECT jsonb_populate_record(f, jsonb_build_object('service_request_id', n.id)) AS r
      FROM form_attachment f WHERE f.service_request_id = $1
    ) made`;

/** Copies of a finalized request for so many patients, each matched with one provider and not pushed yet. */
export async function copyRequests(
  database: Database,
  original: Finalized,
  { count, providers }: { readonly count: number; readonly providers: number },
): Promise<PendingRequest[]> {
  const text = JSON.stringify(original.resource);
  const copies = Array.from({ length: count }, (_, index) => ({
    id: newGuid(),
    patientGuid: guidOf('patient', index),
    providerGuid: providerOf(index % providers),
  }));
  const resources = copies.map(
    ({ id, patientGuid }): Resource =>
      JSON.parse(text.replaceAll(original.id, id).replaceAll(original.patientGuid, patientGuid)),
  );
  await storeResources(database, resources);
  const ids = copies.map(({ id }) => id);
  await database.transaction(async (tx) => {
    await tx.query(COPY_REQUEST, [original.id, ids, copies.map(({ patientGuid }) => patientGuid)]);
    await tx.query(COPY_FORMS, [original.id, ids]);
    for (const { id, providerGuid } of copies) {
      const match = { matchGuid: newGuid(), providerGuid, providerName: 'A provider', contractGuid: newGuid() };
      await insertMatches(tx, id, [{ ...match, providerOrganisationGuid: undefined }], new Date());
    }
  });
  return copies;
}
