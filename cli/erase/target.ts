// What an erasure names, as it is stored and as it is in the certificate. It has ids of records, and no other data
// of a person (docs/adr/0131).
import type { Service } from '../services.ts';

export const FHIR_SERVICES = ['dispatch', 'engine'] as const;
export type FhirService = (typeof FHIR_SERVICES)[number];
/** In the order in which they are erased: identity last, as it knows whose records the others are. */
export const ERASURE_ORDER: readonly Service[] = ['dispatch', 'engine', 'identity'];

export interface Target {
  readonly kind: 'patient' | 'resources';
  readonly accounts: readonly { readonly user_guid: string; readonly patient_guid: string }[];
  /** Ids of the person's Patients. */
  readonly patients: Readonly<Record<FhirService, readonly string[]>>;
  /** Single resources, as `Type/id`. */
  readonly resources: Readonly<Record<FhirService, readonly string[]>>;
  /** Guids by which providers know the requests. */
  readonly receipts: readonly string[];
  /** What becomes of records that are another person's, too. */
  readonly shared: 'erase' | 'keep';
}

/** All ids of the person, as they may occur anywhere. */
export function personIds({ accounts, patients }: Target): readonly string[] {
  const guids = accounts.flatMap(({ user_guid: user, patient_guid: patient }) => [user, patient]);
  return [...new Set([...guids, ...patients.dispatch, ...patients.engine])];
}

/** The ids of the type among the resources of the service. */
export function idsOfType(target: Target, service: FhirService, type: string): string[] {
  const prefix = `${type}/`;
  return target.resources[service].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
