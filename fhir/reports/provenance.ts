// The Provenance of what a provider reported (hl7.org/fhir/R5/provenance.html, docs/adr/0078).
import type { StaffPerson } from '#lib/auth/provider-staff.ts';

export interface Reporting {
  readonly patientGuid: string;
  readonly providerGuid: string;
  readonly providerName: string;
  /** The provider's person who reported; undefined for a key and a receipt token. */
  readonly person: StaffPerson | undefined;
  /** A FHIR instant. */
  readonly recorded: string;
  readonly serviceRequestId: string;
}

/**
 * The resource without an id: the provider as the performer, and the person who acted for it as the author.
 * @param targets addresses such as `Observation/<id>`
 */
export function provenanceOf(
  { patientGuid, providerGuid, providerName, person, recorded, serviceRequestId }: Reporting,
  targets: readonly string[],
): object {
  const typed = (code: string) => ({
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type', code }],
  });
  const identified = (kind: string, value: string) => ({ system: `https://kedja.dev/ids/${kind}`, value });
  const provider = { identifier: identified('provider', providerGuid), display: providerName };
  const author = person && {
    type: typed('author'),
    who: {
      identifier: identified('identity-user', person.userGuid),
      ...(person.name === null ? {} : { display: person.name }),
    },
    onBehalfOf: provider,
  };
  return {
    resourceType: 'Provenance',
    target: targets.map((reference) => ({ reference })),
    recorded,
    patient: { reference: `Patient/${patientGuid}` },
    basedOn: [{ reference: `ServiceRequest/${serviceRequestId}` }],
    agent: [{ type: typed('performer'), who: provider }, ...(author === undefined ? [] : [author])],
  };
}
